package array

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestTake tests that AppendRows appends the elements of Index, one position after another, on any view.
func TestTake(t *testing.T) {
	r := oracle.Rand(t, 14)
	for n := range 500 {
		shape := []int{1 + r.IntN(30)}
		for range r.IntN(3) {
			shape = append(shape, r.IntN(20))
		}
		order := []index.Order{index.C, index.F}[r.IntN(2)]
		d := dtype.Int16.WithByteOrder([]dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian}[r.IntN(2)])
		odd := r.IntN(2)
		v := must(As[int16](must(FromBytes(make([]byte, odd+2*elementCount(shape))[odd:], d, order, shape...))))
		seq := int16(0)
		for part := range v.Update(index.C) {
			for i := range part {
				part[i] = seq
				seq++
			}
		}
		if v = randomPart(r, v); v.NDim() == 0 || v.Len(0) == 0 {
			continue
		}
		checkTake(t, fmt.Sprintf("case %d, %v of %v", n, v.Layout(), d), r, v, r.IntN(20))
	}
	// Enough elements for several goroutines.
	for _, order := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} {
		v := must(As[int32](must(FromBytes(make([]byte, 4*3000*70), dtype.Int32.WithByteOrder(order), index.C, 3000, 70))))
		for idx := range v.All(index.C) {
			v.SetAt(int32(r.Uint32()), idx...)
		}
		checkTake(t, "large "+order.String(), r, v, 10000)
	}
	a, _ := shardFiles(t, dtype.Int32, index.F, 5, 3, 4)
	v := must(As[int32](a))
	checkTake(t, "stack", r, v, 12)
	checkTake(t, "stack, its parts along the second axis", r, must(v.MoveAxis(0, 1)), 12)
}

func checkTake[T comparable](t *testing.T, name string, r *rand.Rand, v View[T], n int) {
	t.Helper()
	rows := make([]int, n)
	want := make([]T, 3)
	for k := range rows {
		rows[k] = r.IntN(v.Len(0))
		want = append(want, collect(v.Index(rows[k]))...)
	}
	if got := must(v.AppendRows(make([]T, 3), rows)); !slices.Equal(want, got) {
		t.Fatalf("%s, rows %v: want -, got +\n%s", name, rows, cmp.Diff(want, got))
	}
}

func TestTakeBool(t *testing.T) {
	v := must(As[bool](must(FromBytes([]byte{0, 1, 2, 255}, dtype.Bool, index.C, 2, 2))))
	if d := cmp.Diff([]bool{true, true, false, true}, must(v.AppendRows(nil, []int{1, 0}))); d != "" {
		t.Error(d)
	}
}

// TestTakeBounds tests that an index out of range causes an error that names the index, and that nothing is written.
func TestTakeBounds(t *testing.T) {
	path := tempPath(t)
	must(0, SaveSlice(path, []int16{1, 2, 3, 4, 5, 6}, 3, 2))
	f := must(Open(path, ReadOnly))
	defer f.Close()
	v := must(As[int16](f.Array))
	dst := make([]int16, 0, 8)
	to := must(FromSlice(make([]int16, 9), 3, 3)).Array()
	scalar := must(FromSlice([]int16{1})).Index(0)
	bounds := func(axis, i, n int) *index.BoundsError { return &index.BoundsError{Axis: axis, Index: i, Len: n} }
	for _, tt := range []struct {
		name string
		run  func() error
		msg  string
		want *index.BoundsError
	}{
		{"AppendRows", func() error { _, err := v.AppendRows(dst, []int{0, 1, 3}); return err },
			path + ": indices[2]: index 3 out of range for axis 0 with length 3", bounds(0, 3, 3)},
		{"AppendRows, negative", func() error { _, err := v.AppendRows(dst, []int{-1}); return err },
			path + ": indices[0]: index -1 out of range for axis 0 with length 3", bounds(0, -1, 3)},
		{"AppendRows of a scalar", func() error { _, err := scalar.AppendRows(dst, []int{0}); return err },
			"array: axis 0 out of range for 0 dimensions", bounds(0, 0, 0)},
		{"Take", func() error { _, err := f.Take(1, []int{1, 2}); return err },
			path + ": indices[1]: index 2 out of range for axis 1 with length 2", bounds(1, 2, 2)},
		{"Take along a bad axis", func() error { _, err := f.Take(-3, nil); return err },
			path + ": axis -3 out of range for 2 dimensions", bounds(0, -3, 2)},
		{"TakeInto", func() error { return TakeInto(to, f.Array, -1, []int{0, 0, -1}) },
			path + ": indices[2]: index -1 out of range for axis 1 with length 2", bounds(1, -1, 2)},
		{"TakeInto along a bad axis", func() error { return TakeInto(to, f.Array, 2, nil) },
			path + ": axis 2 out of range for 2 dimensions", bounds(0, 2, 2)},
		{"Compress along a bad axis", func() error { _, err := f.Compress(2, nil); return err },
			path + ": axis 2 out of range for 2 dimensions", bounds(0, 2, 2)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.run()
			got, ok := errors.AsType[*index.BoundsError](err)
			if !ok || got.Axis != tt.want.Axis || got.Index != tt.want.Index || got.Len != tt.want.Len || err.Error() != tt.msg {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.msg)
			}
		})
	}
	if d := cmp.Diff(make([]int16, 8), dst[:8]); d != "" {
		t.Error(d)
	}
	if got, err := v.AppendRows(dst[:2], []int{9}); len(got) != 2 || err == nil {
		t.Errorf("%d elements (%v), want the 2 elements of dst and an error", len(got), err)
	}
	wantPanic(t, path+": shape mismatch: a mask of length 1 does not match axis 1 of length 2", ErrShape,
		func() { must(f.Compress(-1, []bool{true})) })
}

