package strided

import (
	"math/rand/v2"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// randomGaps returns a random selection of an array, with large strides and its axes in any order, and its offset.
func randomGaps(r *rand.Rand, itemsize int) (lay index.Layout, off int) {
	shape := make([]int, 1+r.IntN(3))
	for k := range shape {
		shape[k] = 1 + r.IntN([]int{3, 40, 4000}[r.IntN(3)])
	}
	for elementCount(shape) > 200_000 {
		k := r.IntN(len(shape))
		shape[k] = 1 + shape[k]/2
	}
	lay = must(index.NewLayout(shape, itemsize, index.C))
	var sel []index.Selector
	for _, n := range shape {
		lo := r.IntN(n)
		hi := lo + 1 + r.IntN(n-lo)
		sel = append(sel, index.Range(lo, hi).Every(1+r.IntN(5)*r.IntN(2)))
	}
	lay, off, err := lay.Select(sel...)
	if err != nil {
		panic(err)
	}
	lay = must(lay.Transpose(r.Perm(lay.NDim())...))
	return lay, off
}

func elementCount(shape []int) int64 {
	n := int64(1)
	for _, k := range shape {
		n *= int64(k)
	}
	return n
}

// TestSpans checks that runs are in the order of the file, and cover each element and little else. Unless axes overlap,
// runs include only gaps of up to an eighth of a run, or one page.
func TestSpans(t *testing.T) {
	r := oracle.Rand(t, 301)
	for range 400 {
		itemsize := 1 + r.IntN(16)
		lay, off := randomGaps(r, itemsize)
		_, end := lay.Bounds(itemsize)
		mem := &Memory{Base: Start(Alloc(off + end)), Offset: r.IntN(5000)}
		p := Piece{P: Add(mem.Base, off), Layout: lay, ItemSize: itemsize, Mem: mem}
		s := p.spans()
		covered, last, n := make([]bool, s.end()), -1, 0
		s.eachRun(s.start, s.end(), func(off, n int) bool {
			if off <= last {
				t.Fatalf("%v: a run from byte %d to %d follows one that ends at %d", lay, off, off+n, last)
			}
			last = off + n
			for b := off; b < off+n; b++ {
				covered[b] = true
			}
			return true
		})
		pages := map[int]bool{}
		for idx := range index.All(lay.Shape(), index.C) {
			at := mem.Offset + off
			for k, i := range idx {
				at += i * lay.Stride(k)
			}
			for b := at; b < at+itemsize; b++ {
				if b >= len(covered) || !covered[b] {
					t.Fatalf("%v, items of %d bytes: byte %d of element %v is in no run", lay, itemsize, b, idx)
				}
			}
			pages[at/pageBytes], pages[(at+itemsize-1)/pageBytes] = true, true
		}
		read := map[int]bool{}
		for b, is := range covered {
			if is && (b%pageBytes == 0 || !covered[b-1]) {
				read[b/pageBytes] = true
			}
		}
		if n = s.count(); len(read) > len(pages)*5/4+n+2 {
			t.Errorf("%v, items of %d bytes: %d runs are on %d pages, the elements on %d", lay, itemsize, n, len(read),
				len(pages))
		}
		// each must return the parts of the runs that lie in the range.
		lo := s.start + r.IntN(s.end()-s.start)
		hi := lo + r.IntN(s.end()-lo+1)
		in := 0
		s.eachRun(lo, hi, func(off, n int) bool {
			if off < lo || off+n > hi {
				t.Fatalf("%v: a run from %d to %d, of bytes %d to %d", lay, off, off+n, lo, hi)
			}
			in += n
			return true
		})
		want := 0
		for _, is := range covered[lo:hi] {
			if is {
				want++
			}
		}
		if in != want {
			t.Fatalf("%v: runs of %d bytes from %d to %d, want %d", lay, in, lo, hi, want)
		}
	}
}
