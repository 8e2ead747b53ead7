package npz

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
)

// TestDeep tests that opening a member in 32,000 nested folders does not take time quadratic in their number.
func TestDeep(t *testing.T) {
	path := temp(t)
	name := strings.Repeat("a/", 32000) + "x"
	check(t, SaveConfig{NoSync: true}.Save(path, map[string]array.Array{name: numbers(1)}))
	a := must(Open(path, array.ReadOnly))
	defer a.Close()
	start := time.Now()
	f := must(a.Open(name + ".npy"))
	f.Close()
	limit := 30 * time.Second
	if os.Getenv("NDMAP_QEMU") != "" {
		limit *= 10
	}
	if d := time.Since(start); d > limit {
		t.Errorf("Open took %v, want at most %v", d, limit)
	}
}
