package array

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// The features of cnpy.h, and the tests of them:
//
//	open, writable or not           TestOpenModes
//	create; refuse if it exists      TestCreate
//	create anonymously              TestNewAnonymous
//	get and set, 13 dtypes          TestGetSet (14 here), in both byte orders and both orders
//	reset and next index            TestWalk
//	close                           TestClose
//
// cnpy.h supports up to 4 dimensions; the tests use up to 5.

var shapes = [][]int{{}, {0}, {3}, {2, 3}, {2, 0, 3}, {2, 3, 5}, {2, 3, 2, 2}, {1, 2, 1, 3, 2}}

// TestOpenModes tests, for each mode, which mappings of a file see writes through another mapping.
func TestOpenModes(t *testing.T) {
	path := tempPath(t)
	f := must(Create(path, dtype.Int32, index.C, 2, 3))
	v := must(As[int32](f.Array))
	v.Fill(7)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	private := must(Open(path, mmap.CopyOnWrite))
	defer private.Close()
	shared := must(Open(path, mmap.ReadWrite))
	defer shared.Close()
	reader := must(Open(path, mmap.ReadOnly))
	defer reader.Close()
	p, s, r := must(As[int32](private.Array)), must(As[int32](shared.Array)), must(As[int32](reader.Array))

	p.SetAt(-1, 0, 0) // stays private
	s.SetAt(42, 1, 2) // reaches the file and every shared mapping
	if err := shared.Sync(); err != nil {
		t.Fatal(err)
	}
	if got, want := []int32{p.At(0, 0), s.At(0, 0), r.At(0, 0), s.At(1, 2), r.At(1, 2)}, []int32{-1, 7, 7, 42,
		42}; !cmp.Equal(got, want) {
		t.Errorf("private, shared and read-only: %v, want %v", got, want)
	}
	if p.ReadOnly() || s.ReadOnly() || !r.ReadOnly() {
		t.Error("ReadOnly is wrong")
	}
	again := must(Open(path, mmap.ReadOnly))
	defer again.Close()
	if got := must(As[int32](again.Array)).At(0, 0); got != 7 {
		t.Errorf("a private write reached the file: %d", got)
	}
	wantPanic(t, path+": write through a read-only view; open the file with array.ReadWrite or array.CopyOnWrite",
		ErrReadOnly, func() { r.SetAt(1, 0, 0) })
	wantPanic(t, path+": write through a read-only view; open the file with array.ReadWrite or array.CopyOnWrite",
		ErrReadOnly, func() { r.Fill(1) })
	m := must(r.Matrix())
	wantPanic(t, path+": write through a read-only view; open the file with array.ReadWrite or array.CopyOnWrite",
		ErrReadOnly, func() { m.SetAt(1, 0, 0) })
}

func TestCreate(t *testing.T) {
	path := tempPath(t)
	f := must(Create(path, dtype.Float64, index.F, 2, 3))
	v := must(As[float64](f.Array))
	for x := range v.Values() {
		if x != 0 {
			t.Errorf("a new element is %v", x)
		}
	}
	v.SetAt(1.5, 1, 2)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	before := must(os.ReadFile(path))
	if _, err := Create(path, dtype.Int8, index.C, 9); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create of a file that exists: %v", err)
	}
	if !cmp.Equal(before, must(os.ReadFile(path))) {
		t.Error("Create changed a file that exists")
	}
	g := must(Open(path, mmap.ReadOnly))
	defer g.Close()
	if g.Order() != index.F || must(As[float64](g.Array)).At(1, 2) != 1.5 {
		t.Error("the created file reads differently")
	}
}

func TestCreateErrors(t *testing.T) {
	for _, tt := range []struct {
		d     dtype.DType
		order index.Order
		shape []int
		want  string
	}{
		{dtype.DType{}, index.C, []int{2}, "dtype: the zero DType is invalid"},
		{dtype.Float64, index.K, []int{2}, "shape mismatch: order K for a new array; want C or F"},
	} {
		path := tempPath(t)
		_, err := Create(path, tt.d, tt.order, tt.shape...)
		if err == nil || err.Error() != "create "+path+": "+tt.want {
			t.Errorf("got %v, want %q", err, tt.want)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file was left: %v", err)
		}
	}
	for _, shape := range [][]int{{-1}, {math.MaxInt, 2}, make([]int, 65)} {
		if _, err := Create(tempPath(t), dtype.Float64, index.C, shape...); err == nil {
			t.Errorf("shape %v was created", shape)
		}
	}
}

