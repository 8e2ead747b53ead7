package oracle

import (
	"os"
	"strconv"
	"testing"
)

// A test calls a function of this file on its first line if some runs leave it out. make test runs all tests; the race
// detector, QEMU, Wine and 386, which take up to twenty times as long, run fewer. NDMAP_SLOW=1, which make long sets,
// runs all of them everywhere. Command where lists the tests that each run leaves out.

// Slow skips t in quick runs (-short) for another system or processor: under QEMU or Wine, and for 386. It is for tests
// that wait for memory or for goroutines, and test nothing that such a run is for.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() && (emulated() || os.Getenv("NDMAP_WINE") != "" || strconv.IntSize == 32) {
		leaveOut(t, "it is slow and does not depend on the system or the processor")
	}
}

// AnyProcessor skips t in quick runs (-short) under QEMU. It is for slow tests of goroutines, files and power failures,
// which do not depend on the byte order.
func AnyProcessor(t testing.TB) {
	t.Helper()
	if testing.Short() && emulated() {
		leaveOut(t, "it is slow and does not depend on the processor")
	}
}

// OneGoroutine skips t under the race detector, which takes long for it and has nothing to find: t loops over many
// elements in one goroutine, or waits for processes that have one goroutine each.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Race {
		leaveOut(t, "the race detector has nothing to find in one goroutine")
	}
}

// CountsAllocations skips t where the compiler allocates more than it does in programs: with the race detector, or
// without inlining. NDMAP_SLOW changes nothing.
func CountsAllocations(t testing.TB) {
	t.Helper()
	if Race || testing.AllocsPerRun(1, func() { *newInt() = 1 }) > 0 {
		t.Skip("without inlining, or with the race detector, there is more to allocate")
	}
}

// newInt is inlined, and then allocates nothing if its result does not escape.
func newInt() *int { return new(int) }

// Long reports whether t has its long form: with NDMAP_LONG=1, which make long sets.
func Long(t testing.TB) bool {
	t.Helper()
	long := os.Getenv("NDMAP_LONG") != ""
	if long {
		t.Logf("the long form, for NDMAP_LONG is set")
	}
	return long
}

func emulated() bool { return os.Getenv("NDMAP_QEMU") != "" }

func leaveOut(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("NDMAP_SLOW") == "" {
		t.Skipf("left out: %s; NDMAP_SLOW=1 runs it", reason)
	}
}
