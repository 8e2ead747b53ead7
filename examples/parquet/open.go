package main

import (
	"errors"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

// open opens the file at path once it has been left alone for 20 ms, or for 2 s where its time is a whole
// second: only then can File.Unchanged tell whether it is changed from now on.
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
