package dtype

import (
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/descr"
	"github.com/ndmap/ndmap/internal/pylit"
)

// TestObjects tests that headers with Python objects are accepted only on request, and that no other type reports
// objects.
func TestObjects(t *testing.T) {
	read := descr.Read.(func(pylit.Value, bool) (DType, bool, error))
	for _, tt := range []struct {
		descr, want string // want is "" if NumPy has no such dtype
		size        int
		objects     bool
	}{
		{"'|O'", "|O", 8, true},
		{"'O'", "|O", 8, true},
		{"'O8'", "|O", 8, true},
		{"'|O8'", "|O", 8, true},
		{"'O4'", "|O", 8, true},
		{"'object'", "|O", 8, true},
		{"'O16'", "", 0, false},
		{"'Ox'", "", 0, false},
		{"'<f8'", "<f8", 8, false},
		{"[('a', '|O'), ('b', '<f4')]", "[('a', '|O'), ('b', '<f4')]", 12, true},
		{"[('a', '<f4'), ('b', '|O', (2,))]", "[('a', '<f4'), ('b', '|O', (2,))]", 20, true},
		{"[('a', [('b', 'O')])]", "[('a', [('b', '|O')])]", 8, true},
		{"[('a', '<f4')]", "[('a', '<f4')]", 4, false},
	} {
		t.Run(tt.descr, func(t *testing.T) {
			v, err := pylit.Parse(tt.descr, pylit.Config{})
			if err != nil {
				t.Fatal(err)
			}
			d, _, err := read(v, true)
			if tt.want == "" {
				if err == nil {
					t.Errorf("read as %v", d)
				}
				return
			}
			if err != nil || d.String() != tt.want || d.ItemSize() != tt.size || d.HasObject() != tt.objects {
				t.Fatalf("%v of %d bytes, objects %t, %v", d, d.ItemSize(), d.HasObject(), err)
			}
			if !tt.objects {
				return
			}
			if d, _, err := read(v, false); err == nil {
				t.Errorf("without objects: %v, %v", d, err)
			}
			if _, err := d.Descr(); err == nil || !strings.Contains(err.Error(), "is a Python object") {
				t.Errorf("Descr: %v", err)
			}
			if d.IsNumber() || d.Kind() == KindObject && !d.IsNative() || d.WithByteOrder(BigEndian).String() != tt.want &&
				d.Kind() == KindObject {
				t.Errorf("IsNumber %t, IsNative %t, in big-endian %v", d.IsNumber(), d.IsNative(), d.WithByteOrder(BigEndian))
			}
		})
	}
}
