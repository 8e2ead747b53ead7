package zipfile

import (
	"cmp"
	"slices"
)

// ReadLocal checks the local header of m against the directory, and finds the data and the descriptor after it. All of
// them must end at m.Limit or before. ReadLocal sets Data, End and CRCAt.
func (m *Member) ReadLocal(s Source) error {
	fail := func(format string, args ...any) error {
		return errorf("member "+Quote(m.Name), m.Offset, format, args...)
	}
	b, err := s.Bytes(m.Offset, localLen)
	if err != nil {
		return err
	}
	var rec [localLen]byte
	if copy(rec[:], b); string(rec[:len(localMagic)]) != localMagic {
		return fail("missing local header")
	}
	name, extra := int(u16(rec[26:])), int(u16(rec[28:]))
	if name+extra > m.Limit-m.Offset-localLen-m.Compressed {
		return m.overlapError()
	}
	m.Data = m.Offset + localLen + name + extra
	if b, err = s.Bytes(m.Offset+localLen, name+extra); err != nil {
		return err
	}
	head := slices.Clone(b)
	flags := u16(rec[6:])
	switch text, bad := decodeName(head[:name], flags); {
	case bad != "":
		return fail("in the local header %s", bad)
	case text != m.Name:
		return fail("the local header calls it %s", Quote(text))
	case u16(rec[8:]) != m.Method:
		return fail("the local header says method %d, the directory %d", u16(rec[8:]), m.Method)
	case (flags^m.Flags)&(flagEncrypted|flagDescriptor|flagStrong) != 0:
		return fail("the local header has flags %#x, the directory %#x", flags, m.Flags)
	}
	compressed, size := uint64(u32(rec[18:])), uint64(u32(rec[22:]))
	z, bad := m.readExtra(head[name:])
	if bad != "" {
		return fail("%s", bad)
	}
	if z != nil && (compressed == full32 || size == full32) { // it has both values, the size first
		if len(z) < 16 {
			return fail("its zip64 field is too short")
		}
		if size == full32 {
			size = u64(z)
		}
		if compressed == full32 {
			compressed = u64(z[8:])
		}
	}
	// A program that could not seek back to write the sizes wrote zeros, or a size that it knew, and a descriptor.
	streamed := m.Flags&flagDescriptor != 0
	says := func(v, want uint64) bool { return v == want || streamed && v == 0 }
	if !says(size, uint64(m.Size)) || !says(compressed, uint64(m.Compressed)) {
		return fail("the local header says size %d and compressed size %d, the directory %d and %d", size, compressed, m.Size,
			m.Compressed)
	}
	if !streamed || u32(rec[14:]) != 0 {
		m.CRCAt[1] = m.Offset + 14
	}
	m.End = m.Data + m.Compressed
	if streamed {
		if b, err = s.Bytes(m.End, min(m.Limit-m.End, descriptorLen)); err != nil {
			return err
		}
		if n := m.findDescriptor(b); n == 0 {
			return fail("its data is not followed by a descriptor that says the sizes of the directory")
		} else {
			m.End += n
		}
	}
	return nil
}

// findDescriptor reads the descriptor after the data of m and returns its length, or 0 if no descriptor matches. A
// descriptor may have a magic number or not, and sizes of 64 or 32 bits.
func (m *Member) findDescriptor(b []byte) int {
	var rec [descriptorLen]byte
	n := copy(rec[:], b)
	for _, magic := range []int{len(descriptorMagic), 0} {
		if string(rec[:magic]) != descriptorMagic[:magic] {
			continue
		}
		crc := magic
		sizes := rec[crc+4:]
		is64 := u64(sizes) == uint64(m.Compressed) && u64(sizes[8:]) == uint64(m.Size)
		is32 := uint64(u32(sizes)) == uint64(m.Compressed) && uint64(u32(sizes[4:])) == uint64(m.Size)
		for _, end := range []struct {
			is bool
			at int
		}{{is64, crc + 20}, {is32, crc + 12}} {
			if end.is && end.at <= n {
				m.CRCAt[2] = m.Data + m.Compressed + crc
				return end.at
			}
		}
	}
	return 0
}

// setLimits sets the Limit of each member. It returns an error if members overlap even if their local headers have no
// names, for example if two records of the directory have the same local header.
func setLimits(members []Member, directory int) error {
	order := make([]*Member, len(members))
	for i := range members {
		order[i] = &members[i]
	}
	slices.SortStableFunc(order, func(a, b *Member) int { return cmp.Compare(a.Offset, b.Offset) })
	for i, m := range order {
		m.Limit = directory
		if i+1 < len(order) {
			m.Limit = order[i+1].Offset
		}
		if m.Compressed > m.Limit-m.Offset-localLen {
			return m.overlapError()
		}
	}
	return nil
}

func (m *Member) overlapError() error {
	return errorf("member "+Quote(m.Name), m.Offset, "its %d bytes of data end past byte %d, where the next record starts",
		m.Compressed, m.Limit)
}
