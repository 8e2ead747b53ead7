package array

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// slowMap defines the result of Map with f: it applies f to one element at a time, using the original elements of src.
func slowMap[D, S any](dst View[D], src View[S], f func(D, S) D) {
	src = must(src.Broadcast(dst.Shape()...))
	var all []S
	for idx := range index.All(dst.Shape(), index.C) {
		all = append(all, src.At(idx...))
	}
	k := 0
	for idx := range index.All(dst.Shape(), index.C) {
		dst.SetAt(f(dst.At(idx...), all[k]), idx...)
		k++
	}
}

// each returns a callback for Map that calls f for each pair of elements.
func each[D, S any](f func(D, S) D) func([]D, []S) error {
	return func(dst []D, src []S) error {
		if len(dst) != len(src) || len(dst) == 0 {
			return fmt.Errorf("blocks of %d and %d elements", len(dst), len(src))
		}
		for i := range dst {
			dst[i] = f(dst[i], src[i])
		}
		return nil
	}
}

func halfPlusTwice(d, s float64) float64 { return d/2 + 2*s }

// TestMap compares Map with a loop over At and SetAt, on views of any kind: of the same shape, broadcast, and in place.
func TestMap(t *testing.T) {
	r := oracle.Rand(t, 34)
	crossed := 0
	cases := oracle.Cases(t, 200)
	for n := range cases {
		size := among(r, 3, 12, 40)
		dst, src := randomView(r, size), randomView(r, size)
		for ; dst.NDim() > src.NDim() && dst.Size() > 0; dst = dst.Index(0) {
		}
		for ; src.NDim() > dst.NDim() && src.Size() > 0; src = src.Index(0) {
		}
		if dst, src = common(dst, src); dst.NDim() != src.NDim() {
			continue
		}
		if dst.NDim() > 0 && r.IntN(4) == 0 {
			sel := make([]index.Selector, dst.NDim())
			sel[r.IntN(len(sel))] = index.Range(0, 1)
			src = must(src.Select(sel...))
			if src.Size() == 0 {
				continue
			}
		}
		switch r.IntN(6) {
		case 0:
			src = dst
		case 1, 2:
			src = must(dst.Clone(among(r, index.C, index.F)))
		}
		both := []nd.View{dst.view, must(src.Broadcast(dst.Shape()...)).view}
		if dst.Size() > 0 && nd.NewPass(nd.Part{Views: both}).Crosses {
			crossed++
		}
		start := collect(dst)
		slowMap(dst, src, halfPlusTwice)
		want := collect(dst)
		restore(dst, start)
		if err := Map(dst, src, each(halfPlusTwice)); err != nil {
			t.Fatalf("%d: %v to %v: %v", n, src.Layout(), dst.Layout(), err)
		}
		if got := collect(dst); !slices.Equal(got, want) {
			t.Fatalf("%d: %v %v to %v %v: the elements differ", n, src.DType(), src.Layout(), dst.DType(), dst.Layout())
		}
	}
	if crossed < cases/25 {
		t.Errorf("only %d pairs had crossing axes", crossed)
	}
}

// restore sets the elements of v to s, in C order.
func restore[T any](v View[T], s []T) {
	for block := range v.Update(index.C) {
		s = s[copy(block, s):]
	}
}

// TestMapLarge tests Map on arrays of many parts, including transposed ones, with several numbers of goroutines.
func TestMapLarge(t *testing.T) {
	oracle.Slow(t)
	const rows, cols = 900, 1100
	s := make([]int32, rows*cols)
	for i := range s {
		s[i] = int32(i)
	}
	src := must(FromSlice(s, rows, cols))
	foreign := must(As[int32](must(New(dtype.Int32.WithByteOrder(dtype.BigEndian), index.F, rows, cols)).Array))
	if err := foreign.CopyFrom(src); err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]View[int32]{"plain": src, "foreign, Fortran order": foreign,
		"reversed": must(src.Select(index.Reverse()))} {
		t.Run(name, func(t *testing.T) {
			eachGOMAXPROCS(func(procs int) {
				dst := must(FromSlice(make([]float64, rows*cols), rows, cols))
				if err := Map(dst, src, each(func(d float64, s int32) float64 { return d + 3*float64(s) })); err != nil {
					t.Fatal(err)
				}
				for idx, x := range src.All(index.C) {
					if y := dst.At(idx...); y != 3*float64(x) {
						t.Fatalf("%s, %d goroutines: element %v is %v, want %v", name, procs, idx, y, 3*float64(x))
					}
				}
			})
		})
	}
}

