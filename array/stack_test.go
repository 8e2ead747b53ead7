package array

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestStack compares a stack of files with one array of the same elements.
func TestStack(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	r := oracle.Rand(t, 8)
	for _, d := range []dtype.DType{dtype.Int32.WithByteOrder(dtype.LittleEndian),
		dtype.Int32.WithByteOrder(dtype.BigEndian)} {
		for _, order := range []index.Order{index.C, index.F} {
			a, joined := shardFiles(t, d, order, 5, 3, 4)
			v := must(As[int32](a))
			if d := cmp.Diff(collect(joined), collect(v)); d != "" {
				t.Fatal(d)
			}
			for n := range 2000 {
				seed := r.Uint64()
				got := randomPart(rand.New(rand.NewPCG(seed, 1)), v)
				want := randomPart(rand.New(rand.NewPCG(seed, 1)), joined)
				if n%3 == 0 && want.NDim() > 0 && want.Len(0) > 0 {
					i := r.IntN(want.Len(0))
					got, want = got.Index(i), want.Index(i)
				}
				if n%5 == 0 && want.NDim() > 1 {
					got, want = must(got.Diagonal(0, 0, -1)), must(want.Diagonal(0, 0, -1))
				}
				if !cmp.Equal(got.Shape(), want.Shape()) || !cmp.Equal(collect(got), collect(want)) {
					t.Fatalf("seed %d: %v %v, want %v %v", seed, got.Shape(), collect(got), want.Shape(), collect(want))
				}
				for idx, x := range want.All(index.F) {
					if got.At(idx...) != x {
						t.Fatalf("seed %d: at %v %d, want %d", seed, idx, got.At(idx...), x)
					}
					x += int32(r.IntN(9))
					got.SetAt(x, idx...)
					want.SetAt(x, idx...)
				}
				clone := must(got.Clone(index.C))
				if !cmp.Equal(collect(clone), collect(want)) {
					t.Fatalf("seed %d: Clone differs", seed)
				}
				clone.Fill(int32(n))
				if err := got.CopyFrom(clone); err != nil {
					t.Fatal(err)
				}
				want.Fill(int32(n))
				if d := cmp.Diff(collect(joined), collect(v)); d != "" {
					t.Fatalf("seed %d: CopyFrom: %s", seed, d)
				}
			}
			// Source and destination share memory, shifted by one member.
			dst, src := must(v.Select(index.Range(1, 5))), must(v.Select(index.Range(0, 4)))
			v.Index(0).Fill(-1)
			if err := dst.CopyFrom(src); err != nil || v.At(1, 2, 3) != -1 || v.At(2, 0, 0) == -1 {
				t.Errorf("shifted: %v %v (%v)", v.At(1, 2, 3), v.At(2, 0, 0), err)
			}
			for i, w := range v.Axis(0) {
				if _, err := w.Matrix(); d.Equal(dtype.Int32) && err != nil {
					t.Errorf("member %d is not accessed in place: %v", i, err)
				}
			}
		}
	}
}

func TestStackErrors(t *testing.T) {
	a, _ := shardFiles(t, dtype.Int32, index.C, 2, 3, 4)
	b, _ := shardFiles(t, dtype.Int32, index.F, 2, 3, 4)
	c, _ := shardFiles(t, dtype.Int64, index.C, 2, 3, 4)
	v := must(As[int32](a))
	for _, tt := range []struct {
		name string
		err  error
		is   error
	}{
		{"Data", second(v.Data()), ErrNotDirect},
		{"Cube", second(v.Cube()), ErrNotDirect},
		{"Reshape", second(v.Reshape(-1)), ErrCopy},
		{"no arrays", second(Stack()), ErrShape},
		{"other strides", second(Stack(a.Index(0), b.Index(0))), ErrShape},
		{"other dtype", second(Stack(a.Index(0), c.Index(0))), nil},
		{"a stack of stacks", second(Stack(a, a)), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.err == nil || tt.is != nil && !errors.Is(tt.err, tt.is) {
				t.Errorf("%s: %v, want %v", tt.name, tt.err, tt.is)
			}
		})
	}
	if _, err := Stack(); err.Error() != "array: shape mismatch: a stack of 0 arrays; want 1 to 16777215" {
		t.Error(err)
	}
	f := must(Open(filepath.Join(must(filepath.Abs(a.Index(0).view.Store.Mem.Path))), mmap.ReadOnly))
	defer f.Close()
	r := must(As[int32](must(Stack(a.Index(1), f.Array))))
	wantPanic(t,
		nd.Prefix(a.Index(1).view.Store.Mem.Path)+"write through a read-only view; open the file with array.ReadWrite or array.CopyOnWrite", ErrReadOnly, func() { r.SetAt(1, 0, 0, 0) })
	wantPanic(t,
		nd.Prefix(a.Index(1).view.Store.Mem.Path)+"write through a broadcast view, or a joined array with a read-only member; write to the original array, or to a Clone", ErrReadOnly, func() { r.Index(0).SetAt(1, 0, 0) })
}

