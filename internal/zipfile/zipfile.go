// Package zipfile reads and writes the structure of zip archives: the directory, the local headers, and the positions
// of the data. The format is https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, as far as Python's zipfile,
// unzip and 7z agree on it.
//
// [Parse] treats an archive as untrusted input. It rejects an archive with contradictions in its structure, because
// readers would disagree about its content. A problem of a single member, such as encryption, is reported only in the
// Err field of that [Member].
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

// The magic numbers of the records, and the lengths of their fixed parts in bytes.
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

// EndLen is the length of the end record in bytes, without its comment.
const EndLen = endLen

// Values of 16-bit and 32-bit fields whose actual value is in a zip64 record.
const (
	full16 = 0xFFFF
	full32 = 0xFFFF_FFFF
)

// The identifiers of extra fields.
const (
	extraZip64       = 0x0001
	extraUnicodePath = 0x7075 // from Info-ZIP: a version, a checksum of the name, and the name in UTF-8
	extraAlign       = 0xD935 // from Android's zipalign: the alignment, and padding
)

// Limits of the archives that Parse accepts.
const (
	MaxMembers   = 1 << 20
	MaxDirectory = 256 << 20 // bytes
)

// MaxRatio is the maximum ratio of the size of deflated data to its compressed size.
const MaxRatio = 1032

// A Member describes a member of an archive. Offsets are from the start of the file.
type Member struct {
	Name       string // decoded like in Python; valid UTF-8 without NUL
	Flags      uint16
	Method     uint16
	CRC        uint32 // from the directory
	Compressed int    // bytes in the archive, all within the file
	Size       int64  // bytes of the content, from the directory
	Offset     int    // offset of the local header
	Data       int    // offset of the first byte of data
	End        int    // offset of the end of the data and its descriptor
	Limit      int    // start of the next local header or of the directory

	// CRCAt holds the offsets of the CRC in the directory, the local header and the descriptor; 0 means none.
	CRCAt [3]int

	// Err is nil if the content can be read. Otherwise it says why not.
	Err error
}

// An Error describes a malformed archive.
type Error struct {
	Part   string // "archive", "directory", "member", …; "" for a file of another kind
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

// Parse returns the members of the archive b, in the order of the directory. It does not touch the data of the
// members, and keeps no part of b.
//
// b may change while Parse reads it, as mapped files do: each record is copied before it is checked. The memory of the
// result is proportional to the size of the directory.
func Parse(b []byte) ([]Member, error) {
	d, err := ParseSource(memorySource(b))
	return d.Members, err
}

// A Directory holds the members of an archive and the position of its directory.
type Directory struct {
	Members []Member
	Start   int // start of the records of the members, and limit of their data
	Stop    int // end of these records
	End     int // position of the end record, followed by a comment
	Comment int // length of the comment in bytes
	Prefix  int // number of bytes before the archive; its offsets exclude them
}

// ParseSource parses the archive in s by the rules of [Parse], and returns its directory.
func ParseSource(s Source) (Directory, error) {
	d, err := ReadDirectory(s)
	if err != nil {
		return Directory{}, err
	}
	for i := range d.Members {
		if err := d.Members[i].ReadLocal(s); err != nil {
			return Directory{}, err
		}
	}
	return d, nil
}

// ReadDirectory is like [ParseSource], but reads no local headers. Call [Member.ReadLocal] before using a member.
func ReadDirectory(s Source) (Directory, error) {
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
	if err := setLimits(members, end.start); err != nil {
		return Directory{}, err
	}
	d.Members = members
	return d, nil
}

func u16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func u32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func u64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// Escape returns the name of a member for messages, like [Quote] but without the quotes.
func Escape(name string) string {
	quoted, cut := strings.CutSuffix(Quote(name), "…")
	text := quoted[1 : len(quoted)-1]
	if cut {
		text += "…"
	}
	return text
}

// Quote returns the name of a member for messages. Control characters are escaped, so that they cannot affect a
// terminal.
func Quote(name string) string {
	if len(name) > 60 {
		return fmt.Sprintf("%q…", strings.ToValidUTF8(name[:60], ""))
	}
	return fmt.Sprintf("%q", name)
}
