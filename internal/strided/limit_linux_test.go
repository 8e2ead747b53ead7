package strided

import (
	"os"
	"strings"
	"testing"
)

// What memory returns is within what the machine has.
func TestMemory(t *testing.T) {
	total, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(total), "MemTotal:")
	kb := number([]byte(strings.Fields(rest)[0]), 0)
	if n := memory(); n < 1<<20 || int64(n) > int64(kb)<<10 {
		t.Errorf("%d bytes, of %d KiB that the machine has", n, kb)
	}
}
