package oracle

import (
	"os"
	"strconv"
	"testing"
)

// TestTiers tests which functions skip a test in quick runs under QEMU and Wine.
func TestTiers(t *testing.T) {
	for _, tt := range []struct {
		name            string
		env             map[string]string
		slow, processor bool // whether Slow and AnyProcessor skip
	}{
		{"this machine", nil, strconv.IntSize == 32, false},
		{"QEMU", map[string]string{"NDMAP_QEMU": "1"}, true, true},
		{"Wine", map[string]string{"NDMAP_WINE": "1"}, true, false},
		{"all of QEMU", map[string]string{"NDMAP_QEMU": "1", "NDMAP_SLOW": "1"}, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range []string{"NDMAP_QEMU", "NDMAP_WINE", "NDMAP_SLOW"} {
				t.Setenv(name, tt.env[name])
			}
			for name, f := range map[string]struct {
				skip func(testing.TB)
				want bool
			}{
				"Slow":         {Slow, tt.slow && testing.Short()},
				"AnyProcessor": {AnyProcessor, tt.processor && testing.Short()},
				"OneGoroutine": {OneGoroutine, Race && tt.env["NDMAP_SLOW"] == ""},
			} {
				skipped := true
				t.Run(name, func(t *testing.T) {
					f.skip(t)
					skipped = false
				})
				if skipped != f.want {
					t.Errorf("%s: skipped %t, want %t", name, skipped, f.want)
				}
			}
		})
	}
}

// TestInlining tests that CountsAllocations does not skip tests that are compiled with inlining. make check sets
// NDMAP_INLINING.
func TestInlining(t *testing.T) {
	if os.Getenv("NDMAP_INLINING") == "" {
		t.Skip("make check sets NDMAP_INLINING")
	}
	skipped := true
	t.Run("CountsAllocations", func(t *testing.T) {
		CountsAllocations(t)
		skipped = false
	})
	if skipped {
		t.Error("CountsAllocations skips")
	}
}
