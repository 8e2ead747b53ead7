package npz

import (
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
)

// TestDeep: a name of as many folders as there is room for takes no time in proportion to their square.
func TestDeep(t *testing.T) {
	path := temp(t)
	name := strings.Repeat("a/", 32000) + "x"
	check(t, SaveConfig{NoSync: true}.Save(path, map[string]array.Array{name: numbers(1)}))
	a := must(Open(path, array.ReadOnly))
	defer a.Close()
	start := time.Now()
	f := must(a.Open(name + ".npy"))
	f.Close()
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("it took %v", d)
	}
}
