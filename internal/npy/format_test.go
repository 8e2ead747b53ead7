package npy

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// NumPy's own tests of the format (numpy/lib/tests/test_format.py) that concern headers and dtypes, and the
// corresponding tests here. Package array has the tests of data.
//
//	the doctest at the top: headers of old   TestOldHeaders
//	test_roundtrip: basic_arrays             TestHeaders
//	test_roundtrip: record_arrays            TestHeaders
//	test_roundtrip_truncated                 TestWithin
//	test_long_str                            TestHeaders: <U262145
//	test_memmap_roundtrip: the same bytes    TestHeaders
//	test_load_padded_dtype: dt1 to dt6       TestPadded, TestHeaders
//	test_python2_python3_interoperability    TestOldHeaders: win64python2.npy
//	test_pickle_disallow                     TestPickles
//	test_descr_to_dtype                      TestNests, TestHeaders
//	test_version_2_0                         TestVersion2
//	test_version_2_0_memmap                  TestVersion2
//	test_huge_header                         TestLimits
//	test_write_version                       TestVersions
//	test_read_magic                          TestVersions
//	test_read_magic_bad_magic                TestBadMagic
//	test_read_version_1_0_bad_magic          TestBadMagic
//	test_large_header                        TestVersion2: one name of 65,536 characters
//	test_read_array_header_1_0, _2_0         TestVersions
//	test_bad_header                          TestBadHeader
//	test_unicode_field_names                 TestVersion3
//	test_header_growth_axis                  TestGrowthAxis
//	test_metadata_dtype                      TestMetadata
//
// test_bad_magic_args has no counterpart, because it tests arguments that this package does not have.

// headersJSONL is the output of headers.py with NumPy 1.24.
//
//go:embed testdata/headers.jsonl
var headersJSONL []byte

//go:embed testdata/headers.py
var headersPy string

// A numpyHeader is a header that NumPy made.
type numpyHeader struct {
	canon   string
	fortran bool
	shape   []json.Number
	version byte
	text    string
	length  int
}

func (h *numpyHeader) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&h.canon, &h.fortran, &h.shape, &h.version, &h.text, &h.length})
}

// bytes returns the header as the bytes of a file.
func (h numpyHeader) bytes() []byte {
	text := []byte(h.text)
	start := PrefixLen
	if h.version < 3 {
		text = text[:0]
		for _, r := range h.text {
			text = append(text, byte(r))
		}
	}
	if h.version == 1 {
		start -= 2
	}
	return file(h.version, 0, string(text)+strings.Repeat(" ", h.length-start-len(text)-1)+"\n")
}

func numpyHeaders(t *testing.T) (out []numpyHeader) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(headersJSONL))
	for lines.Scan() {
		var h numpyHeader
		if err := json.Unmarshal(lines.Bytes(), &h); err != nil {
			t.Fatalf("%s: %v", lines.Text(), err)
		}
		out = append(out, h)
	}
	if err := lines.Err(); err != nil || len(out) < 400 {
		t.Fatalf("%d headers (%v)", len(out), err)
	}
	return out
}

// TestHeaders tests that Parse reads the headers that NumPy wrote for hundreds of dtypes and shapes, and that New
// writes the same bytes.
func TestHeaders(t *testing.T) {
	versions := map[byte]int{}
	for _, m := range numpyHeaders(t) {
		b := m.bytes()
		h, err := Parse(b, 0)
		if err != nil {
			if math.MaxInt > math.MaxInt32 || !strings.Contains(err.Error(), "overflow") && !strings.Contains(err.Error(),
				"largest file offset") {
				t.Errorf("%s: %v", m.text, err)
			}
			continue
		}
		versions[m.version]++
		if got := judgeNotation(h.DType); got != m.canon || (h.Order == index.F) != m.fortran ||
			fmt.Sprint(h.Shape) != fmt.Sprint(m.shape) || h.DataOffset != len(b) || h.Version != [2]uint8{m.version, 0} {
			t.Errorf("%s: %s %+v", m.text, got, h)
		}
		g, out, err := New(h.DType, h.Order, h.Shape)
		if err != nil {
			t.Errorf("%s: %v", m.text, err)
			continue
		}
		if d := cmp.Diff(string(b), string(out)); d != "" {
			t.Errorf("NumPy's -, ours +\n%s", d)
		}
		if d := cmp.Diff(h, g, cmp.Comparer(dtype.DType.Equal)); d != "" {
			t.Errorf("%s: read -, made +\n%s", m.text, d)
		}
	}
	t.Logf("headers by version: %v", versions)
}