// TestTakeTooMany tests that a number of elements that overflows int causes an error.
func TestTakeTooMany(t *testing.T) {
	const huge = math.MaxInt/4 + 1
	nothing := must(As[[0]byte](must(FromBytes(nil, dtype.MustParse("V0"), index.C, 2, huge))))
	one := must(must(FromSlice([]int8{1})).Broadcast(2, huge))
	rows := make([]int, 8)
	want := fmt.Sprintf("array: shape mismatch: 8 rows of %d elements overflow int", huge)
	wantPanic(t, want, ErrShape, func() { must(nothing.AppendRows(nil, rows)) })
	wantPanic(t, want, ErrShape, func() { must(one.AppendRows(nil, rows)) })
	if got := must(nothing.AppendRows(nil, []int{1, 0, 1})); len(got) != 3*huge {
		t.Errorf("%d elements of no bytes, want %d", len(got), 3*huge)
	}
}

func TestTakeAllocs(t *testing.T) {
	oracle.CountsAllocations(t)
	v := must(FromSlice(make([]float64, 1000), 100, 10))
	buf, rows := make([]float64, 0, 40), []int{1, 99, 1, 5}
	for name, v := range map[string]View[float64]{"rows": v, "columns": must(v.T().Select(index.Range(0, 8)))} {
		t.Run(name, func(t *testing.T) {
			rows := rows
			if v.Len(0) == 8 {
				rows, buf = []int{7, 0}, make([]float64, 0, 200)
			}
			if got := testing.AllocsPerRun(100, func() { buf = must(v.AppendRows(buf[:0], rows)) }); got != 0 {
				t.Errorf("%s: %v allocations, want 0", name, got)
			}
		})
	}
}

// TestTakeTruncated tests that a fault in a goroutine of AppendRows reaches the caller's Guard.
func TestTakeTruncated(t *testing.T) {
	path := tempPath(t)
	f := must(Create(path, dtype.Float64, index.C, 4096, 128))
	defer f.Close()
	v := must(As[float64](f.Array))
	truncate(t, path, 1<<20)
	rows := make([]int, 4096)
	for k := range rows {
		rows[k] = k
	}
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	err := mmap.Guard(func() error { must(v.AppendRows(nil, rows)); return nil })
	var fault *mmap.FaultError
	if !errors.As(err, &fault) || fault.Path != path || fault.Offset < 1<<20 {
		t.Errorf("%v, want a fault in %s", err, path)
	}
}

// TestTakeCold compares elements that are taken by tiles, in the order of the file, with elements taken row by row.
func TestTakeCold(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	for _, order := range []index.Order{index.C, index.F} {
		for _, d := range []dtype.DType{dtype.Int32.WithByteOrder(dtype.LittleEndian),
			dtype.Int32.WithByteOrder(dtype.BigEndian)} {
			f := must(Create(tempPath(t), d, order, 60, 50, 70))
			k := int32(0)
			for b := range must(As[int32](f.Array)).Update(index.K) {
				for i := range b {
					b[i] = k
					k++
				}
			}
			for name, a := range map[string]Array{
				"whole":      f.Array,
				"transposed": must(f.Transpose(2, 0, 1)),
				"vector":     must(f.Select(index.At(3), index.At(4))),
				"backward":   must(f.Select(index.From(59).Every(-1), index.Colon, index.Range(0, 70).Every(9))),
			} {
				t.Run(name, func(t *testing.T) {
					v := must(As[int32](a))
					r := rand.New(rand.NewPCG(1, 2))
					rows := make([]int, 40)
					for k := range rows {
						rows[k] = r.IntN(v.Len(0))
					}
					want := make([]int32, 0, v.Size()/v.Len(0)*len(rows))
					for _, i := range rows {
						row := v.Index(i)
						for x := range row.Values() {
							want = append(want, x)
						}
					}
					for _, tile := range []int{1, 10_000, 200_000, 1 << 30} {
						got := make([]int32, len(want))
						nd.TakeCold(must(FromSlice(got, append([]int{len(rows)}, a.Shape()[1:]...)...)).view, v.view, rows, tile,
							&v.view.Store.Decode)
						if !slices.Equal(got, want) {
							t.Errorf("%v %v, %s, tiles of %d: wrong elements", d, order, name, tile)
						}
					}
					to, from := must(New(dtype.Float32, index.F, append([]int{len(rows)}, a.Shape()[1:]...)...)), a.view
					c := must(nd.Assignment(to.view.Store, from.Store))
					nd.TakeCold(to.view, from, rows, 10_000, &c)
					if is, err := Equal(to.Array, must(a.Take(0, rows))); !is || err != nil {
						t.Errorf("%v %v, %s, as float32: wrong elements (%v)", d, order, name, err)
					}
					to.Close()
				})
			}
			f.Close()
		}
	}
}
