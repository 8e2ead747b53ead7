// Package zipfile reads and writes the structure of zip archives: where the members are,
// and each place where the archive says something about them. The format is
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, as far as Python's zipfile,
// unzip and 7z agree on it.
//
// An archive is hostile until [Parse] has checked it. What lies about the structure is
// refused as a whole: readers would disagree on what such an archive holds. What is wrong
// with one member alone (it is encrypted, say) is an error of that member.
package zipfile

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Methods of compression.
const (
	Stored   = 0
	Deflated = 8
)

// Bits of the flags of a member.
const (
	flagEncrypted  = 1 << 0
	flagDescriptor = 1 << 3
	flagPatch      = 1 << 5
	flagStrong     = 1 << 6
	flagUTF8       = 1 << 11
)

// The records, by how they start, and the bytes of their fixed parts.
const (
	localMagic      = "PK\x03\x04"
	directoryMagic  = "PK\x01\x02"
	endMagic        = "PK\x05\x06"
	end64Magic      = "PK\x06\x06"
	locatorMagic    = "PK\x06\x07"
	descriptorMagic = "PK\x07\x08"

	localLen     = 30
	directoryLen = 46
	endLen       = 22
	end64Len     = 56
	locatorLen   = 20

	descriptorLen = 24 // with magic and sizes of 64 bits
)

// EndLen is how many bytes the end record has, without its comment.
const EndLen = endLen

// What a field of 16 or 32 bits has where the value is in a zip64 record.
const (
	full16 = 0xFFFF
	full32 = 0xFFFF_FFFF
)

// The identifiers of extra fields.
const (
	extraZip64       = 0x0001
	extraUnicodePath = 0x7075 // Info-ZIP's: a version, a checksum of the name, and the name in UTF-8
	extraAlign       = 0xD935 // padding, with the alignment in front: Android's zipalign
)

// Limits of what Parse takes, whatever the archive has room for.
const (
	MaxMembers   = 1 << 20
	MaxDirectory = 256 << 20 // bytes
)

// MaxRatio is how many times its compressed size deflated data has at most.
const MaxRatio = 1032

// A Member is what an archive says of one of its members. Offsets are from the start of
// the file.
type Member struct {
	Name       string // as Python decodes it; valid UTF-8 without NUL
	Flags      uint16
	Method     uint16
	CRC        uint32 // as the directory says
	Compressed int    // bytes in the archive, which has them
	Size       int64  // bytes of the content, as the directory says
	Offset     int    // of the local header
	Data       int    // of the first byte
	End        int    // after the data and its descriptor

	// CRCAt is where the CRC is written: in the directory, the local header and the
	// descriptor; 0 for none.
	CRCAt [3]int

	// Err is why the member cannot be read, nil if it can.
	Err error
}

// An Error is an archive that is not as the format says.
type Error struct {
	Part   string // of the archive: "archive", "directory", "member", …; "" for a file of another kind
	Offset int64  // in bytes from the start of the file
	Msg    string
}

func (e *Error) Error() string {
	if e.Part == "" {
		return e.Msg
	}
	return fmt.Sprintf("%s at byte %d: %s", e.Part, e.Offset, e.Msg)
}

func errorf(part string, offset int, format string, args ...any) error {
	return &Error{part, int64(offset), fmt.Sprintf(format, args...)}
}

// Parse returns the members of the archive b, in the order of the directory. It touches no
// byte of their data, and keeps no part of b.
//
// b may change while it is read, as mapped files do: each record is copied and then
// checked. Members take memory in proportion to the bytes of the directory.
func Parse(b []byte) ([]Member, error) {
	d, err := ParseSource(memory(b))
	return d.Members, err
}

// A Directory is what the end of an archive says.
type Directory struct {
	Members []Member
	Start   int // of the records of the members, where their data ends
	Stop    int // after these
	End     int // of the end record, which a comment follows
	Comment int // bytes of it
	Prefix  int // bytes before the archive; all offsets in it are without them
}

// ParseSource returns the directory of an archive as [Parse] does.
func ParseSource(s Source) (Directory, error) {
	end, err := findEnd(s)
	if err != nil {
		return Directory{}, err
	}
	d := Directory{Start: end.start, Stop: end.stop, End: end.at, Comment: end.comment, Prefix: end.prefix}
	records, err := s.Bytes(end.start, end.stop-end.start)
	if err != nil {
		return Directory{}, err
	}
	members, err := readDirectory(window{records, end.start}, end)
	if err != nil {
		return Directory{}, err
	}
	for i := range members {
		if err := members[i].readLocal(s, end.start); err != nil {
			return Directory{}, err
		}
	}
	if err := checkOverlap(members); err != nil {
		return Directory{}, err
	}
	d.Members = members
	return d, nil
}

func u16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// Quote returns the name of a member for messages: no control character reaches a terminal.
func Quote(name string) string {
	if len(name) > 60 {
		return fmt.Sprintf("%q…", strings.ToValidUTF8(name[:60], ""))
	}
	return fmt.Sprintf("%q", name)
}