// TestHeadersToday tests that the installed NumPy writes the headers of headers.jsonl.
func TestHeadersToday(t *testing.T) {
	p := startJudge(t)
	var today []json.RawMessage
	if err := p.Run(headersPy+"\nout = list(lines())", nil, &today); err != nil {
		t.Fatal(err)
	}
	kept := numpyHeaders(t)
	if len(today) != len(kept) {
		t.Fatalf("headers.py makes %d headers, headers.jsonl has %d", len(today), len(kept))
	}
	for i, line := range today {
		var m numpyHeader
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(fmt.Sprintf("%+v", kept[i]), fmt.Sprintf("%+v", m)); d != "" {
			t.Errorf("headers.jsonl -, NumPy today +\n%s", d)
		}
	}
}

// TestOldHeaders tests headers of old writers. Older versions of NumPy sorted the keys, broke long lines, omitted the
// comma after the last value, and aligned the data to 16 bytes only. Python 2 wrote 2L.
func TestOldHeaders(t *testing.T) {
	for _, tt := range []struct {
		in     string
		dtype  string
		order  index.Order
		shape  []int
		offset int
	}{
		{"\x93NUMPY\x01\x00F\x00{'descr': '|u1', 'fortran_order': False, 'shape': (0,)}              \n", "|u1", index.C,
			[]int{0}, 80},
		{"\x93NUMPY\x01\x00F\x00{'descr': '|u1', 'fortran_order': False, 'shape': ()}                \n", "|u1", index.C,
			[]int{}, 80},
		{"\x93NUMPY\x01\x00F\x00{'descr': '>c16', 'fortran_order': True, 'shape': (5, 3)}            \n", ">c16", index.F,
			[]int{5, 3}, 80},
		{"\x93NUMPY\x01\x00v\x00{'descr': [('x', '<i4', (2,)), ('y', '<f8', (2, 2)), ('z', '|u1')],\n 'fortran_order': False,\n 'shape': (2,)}         \n",
			"[('x', '<i4', (2,)), ('y', '<f8', (2, 2)), ('z', '|u1')]", index.C, []int{2}, 128},
		{"\x93NUMPY\x01\x00\x16\x02{'descr': [('x', '>i4', (2,)),\n           ('Info',\n            [('value', '>c16'),\n             ('y2', '>f8'),\n             ('Info2',\n" +
			"              [('name', '|S2'),\n               ('value', '>c16', (2,)),\n               ('y3', '>f8', (2,)),\n               ('z3', '>u4', (2,))]),\n             ('name', '|S2'),\n" +
			"             ('z2', '|b1')]),\n           ('color', '|S2'),\n           ('info', [('Name', '>U8'), ('Value', '>c16')]),\n           ('y', '>f8', (2, 2)),\n           ('z', '|u1')],\n" +
			" 'fortran_order': False,\n 'shape': (2,)}      \n",
			"[('x', '>i4', (2,)), ('Info', [('value', '>c16'), ('y2', '>f8'), ('Info2', [('name', '|S2'), ('value', '>c16', (2,)), ('y3', '>f8', (2,)), ('z3', '>u4', (2,))]), ('name', '|S2'), ('z2', '|b1')]), " +
				"('color', '|S2'), ('info', [('Name', '>U8'), ('Value', '>c16')]), ('y', '>f8', (2, 2)), ('z', '|u1')]", index.C,
			[]int{2}, 0x216 + 10},
		{"\x93NUMPY\x01\x00F\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2L,), }           \n", "<f8", index.C,
			[]int{2}, 80}, // numpy/lib/tests/data/win64python2.npy
	} {
		h, err := Parse([]byte(tt.in), 0)
		if err != nil {
			t.Errorf("%q: %v", tt.in, err)
			continue
		}
		if h.DType.String() != tt.dtype || h.Order != tt.order || !cmp.Equal(h.Shape, tt.shape) ||
			h.DataOffset != tt.offset || h.DataOffset != len(tt.in) {
			t.Errorf("%q: %+v", tt.in, h)
		}
	}
}

