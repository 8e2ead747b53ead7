//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package mmap_test

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/ndmap/ndmap/mmap"
)

// Create a file, edit it in place through one mapping, and read it through another.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "t.bin")

	w, err := mmap.Create(path, 1<<20)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()
	r, err := mmap.Open(path, mmap.ReadOnly)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()

	copy(w.Bytes()[4096:], "hello")
	fmt.Printf("%s\n", r.Bytes()[4096:4101])
	if err := w.Sync(); err != nil { // after Sync, a crash does not lose the edits
		log.Fatal(err)
	}
	// Output: hello
}

// Go's own readers work on mapped bytes.
func ExampleMap_ReadAt() {
	m, err := mmap.Anonymous(8)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	copy(m.Bytes(), "a mapped")
	part, err := io.ReadAll(io.NewSectionReader(m, 2, 6))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", part)
	if _, err := m.WriteTo(os.Stdout); err != nil {
		log.Fatal(err)
	}
	// Output:
	// mapped
	// a mapped
}
