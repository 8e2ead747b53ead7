// Package filekind recognizes files that users mistake for .npy, .npz and .safetensors files, by their first bytes.
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

// The formats that a caller may expect.
const (
	NPY         = ".npy file"
	NPZ         = "zip archive (.npz)"
	Safetensors = ".safetensors file"
	Index       = "JSON index of .safetensors files"
)

// kinds lists kinds of files with the bytes at their start. The first match counts. In fix, numpy.save stands for the
// function that writes the expected format.
var kinds = []struct {
	starts []string
	name   string
	fix    string // how to get a file of the expected format
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
	{[]string{"version https://git-lfs"}, "a Git LFS pointer", "git lfs pull gets the file"},
}

// Describe describes a file that starts with head and is not of the wanted format, and how to fix the problem: "a
// pointer of Git LFS, not a .npy file; git lfs pull gets the file". It returns "" if it does not recognize the file.
// head has the first [HeadLen] bytes of the file, or all of them; ten bytes are enough for most kinds.
func Describe(head []byte, want string) string {
	name, fix := kindOf(head, want)
	if name == "" {
		return ""
	}
	switch want {
	case NPZ:
		fix = strings.ReplaceAll(fix, "numpy.save", "numpy.savez")
	case Safetensors, Index:
		fix = strings.ReplaceAll(fix, "numpy.save", "safetensors.numpy.save_file")
		name = strings.Replace(name, "(.npz)", "(.npz, or a model of PyTorch)", 1)
	}
	if want != NPY {
		fix, _, _ = strings.Cut(fix, ", or Read from")
	}
	return name + ", not a " + want + "; " + fix
}

// IsText reports whether head is the start of a text file of no known kind.
func IsText(head []byte) bool {
	name, _ := kindOf(head, "")
	return name == text
}

const text = "text"

// kindOf returns the kind of a file that starts with head and how to fix the problem, or "" if it is of the wanted
// kind.
func kindOf(head []byte, want string) (name, fix string) {
	for _, k := range kinds {
		for _, start := range k.starts {
			if k.name != "a "+want && (bytes.HasPrefix(head, []byte(start)) ||
				len(head) >= 10 && strings.HasPrefix(start, string(head))) {
				return k.name, k.fix
			}
		}
	}
	switch {
	case len(head) == 0:
		return "an empty file", "the program that should have written it did not; write it again"
	case isMatlab4(head):
		return "a MATLAB file (.mat) of version 4", "save the variable from Python, with scipy.io.loadmat and numpy.save"
	case isPage(head):
		return "an HTML or XML page", "a server sent it instead of the file: read the page, and download the file again"
	case isText(head) && want == NPY:
		return text, "npy convert -dtype D reads tables of numbers in CSV, or written by numpy.savetxt"
	case isText(head):
		return text, "it may say what went wrong where the file was made or downloaded"
	}
	return "", ""
}

// isPage reports whether b starts like an HTML or XML page from a server.
func isPage(b []byte) bool {
	b = bytes.ToLower(bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))))
	for _, start := range []string{"<!doctype", "<html", "<head", "<?xml", "<error>"} {
		if bytes.HasPrefix(b, []byte(start)) {
			return true
		}
	}
	return false
}

// isText reports whether b is the start of a text in UTF-8 and not empty.
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

// isMatlab4 reports whether b starts like a MATLAB file of version 4. The format has no magic number. A file starts
// with the header of its first matrix: five 32-bit integers, and the name of the matrix. The digits of the first
// integer are the byte order (thousands), zero (hundreds), and the types of the elements and of the matrix.
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
		start := b[4*fields : min(len(b), int(4*fields+name-1))] // without the NUL at the end of the name
		if unicode.IsLetter(rune(start[0])) && isText(start) {
			return true
		}
	}
	return false
}
