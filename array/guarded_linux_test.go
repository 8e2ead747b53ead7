package array

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// guardedPage returns a page of memory between two pages that fault.
func guardedPage(t testing.TB) []byte {
	n := os.Getpagesize()
	mem, err := unix.Mmap(-1, 0, 3*n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(mem) })
	for _, guard := range [][]byte{mem[:n], mem[2*n:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return mem[n : 2*n : 2*n]
}
