package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// file returns a file with the given version and text of the header, and no data.
func file(major, minor byte, text string) []byte {
	b := append([]byte(Magic), major, minor)
	if major == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(text)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
	}
	return append(b, text...)
}

func version1File(text string) []byte { return file(1, 0, text) }

func header(descr, order, shape string) []byte {
	return version1File("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }\n")
}

func TestParse(t *testing.T) {
	type want struct {
		DType  string
		Order  index.Order
		Shape  []int
		NBytes int
	}
	f8 := want{"<f8", index.C, []int{2, 3}, 48}
	for _, tt := range []struct {
		name string
		in   []byte
		want want
	}{
		{"as NumPy writes it", version1File("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }       \n"), f8},
		{"another order of keys", version1File("{'shape': (2, 3), 'descr': '<f8', 'fortran_order': False}"), f8},
		{"double quotes, no white space, no newline", version1File(`{"descr":"<f8","fortran_order":False,"shape":(2,3)}`),
			f8},
		{"newlines, tabs and a comment inside",
			version1File("{\n\t'descr': '<f8', # eight bytes\n'fortran_order':False,\r\n'shape':(2,3)}\n\n"), f8},
		{"Python 2: long integers and unicode keys",
			version1File("{u'descr': '<f8', u'fortran_order': False, u'shape': (2L, 3 L)}\n"),
			f8},
		{"version 2", file(2, 0, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n"), f8},
		{"version 3", file(3, 0, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n"), f8},
		{"other spellings of integers", version1File("{'descr': '<f8', 'fortran_order': False, 'shape': (0x2, +3), }"), f8},
		{"strings in two parts, with an escape",
			version1File(`{'des' 'cr': '\x3cf8', 'fortran_order': False, 'shape': (2, 3), }`), f8},
		{"parentheses around values", version1File("({'descr': ('<f8'), 'fortran_order': (False), 'shape': ((2), (3))})"),
			f8},
		{"Fortran order", header("'>i2'", "True", "(4,)"), want{">i2", index.F, []int{4}, 8}},
		{"0-d", header("'|b1'", "False", "()"), want{"|b1", index.C, []int{}, 1}},
		{"no elements", header("'<c16'", "False", "(0, 5)"), want{"<c16", index.C, []int{0, 5}, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, err := Parse(tt.in, 0)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				return
			}
			if d := cmp.Diff(tt.want, want{h.DType.String(), h.Order, h.Shape, h.NBytes}); d != "" {
				t.Errorf("%s: want -, got +\n%s", tt.name, d)
			}
			if h.DataOffset != len(tt.in) {
				t.Errorf("%s: data offset %d, want %d", tt.name, h.DataOffset, len(tt.in))
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	ok := "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
	dims := strings.Repeat("1,", 65)
	for _, tt := range []struct {
		name string
		in   []byte
		want string
	}{
		{"empty", nil, "an empty file, not a .npy file; the program that should have written it did not; write it again"},
		{"wrong magic", []byte("\x93NUMPX\x01\x00"),
			`header at byte 0: not a .npy file: it starts with "\x93NUMPX"; want the magic "\x93NUMPY"`},
		{"truncated magic", []byte("\x93NUM"), `header at byte 4: the file ends inside the magic`},
		{"no version", []byte("\x93NUMPY"), `header at byte 6: the file ends inside the version`},
		{"half a version", []byte("\x93NUMPY\x01"), `header at byte 7: the file ends inside the version`},
		{"version (0,0)", file(0, 0, ok),
			`header at byte 6: format version (0, 0) is unknown; want (1, 0), (2, 0) or (3, 0)`},
		{"version (1,1)", file(1, 1, ok),
			`header at byte 6: format version (1, 1) is unknown; want (1, 0), (2, 0) or (3, 0)`},
		{"version (2,2)", file(2, 2, ok),
			`header at byte 6: format version (2, 2) is unknown; want (1, 0), (2, 0) or (3, 0)`},
		{"version (255,255)", file(255, 255, ok),
			`header at byte 6: format version (255, 255) is unknown; want (1, 0), (2, 0) or (3, 0)`},
		{"truncated length", []byte("\x93NUMPY\x01\x00\x76"),
			`header at byte 9: the file ends inside the length of the header`},
		{"truncated length of version 2", []byte("\x93NUMPY\x02\x00\x76\x00\x00"),
			`header at byte 11: the file ends inside the length of the header`},
		{"truncated header", version1File(ok)[:40], `header at byte 40: the file ends 29 bytes before the end of the header`},
		{"header longer than the cap", append([]byte(Magic), 2, 0, 1, 0, 16, 0, ' '),
			`header at byte 8: the header length is 1048577 bytes, more than the limit of 1048576; a larger limit can be set (MaxHeader)`},
		{"header of 4 GiB", append([]byte(Magic), 3, 0, 255, 255, 255, 255, ' '),
			`header at byte 8: the header length is 4294967295 bytes, more than the limit of 1048576; a larger limit can be set (MaxHeader)`},
		{"no text", version1File(""), `header at byte 10: the end where a value should be`},
		{"no dict", version1File("[1, 2]"),
			`header at byte 10: the header is a list; want a dict with 'descr', 'fortran_order' and 'shape'`},
		{"an empty dict", version1File("{}"), `header at byte 10: the key 'descr' is missing`},
		{"missing descr", version1File("{'fortran_order': False, 'shape': (2,)}"),
			`header at byte 10: the key 'descr' is missing`},
		{"missing fortran_order", version1File("{'descr': '<f8', 'shape': (2,)}"),
			`header at byte 10: the key 'fortran_order' is missing`},
		{"missing shape", version1File("{'descr': '<f8', 'fortran_order': False}"),
			`header at byte 10: the key 'shape' is missing`},
		{"extra key", version1File("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'x': 1}"),
			`header at byte 66: unexpected key 'x'; want 'descr', 'fortran_order' and 'shape'`},
		{"key that is no string", version1File("{1: 2}"),
			`header at byte 11: unexpected key 1; want 'descr', 'fortran_order' and 'shape'`},
		{"duplicate key", version1File("{'descr': '<f8', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}"),
			`header at byte 27: duplicate key 'descr'`},
		{"order is a number", header("'<f8'", "0", "(2,)"),
			`header at byte 44: fortran_order is an integer; want True or False`},
		{"order is a string", header("'<f8'", "'False'", "(2,)"),
			`header at byte 44: fortran_order is a string; want True or False`},
		{"shape is a list", header("'<f8'", "False", "[3]"),
			`header at byte 60: the shape is a list; want a tuple like (3,) or (2, 3)`},
		{"shape is a number", header("'<f8'", "False", "(3)"),
			`header at byte 61: the shape is an integer; want a tuple like (3,) or (2, 3)`},
		{"negative dimension", header("'<f8'", "False", "(2, -3)"), `header at byte 64: dimension -3 is negative`},
		{"very negative dimension", header("'<f8'", "False", "(-99999999999999999999,)"),
			`header at byte 61: dimension -99999999999999999999 is negative`},
		{"dimension over int", header("'<f8'", "False", "(9223372036854775808,)"),
			`header at byte 61: dimension 9223372036854775808 overflows int`},
		{"dimension that is no integer", header("'<f8'", "False", "(2.0,)"),
			`header at byte 61: dimension 2.0 is a non-integer number; want an integer`},
		{"dimension that is a boolean", header("'<f8'", "False", "(True,)"),
			`header at byte 61: dimension True is a boolean; want an integer`},
		{"65 dimensions", header("'<f8'", "False", "("+dims+")"), `header at byte 60: more than 64 dimensions`},
		{"unknown dtype", header("'<x8'", "False", "(2,)"),
			`header at byte 20: unknown dtype "<x8"; want one like <f8, |b1, |S10 or <M8[us]`},
		{"a float of 3 bytes", header("'<f3'", "False", "(2,)"),
			`header at byte 20: unknown dtype "<f3": no float has 3 bytes`},
		{"object dtype", header("'|O'", "False", "(2,)"),
			`header at byte 20: dtype "|O" is a Python object: its data is a pickle, and unpickling runs code; package objects reads plain values, or save it from NumPy with a fixed dtype`},
		{"empty dtype", header("''", "False", "(2,)"),
			`header at byte 20: unknown dtype ""; want one like <f8, |b1, |S10 or <M8[us]`},
		{"descr is None", header("None", "False", "(2,)"),
			`header at byte 20: None where a dtype should be; want a string like '<f8' or a list of fields`},
		{"sub-array at the top", header("('<f8', (2,))", "False", "(2,)"),
			`header at byte 20: a sub-array dtype outside of a field; want its dimensions in the shape`},
		{"unterminated string", version1File("{'descr': '<f8, 'fortran_order"),
			`header at byte 27: 'f' where ',' or '}' should be`},
		{"a string to the end", version1File("{'descr': '<f8"), `header at byte 20: unterminated string`},
		{"NUL in the header", version1File("{'descr': '<f8',\x00 'fortran_order': False, 'shape': (2,)}"),
			`header at byte 26: a NUL byte`},
		{"text after the dict", version1File(ok + " 1"), `header at byte 70: '1' after the end of the value`},
		{"never closed", version1File("{'descr': '<f8', "), `header at byte 10: '{' is never closed by '}'`},
		{"code", version1File("{'descr': __import__('os').system('x'), 'shape': (2,)}"),
			`header at byte 20: the name __import__ is not a literal`},
		{"brackets nested 10,000 deep", version1File(strings.Repeat("[", 10000)),
			`header at byte 210: brackets nested deeper than 200`},
		{"long integers in version 3", file(3, 0, "{'descr': '<f8', 'fortran_order': False, 'shape': (2L,)}"),
			`header at byte 63: 2L is not a number`},
		{"no UTF-8 in version 3", file(3, 0, "{'descr': '\xff'}"), `header at byte 23: a byte that is not UTF-8`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(tt.in, 0)
			got := "no error"
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
			}
		})
	}
}

// TestParseAssumed tests that a number without a byte order gets the order of this machine, in every spelling.
func TestParseAssumed(t *testing.T) {
	for _, tt := range []struct {
		descr, want string
		assumed     bool
	}{
		{"'f8'", "=f8", true},
		{"'=f8'", "=f8", true},
		{"'|f8'", "=f8", true},
		{"'=d'", "=f8", true},
		{"'float32'", "=f4", true},
		{"'l'", "=i8", true},
		{"'U3'", "=U3", true},
		{"'M8[us]'", "=M8[us]", true},
		{"'bfloat16'", "=bfloat16", true},
		{"'<d'", "<f8", false},
		{"'>f8'", ">f8", false},
		{"'?'", "|b1", false},
		{"'a5'", "|S5", false},
		{"'S'", "|S0", false},
		{"'uint8'", "|u1", false},
		{"'float8_e4m3fn'", "float8_e4m3fn", false},
		{"[('x', '<f8'), ('y', '>i2')]", "[('x', '<f8'), ('y', '>i2')]", false},
		{"[('x', '<f8'), ('y', [('z', 'int', (2,))])]", "[('x', '<f8'), ('y', [('z', '=i8', (2,))])]", true},
	} {
		t.Run(tt.descr, func(t *testing.T) {
			native := "<"
			if dtype.Native == dtype.BigEndian {
				native = ">"
			}
			h, err := Parse(header(tt.descr, "False", "(2,)"), 0)
			if want := strings.ReplaceAll(tt.want, "=", native); err != nil || h.DType.String() != want ||
				h.Assumed != tt.assumed {
				t.Errorf("%v, assumed %v (%v); want %s, %v", h.DType, h.Assumed, err, want, tt.assumed)
			}
		})
	}
}

// TestParseOverflow tests that a product of dimensions that overflows is an error, even if a dimension is 0, as in
// NumPy. The limit is the largest int, so the message depends on the machine.
func TestParseOverflow(t *testing.T) {
	for _, shape := range []string{"(4611686018427387904, 4)", "(2147483647, 2147483647, 2147483647)",
		"(9223372036854775807, 9223372036854775807, 0)"} {
		_, err := Parse(header("'<f8'", "False", shape), 0)
		if err == nil || !strings.Contains(err.Error(), "overflow") {
			t.Errorf("shape %s: %v, want an overflow", shape, err)
		}
	}
}

func TestWithin(t *testing.T) {
	b := header("'<f8'", "False", "(2, 3)")
	h, err := Parse(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	end := int64(len(b) + 48)
	for size, want := range map[int64]string{
		end:      "",
		end + 10: "", // NumPy ignores extra bytes, too
		end - 1:  fmt.Sprintf("data at byte %d: the file holds 47 bytes of data; shape (2, 3) of <f8 needs 48: it was truncated, or never written to its end", len(b)),
		3:        fmt.Sprintf("data at byte %d: the file holds 0 bytes of data; shape (2, 3) of <f8 needs 48: it was truncated, or never written to its end", len(b)),
	} {
		got := ""
		if err := h.Within(size); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("size %d:\n got %s\nwant %s", size, got, want)
		}
	}
}

func TestWhole(t *testing.T) {
	for _, tt := range []struct {
		order, shape string
		have         int64
		n            int
		words        string
	}{
		{"False", "(10, 3)", 71, 2, "2 whole rows"},
		{"False", "(10, 3)", 47, 1, "1 whole row"},
		{"False", "(10, 3)", 23, 0, "0 whole rows"},
		{"False", "(10, 3)", 0, 0, "0 whole rows"},
		{"False", "(10, 3)", 1 << 40, 10, "10 whole rows"},
		{"False", "(10,)", 79, 9, "9 whole rows"},
		{"True", "(10, 3)", 160, 2, "2 whole positions of axis 1"},
		{"True", "(10, 3, 4)", 247, 1, "1 whole position of axis 2"},
		{"False", "()", 7, 0, ""},
		{"False", "(0, 3)", 7, 0, ""},
		{"False", "(3, 0)", 7, 0, ""},
	} {
		h, err := Parse(header("'<f8'", tt.order, tt.shape), 0)
		if err != nil {
			t.Fatal(err)
		}
		if n, words := h.Whole(tt.have); n != tt.n || words != tt.words {
			t.Errorf("%s, %d bytes: %d, %q; want %d, %q", tt.shape, tt.have, n, words, tt.n, tt.words)
		}
	}
}

// TestNew tests that New returns the header that numpy.save writes for np.zeros((2, 3)).
func TestNew(t *testing.T) {
	h, b, err := New(dtype.MustParse("<f8"), index.C, []int{2, 3})
	if err != nil {
		t.Fatal(err)
	}
	want := "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }" + strings.Repeat(" ",
		58) + "\n"
	if d := cmp.Diff(want, string(b)); d != "" {
		t.Error(d)
	}
	if h.DataOffset != 128 || h.NBytes != 48 || h.Version != [2]uint8{1, 0} {
		t.Errorf("%+v", h)
	}
}

// TestNewOrder tests that New returns C order for arrays that are contiguous in both orders, like numpy.save.
func TestNewOrder(t *testing.T) {
	for _, tt := range []struct {
		shape []int
		want  index.Order
	}{
		{nil, index.C}, {[]int{3}, index.C}, {[]int{1, 5}, index.C}, {[]int{2, 0, 3}, index.C}, {[]int{2, 3}, index.F},
		{[]int{1, 2, 1, 3}, index.F},
	} {
		h, _, err := New(dtype.Float64, index.F, tt.shape)
		if err != nil || h.Order != tt.want {
			t.Errorf("shape %v: order %v, want %v (%v)", tt.shape, h.Order, tt.want, err)
		}
	}
}

// FuzzHeader tests that New can write every header that Parse accepts, and that Parse reads the same header again.
func FuzzHeader(f *testing.F) {
	f.Add(version1File("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }       \n"))
	f.Add(file(2, 0,
		"{'descr': [('a', '<f4'), ('', '|V4'), (('t', 'b'), '>i2', (2, 1))], 'fortran_order': True, 'shape': (2L, 3), }\n"))
	f.Add(file(3, 0, "{'descr': [('é', [('x', '<M8[25s]')])], 'fortran_order': True, 'shape': (), }\n"))
	f.Add(version1File("{'descr': [('x', ('|S0', 5)), ('y', [], [2]), ('', ('<i4', (0,)), 3), ('z', ('>U', []))], 'fortran_order': False, 'shape': (2,)}"))
	f.Add(version1File(`{'descr': '|S' '4', "fortran_order":True,'shape':(0x10,)}`))
	f.Add(version1File("{'descr': [('x', '<f1', (2,))], 'fortran_order': False, 'shape': (2,)}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := Parse(b, 0)
		if err != nil {
			if _, ok := err.(*Error); !ok {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		_, out, err := New(h.DType, h.Order, h.Shape)
		if err != nil {
			t.Fatalf("%q is accepted but cannot be written: %v", b, err)
		}
		if len(out)%Align != 0 || !bytes.HasSuffix(out, []byte("\n")) {
			t.Fatalf("%q: bad padding", out)
		}
		g, err := Parse(out, len(out))
		if err != nil {
			t.Fatalf("%q is written as %q: %v", b, out, err)
		}
		both := len(h.Shape) == 0 || g.Order == h.Order || h.Order == index.F && hasBothOrders(h.Shape)
		descr, err := h.DType.Descr()
		if err != nil {
			t.Fatal(err)
		}
		stored, err := dtype.Parse(descr) // floats of machine learning models become bytes
		if err != nil || !g.DType.Equal(stored) || !cmp.Equal(g.Shape, h.Shape) || !both || g.NBytes != h.NBytes {
			t.Fatalf("%q is written as %q: %+v is %+v", b, out, h, g)
		}
	})
}

func hasBothOrders(shape []int) bool {
	long := 0
	for _, n := range shape {
		if n == 0 {
			return true
		}
		if n > 1 {
			long++
		}
	}
	return long < 2
}
