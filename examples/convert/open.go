package main

import (
	"errors"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

// open opens the file at path once its last change is at least 20 ms old, or 2 s if its modification time is a whole
// second. Only then does File.Unchanged detect every later change.
func open(path string) (*array.File, error) {
	for try := 0; ; try++ {
		f, err := array.Open(path, array.ReadOnly)
		if err != nil || try == 100 || !errors.Is(f.Unchanged(), mmap.ErrChanged) {
			return f, err
		}
		f.Close()
		time.Sleep(25 * time.Millisecond)
	}
}