// TestPadded tests the dtypes of test_load_padded_dtype, made by package dtype, against the text that NumPy writes.
func TestPadded(t *testing.T) {
	i1, i4 := dtype.Int8, dtype.MustParse("<i4")
	f := func(name string, d dtype.DType, offset int) dtype.Field {
		return dtype.Field{Name: name, Type: d, Offset: offset}
	}
	dt2 := mustDType(dtype.Struct(-1, f("a", i4, 1), f("b", i4, 6)))
	for _, tt := range []struct {
		name string
		d    dtype.DType
		want string
	}{
		{"aligned", mustDType(dtype.Struct(12, f("f0", i1, 0), f("f1", i4, 4), f("f2", i1, 8))),
			"[('f0', '|i1'), ('', '|V3'), ('f1', '<i4'), ('f2', '|i1'), ('', '|V3')]"},
		{"explicit offsets", dt2, "[('', '|V1'), ('a', '<i4'), ('', '|V1'), ('b', '<i4')]"},
		{"nested", mustDType(dtype.Packed(f("c", i4, 0), f("d", dt2, 0))),
			"[('c', '<i4'), ('d', [('', '|V1'), ('a', '<i4'), ('', '|V1'), ('b', '<i4')])]"},
		{"a field without a name", mustDType(dtype.Packed(f("a", i4, 0), f("", i4, 0), f("b", i4, 0))),
			"[('a', '<i4'), ('', '<i4'), ('b', '<i4')]"},
		{"titles", mustDType(dtype.Struct(-1, dtype.Field{Name: "a", Title: "aa", Type: i4, Offset: 1}, dtype.Field{Name: "b",
			Title: "bb", Type: i4, Offset: 6})),
			"[('', '|V1'), (('aa', 'a'), '<i4'), ('', '|V1'), (('bb', 'b'), '<i4')]"},
		{"empty", mustDType(dtype.Struct(8)), "[('', '|V8')]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, b, err := New(tt.d, index.C, []int{3})
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				return
			}
			if want := "{'descr': " + tt.want + ", 'fortran_order': False, 'shape': (3,), }"; !strings.HasPrefix(string(b[10:]),
				want) {
				t.Errorf("%s:\n got %s\nwant %s", tt.name, b[10:], want)
			}
			if h, err := Parse(b, 0); err != nil || !h.DType.Equal(tt.d) {
				t.Errorf("%s: %v is read as %v (%v)", tt.name, tt.d, h.DType, err)
			}
		})
	}
}

func mustDType(d dtype.DType, err error) dtype.DType {
	if err != nil {
		panic(err)
	}
	return d
}

