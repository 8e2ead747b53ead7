package zipfile

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"strings"
)

// A sample is an archive with the positions of its records, for tests that damage it.
type sample struct {
	b     []byte
	local []int // positions of the local headers
	dir   []int // positions of the records of the directory
	end   int   // position of the end record, or of the zip64 end record
}

// content holds the contents of the members of every sample.
var content = []string{"alpha", "beta, beta, beta, beta, beta", ""}

// newSample returns an archive of three members, written by the code under test: a stored one, a deflated one and an
// empty one.
func newSample(f Format) *sample {
	s := new(sample)
	var entries []Entry
	for i, text := range content {
		e := Entry{Name: []string{"a.npy", "b.npy", "é"}[i], Offset: int64(len(s.b)), CRC: Checksum([]byte(text)),
			Size: int64(len(text)), Compressed: int64(len(text)), Zip64: f.NeedsZip64(int64(len(text)))}
		data := []byte(text)
		if i == 1 {
			e.Method = Deflated
			data = deflate(text)
			e.Compressed = int64(len(data))
		}
		s.local = append(s.local, len(s.b))
		s.b = append(f.AppendLocal(s.b, &e), data...)
		entries = append(entries, e)
	}
	at := len(s.b)
	s.b = f.AppendDirectory(s.b, entries, int64(at))
	for _, e := range entries {
		s.dir = append(s.dir, at)
		at += directoryLen + len(e.Name)
	}
	s.end = at
	return s
}

func deflate(text string) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, 9)
	w.Write([]byte(text))
	w.Close()
	return b.Bytes()
}

func (s *sample) put16(at int, v uint16) *sample {
	binary.LittleEndian.PutUint16(s.b[at:], v)
	return s
}

func (s *sample) put32(at int, v uint32) *sample {
	binary.LittleEndian.PutUint32(s.b[at:], v)
	return s
}

func (s *sample) put64(at int, v uint64) *sample {
	binary.LittleEndian.PutUint64(s.b[at:], v)
	return s
}

func (s *sample) put(at int, text string) *sample {
	copy(s.b[at:], text)
	return s
}

// insert inserts bytes and updates the positions in s, but not the offsets in the archive.
func (s *sample) insert(at int, text string) *sample {
	s.b = []byte(string(s.b[:at]) + text + string(s.b[at:]))
	for _, places := range [][]int{s.local, s.dir} {
		for i := range places {
			if places[i] >= at {
				places[i] += len(text)
			}
		}
	}
	if s.end >= at {
		s.end += len(text)
	}
	return s
}

// extend adds to the size and the offset of the directory in the end record.
func (s *sample) extend(size, offset int) *sample {
	s.put32(s.end+12, u32(s.b[s.end+12:])+uint32(size))
	return s.put32(s.end+16, u32(s.b[s.end+16:])+uint32(offset))
}

// zip64 gives s a zip64 end record and locator.
func (s *sample) zip64() *sample {
	end := s.b[s.end:]
	var rec []byte
	le := binary.LittleEndian
	rec = le.AppendUint64(append(rec, end64Magic...), 44)
	rec = append(rec, 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, v := range []uint64{uint64(u16(end[8:])), uint64(u16(end[10:])), uint64(u32(end[12:])), uint64(u32(end[16:]))} {
		rec = le.AppendUint64(rec, v)
	}
	rec = le.AppendUint32(append(rec, locatorMagic...), 0)
	rec = le.AppendUint64(rec, uint64(s.end))
	rec = le.AppendUint32(rec, 1)
	at := s.end
	s.insert(at, string(rec))
	s.end = at
	return s.put16(at+76+8, full16).put16(at+76+10, full16).put32(at+76+12, full32).put32(at+76+16, full32)
}

// directoryExtra gives member i an extra field in the directory.
func (s *sample) directoryExtra(i int, extra string) *sample {
	at := s.dir[i]
	s.put16(at+30, uint16(len(extra)))
	s.insert(at+directoryLen+int(u16(s.b[at+28:])), extra)
	return s.extend(len(extra), 0)
}

// localExtra adds an extra field to the local header of member i.
func (s *sample) localExtra(i int, extra string) *sample {
	at := s.local[i]
	s.put16(at+28, u16(s.b[at+28:])+uint16(len(extra)))
	s.insert(at+localLen+int(u16(s.b[at+26:])), extra)
	for k := i + 1; k < len(s.dir); k++ {
		s.put32(s.dir[k]+42, uint32(s.local[k]))
	}
	return s.extend(0, len(extra))
}

// unicodePath returns a Unicode path field that contains name, and the checksum of the name of.
func unicodePath(of, name string) string {
	return le("2214", extraUnicodePath, uint64(5+len(name)), 1, uint64(Checksum([]byte(of)))) + name
}

// descriptor inserts a descriptor after the data of member i, and sets its flag.
func (s *sample) descriptor(i int, rec string) *sample {
	next := s.dir[0]
	if i+1 < len(s.local) {
		next = s.local[i+1]
	}
	s.insert(next, rec)
	for k := i + 1; k < len(s.dir); k++ {
		s.put32(s.dir[k]+42, uint32(s.local[k]))
	}
	s.extend(0, len(rec))
	s.put16(s.local[i]+6, u16(s.b[s.local[i]+6:])|flagDescriptor)
	return s.put16(s.dir[i]+8, u16(s.b[s.dir[i]+8:])|flagDescriptor)
}

// le returns the bytes of the values in little-endian order. Each digit of sizes is the size of a value in bytes.
func le(sizes string, values ...uint64) string {
	var b strings.Builder
	for i, v := range values {
		for range sizes[i] - '0' {
			b.WriteByte(byte(v))
			v >>= 8
		}
	}
	return b.String()
}
