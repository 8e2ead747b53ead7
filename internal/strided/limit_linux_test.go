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
