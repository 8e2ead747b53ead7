package main

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/mmap"
)

// sweepProgress tracks progress for the bar: the number of bytes processed, and the total number of bytes in all
// sweeps.
type sweepProgress struct {
	bar         *term.Bar
	done, total int64
}

// batchLen is the number of elements processed together, chosen to fit the level 1 cache.
const batchLen = 2048

// sweep calls array.Reduce on all elements of a, converted to T, and shows a bar. It returns page faults as errors.
func sweep[T, R any](w *sweepProgress, a array.Array, of func(block []T) R, merge func(a, b R) R) (all R, err error) {
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

// counters is a pool of counters. A goroutine takes one, counts elements into it, and gives it back.
type counters[C any] struct {
	make func() *C
	mu   sync.Mutex
	free []*C
}

func (p *counters[C]) take() *C {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.free) - 1
	if last < 0 {
		return p.make()
	}
	c := p.free[last]
	p.free = p.free[:last]
	return c
}

func (p *counters[C]) give(c *C) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, c)
}

// sweepCounting sweeps over a. count counts the elements of a block into counters that newCounters has returned.
// sweepCounting returns all counters.
func sweepCounting[T, C any](w *sweepProgress, a array.Array, newCounters func() *C, count func(c *C, block []T)) ([]*C,
	error) {
	p := counters[C]{make: newCounters}
	_, err := sweep(w, a, func(block []T) (none struct{}) {
		c := p.take()
		count(c, block)
		p.give(c)
		return none
	}, func(none, _ struct{}) struct{} { return none })
	return p.free, err
}
