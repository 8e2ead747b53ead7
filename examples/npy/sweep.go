package main

import (
	"cmp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A source is all elements of an array as values of N, in parts that goroutines
// take from. Which parts there are depends on the array alone.
type source[N any] struct {
	parts int

	// read calls f with the elements of a part, a few at a time. They are in buf or
	// in the array, and f only looks at them. done counts the bytes.
	read func(part int, buf []N, done *atomic.Int64, f func([]N))
}

// many is how many elements are looked at together: they stay in the first cache.
const many = 2048

// partsOf is how many parts so many bytes have: some for every processor, and from 4
// GiB on of a size, 32 to 64 MiB, for which View.Blocks reads ahead and lets go of what
// it read. Each part has a result in memory.
func partsOf(bytes int) int { return min(1+bytes>>22, 64+bytes>>26) }

// newSource is the elements of a, as values of T. load makes values of N of them, in dst
// or where they are.
func newSource[T, N any](a array.Array, load func(dst []N, src []T) []N) (source[N], error) {
	a, n, err := inParts(a)
	if err != nil {
		return source[N]{}, err
	}
	v, err := array.Cast[T](a)
	if err != nil {
		return source[N]{}, err
	}
	views := v.Split(n)
	size := int64(a.ItemSize())
	return source[N]{len(views), func(part int, buf []N, done *atomic.Int64, f func([]N)) {
		for block := range views[part].Blocks(index.C) {
			n := len(block)
			for len(block) > 0 {
				k := min(len(block), len(buf))
				f(load(buf[:k], block[:k]))
				block = block[k:]
			}
			done.Add(int64(n) * size)
		}
	}}, nil
}

// inParts is a with its axes in the order that its elements have in memory, one axis
// if they follow one another, and how many parts it has.
func inParts(a array.Array) (array.Array, int, error) {
	strides := a.Strides()
	axes := make([]int, a.NDim())
	for k := range axes {
		axes[k] = k
	}
	slices.SortStableFunc(axes, func(i, j int) int { return cmp.Compare(abs(strides[j]), abs(strides[i])) })
	a, err := a.Transpose(axes...)
	if err != nil {
		return a, 0, err
	}
	n := partsOf(a.NBytes())
	if a.Contiguous(index.C) {
		a, err = a.Ravel()
		return a, n, err
	}
	// The first axis is the one to cut, if it has some length: parts that lie side by
	// side would share pages.
	if a.NDim() > 0 {
		n = min(n, max(a.Dim(0), 64))
	}
	return a, n, nil
}

func abs(n int) int { return max(n, -n) }

// work is what the bar shows: the bytes of all sweeps, and of those that are over.
type work struct {
	bar         *term.Bar
	done, total int64
}

// sweep adds all elements of s, with all processors, to values that start as zero
// does, one for each part, and returns these in order. A page fault is an error.
func sweep[N, R any](w *work, s source[N], zero R, add func(*R, []N)) ([]R, error) {
	w.bar.Show(w.done, w.total)
	results := make([]R, s.parts)
	faults := make([]error, s.parts)
	var next, done atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), s.parts) {
		wait.Go(func() {
			buf := make([]N, many)
			for k := int(next.Add(1)) - 1; k < s.parts; k = int(next.Add(1)) - 1 {
				r := zero
				faults[k] = mmap.Guard(func() error {
					s.read(k, buf, &done, func(b []N) { add(&r, b) })
					return nil
				})
				if faults[k] != nil {
					return
				}
				results[k] = r
			}
		})
	}
	finished := make(chan struct{})
	go func() {
		wait.Wait()
		close(finished)
	}()
	tick := time.NewTicker(time.Second / 10)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			w.bar.Show(w.done+done.Load(), w.total)
		case <-finished:
			w.done += done.Load()
			return results, cmp.Or(faults...)
		}
	}
}