// TestMap2 compares Map2 with a loop over At and SetAt: any layouts, byte orders and dtypes, broadcast, in place, and
// with equal sources.
func TestMap2(t *testing.T) {
	r := oracle.Rand(t, 35)
	view := func(shape ...int) View[float64] {
		d := among(r, dtype.Float64, dtype.Float64, dtype.Int32)
		a := must(New(d.WithByteOrder(among(r, dtype.LittleEndian, dtype.BigEndian)), among(r, index.C, index.F),
			shape...)).Array
		if r.IntN(3) == 0 {
			a = must(a.Select(index.Reverse()))
		}
		v := must(Cast[float64](a))
		for block := range v.Update(index.C) {
			for i := range block {
				block[i] = float64(r.IntN(1000))
			}
		}
		return v
	}
	for n := range oracle.Cases(t, 60) {
		rows, cols := 1+r.IntN(30), 1+r.IntN(900)
		dst := view(rows, cols)
		source := func() View[float64] {
			switch r.IntN(5) {
			case 0:
				return dst
			case 1:
				return view(cols)
			case 2:
				return view(rows, 1)
			}
			return view(rows, cols)
		}
		a, b := source(), source()
		if r.IntN(3) == 0 {
			b = a
		}
		aa, bb := must(a.Broadcast(rows, cols)), must(b.Broadcast(rows, cols))
		var want []float64
		for idx := range index.All(dst.Shape(), index.C) {
			want = append(want, dst.At(idx...)+2*aa.At(idx...)-bb.At(idx...))
		}
		err := Map2(dst, a, b, func(dst, a, b []float64) error {
			if len(a) != len(dst) || len(b) != len(dst) || len(dst) == 0 {
				return fmt.Errorf("blocks of %d, %d and %d elements", len(dst), len(a), len(b))
			}
			for i := range dst {
				dst[i] += 2*a[i] - b[i]
			}
			return nil
		})
		if err != nil || !slices.Equal(collect(dst), want) {
			t.Fatalf("%d: %v of %v and %v to %v: %v", n, dst.Shape(), a.Layout(), b.Layout(), dst.Layout(), err)
		}
	}
}

// TestMapInPlace maps an array to itself, also when the same bytes have two types.
func TestMapInPlace(t *testing.T) {
	for _, order := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} {
		f := must(New(dtype.Int32.WithByteOrder(order), index.C, 300, 1001))
		defer f.Close()
		v := must(As[int32](f.Array))
		for i := range v.Size() {
			v.SetAt(int32(i), i/1001, i%1001)
		}
		part := must(f.Select(index.Every(-2), index.Range(3, 900)))
		asInt, asFloat := must(As[int32](part)), must(Cast[float64](part))
		steps := []error{
			Map(asInt, asInt, each(func(d, s int32) int32 { return s + 1 })),
			Map(asInt, asFloat, each(func(d int32, s float64) int32 { return int32(s) + 10 })),
			Map(asFloat, asInt, each(func(d float64, s int32) float64 { return float64(s) + 100 })),
		}
		if err := errors.Join(steps...); err != nil {
			t.Fatal(err)
		}
		for idx, x := range v.All(index.C) {
			want := idx[0]*1001 + idx[1]
			if (299-idx[0])%2 == 0 && idx[1] >= 3 && idx[1] < 900 {
				want += 111
			}
			if int(x) != want {
				t.Fatalf("%v: element %v is %d, want %d", order, idx, x, want)
			}
		}
	}
}

