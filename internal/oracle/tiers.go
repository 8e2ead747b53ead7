package oracle

import (
	"os"
	"strconv"
	"testing"
)

// A test that some runs skip begins with a call to a function in this file. make test runs all tests. The runs with the
// race detector, QEMU, Wine and 386, which take up to twenty times as long, skip some of them. make long sets
// NDMAP_SLOW=1, which runs all tests everywhere. Command where lists the tests that each run skips.

// Slow skips t in quick runs (-short) for another system or processor: under QEMU or Wine, and for 386. It is for tests
// that take long because of memory or goroutines, and do not depend on the system or the processor.
func Slow(t testing.TB) {
	t.Helper()
	if testing.Short() && (emulated() || os.Getenv("NDMAP_WINE") != "" || strconv.IntSize == 32) {
		skip(t, "it is slow and does not depend on the system or the processor")
	}
}

// AnyProcessor skips t in quick runs (-short) under QEMU. It is for slow tests of goroutines, files and power failures,
// which do not depend on the byte order.
func AnyProcessor(t testing.TB) {
	t.Helper()
	if testing.Short() && emulated() {
		skip(t, "it is slow and does not depend on the processor")
	}
}

// OneGoroutine skips t under the race detector. It is for slow tests in which no race is possible: they loop over many
// elements in one goroutine, or wait for processes that have one goroutine each.
func OneGoroutine(t testing.TB) {
	t.Helper()
	if Race {
		skip(t, "the race detector has nothing to find in one goroutine")
	}
}

// CountsAllocations skips t if compiled code allocates more than usual: with the race detector, or without inlining.
// NDMAP_SLOW has no effect on it.
func CountsAllocations(t testing.TB) {
	t.Helper()
	if Race || testing.AllocsPerRun(1, func() { *newInt() = 1 }) > 0 {
		t.Skip("without inlining, or with the race detector, code allocates more")
	}
}

// newInt allocates only if it is not inlined, provided that its result does not escape.
func newInt() *int { return new(int) }

// Long reports whether t runs in its long form, which NDMAP_LONG=1 selects. make long sets this variable.
func Long(t testing.TB) bool {
	t.Helper()
	long := os.Getenv("NDMAP_LONG") != ""
	if long {
		t.Logf("long form: NDMAP_LONG is set")
	}
	return long
}

func emulated() bool { return os.Getenv("NDMAP_QEMU") != "" }

func skip(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv("NDMAP_SLOW") == "" {
		t.Skipf("skipped: %s; NDMAP_SLOW=1 runs it", reason)
	}
}
