package zipfile

import (
	"bytes"

	"github.com/ndmap/ndmap/internal/filekind"
)

// An endRecords holds the contents of the records after the directory.
type endRecords struct {
	members int
	start   int // start of the directory
	stop    int // end of the directory, and start of the records after it
	at      int // position of the end record
	comment int // length of the comment in bytes
	prefix  int // number of bytes before the archive; its offsets exclude them
}

// findEnd reads the records at the end of an archive. Like Python, it looks for an end record without a comment at the
// end of the file, and otherwise for the last end record, at most the length of the longest comment before the end. The
// directory ends at the start of these records. If its offset is less than its position, the difference is the number
// of bytes before the archive.
func findEnd(s Source) (endRecords, error) {
	n := min(s.Len(), end64Len+locatorLen+endLen+full16)
	b, err := s.Bytes(s.Len()-n, n)
	if err != nil {
		return endRecords{}, err
	}
	w := window{b, s.Len() - n}
	at, err := findEndRecord(s, w)
	if err != nil {
		return endRecords{}, err
	}
	var rec [endLen]byte
	copy(rec[:], w.from(at))
	if n := int(u16(rec[20:])); n > s.Len()-at-endLen {
		return endRecords{}, errorf("end record", at,
			"its comment of %d bytes ends past the end of the file: it was truncated", n)
	}
	onDisk, total := uint64(u16(rec[8:])), uint64(u16(rec[10:]))
	size, offset := uint64(u32(rec[12:])), uint64(u32(rec[16:]))
	e := endRecords{stop: at, at: at, comment: int(u16(rec[20:]))}
	locator64 := uint64(0)
	if has64 := w.hasMagic(at-locatorLen, locatorLen, locatorMagic); !has64 {
		if u16(rec[4:]) != 0 || u16(rec[6:]) != 0 || onDisk != total {
			return endRecords{}, errorf("end record", at, "archives of several disks are not supported")
		}
	} else {
		if locator64, err = readLocator(w, at-locatorLen); err != nil {
			return endRecords{}, err
		}
		e.stop = at - locatorLen - end64Len
		values, err := readEnd64(w, e.stop)
		if err != nil {
			return endRecords{}, err
		}
		for i, v := range [4]uint64{onDisk, total, size, offset} {
			full := uint64(full16)
			if i >= 2 {
				full = full32
			}
			if v != full && v != values[i] {
				return endRecords{}, errorf("end record", at, "it says %d where the zip64 end record says %d", v, values[i])
			}
		}
		total, size, offset = values[1], values[2], values[3]
	}
	switch {
	case size > uint64(e.stop):
		return endRecords{}, errorf("end record", at,
			"the directory of %d bytes does not fit the %d bytes before the end records",
			size, e.stop)
	case size > MaxDirectory:
		return endRecords{}, errorf("end record", at, "the directory of %d bytes is larger than the limit of %d", size,
			MaxDirectory)
	case total > MaxMembers:
		return endRecords{}, errorf("end record", at, "%d members are more than the limit of %d", total, MaxMembers)
	case total*directoryLen > size:
		return endRecords{}, errorf("end record", at, "%d members do not fit a directory of %d bytes", total, size)
	}
	e.start = e.stop - int(size)
	if offset > uint64(e.start) {
		return endRecords{}, errorf("end record", at,
			"the directory ends here and has %d bytes, so it does not start at byte %d",
			size, offset)
	}
	e.members, e.prefix = int(total), e.start-int(offset)
	if e.stop < at && locator64 != uint64(e.stop-e.prefix) {
		return endRecords{}, errorf("zip64 locator", at-locatorLen, "the zip64 end record is at byte %d, not at %d",
			e.stop-e.prefix,
			locator64)
	}
	return e, nil
}

// findEndRecord returns the position of the end record, which is in w.
func findEndRecord(s Source, w window) (int, error) {
	if at := s.Len() - endLen; w.hasMagic(at, endLen, endMagic) && u16(w.from(at)[20:]) == 0 {
		return at, nil
	}
	from := max(0, s.Len()-endLen-full16)
	at := bytes.LastIndex(w.from(from), []byte(endMagic))
	switch {
	case at >= 0 && w.hasMagic(from+at, endLen, endMagic):
		return from + at, nil
	case at >= 0:
		return 0, errorf("end record", from+at, "the file ends inside it")
	}
	b, err := s.Bytes(0, min(s.Len(), filekind.HeadLen))
	switch {
	case err != nil:
		return 0, err
	case bytes.HasPrefix(b, []byte(localMagic)):
		return 0, errorf("archive", 0, "it has no end record: the file was truncated, or never written to its end")
	}
	if msg := filekind.Describe(b, filekind.NPZ); msg != "" {
		return 0, &Error{Msg: msg}
	}
	return 0, errorf("archive", 0, "not a zip archive (.npz): it starts with %q and has no end record", b[:min(len(b), 8)])
}

// readLocator reads the zip64 locator at byte at, and returns the offset of the zip64 end record that the locator
// contains.
func readLocator(w window, at int) (uint64, error) {
	var rec [locatorLen]byte
	copy(rec[:], w.from(at))
	if u32(rec[4:]) != 0 || u32(rec[16:]) > 1 {
		return 0, errorf("zip64 locator", at, "archives of several disks are not supported")
	}
	if !w.hasMagic(at-end64Len, end64Len, end64Magic) {
		return 0, errorf("zip64 locator", at, "no zip64 end record of %d bytes before it", end64Len)
	}
	return u64(rec[8:]), nil
}

// readEnd64 reads the zip64 end record and returns four values: the number of members on this disk, the total number
// of members, and the size and the offset of the directory.
func readEnd64(w window, at int) (values [4]uint64, err error) {
	var rec [end64Len]byte
	copy(rec[:], w.from(at))
	for i := range values {
		values[i] = u64(rec[24+8*i:])
	}
	switch {
	case u64(rec[4:]) != end64Len-12:
		err = errorf("zip64 end record", at, "it says that %d more bytes follow, want %d", u64(rec[4:]), end64Len-12)
	case u32(rec[16:]) != 0 || u32(rec[20:]) != 0 || values[0] != values[1]:
		err = errorf("zip64 end record", at, "archives of several disks are not supported")
	}
	return values, err
}