func TestMapErrors(t *testing.T) {
	path := tempPath(t)
	f := must(Create(path, dtype.Float64, index.C, 4, 6))
	defer f.Close()
	v := must(As[float64](f.Array))
	g := must(Open(path, mmap.ReadOnly))
	defer g.Close()
	readOnly := must(As[float64](g.Array))
	other := must(FromSlice(make([]float64, 24), 4, 6))
	cols := func(lo, hi, step int) View[float64] {
		return must(v.Select(index.Colon, index.Range(lo, hi).Every(step)))
	}
	two := must(FromSlice(make([]float64, 24), 4, 6))
	stack := must(As[float64](must(Stack(other.Array(), two.Array()))))
	shared := path + ": source and destination share memory, but are not the same elements; Clone the source"
	sentinel := errors.New("enough")
	for _, tt := range []struct {
		name     string
		dst, src View[float64]
		want     string
		is       error
	}{
		{"read-only", readOnly, other, path + ": array is read-only", ErrReadOnly},
		{"read-only before the shape", readOnly, must(other.Reshape(24)), path + ": array is read-only", ErrReadOnly},
		{"shape", v, must(other.Reshape(24)),
			path + ": cannot broadcast (24,) to (4, 6): axis 0 has length 24, want 1 or 6",
			ErrShape},
		{"not to a smaller one", other.Index(0), v,
			"array: cannot broadcast (4, 6) to (6,): got 1 dimension, want at least 2", ErrShape},
		{"shifted", cols(0, 5, 1), cols(1, 6, 1), shared, nil},
		{"reversed", v, must(v.Select(index.Reverse())), shared, nil},
		{"a row to all", v, v.Index(0), shared, nil},
		{"part of a stack", other, must(As[float64](stack.Array().Index(0))), "", nil},
		{"stack and its part", must(stack.Select(index.Range(0, 2))), other,
			"array: source and destination share memory, but are not the same elements; Clone the source", nil},
		{"stack itself", stack, must(As[float64](must(Stack(other.Array(), two.Array())))), "", nil},
		{"stack, parts exchanged", stack, must(As[float64](must(Stack(two.Array(), other.Array())))),
			"array: source and destination share memory, but are not the same elements; Clone the source", nil},
		{"even and odd columns", cols(0, 6, 2), cols(1, 6, 2), "", nil},
		{"halves", cols(0, 3, 1), cols(3, 6, 1), "", nil},
		{"an axis of length 1 more", v, must(v.Reshape(1, 4, 6)), "", nil},
		{"a row", v, other.Index(1), "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls := 0
			err := Map(tt.dst, tt.src, func(dst, src []float64) error { calls++; return nil })
			if tt.want == "" && (err != nil || calls == 0) {
				t.Errorf("%s: %v, %d calls", tt.name, err, calls)
			}
			if tt.want != "" && (err == nil || err.Error() != tt.want || !errors.Is(err, tt.is) && tt.is != nil || calls > 0) {
				t.Errorf("%s: %v, %d calls; want %q", tt.name, err, calls, tt.want)
			}
			if err := Map(tt.dst, tt.src, func(dst, src []float64) error { return sentinel }); tt.want == "" && err != sentinel {
				t.Errorf("%s: %v, want the error of f", tt.name, err)
			}
		})
	}
	empty := must(FromSlice([]float64{}, 0, 3))
	if err := Map(empty, empty, func(dst, src []float64) error { return sentinel }); err != nil {
		t.Errorf("no elements: %v", err)
	}
}

