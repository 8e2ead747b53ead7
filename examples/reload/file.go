package main

import (
	"errors"
	"sync"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

// A file is an open file and the number of requests that use it.
type file struct {
	*array.File
	v   array.View[float64]
	use sync.WaitGroup
}

// tries is the maximum number of attempts to open, or to read, a file that keeps changing.
const tries = 10

// open opens the file at path once Unchanged can detect every later change. It cannot during the first 20 ms after a
// change, so open waits.
func open(path string) (*file, error) {
	var err error
	for range tries {
		var f *file
		if f, err = openOnce(path); err == nil {
			if err = f.Unchanged(); err == nil {
				return f, nil
			}
			f.Close()
		}
		if !isChanged(err) {
			break // for example, the file does not exist or is incomplete
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, err
}

func openOnce(path string) (*file, error) {
	opened, err := array.Open(path, array.ReadOnly)
	if err != nil {
		return nil, err
	}
	f := &file{File: opened}
	if f.v, err = array.Cast[float64](f.Array); err != nil { // accepts any real numbers
		f.Close()
		return nil, err
	}
	return f, nil
}

// isChanged reports whether opening the file again may resolve err.
func isChanged(err error) bool {
	return errors.Is(err, mmap.ErrReplaced) || errors.Is(err, mmap.ErrChanged)
}

// mean computes the mean of the elements and releases f, even after a panic. It returns an error if the file has
// changed since it was opened. mean makes this check after it has read all elements, and before the result is sent.
func (f *file) mean() (mean float64, err error) {
	defer f.use.Done()
	err = mmap.Guard(func() error { mean = array.Mean(f.v); return nil })
	if err == nil {
		err = f.Unchanged()
	}
	return mean, err
}

// closeUnused closes f once no request uses it.
func (f *file) closeUnused() {
	f.use.Wait()
	f.Close()
}

// drop makes get open the file again instead of returning f. Requests that use f can finish.
func (s *server) drop(f *file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == f {
		s.current = nil
		go f.closeUnused()
	}
}
