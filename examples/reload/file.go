package main

import (
	"errors"
	"sync"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

// A file is an open file, and a count of the requests that use it.
type file struct {
	*array.File
	v   array.View[float64]
	use sync.WaitGroup
}

// tries is how often a file is opened, and how often it is read, that changes all the time.
const tries = 10

// open opens the file at path once Unchanged can tell whether it is changed from then on: for the first 20 ms
// after a change it cannot, so open waits for these.
func open(path string) (*file, error) {
	var err error
	for range tries {
		var f *file
		if f, err = openNow(path); err == nil {
			if err = f.Unchanged(); err == nil {
				return f, nil
			}
			f.Close()
		}
		if !changed(err) {
			break // there is no such file, say, or it is not a whole one
		}
		time.Sleep(20 * time.Millisecond)
	}
	return nil, err
}

func openNow(path string) (*file, error) {
	opened, err := array.Open(path, array.ReadOnly)
	if err != nil {
		return nil, err
	}
	f := &file{File: opened}
	if f.v, err = array.Cast[float64](f.Array); err != nil { // any real numbers
		f.Close()
		return nil, err
	}
	return f, nil
}

// changed reports whether to open the file anew may be all that err asks for.
func changed(err error) bool {
	return errors.Is(err, mmap.ErrReplaced) || errors.Is(err, mmap.ErrChanged)
}

// mean reads the file to memory of the program for a request, which uses it no more then, not after a panic either: the
// result is to be used only if the error is nil. Who asks whether the file is unchanged before it reads, or while it
// sends what it reads, knows nothing.
func (f *file) mean() (mean float64, err error) {
	defer f.use.Done()
	err = mmap.Guard(func() error { mean = array.Mean(f.v); return nil })
	if err == nil {
		err = f.Unchanged()
	}
	return mean, err
}

// closeUnused closes f once no request uses it any more.
func (f *file) closeUnused() {
	f.use.Wait()
	f.Close()
}

// drop sees to it that no request gets f any more.
func (s *server) drop(f *file) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == f {
		s.now = nil
		go f.closeUnused()
	}
}