// TestStackReinterpret tests that Reinterpret of a stack or joined array succeeds whenever it succeeds for a copy, even
// if it would fail for the members.
func TestStackReinterpret(t *testing.T) {
	ints := func(first int16, shape ...int) Array {
		s := make([]int16, elementCount(shape))
		for i := range s {
			s[i] = first + int16(i)*300
		}
		return must(FromSlice(s, shape...)).Array()
	}
	part := func(a Array, sel string) Array { return must(a.Select(index.MustParse(sel)...)) }
	for _, tt := range []struct {
		name string
		a    Array
		d    dtype.DType
	}{
		{"F order", must(must(Stack(ints(1, 4, 6).T(), ints(2, 4, 6).T())).Transpose(0, 2, 1)), dtype.Uint8},
		{"even columns", part(must(Stack(ints(1, 3, 5), ints(2, 3, 5))), "..., :4"), dtype.Int32},
		{"upwards again", part(must(Stack(part(ints(1, 3, 8), "..., ::-1"), part(ints(2, 3, 8), "..., ::-1"))),
			"..., ::-1"),
			dtype.Int64},
		{"without dimensions", part(must(Stack(ints(1), ints(2))), ":, None"), dtype.Uint8},
		{"from an odd one", part(must(Join(ints(1, 5), ints(2, 5), ints(3, 2))), "1:-3"), dtype.Int32},
		{"too short", part(must(Join(ints(1, 2), ints(2, 1), ints(3, 2))), "0:2"), dtype.Int32},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.a.Reinterpret(tt.d)
			want := must(must(tt.a.Clone(index.C)).Reinterpret(tt.d))
			if err != nil || !cmp.Equal(got.Shape(), want.Shape()) || !must(Equal(got, want)) {
				t.Errorf("%s: %v, %v; want %v", tt.name, got, err, want)
				return
			}
			if err := Copy(got, must(FromSlice([]int8{77}, 1)).Array()); err != nil || !must(AllClose(got,
				must(FromSlice([]int8{77}, 1)).Array(), 0, 0)) {
				t.Errorf("%s: written %v, %v", tt.name, got, err)
			}
		})
	}
}

// TestStackAlignment tests a stack whose elements are not aligned, although elements of its members would be. They
// cannot be accessed in place.
func TestStackAlignment(t *testing.T) {
	even := func() Array {
		return must(must(FromSlice(make([]int64, 6), 2, 3)).Array().Reinterpret(dtype.Int16))
	}
	for name, a := range map[string]Array{"stack": must(Stack(even(), even())), "join": must(Join(even(), even()))} {
		t.Run(name, func(t *testing.T) {
			v := must(As[int64](must(must(a.Select(index.Ellipsis, index.Range(1, 9))).Reinterpret(dtype.Int64))))
			for v.NDim() > 1 {
				v = v.Index(0)
			}
			if _, err := v.Data(); !errors.Is(err, ErrNotDirect) {
				t.Errorf("part of a %s: Data has no error", name)
			}
			v.Fill(1 << 40)
			if got := v.Collect(); !cmp.Equal(got, []int64{1 << 40, 1 << 40}) {
				t.Errorf("part of a %s: %v", name, got)
			}
		})
	}
}

// TestStackOfNothing tests that arrays without elements can be stacked, however long their axes are.
func TestStackOfNothing(t *testing.T) {
	const length = 1 << (strconv.IntSize - 6)
	a := must(New(dtype.Float64, index.C, 0, length)).Array
	s, err := Stack(slices.Repeat([]Array{a}, 16)...)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Shape(), []int{16, 0, length}; !slices.Equal(got, want) {
		t.Errorf("shape %v, want %v", got, want)
	}
}
