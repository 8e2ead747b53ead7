package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// kinds are files that people take for .npy files, by the bytes that they start with. The first
// row that fits counts.
var kinds = []struct {
	starts []string
	is     string // what the file is
	way    string // on from here
}{
	{[]string{"PK\x03\x04", "PK\x05\x06", "PK\x07\x08"}, "a zip archive (.npz)", "use npz.Open"},
	{[]string{"\x1f\x8b"}, "compressed by gzip", "decompress it (gunzip), or Read from a gzip.Reader"},
	{[]string{"BZh"}, "compressed by bzip2", "decompress it (bunzip2), or Read from a bzip2.Reader"},
	{[]string{"\xfd7zXZ\x00"}, "compressed by xz", "decompress it (unxz)"},
	{[]string{"\x28\xb5\x2f\xfd"}, "compressed by zstd", "decompress it (unzstd)"},
	{[]string{"\x89HDF\r\n\x1a\n"}, "an HDF5 file", "save the data set from Python, with h5py and numpy.save"},
	{[]string{"MATLAB 7.3"}, "a MATLAB file of version 7.3, which is HDF5",
		"save the variable from Python, with h5py and numpy.save"},
	{[]string{"MATLAB 5.0"}, "a MATLAB file (.mat)",
		"save the variable from Python, with scipy.io.loadmat and numpy.save"},
	{[]string{"CDF\x01", "CDF\x02", "CDF\x05"}, "a NetCDF file",
		"save the variable from Python, with netCDF4 and numpy.save"},
	{[]string{"\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05", "cnumpy.core.multiarray\n", "cnumpy\n", "ccopy_reg\n"},
		"a Python pickle", "unpickling runs code: if you trust it, load it in Python and use numpy.save"},
	{[]string{"version https://git-lfs"}, "a pointer of Git LFS", "git lfs pull gets the file"},
}

// otherKind returns what is wrong with a file that starts with b, which is not the magic, and
// is at least [PrefixLen]-2 bytes or all of the file.
func otherKind(b []byte) error {
	is, way := kindOf(b)
	if is == "" {
		return errorf(0, "not a .npy file: it starts with %q; want the magic %q", b[:min(len(b), len(Magic))], Magic)
	}
	return &Error{Msg: fmt.Sprintf("%s, not a .npy file; %s", is, way)}
}

// IsText reports whether b, the start of a file, is text, and of no file that has a name here.
func IsText(b []byte) bool {
	is, _ := kindOf(b)
	return is == text
}

const text = "text"

// kindOf returns what a file that starts with b is, or "".
func kindOf(b []byte) (is, way string) {
	for _, k := range kinds {
		for _, start := range k.starts {
			if bytes.HasPrefix(b, []byte(start)) {
				return k.is, k.way
			}
		}
	}
	switch {
	case len(b) == 0:
		return "an empty file", "what should have written it did not: make it again"
	case isMatlab4(b):
		return "a MATLAB file (.mat) of version 4", "save the variable from Python, with scipy.io.loadmat and numpy.save"
	case isText(b):
		return text, "npy convert -dtype D reads tables of numbers, as CSV or numpy.savetxt have them"
	}
	return "", ""
}

// isText reports whether b has the start of a text in UTF-8, and a word's worth of it.
func isText(b []byte) bool {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) // the byte order mark of Windows
	n := 0
	for ; len(b) > 0 && (utf8.FullRune(b) || n == 0); n++ {
		c, size := utf8.DecodeRune(b)
		if c == utf8.RuneError && size <= 1 || !unicode.IsPrint(c) && !unicode.IsSpace(c) {
			return false
		}
		b = b[size:]
	}
	return n > 0
}

// isMatlab4 reports whether b starts as a MATLAB file of version 4 does, which has no magic but the
// header of its first matrix: five 32-bit integers, then its name. The first of them has the byte
// order (thousands), zero (hundreds), and the types of elements and matrix.
func isMatlab4(b []byte) bool {
	const fields = 5
	if len(b) <= 4*fields {
		return false
	}
	for code, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		kind, imaginary, name := order.Uint32(b), order.Uint32(b[12:]), order.Uint32(b[16:])
		if int(kind/1000) != code || kind%1000 > 52 || kind%10 > 2 || imaginary > 1 || name < 2 || name > 64 {
			continue
		}
		start := b[4*fields : min(len(b), int(4*fields+name-1))] // without the NUL at its end
		if unicode.IsLetter(rune(start[0])) && isText(start) {
			return true
		}
	}
	return false
}
