package array

import (
	"sync"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestParallel writes the parts of an array in eight goroutines, and then reads the whole array in eight goroutines. It
// is mainly useful with the race detector.
func TestParallel(t *testing.T) {
	const workers = 8
	foreign := dtype.BigEndian
	if dtype.Native == dtype.BigEndian {
		foreign = dtype.LittleEndian
	}
	for _, order := range []index.Order{index.C, index.F} {
		for _, d := range []dtype.DType{dtype.Int32, dtype.Int32.WithByteOrder(foreign)} {
			path := tempPath(t)
			f := must(Create(path, d, order, 30, 7, 11))
			v := must(As[int32](f.Array))
			number, _ := arange[int32](v.Shape()...)
			writers := map[string]func(dst, src View[int32]){
				"SetAt": func(dst, src View[int32]) {
					for idx, x := range src.All(index.C) {
						dst.SetAt(x, idx...)
					}
				},
				"CopyFrom": func(dst, src View[int32]) {
					if err := dst.CopyFrom(src); err != nil {
						t.Error(err)
					}
				},
				"Update": func(dst, src View[int32]) {
					k := 0
					values := collect(src)
					for block := range dst.Update(index.C) {
						k += copy(block, values[k:])
					}
				},
				"Axis": func(dst, src View[int32]) {
					for i, row := range dst.Axis(0) {
						if err := row.CopyFrom(src.Index(i)); err != nil {
							t.Error(err)
						}
					}
				},
			}
			for name, write := range writers {
				t.Run(name, func(t *testing.T) {
					v.Fill(-1)
					dst, src := v.Split(workers), number.Split(workers)
					if len(dst) != workers {
						t.Fatalf("%d parts, want %d", len(dst), workers)
					}
					var wg sync.WaitGroup
					for k := range dst {
						wg.Go(func() { write(dst[k], src[k]) })
					}
					wg.Wait()
					for range workers {
						wg.Go(func() {
							k := int32(0)
							for x := range v.Values() {
								if x != k {
									t.Errorf("%s, order %v, %v: element %d is %d", name, order, d, k, x)
									return
								}
								k++
							}
							if s, err := v.Select(index.At(-1), index.At(-1), index.At(-1)); err != nil || s.At() != int32(v.Size()-1) {
								t.Errorf("%s: the last element: %v", name, err)
							}
						})
					}
					wg.Wait()
				})
			}
			f.Close()

			// Several goroutines open, read and close the file at the same time.
			var wg sync.WaitGroup
			for range workers {
				wg.Go(func() {
					f, err := Open(path, mmap.ReadOnly)
					if err != nil {
						t.Error(err)
						return
					}
					defer f.Close()
					total := 0
					for x := range must(As[int32](f.Array)).Values() {
						total += int(x)
					}
					if n := f.Size(); total != n*(n-1)/2 {
						t.Errorf("sum %d, want %d", total, n*(n-1)/2)
					}
				})
			}
			wg.Wait()
		}
	}
}

// TestSplit tests that the parts of Split contain every element once, for any strides. There must be as many parts as
// possible, and their lengths may differ by at most one.
func TestSplit(t *testing.T) {
	seed := oracle.Seed(t)
	r := oracle.Rand(t, 0)
	for range oracle.Cases(t, 1500) {
		base, mem := arange[int32](randomShape(r)...)
		v, s := base, newSlowView(base.Shape(), 4, index.C, 0)
		for range r.IntN(4) { // Split also takes views that are not contiguous
			o := randomOp(r, v.Shape())
			if o.name == "broadcast" {
				continue // repeats elements
			}
			if w, err := apply(v, o); err == nil {
				v = w
				s, _ = s.apply(o)
			}
		}
		n := 1 + r.IntN(12)
		parts := v.Split(n)
		seen := make([]int, len(mem))
		for k, part := range parts {
			for axis, d := range part.Shape() {
				if first := parts[0].Len(axis); d > first || d < first-1 {
					t.Fatalf("NDMAP_SEED=%d: %v split into %d: parts of shape %v and %v", seed, v.Layout(), n, parts[0].Shape(),
						part.Shape())
				}
			}
			for x := range part.Values() {
				seen[x]++
			}
			part.Fill(int32(-k - 1))
			for i, x := range mem { // undo Fill, and count it
				if x == int32(-k-1) {
					mem[i] = int32(i)
					seen[i] += 10
				}
			}
		}
		want := make([]int, len(mem))
		for _, at := range s.at {
			want[at/4] = 11
		}
		for i := range seen {
			if seen[i] != want[i] {
				t.Fatalf("NDMAP_SEED=%d: %v split into %d: element %d: count %d, want 1 for a read plus 10 for a Fill", seed,
					v.Layout(), n, i, seen[i])
			}
		}
		longest := 1
		for _, d := range v.Shape() {
			longest = max(longest, d)
		}
		if want := min(n, longest); len(parts) != want && v.Size() > 0 || len(parts) < 1 {
			t.Fatalf("NDMAP_SEED=%d: %v split into %d: %d parts, want %d", seed, v.Layout(), n, len(parts), want)
		}
	}
}