func TestMap2Errors(t *testing.T) {
	v, other := must(FromSlice(make([]float64, 6))), must(FromSlice(make([]float64, 6)))
	head, tail := must(v.Select(index.To(3))), must(v.Select(index.Range(1, 4)))
	readOnly := must(other.Index(0).Broadcast(3))
	for _, tt := range []struct {
		name      string
		dst, a, b View[float64]
		want      string
		is        error
	}{
		{"a", head, tail, head,
			"array: source a and destination share memory, but are not the same elements; Clone the source",
			nil},
		{"b", head, head, tail,
			"array: source b and destination share memory, but are not the same elements; Clone the source",
			nil},
		{"sources share", must(other.Select(index.To(3))), head, tail, "", nil},
		{"read-only", readOnly, head, head, "", ErrReadOnly},
		{"shape of a", head, v, head, "", ErrShape},
		{"shape of b", head, head, v, "", ErrShape},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls := 0
			err := Map2(tt.dst, tt.a, tt.b, func(_, _, _ []float64) error { calls++; return nil })
			if fails := tt.want != "" || tt.is != nil; fails != (err != nil) || fails != (calls == 0) ||
				tt.want != "" && err.Error() != tt.want || !errors.Is(err, tt.is) && tt.is != nil {
				t.Errorf("%s: %v after %d calls, want %q", tt.name, err, calls, tt.want)
			}
		})
	}
	sentinel := errors.New("enough")
	if err := Map2(v, other, other, func(_, _, _ []float64) error { return sentinel }); err != sentinel {
		t.Errorf("%v, want the error of f", err)
	}
}

// TestMapError tests that Map returns the first error in the order of the blocks, and leaves no goroutine.
func TestMapError(t *testing.T) {
	src := countingVector(4 << 20)
	dst := must(FromSlice(make([]float64, src.Size())))
	eachGOMAXPROCS(func(procs int) {
		checkNoGoroutineLeft(t, func() {
			err := Map(dst, src, func(d, s []float64) error {
				switch {
				case s[0] > 1<<20:
					return errors.New("a later error")
				case s[len(s)-1] >= 1<<20:
					return errors.New("the first error")
				}
				return nil
			})
			if err == nil || err.Error() != "the first error" {
				t.Errorf("%d goroutines: %v, want the first error", procs, err)
			}
		})
	})
}

// TestMapColumns tests that Map returns an error for different columns of a matrix that share elements. It must accept
// all disjoint columns with equal steps, and most of those with different steps.
func TestMapColumns(t *testing.T) {
	m := must(FromSlice(make([]int32, 21), 3, 7))
	var all []View[int32]
	for start := range 7 {
		for stop := range 8 {
			for _, step := range []int{1, 2, 3, -1, -2} {
				if v := must(m.Select(index.Colon, index.Range(start, stop).Every(step))); v.Size() > 0 {
					all = append(all, v)
				}
			}
		}
	}
	disjoint, guesses := 0, 0
	for _, dst := range all {
		for _, src := range all {
			if !dst.view.Layout.SameShape(src.view.Layout) {
				continue
			}
			for i := range 21 {
				m.SetAt(int32(i), i/7, i%7)
			}
			from, common := slices.Collect(src.Values()), false
			for x := range dst.Values() {
				common = common || slices.Contains(from, x)
			}
			same := slices.Equal(from, slices.Collect(dst.Values()))
			err := Map(dst, src, each(func(d, s int32) int32 { return s + 100 }))
			steps := []int{dst.view.Layout.Stride(1), src.view.Layout.Stride(1)}
			guess := err != nil && max(steps[0], -steps[0]) != max(steps[1], -steps[1]) && dst.Len(1) > 1
			if (err == nil) != (same || !common) && !guess {
				t.Fatalf("columns %v to %v: %v", src, dst, err)
			}
			if guess && !same && !common {
				guesses++
			}
			if err != nil || common {
				continue
			}
			disjoint++
			for i, x := range slices.Collect(dst.Values()) {
				if x != from[i]+100 {
					t.Fatalf("columns %v to %v: element %d is %d, want %d", src, dst, i, x, from[i]+100)
				}
			}
		}
	}
	if disjoint < 1000 || guesses > 200 {
		t.Errorf("%d pairs without a common element were accepted, %d were refused", disjoint, guesses)
	}
}
