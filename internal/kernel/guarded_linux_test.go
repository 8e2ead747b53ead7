package kernel

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// guarded is n pages of memory between two that fault.
func guarded(t testing.TB, n int) []byte {
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