// TestNests tests the dtypes of test_descr_to_dtype. The first is a sub-array, which cannot be the dtype of an array.
func TestNests(t *testing.T) {
	ab := "[('a', '|i1'), ('', '|V3'), ('b', '|i1'), ('', '|V3')]"
	for _, tt := range []struct{ descr, canon, again string }{
		{"([('a', '|i1'), ('', '|V1'), ('b', '<i2'), ('c', '<i4')], (3,))", "[3]{0:61::|i1,2:62::<i2,4:63::<i4,|8}", ""},
		{"[('x', (" + ab + ", (3,)), (4,))]", "{0:78::[4][3]{0:61::|i1,4:62::|i1,|8},|96}", ""},
		{"[('x', ('<f8', (5,)), (2,))]", "{0:78::[2][5]<f8,|80}", ""},
		{"[('x', ((" + ab + ", (3,)), (4,)))]", "{0:78::[4][3]{0:61::|i1,4:62::|i1,|8},|96}",
			"[('x', (" + ab + ", (3,)), (4,))]"},
		{"[('a', (([('a', '<i8'), ('b', " + ab + ")], (3,)), (4,)), (5,))]",
			"{0:61::[5][4][3]{0:61::<i8,8:62::{0:61::|i1,4:62::|i1,|8},|16},|960}", ""},
	} {
		d, err := dtype.Parse(tt.descr)
		if err != nil {
			t.Errorf("%s: %v", tt.descr, err)
			continue
		}
		again := tt.again
		if again == "" {
			again = tt.descr
		}
		if got := judgeNotation(d); got != tt.canon || d.String() != again {
			t.Errorf("%s is %s, %v; want %s, %s", tt.descr, got, d, tt.canon, again)
		}
		h, err := Parse(header(tt.descr, "False", "(2,)"), 0)
		if d.Kind() == dtype.KindSubarray {
			if err == nil {
				t.Errorf("%s is accepted at the top", tt.descr)
			}
		} else if err != nil || !h.DType.Equal(d) {
			t.Errorf("%s: %v (%v)", tt.descr, h.DType, err)
		}
	}
}

// longNames returns the dtype of test_version_2_0: its header has more than 65,535 bytes.
func longNames() dtype.DType {
	var fields []dtype.Field
	for i := range 500 {
		fields = append(fields, dtype.Field{Name: strings.Repeat(fmt.Sprint(i), 100), Type: dtype.MustParse("<f8")})
	}
	return mustDType(dtype.Packed(fields...))
}

// TestVersion2 tests that a header that does not fit version 1 is written in version 2. NumPy's bytes are given by
// their hash.
func TestVersion2(t *testing.T) {
	one := mustDType(dtype.Packed(dtype.Field{Name: strings.Repeat("x", 65536), Type: dtype.MustParse("<i8")}))
	fits := func(n int) dtype.DType {
		return mustDType(dtype.Packed(dtype.Field{Name: strings.Repeat("x", n), Type: dtype.MustParse("<i8")}))
	}
	for _, tt := range []struct {
		name    string
		d       dtype.DType
		shape   []int
		version uint8
		length  int
		sha256  string
	}{
		{"500 long names", longNames(), []int{1000}, 2, 145600, "8f5bcff5dcf18bc3"},
		{"one of 65,536", one, nil, 2, 65664, "b0f1275754af3d61"},
		{"the longest of version 1", fits(65461), nil, 1, 65536, "a303c0c83742db11"},
		{"one more", fits(65462), nil, 2, 65600, "66f1719282111a20"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, b, err := New(tt.d, index.C, tt.shape)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				return
			}
			if h.Version != [2]uint8{tt.version, 0} || len(b) != tt.length || len(b)%Align != 0 {
				t.Errorf("%s: version %v, %d bytes", tt.name, h.Version, len(b))
			}
			if got := fmt.Sprintf("%x", sha256.Sum256(b))[:16]; got != tt.sha256 {
				t.Errorf("%s: hash %s, NumPy's %s", tt.name, got, tt.sha256)
			}
			if g, err := Parse(b, 0); err != nil || !g.DType.Equal(tt.d) || g.DataOffset != len(b) {
				t.Errorf("%s: %+v (%v)", tt.name, g, err)
			}
		})
	}
}

