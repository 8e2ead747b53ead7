package npz

import (
	"slices"
	"testing"

	"github.com/ndmap/ndmap/array"
)

// TestElsewhere tests that a Writer resolves a relative path when the Writer is created: a later change of the working
// directory has no effect.
func TestElsewhere(t *testing.T) {
	dir := t.TempDir()
	for _, begin := range []func(string) (*Writer, error){Create, Append} {
		t.Chdir(dir)
		w := must(begin("a.npz"))
		t.Chdir(t.TempDir())
		name := map[bool]string{true: "first", false: "second"}[w.original.id == nil]
		check(t, w.Add(name, numbers(3)))
		if err := w.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	a := must(Open(dir+"/a.npz", array.ReadOnly))
	defer a.Close()
	if names := a.Names(); !slices.Equal(names, []string{"first", "second"}) {
		t.Errorf("names = %q, want first and second", names)
	}
}
