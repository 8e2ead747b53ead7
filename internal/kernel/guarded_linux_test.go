package kernel

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guardedPages returns n pages of memory between two inaccessible pages.
func guardedPages(t testing.TB, n int) []byte {
	page := os.Getpagesize()
	mem, err := unix.Mmap(-1, 0, (n+2)*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(mem) })
	for _, guard := range [][]byte{mem[:page], mem[len(mem)-page:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return mem[page : len(mem)-page : len(mem)-page]
}

// TestConvertItemsFault tests that a fault in a loop of ConvertStrided is a panic like any other: the garbage collector
// runs, and the stack may grow.
func TestConvertItemsFault(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	mem := guardedPages(t, 1)
	dst := make([]float64, len(mem))
	fault := func() (v any) {
		defer func() {
			runtime.GC()
			useStack(1000)
			v = recover()
		}()
		src := Side{P: unsafe.Pointer(&mem[1]), Item: 2}
		ConvertStrided(1, len(mem), Side{P: unsafe.Pointer(&dst[0]), Item: 8}, F64, src, U8, 0, 0)
		return nil
	}
	if !CanConvertStrided(F64, U8) {
		t.Skip("no loops in this build, or on this processor")
	}
	for range 10 {
		if v, ok := fault().(runtime.Error); !ok || !strings.Contains(v.Error(), "invalid memory address") {
			t.Fatalf("panic is %v", v)
		}
	}
}

func useStack(n int) int {
	var big [256]int
	if n > 0 {
		big[n%256] = useStack(n - 1)
	}
	return big[n%256] + n
}
