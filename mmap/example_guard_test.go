//go:build (darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows) && !arm64 && !ppc64le && !s390x

// An example cannot be skipped, and QEMU, which emulates some machines in tests, reports wrong addresses of faults or
// none: see needAddresses.

package mmap_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log"

	"github.com/ndmap/ndmap/mmap"
)

// Guard returns a fault as an error; without Guard, the program would end.
func ExampleGuard() {
	m, err := mmap.Anonymous(1 << 20)
	if err != nil {
		log.Fatal(err)
	}
	b := m.Bytes()
	m.Close() // too early

	err = mmap.Guard(func() error {
		b[8192] = 1
		return nil
	})
	fmt.Println(err)
	fmt.Println(errors.Is(err, fs.ErrClosed))
	// Output:
	// anonymous memory: page fault at byte 8192: the mapping was closed
	// true
}
