package array_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestTextErrors tests the full message of every error of text, in a file and in memory, and that an error of SetAt
// leaves the element unchanged.
func TestTextErrors(t *testing.T) {
	little := dtype.LittleEndian
	for _, tt := range []struct {
		d    dtype.DType
		text string
		want string
	}{
		{dtype.Bytes(4), "abcde", `text "abcde" has 5 characters; dtype |S4 has room for 4`},
		{dtype.Bytes(4), "ééééé",
			`text "ééééé" has 5 characters; dtype |S4 has room for 4`}, // counts characters, not bytes of UTF-8
		{dtype.Bytes(4), "éééé", ""},
		{dtype.Bytes(4), "\u00ff", ""},
		{dtype.Bytes(4), "\u0100", `text "Ā" has the character 'Ā'; dtype |S4 is Latin-1, up to U+00FF`},
		{dtype.Bytes(4), "a\xff", `text "a\xff" is not UTF-8`},
		{dtype.Bytes(4), "abcd\xff", `text "abcd\xff" is not UTF-8`}, // reported before the length
		{dtype.Bytes(4), "a\x00", `text "a\x00" ends with a NUL, which would be lost: it is padding`},
		{dtype.Bytes(4), "\x00a", ""},
		{dtype.Bytes(0), "", ""},
		{dtype.Bytes(0), "a", `text "a" has 1 characters; dtype |S0 has room for 0`},
		{dtype.Unicode(2).WithByteOrder(little), "abc", `text "abc" has 3 characters; dtype <U2 has room for 2`},
		{dtype.Unicode(2).WithByteOrder(little), "🙂🙂", ""},
		{dtype.Unicode(2).WithByteOrder(little), "\U0010FFFF", ""},
		{dtype.Unicode(2).WithByteOrder(little), "\xed\xa0\x80", `text "\xed\xa0\x80" is not UTF-8`}, // a surrogate
		{dtype.Unicode(2).WithByteOrder(little), "\x00", `text "\x00" ends with a NUL, which would be lost: it is padding`},
		{dtype.Unicode(2).WithByteOrder(dtype.BigEndian), "abc", `text "abc" has 3 characters; dtype >U2 has room for 2`},
	} {
		for prefix, a := range fileAndMemoryArrays(t, tt.d) {
			v := check(array.Text(a))
			old := "ab"[:min(2, tt.d.ItemSize())]
			if err := v.SetAt(old, 1); err != nil {
				t.Fatal(err)
			}
			err := v.SetAt(tt.text, 1)
			got, errAt := v.At(1)
			if tt.want == "" {
				if err != nil || errAt != nil || got != tt.text {
					t.Errorf("%v, %q: got %q, %v, %v", tt.d, tt.text, got, err, errAt)
				}
				continue
			}
			if want := prefix + tt.want; err == nil || err.Error() != want {
				t.Errorf("%v, %q:\n got %v\nwant %s", tt.d, tt.text, err, want)
			}
			if errAt != nil || got != old {
				t.Errorf("%v, %q: after the error the element is %q, %v; want %q", tt.d, tt.text, got, errAt, old)
			}
		}
	}
}

// TestTextDecodeErrors tests the full message for invalid code points, and the text that is returned with the error. If
// there are several, the message names the first.
func TestTextDecodeErrors(t *testing.T) {
	for _, order := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} {
		for _, tt := range []struct {
			points     [3]uint32
			text, want string
		}{
			{[3]uint32{'a', 0x10FFFF, 'b'}, "a\U0010FFFFb", ""},
			{[3]uint32{'a', 0xD7FF, 0xE000}, "a\uD7FF\uE000", ""},
			{[3]uint32{'a', 0x110000, 'b'}, "a\uFFFDb", "0x110000 is not a Unicode code point"},
			{[3]uint32{0xD800}, "\uFFFD", "0xd800 is not a Unicode code point"},
			{[3]uint32{0xDFFF}, "\uFFFD", "0xdfff is not a Unicode code point"},
			{[3]uint32{0, 0, 0xFFFFFFFF}, "\x00\x00\uFFFD", "0xffffffff is not a Unicode code point"},
			{[3]uint32{0x80000000, 0xD800, 'c'}, "\uFFFD\uFFFDc", "0x80000000 is not a Unicode code point"},
			{[3]uint32{0x80000041, 'b', 'c'}, "\uFFFDbc", "0x80000041 is not a Unicode code point"}, // not 'A'
		} {
			for prefix, a := range fileAndMemoryArrays(t, dtype.Unicode(3).WithByteOrder(order)) {
				v := check(array.Text(a))
				points := check(array.As[int32](check(a.Reinterpret(dtype.Int32.WithByteOrder(order)))))
				for k, x := range tt.points {
					points.SetAt(int32(x), 3+k)
				}
				want := ""
				if tt.want != "" {
					want = prefix + tt.want
				}
				for name, at := range map[string]func() (string, error){
					"At": func() (string, error) { return v.At(1) },
					"Values": func() (s string, err error) {
						for s, err = range v.Values() { // keeps the last element
						}
						return s, err
					},
				} {
					t.Run(name, func(t *testing.T) {
						got, err := at()
						msg := ""
						if err != nil {
							msg = err.Error()
						}
						if got != tt.text || msg != want {
							t.Errorf("%v %s of %#x:\n got %q, %q\nwant %q, %q", order, name, tt.points, got, msg, tt.text, want)
						}
					})
				}
			}
		}
	}
}

// TestNotText tests the error for an array that is not text.
func TestNotText(t *testing.T) {
	for prefix, a := range fileAndMemoryArrays(t, dtype.Float64.WithByteOrder(dtype.LittleEndian)) {
		_, err := array.Text(a)
		var e *array.DTypeError
		if want := prefix + "Text requires dtype S or U: have dtype <f8, want |S8"; !errors.As(err, &e) ||
			err.Error() != want {
			t.Errorf("got %v, want %s, an *array.DTypeError", err, want)
		}
	}
}

// fileAndMemoryArrays returns two arrays of two elements, one in a file and one in memory. The keys are the prefixes of
// their error messages.
func fileAndMemoryArrays(t *testing.T, d dtype.DType) map[string]array.Array {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.npy")
	f := check(array.Create(path, d, index.C, 2))
	t.Cleanup(func() { f.Close() })
	return map[string]array.Array{
		path + ": ": f.Array,
		"array: ":   check(array.FromBytes(make([]byte, 2*d.ItemSize()), d, index.C, 2)),
	}
}