// TestVersion3 tests that a header has version 3, in UTF-8, if and only if a name is not Latin-1.
func TestVersion3(t *testing.T) {
	for _, tt := range []struct {
		name    string
		version uint8
		text    string
	}{
		{"int", 1, "{'descr': [('int', '<i8')], "},
		{"é", 1, "{'descr': [('\xe9', '<i8')], "},
		{"ÿ", 1, "{'descr': [('\xff', '<i8')], "},
		{"Ā", 3, "{'descr': [('Ā', '<i8')], "},
		{"整形", 3, "{'descr': [('整形', '<i8')], "},
		{"😀é", 3, "{'descr': [('😀é', '<i8')], "},
		{"\u2028", 1, `{'descr': [('\u2028', '<i8')], `}, // escaped, so it is ASCII
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mustDType(dtype.Packed(dtype.Field{Name: tt.name, Type: dtype.MustParse("<i8")}))
			h, b, err := New(d, index.C, []int{4})
			if err != nil || h.Version != [2]uint8{tt.version, 0} || !strings.Contains(string(b), tt.text) || len(b)%Align != 0 {
				t.Errorf("%s: %v %q (%v)", tt.name, h.Version, b, err)
				return
			}
			if g, err := Parse(b, 0); err != nil || !g.DType.Equal(d) {
				t.Errorf("%s is read as %v (%v)", tt.name, g.DType, err)
			}
		})
	}
}

// TestLimits tests that the limit applies to the value of the length field, before the text is read.
func TestLimits(t *testing.T) {
	_, b, err := New(longNames(), index.C, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
	huge := file(2, 0, text+strings.Repeat(" ", Limit2-len(text)))
	for _, tt := range []struct {
		name  string
		b     []byte
		limit int
		want  string
	}{
		{"500 long names", b, 0, ""},
		{"500 long names, as much as NumPy reads", b, 10000,
			"header at byte 8: the header length is 145588 bytes, more than the limit of 10000; a larger limit can be set (MaxHeader)"},
		{"the limit", b, 145588, ""},
		{"one less", b, 145587,
			"header at byte 8: the header length is 145588 bytes, more than the limit of 145587; a larger limit can be set (MaxHeader)"},
		{"1 MiB", huge, 0, ""},
		{"more than 1 MiB", append(file(2, 0, string(huge[PrefixLen:])+" "), 0), 0,
			"header at byte 8: the header length is 1048577 bytes, more than the limit of 1048576; a larger limit can be set (MaxHeader)"},
		{"more than 1 MiB, and the limit is higher", file(2, 0, string(huge[PrefixLen:])+" "), 2 << 20, ""},
		{"version 1", version1File(text), 58,
			"header at byte 8: the header length is 59 bytes, more than the limit of 58; a larger limit can be set (MaxHeader)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(tt.b, tt.limit)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
			}
		})
	}
}

