package npz

import (
	"slices"
	"testing"

	"github.com/ndmap/ndmap/array"
)

// TestElsewhere: a relative path means what it meant when the writer began, wherever the program goes.
func TestElsewhere(t *testing.T) {
	dir := t.TempDir()
	for _, begin := range []func(string) (*Writer, error){Create, Append} {
		t.Chdir(dir)
		w := must(begin("a.npz"))
		t.Chdir(t.TempDir())
		name := map[bool]string{true: "first", false: "second"}[w.before.id == nil]
		check(t, w.Add(name, numbers(3)))
		if err := w.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	a := must(Open(dir+"/a.npz", array.ReadOnly))
	defer a.Close()
	if names := a.Names(); !slices.Equal(names, []string{"first", "second"}) {
		t.Errorf("there is %q", names)
	}
}
