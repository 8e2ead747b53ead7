// Package filekind names files that people take for .npy, .npz and .safetensors files, by the bytes that they start
// with.
package filekind

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

// HeadLen is the number of bytes at the start of a file that [Describe] looks at.
const HeadLen = 64

// The formats that a file was expected to have.
const (
	NPY         = ".npy file"
	NPZ         = "zip archive (.npz)"
	Safetensors = ".safetensors file"
)

// kinds are files by the bytes that they start with. The first row that fits counts. In a way, numpy.save stands for
// the function that writes the expected format.
var kinds = []struct {
	starts []string
	is     string // what the file is
	way    string // on from here
}{
	{[]string{"\x93NUMPY"}, "a " + NPY, "use array.Open"},
	{[]string{"PK\x03\x04", "PK\x05\x06", "PK\x07\x08"}, "a " + NPZ, "use npz.Open"},
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
	{[]string{"GGUF"}, "a GGUF file", "save its tensors from Python, with gguf and numpy.save"},
	{[]string{"version https://git-lfs"}, "a pointer of Git LFS", "git lfs pull gets the file"},
}

// Describe names the kind of a file that starts with head and is not of the wanted format, and says how to go on: "a
// pointer of Git LFS, not a .npy file; git lfs pull gets the file". It returns "" for bytes that it does not know. head
// has the first [HeadLen] bytes of the file, or all of them; ten bytes are enough for most kinds.
func Describe(head []byte, want string) string {
	is, way := kindOf(head, want)
	if is == "" {
		return ""
	}
	switch want {
	case NPZ:
		way = strings.ReplaceAll(way, "numpy.save", "numpy.savez")
	case Safetensors:
		way = strings.ReplaceAll(way, "numpy.save", "safetensors.numpy.save_file")
		is = strings.Replace(is, "(.npz)", "(.npz, or a model of PyTorch)", 1)
	}
	if want != NPY {
		way, _, _ = strings.Cut(way, ", or Read from")
	}
	return is + ", not a " + want + "; " + way
}

// IsText reports whether head is the start of a text, and of no other kind of file that has a name here.
func IsText(head []byte) bool {
	is, _ := kindOf(head, "")
	return is == text
}

const text = "text"

// kindOf returns the kind of a file that starts with head, if it is not the wanted one, and how to go on from there.
func kindOf(head []byte, want string) (is, way string) {
	for _, k := range kinds {
		for _, start := range k.starts {
			if k.is != "a "+want && (bytes.HasPrefix(head, []byte(start)) ||
				len(head) >= 10 && strings.HasPrefix(start, string(head))) {
				return k.is, k.way
			}
		}
	}
	switch {
	case len(head) == 0:
		return "an empty file", "what should have written it did not: make it again"
	case isMatlab4(head):
		return "a MATLAB file (.mat) of version 4", "save the variable from Python, with scipy.io.loadmat and numpy.save"
	case isPage(head):
		return "an HTML or XML page", "a server sent it instead of the file: read the page, and download the file again"
	case isText(head) && want == NPY:
		return text, "npy convert -dtype D reads tables of numbers, as CSV or numpy.savetxt have them"
	case isText(head):
		return text, "it may say what went wrong where the file was made or downloaded"
	}
	return "", ""
}

// isPage reports whether b starts as a page that a server sends does.
func isPage(b []byte) bool {
	b = bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))))
	for _, start := range []string{"<!doctype", "<html", "<head", "<?xml", "<error>"} {
		if bytes.HasPrefix(b, []byte(start)) {
			return true
		}
	}
	return false
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
