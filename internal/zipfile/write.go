package zipfile

import (
	"encoding/binary"
	"unicode/utf8"
)

// A Format is a way to write headers.
type Format uint8

const (
	// Aligned puts the data of stored members at multiples of [Alignment], by padding in an extra field of the local
	// header. It uses zip64 only if a value needs it.
	Aligned Format = iota

	// Savez writes the bytes of numpy.savez under Python 3.11.4 or newer: local headers always have their sizes in zip64
	// fields.
	Savez

	// OldSavez writes the bytes of numpy.savez under older Pythons: local headers have their sizes in the fixed fields,
	// too, unless they need zip64.
	OldSavez
)

// Alignment is the alignment of stored data in the Aligned format, in bytes.
const Alignment = 64

// date is 1 January 1980, the earliest date of the format.
const date = 1<<5 | 1

// An Entry describes a member to be written.
type Entry struct {
	Name       string // UTF-8
	Method     uint16
	CRC        uint32
	Compressed int64
	Size       int64
	Offset     int64 // offset of the local header
	Zip64      bool  // the local header has the sizes in a zip64 field: see NeedsZip64
	Streamed   bool  // CRC and sizes are in a descriptor after the data instead of the local header
	Prefix     int64 // number of bytes of the file before the archive; Offset excludes them
}

// maxField32 returns the maximum value of a 32-bit field. Larger values use zip64.
func (f Format) maxField32() int64 {
	if f == Aligned {
		return full32 - 1
	}
	return 1<<31 - 1 // ZIP64_LIMIT of Python
}

// NeedsZip64 reports whether the local header of a member needs a zip64 field if the content and the compressed data
// have up to size bytes. With the field, the length of the header does not depend on the final sizes.
func (f Format) NeedsZip64(size int64) bool { return f != Aligned || size > f.maxField32() }

// zip64Only reports whether the local header of e contains its sizes only in the zip64 field.
func (f Format) zip64Only(e *Entry) bool {
	return e.Zip64 && (f != OldSavez || max(e.Size, e.Compressed) > f.maxField32())
}

// appendVersion appends the version of the format that a reader needs.
func appendVersion(b []byte, zip64 bool) []byte {
	if zip64 {
		return binary.LittleEndian.AppendUint16(b, 45)
	}
	return binary.LittleEndian.AppendUint16(b, 20)
}

// AppendLocal appends the local header of e to b.
func (f Format) AppendLocal(b []byte, e *Entry) []byte {
	var extra []byte
	if e.Streamed {
		zero := *e
		zero.CRC, zero.Size, zero.Compressed = 0, 0, 0
		e = &zero
	}
	size, compressed := uint32(e.Size), uint32(e.Compressed)
	if e.Zip64 {
		extra = appendField(extra, extraZip64, uint64(e.Size), uint64(e.Compressed))
	}
	full := f.zip64Only(e)
	if full {
		size, compressed = full32, full32
	}
	if f == Aligned && e.Method == Stored {
		// The field starts with 6 bytes: its own header and the alignment.
		end := e.Prefix + e.Offset + localLen + int64(len(e.Name)+len(extra)) + 6
		pad := int(-end & (Alignment - 1))
		extra = binary.LittleEndian.AppendUint16(extra, extraAlign)
		extra = binary.LittleEndian.AppendUint16(extra, uint16(2+pad))
		extra = binary.LittleEndian.AppendUint16(extra, Alignment)
		extra = append(extra, make([]byte, pad)...)
	}
	b = appendVersion(append(b, localMagic...), full)
	b = appendCommon(b, e, size, compressed)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(extra)))
	return append(append(b, e.Name...), extra...)
}

// appendCommon appends the fields that local headers and records of the directory share, from the flags to the length
// of the name.
func appendCommon(b []byte, e *Entry, size, compressed uint32) []byte {
	flags := uint16(0)
	for i := range len(e.Name) {
		if e.Name[i] >= utf8.RuneSelf {
			flags = flagUTF8
		}
	}
	if e.Streamed {
		flags |= flagDescriptor
	}
	b = binary.LittleEndian.AppendUint16(b, flags)
	b = binary.LittleEndian.AppendUint16(b, e.Method)
	b = binary.LittleEndian.AppendUint16(b, 0) // midnight
	b = binary.LittleEndian.AppendUint16(b, date)
	b = binary.LittleEndian.AppendUint32(b, e.CRC)
	b = binary.LittleEndian.AppendUint32(b, compressed)
	b = binary.LittleEndian.AppendUint32(b, size)
	return binary.LittleEndian.AppendUint16(b, uint16(len(e.Name)))
}

