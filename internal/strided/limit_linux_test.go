package strided

import (
	"os"
	"strings"
	"testing"
)

// TestMemory checks that memory returns at least 1 MiB, and at most the memory of the machine.
func TestMemory(t *testing.T) {
	total, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(total), "MemTotal:")
	kb := parseSize([]byte(strings.Fields(rest)[0]))
	if n := availableMemory(); n < 1<<20 || int64(n) > int64(kb)<<10 {
		t.Errorf("%d bytes, of %d KiB that the machine has", n, kb)
	}
}

// TestIsLarge tests that pieces are large if their extent may not fit in memory, even if their pages do, because page
// faults would read the bytes between these pages. It computes with layouts, and needs no memory.
func TestIsLarge(t *testing.T) {
	all := availableMemory()
	for _, tt := range []struct {
		name           string
		rows, row, gap int // bytes of a row, and bytes between two rows
		want           bool
	}{
		{"pages and gaps", 2048, 5 * 4096, all / 4096, true},
		{"few pages and gaps", 2, 4096, all / 2, false},
		{"half of memory", 1, all / 2, 0, true},
		{"without gaps", 2048, 5 * 4096, 0, false},
	} {
		lay := newLayout([]int{tt.rows, tt.row}, []int{tt.row + tt.gap, 1})
		if got := isLarge(Piece{Layout: lay, ItemSize: 1}); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
