package npy

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestGrowTail tests which characters may follow a length that crosses a sector. They become a comment between two
// edits, so they must be ASCII characters up to ~ that do not end a line. In this test they already are a comment, as
// after a crash.
func TestGrowTail(t *testing.T) {
	const refused = "header at byte 511: the length crosses byte 512 of the file, and both sides cannot be changed atomically; write a new file with Save or numpy.save"
	for _, tt := range []struct {
		c    rune
		want string // "" for no error
	}{
		{'\t', ""}, {' ', ""}, {'a', ""}, {'}', ""}, {'~', ""},
		{0x7F, refused}, {0x80, refused}, {'é', refused}, {'λ', refused},
	} {
		const left = "{'fortran_order': False, 'descr': [('a', '<f4'), ('b', '<f4'), ('c', '<f4'), ('"
		right := fmt.Sprintf("', '<f4')], 'shape': (99,), }#%c      \n", tt.c)
		// The first digit is the last byte of the sector.
		k := Sector - 1 - PrefixLen - len(left) - strings.Index(right, "99")
		in := file(3, 0, left+strings.Repeat("x", k)+right)
		h, err := Parse(in, 0)
		if err != nil {
			t.Fatalf("%U: %v", tt.c, err)
		}
		if tt.want == "" {
			if next, _, _ := grow(t, h, in, 100); next.Shape[0] != 100 {
				t.Errorf("%U: grown to %v", tt.c, next.Shape)
			}
		} else if _, _, err := h.Grow(in, 100); err == nil || err.Error() != tt.want {
			t.Errorf("%U:\n got %v\nwant %s", tt.c, err, tt.want)
		}
	}
}

// TestGrowNames tests that names do not change when the length crosses a sector. The names contain quotes, and spaces
// after commas and colons, which Grow leaves out elsewhere.
func TestGrowNames(t *testing.T) {
	for _, name := range []string{`'a, b: c'`, `"it's, it's: it"`, `'it\'s, it\'s: it'`, `'"a, b: c'`, `"\"a, b: c"`,
		`'a\\'`, `'\\\', b'`} {
		const left = "{'descr': [('"
		right := "', '<f4'), (" + name + ", '<i2'), ('c, d', '<f8')], 'fortran_order': False, 'shape': (99, 3), }     \n"
		k := Sector - 1 - PrefixLen - len(left) - strings.Index(right, "99, 3")
		in := file(3, 0, left+strings.Repeat("x", k)+right)
		h, err := Parse(in, 0)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, got, between := grow(t, h, in, 100) // tests that all states have the dtype of h
		if !bytes.Contains(got, []byte("("+name+", '<i2'), ('c, d', '<f8')")) || len(between) < 3 {
			t.Errorf("%s: in %d states to %q", name, len(between), got)
		}
	}
}