// TestLimitOfInt tests that a length near the largest int is an error on 32-bit machines, where the end of the header
// would overflow, even if the limit is as high.
func TestLimitOfInt(t *testing.T) {
	b := append([]byte(Magic), 2, 0, 0xff, 0xff, 0xff, 0x7f, '{', '}')
	want := "header at byte 14: the file ends 2147483645 bytes before the end of the header"
	if strconv.IntSize == 32 {
		want = "header at byte 8: the header length is 2147483647 bytes, more than the limit of 2147483635; a larger limit can be set (MaxHeader)"
	}
	if _, err := Parse(b, math.MaxInt32); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestVersions tests that Parse reads the same header in each version, and returns the offset of the data.
func TestVersions(t *testing.T) {
	_, b, err := New(dtype.MustParse("<f8"), index.C, []int{3, 6})
	if err != nil {
		t.Fatal(err)
	}
	if len(b) != 128 || b[6] != 1 {
		t.Errorf("%q", b)
	}
	for major := range byte(5) {
		for minor := range byte(3) {
			in := file(major, minor, string(b[10:]))
			version, start, end, err := Span(in, 0)
			h, err2 := Parse(in, 0)
			if known := minor == 0 && 1 <= major && major <= 3; known != (err == nil) || known != (err2 == nil) {
				t.Errorf("version (%d, %d): %v, %v", major, minor, err, err2)
				continue
			} else if !known {
				continue
			}
			if version != h.Version || version != [2]uint8{major, minor} || end != len(in) || h.DataOffset != end ||
				start != len(in)-len(b)+10 {
				t.Errorf("version (%d, %d): %v, text from %d to %d, %+v", major, minor, version, start, end, h)
			}
		}
	}
}

func TestBadMagic(t *testing.T) {
	for in, want := range map[string]string{
		"\x93NUMPY\x01\x01": "header at byte 6: format version (1, 1) is unknown; want (1, 0), (2, 0) or (3, 0)",
		"\x93NUMPY\x00\x00": "header at byte 6: format version (0, 0) is unknown; want (1, 0), (2, 0) or (3, 0)",
		"\x93NUMPY\x00\x01": "header at byte 6: format version (0, 1) is unknown; want (1, 0), (2, 0) or (3, 0)",
		"\x93NUMPY\x02\x00": "header at byte 8: the file ends inside the length of the header",
		"\x93NUMPY\x02\x02": "header at byte 6: format version (2, 2) is unknown; want (1, 0), (2, 0) or (3, 0)",
		"\x93NUMPY\xff\xff": "header at byte 6: format version (255, 255) is unknown; want (1, 0), (2, 0) or (3, 0)",
		"\x92NUMPY\x01\x00": `header at byte 0: not a .npy file: it starts with "\x92NUMPY"; want the magic "\x93NUMPY"`,
		"\x00NUMPY\x01\x00": `header at byte 0: not a .npy file: it starts with "\x00NUMPY"; want the magic "\x93NUMPY"`,
		"\x93numpy\x01\x00": `header at byte 0: not a .npy file: it starts with "\x93numpy"; want the magic "\x93NUMPY"`,
		"\x93MATLB\x01\x00": `header at byte 0: not a .npy file: it starts with "\x93MATLB"; want the magic "\x93NUMPY"`,
		"\x93NUMPY\x01":     "header at byte 7: the file ends inside the version",
		"\x93NUMPY":         "header at byte 6: the file ends inside the version",
		"":                  "an empty file, not a .npy file; the program that should have written it did not; write it again",
	} {
		t.Run(in, func(t *testing.T) {
			if _, err := Parse([]byte(in), 0); err == nil || err.Error() != want {
				t.Errorf("%q:\n got %v\nwant %s", in, err, want)
			}
		})
	}
}

func TestBadHeader(t *testing.T) {
	for in, want := range map[string]string{
		"\x93NUMPY\x01\x001":                        "header at byte 9: the file ends inside the length of the header",
		"\x93NUMPY\x01\x00\x01\x00":                 "header at byte 10: the file ends 1 bytes before the end of the header",
		"\x93NUMPY\x03\x00\xff\xff\x0f\x00{'descr'": "header at byte 20: the file ends 1048567 bytes before the end of the header",
		"\x93NUMPY\x01\x006\x00{'descr': 'x', 'shape': (1, 2), }                    \n":                           "header at byte 10: the key 'fortran_order' is missing",
		string(version1File("{'descr': 'x', 'extrakey': -1, 'fortran_order': False, 'shape': (1, 2), }   \n")):    "header at byte 25: unexpected key 'extrakey'; want 'descr', 'fortran_order' and 'shape'",
		string(version1File("{'descr': 'x', 'fortran_order': False, 'shape': (1, 2), }                      \n")): `header at byte 20: unknown dtype "x"; want one like <f8, |b1, |S10 or <M8[us]`,
	} {
		t.Run(in, func(t *testing.T) {
			if _, err := Parse([]byte(in), 0); err == nil || err.Error() != want {
				t.Errorf("%q:\n got %v\nwant %s", in, err, want)
			}
		})
	}
}

// TestGrowthAxis tests that the room for the growing axis does not depend on its length. With names of 29 and 30 blanks
// in C order, and of 30 and 31 in Fortran order, the header has 128 and 192 bytes. NumPy's test uses 22, 23 and 24
// blanks, because it writes the repr of a dtype, which has "dtype()" around it.
func TestGrowthAxis(t *testing.T) {
	for _, tt := range []struct {
		order         index.Order
		width, length int
	}{{index.C, 22 + 7, 128}, {index.C, 23 + 7, 192}, {index.F, 23 + 7, 128}, {index.F, 24 + 7, 192}} {
		d := mustDType(dtype.Packed(dtype.Field{Name: strings.Repeat(" ", tt.width), Type: dtype.MustParse("<i8")}))
		for size := 2; size < math.MaxInt/64/10; size *= 10 {
			shape := []int{size, 2}
			if tt.order == index.F {
				shape = []int{2, size}
			}
			if _, b, err := New(d, tt.order, shape); err != nil || len(b) != tt.length {
				t.Errorf("%v, %d blanks, %v: %d bytes, want %d (%v)", tt.order, tt.width, shape, len(b), tt.length, err)
			}
		}
	}
}

// TestMetadata tests the headers that NumPy writes for dtypes with metadata: without the metadata for a plain dtype,
// and with a dict in a pair inside a field, which NumPy itself cannot read.
func TestMetadata(t *testing.T) {
	if h, err := Parse(header("[('subarray', '<i8', (2,))]", "False", "(10,)"), 0); err != nil ||
		h.DType.String() != "[('subarray', '<i8', (2,))]" {
		t.Errorf("%v (%v)", h.DType, err)
	}
	_, err := Parse(header("[('a', '<f8'), ('b', ('|S3', {'some': 'stuff'}))]", "False", "(10,)"), 0)
	if want := "header at byte 49: a dict where the shape of a sub-array should be; want a tuple"; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestPickles tests that the error for a pickle gives the reason, and that Parse reads nothing after the header.
func TestPickles(t *testing.T) {
	for _, descr := range []string{"'|O'", "'O'", "'|O8'", "'=O'"} {
		_, err := Parse(append(header(descr, "False", "(1,)"), "\x80\x03cos\nsystem\n"...), 0)
		want := "header at byte 20: dtype " + strings.ReplaceAll(descr, "'",
			`"`) + " is a Python object: its data is a pickle, and unpickling runs code; package objects reads plain values, or save it from NumPy with a fixed dtype"
		if err == nil || err.Error() != want {
			t.Errorf("%s:\n got %v\nwant %s", descr, err, want)
		}
	}
	_, err := Parse(header("[('a', [('b', '|O')], (2,))]", "False", "(1,)"), 0)
	if err == nil || !strings.Contains(err.Error(), "is a Python object") {
		t.Errorf("inside of fields: %v", err)
	}
}

// TestGoldenFiles tests that Parse reads the header of each file of internal/oracle, and that New writes the same bytes
// if NumPy wrote the file.
func TestGoldenFiles(t *testing.T) {
	for _, f := range append(oracle.Golden(), oracle.Variants()...) {
		b, err := os.ReadFile(f.Path)
		if err != nil {
			t.Error(err)
			continue
		}
		h, err := Parse(b, 0)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if d := mustDType(dtype.Parse(f.DType)); !h.DType.Equal(d) && f.DType[0] != '<' ||
			(h.Order == index.F) != f.Fortran ||
			!cmp.Equal(h.Shape, f.Shape) || h.DataOffset != f.Offset {
			t.Errorf("%s: %+v", f.Name, h)
		}
		if err := h.Within(int64(len(b))); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if filepath.Base(filepath.Dir(f.Path)) != "golden" {
			continue
		}
		if _, out, err := New(h.DType, h.Order, h.Shape); err != nil || !bytes.Equal(out, b[:f.Offset]) {
			t.Errorf("%s: %q is written as %q (%v)", f.Name, b[:f.Offset], out, err)
		}
	}
}