func TestNewAnonymous(t *testing.T) {
	for _, shape := range shapes {
		f := must(New(dtype.Float64, index.F, shape...))
		v := must(As[float64](f.Array))
		v.Fill(2)
		sum := 0.0
		for x := range v.Values() {
			sum += x
		}
		if sum != 2*float64(v.Size()) {
			t.Errorf("shape %v: sum %v", shape, sum)
		}
		if f.Path() != "" || f.ReadOnly() {
			t.Error("anonymous memory has a path or cannot be written")
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestClose(t *testing.T) {
	f := must(New(dtype.Float64, index.C, 3))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
	if err := f.Sync(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Sync after Close: %v", err)
	}
}

// TestGetSet tests that elements of every Go type can be set and read back.
func TestGetSet(t *testing.T) {
	checkGetSet(t, castTo[bool](), func(k int) any { return k%3 == 1 })
	checkGetSet(t, castTo[int8](), func(k int) any { return int8(k*37 - 100) })
	checkGetSet(t, castTo[int16](), func(k int) any { return int16(k*3001 - 100) })
	checkGetSet(t, castTo[int32](), func(k int) any { return int32(k*100003 - 1000) })
	checkGetSet(t, castTo[int64](), func(k int) any { return int64(k)*1e12 - 7 })
	checkGetSet(t, castTo[uint8](), func(k int) any { return uint8(k * 37) })
	checkGetSet(t, castTo[uint16](), func(k int) any { return uint16(k * 3001) })
	checkGetSet(t, castTo[uint32](), func(k int) any { return uint32(k * 100003) })
	checkGetSet(t, castTo[uint64](), func(k int) any { return uint64(math.MaxUint64 - uint64(k)*1e12) })
	checkGetSet(t, castTo[dtype.Half](), func(k int) any { return dtype.HalfFrom64(float64(k) / 4) })
	checkGetSet(t, castTo[float32](), func(k int) any { return float32(k)/4 - 3 })
	checkGetSet(t, castTo[float64](), func(k int) any { return math.Sqrt(float64(k)) })
	checkGetSet(t, castTo[complex64](), func(k int) any { return complex(float32(k), -1.5) })
	checkGetSet(t, castTo[complex128](), func(k int) any { return complex(float64(k), math.Sqrt2) })
}

// checkGetSet creates files of a Go type in both orders and byte orders, sets every element, and reads it back. It
// compares the bytes of the files with the results of encode.
func checkGetSet(t *testing.T, c castType, value func(k int) any) {
	d := c.d
	for _, byteOrder := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} {
		for _, order := range []index.Order{index.C, index.F} {
			for _, shape := range shapes {
				name := fmt.Sprintf("%v %v %v", d.WithByteOrder(byteOrder), order, shape)
				path := tempPath(t)
				f := must(Create(path, d.WithByteOrder(byteOrder), order, shape...))
				v := must(c.as(f.Array))
				idx := make([]int, len(shape))
				for k := range f.Size() {
					index.Unravel(k, shape, idx, index.C)
					v.put(encode(d, value(k)), idx)
				}
				if err := f.Close(); err != nil {
					t.Fatal(name, err)
				}
				bytes := must(os.ReadFile(path))[f.DataOffset():]
				g := must(Open(path, mmap.ReadOnly))
				w := must(c.as(g.Array))
				k := 0
				for x := range w.eachValue() {
					index.Unravel(k, shape, idx, index.C)
					place := index.Ravel(idx, shape, order) * d.ItemSize()
					if want := encode(d, value(k)); !slices.Equal(x, want) || !slices.Equal(x, w.get(idx)) {
						t.Fatalf("%s: element %d is %x, want %x of %v", name, k, x, want, value(k))
					}
					if got, want := bytes[place:place+d.ItemSize()], encode(d.WithByteOrder(byteOrder), value(k)); !cmp.Equal(got,
						want) {
						t.Fatalf("%s: element %d is %x in the file, want %x", name, k, got, want)
					}
					k++
				}
				if k != elementCount(shape) || len(bytes) != k*d.ItemSize() {
					t.Fatalf("%s: %d values, %d bytes", name, k, len(bytes))
				}
				g.Close()
			}
		}
	}
}

// TestWalk tests that index.Next and All visit all elements in the given order.
func TestWalk(t *testing.T) {
	for _, shape := range shapes {
		f := must(New(dtype.Int64, index.C, shape...))
		v := must(As[int64](f.Array))
		for _, order := range []index.Order{index.C, index.F} {
			// Loop as with cnpy.h: reset, then do … while (next).
			idx := make([]int, len(shape))
			clear(idx)
			n := int64(0)
			if v.Size() > 0 {
				for {
					v.SetAt(n, idx...)
					n++
					if !index.Next(idx, shape, order) {
						break
					}
				}
				for axis := range idx { // Next leaves idx at the last index
					if idx[axis] != shape[axis]-1 {
						t.Errorf("%v %v: Next left %v", order, shape, idx)
					}
				}
			}
			if n != int64(v.Size()) {
				t.Errorf("%v %v: %d steps", order, shape, n)
			}
			n = 0
			for at, x := range v.All(order) {
				if x != n || v.At(at...) != x || index.Ravel(at, shape, order) != int(n) {
					t.Errorf("%v %v: at %v %d, want %d", order, shape, at, x, n)
				}
				n++
			}
		}
		f.Close()
	}
}
