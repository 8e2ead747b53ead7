package main

import (
	"sync/atomic"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/mmap"
)

// work is what the bar shows: the bytes of all sweeps, and of those that are over.
type work struct {
	bar         *term.Bar
	done, total int64
}

// many is how many elements of a block are looked at together: they stay in the first cache.
const many = 2048

// sweep is array.Reduce, with a bar, of all elements of a as values of T. A page fault is an
// error.
func sweep[T, R any](w *work, a array.Array, of func(block []T) R, merge func(a, b R) R) (all R, err error) {
	v, err := array.Cast[T](a)
	if err != nil {
		return all, err
	}
	w.bar.Show(w.done, w.total)
	var done atomic.Int64 // elements
	finished := make(chan error)
	go func() {
		finished <- mmap.Guard(func() (err error) {
			all, err = array.Reduce(v, func(block []T) (R, error) {
				r := of(block)
				done.Add(int64(len(block)))
				return r, nil
			}, merge)
			return err
		})
	}()
	tick := time.NewTicker(time.Second / 10)
	defer tick.Stop()
	size := int64(a.ItemSize())
	for {
		select {
		case <-tick.C:
			w.bar.Show(w.done+done.Load()*size, w.total)
		case err := <-finished:
			w.done += done.Load() * size
			return all, err
		}
	}
}