// appendField appends an extra field of 64-bit values, or nothing if values is empty.
func appendField(b []byte, id uint16, values ...uint64) []byte {
	if len(values) == 0 {
		return b
	}
	b = binary.LittleEndian.AppendUint16(b, id)
	b = binary.LittleEndian.AppendUint16(b, uint16(8*len(values)))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// AppendDescriptor appends the descriptor that follows the data of a Streamed entry to b.
func (f Format) AppendDescriptor(b []byte, e *Entry) []byte {
	b = binary.LittleEndian.AppendUint32(append(b, descriptorMagic...), e.CRC)
	if e.Zip64 {
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, uint64(e.Compressed)), uint64(e.Size))
	}
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, uint32(e.Compressed)), uint32(e.Size))
}

// AppendDirectory appends the directory of the entries and the records that end the archive to b. The directory starts
// at offset at of the archive.
func (f Format) AppendDirectory(b []byte, entries []Entry, at int64) []byte {
	start := len(b)
	for i := range entries {
		b = f.appendRecord(b, &entries[i])
	}
	return f.AppendEnd(b, int64(len(b)-start), int64(len(entries)), at, nil)
}

// AppendRecord appends the record of e in the directory to b.
func (f Format) AppendRecord(b []byte, e *Entry) []byte { return f.appendRecord(b, e) }

// AppendEnd appends the records that end an archive, and its comment, to b. The directory has count records and size
// bytes, and starts at offset at of the archive.
func (f Format) AppendEnd(b []byte, size, count, at int64, comment []byte) []byte {
	maxCount := int64(full16)
	if f == Aligned {
		maxCount--
	}
	if count > maxCount || size > f.maxField32() || at > f.maxField32() {
		end64 := at + size
		b = append(b, end64Magic...)
		b = binary.LittleEndian.AppendUint64(b, end64Len-12)
		b = appendVersion(appendVersion(b, true), true)
		b = append(b, make([]byte, 8)...) // the disks
		for _, v := range []int64{count, count, size, at} {
			b = binary.LittleEndian.AppendUint64(b, uint64(v))
		}
		b = append(b, locatorMagic...)
		b = binary.LittleEndian.AppendUint32(b, 0)
		b = binary.LittleEndian.AppendUint64(b, uint64(end64))
		b = binary.LittleEndian.AppendUint32(b, 1)
	}
	b = append(b, endMagic...)
	b = append(b, make([]byte, 4)...) // the disks
	for range 2 {
		b = binary.LittleEndian.AppendUint16(b, uint16(min(count, full16)))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(min(size, full32)))
	b = binary.LittleEndian.AppendUint32(b, uint32(min(at, full32)))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(comment)))
	return append(b, comment...)
}

// RecordLen returns the length in bytes of the record of e in the directory.
func (f Format) RecordLen(e *Entry) int { return len(f.appendRecord(nil, e)) }

func (f Format) appendRecord(b []byte, e *Entry) []byte {
	var values []uint64
	size, compressed, offset := uint32(e.Size), uint32(e.Compressed), uint32(e.Offset)
	if max(e.Size, e.Compressed) > f.maxField32() {
		values = append(values, uint64(e.Size), uint64(e.Compressed))
		size, compressed = full32, full32
	}
	if e.Offset > f.maxField32() {
		values = append(values, uint64(e.Offset))
		offset = full32
	}
	extra := appendField(nil, extraZip64, values...)
	is64 := len(values) > 0 || f.zip64Only(e)
	b = appendVersion(append(b, directoryMagic...), is64)
	b[len(b)-1] = 3 // made on Unix: the attributes are Unix permissions
	b = appendVersion(b, is64)
	b = appendCommon(b, e, size, compressed)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(extra)))
	b = append(b, make([]byte, 6)...)                          // comment, disk, internal attributes
	b = binary.LittleEndian.AppendUint32(b, uint32(0o600)<<16) // like Python: -rw-------
	b = binary.LittleEndian.AppendUint32(b, offset)
	return append(append(b, e.Name...), extra...)
}
