package array

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// slowCopy copies element by element through a temporary slice, which is the definition of Copy.
func slowCopy[T any](dst, src View[T]) {
	src = must(src.Broadcast(dst.Shape()...))
	var tmp []T
	for idx := range index.All(dst.Shape(), index.C) {
		tmp = append(tmp, src.At(idx...))
	}
	for idx := range index.All(dst.Shape(), index.C) {
		dst.SetAt(tmp[0], idx...)
		tmp = tmp[1:]
	}
}

// common shortens the axes of a and b to equal lengths.
func common[T any](a, b View[T]) (View[T], View[T]) {
	sel := make([]index.Selector, min(a.NDim(), b.NDim()))
	for axis := range sel {
		sel[axis] = index.Range(0, min(a.Len(axis), b.Len(axis)))
	}
	return must(a.Select(sel...)), must(b.Select(sel...))
}

// TestCopyOverlap compares CopyFrom with slowCopy for random source and destination views of one slice.
func TestCopyOverlap(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	r := oracle.Rand(t, 4)
	for n := range 10000 {
		shape := make([]int, 1+r.IntN(3))
		for i := range shape {
			shape[i] = 1 + r.IntN(6)
		}
		size := elementCount(shape)
		got, want := make([]int32, size), make([]int32, size)
		for i := range got {
			got[i] = int32(i)
			want[i] = int32(i)
		}
		seed := r.Uint64()
		pick := func(s []int32) (View[int32], View[int32]) {
			r := rand.New(rand.NewPCG(seed, 0))
			v := must(FromSlice(s, shape...))
			a, b := randomPart(r, v), randomPart(r, v)
			a, b = common(a, b)
			if r.IntN(8) == 0 && b.NDim() > 0 && b.Len(0) > 0 { // broadcast within the same memory
				b = b.Index(0)
			}
			return a, b
		}
		dst, src := pick(got)
		if err := dst.CopyFrom(src); err != nil {
			t.Fatal(err)
		}
		slowCopy(pick(want))
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("case %d: %v from %v: want -, got +\n%s", n, dst.Layout(), src.Layout(), d)
		}
	}
}

// TestCopyOverlapConverts tests Copy between arrays of different dtypes that share memory. The result must be the same
// as if src had been copied to other memory first. Some of the copies move only a part of each element.
func TestCopyOverlapConverts(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	r := oracle.Rand(t, 6)
	dtypes := []string{"|i1", "|u1", "<i2", ">u2", "<i4", ">i4", "<u4", "<i8", ">u8", "<f4", ">f4", "<f8", "<c8", ">c16"}
	for n := range 10000 {
		mem := make([]byte, 100)
		for i := range mem {
			mem[i] = byte(r.Uint32())
		}
		shape := []int{1 + r.IntN(3), 1 + r.IntN(2)}
		seed := r.Uint64()
		pick := func(mem []byte, seed uint64) Array {
			r := rand.New(rand.NewPCG(seed, 0))
			d := dtype.MustParse(dtypes[r.IntN(len(dtypes))])
			size := shape[0] * shape[1] * d.ItemSize()
			off := r.IntN(len(mem) - size + 1)
			a := must(FromBytes(mem[off:off+size], d, index.C, shape...))
			if r.IntN(2) == 0 {
				a = must(a.Select(index.Reverse()))
			}
			if r.IntN(3) == 0 && a.DType().ItemSize() == 4 { // 2-byte elements with the strides of 4-byte ones
				a = must(a.Reinterpret(dtype.MustParse([]string{"<i2", ">u2"}[r.IntN(2)])))
				a = must(a.Select(index.Ellipsis, index.From(r.IntN(2)).Every(2)))
			}
			return a
		}
		want := slices.Clone(mem)
		dst, src := pick(mem, seed), pick(mem, seed+1)
		if err := Copy(pick(want, seed), must(src.Clone(index.C))); err != nil {
			t.Fatal(err)
		}
		if err := Copy(dst, src); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, mem) {
			t.Fatalf("case %d: %v %v from %v %v: differs from Copy of a clone", n, dst.DType(), dst.Layout(), src.DType(),
				src.Layout())
		}
	}
}

// TestCopyInPlace tests that Copy allocates no temporary memory to shift the elements of a vector, in either direction,
// strided or not, or to shift the rows or columns of a matrix.
func TestCopyInPlace(t *testing.T) {
	oracle.CountsAllocations(t)
	v := must(FromSlice(make([]int64, 100)))
	m := must(v.Reshape(10, 10))
	part := func(v View[int64], sel ...index.Selector) View[int64] { return must(v.Select(sel...)) }
	for _, tt := range []struct {
		name     string
		dst, src View[int64]
		want     bool
	}{
		{"down", part(v, index.Range(0, 99)), part(v, index.Range(1, 100)), true},
		{"up", part(v, index.Range(1, 100)), part(v, index.Range(0, 99)), true},
		{"up, every second", part(v, index.Range(2, 100).Every(2)), part(v, index.Range(0, 98).Every(2)), true},
		{"rows up", part(m, index.Range(1, 10)), part(m, index.Range(0, 9)), true},
		{"columns up", part(m, index.Colon, index.Range(1, 10)), part(m, index.Colon, index.Range(0, 9)), true},
		{"both reversed", part(v, index.Range(99, 0).Every(-1)), part(v, index.From(98).Every(-1)), true},
		{"onto itself", v, v, true},
		{"reversed", v, part(v, index.Reverse()), false},
		{"transposed", m, m.T(), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			allocs := testing.AllocsPerRun(10, func() { must(0, tt.dst.CopyFrom(tt.src)) })
			if inPlace := allocs == 0; inPlace != tt.want {
				t.Errorf("%s: in place %v, want %v (%v allocations)", tt.name, inPlace, tt.want, allocs)
			}
		})
	}
}

// floatAt returns the element of a at idx as a float64, read by At.
func floatAt(a Array, idx []int) float64 {
	switch {
	case a.DType().Kind() == dtype.KindBool:
		if must(As[bool](a)).At(idx...) {
			return 1
		}
		return 0
	case a.DType().WithByteOrder(dtype.Native).Equal(dtype.Float16):
		return must(As[dtype.Half](a)).At(idx...).Float64()
	case a.DType().Kind() == dtype.KindComplex && a.ItemSize() == 8:
		return float64(real(must(As[complex64](a)).At(idx...)))
	case a.DType().Kind() == dtype.KindComplex:
		return real(must(As[complex128](a)).At(idx...))
	case a.DType().Kind() == dtype.KindFloat && a.ItemSize() == 4:
		return float64(must(As[float32](a)).At(idx...))
	case a.DType().Kind() == dtype.KindFloat:
		return must(As[float64](a)).At(idx...)
	case a.DType().Kind() == dtype.KindUint:
		switch a.ItemSize() {
		case 1:
			return float64(must(As[uint8](a)).At(idx...))
		case 2:
			return float64(must(As[uint16](a)).At(idx...))
		case 4:
			return float64(must(As[uint32](a)).At(idx...))
		}
		return float64(must(As[uint64](a)).At(idx...))
	}
	switch a.ItemSize() {
	case 1:
		return float64(must(As[int8](a)).At(idx...))
	case 2:
		return float64(must(As[int16](a)).At(idx...))
	case 4:
		return float64(must(As[int32](a)).At(idx...))
	}
	return float64(must(As[int64](a)).At(idx...))
}

// TestCopyConvert converts every dtype to every other, in both byte orders, with various strides, aligned or not.
// Values that all dtypes can hold are preserved.
func TestCopyConvert(t *testing.T) {
	r := oracle.Rand(t, 6)
	make1 := func(d dtype.DType, shape []int) Array {
		if r.IntN(2) == 0 {
			d = d.WithByteOrder(dtype.BigEndian)
		} else {
			d = d.WithByteOrder(dtype.LittleEndian)
		}
		odd := r.IntN(2)
		order := []index.Order{index.C, index.F}[r.IntN(2)]
		double := append([]int(nil), shape...)
		double[0] *= 2
		a := must(FromBytes(make([]byte, elementCount(double)*d.ItemSize()+odd)[odd:], d, order, double...))
		if r.IntN(2) == 0 {
			return must(a.Select(index.Range(0, shape[0])))
		}
		return must(a.Select(index.Every(-2)))
	}
	for _, from := range numbers {
		for _, to := range numbers {
			for range 4 {
				shape := []int{1 + r.IntN(3), 1 + r.IntN(300)}
				src, dst := make1(from, shape), make1(to, shape)
				seed := must(FromSlice(make([]int64, elementCount(shape)), shape...))
				for idx := range index.All(shape, index.C) {
					seed.SetAt(r.Int64N(100), idx...)
				}
				if err := Copy(src, seed.Array()); err != nil {
					t.Fatal(err)
				}
				if err := Copy(dst, src); err != nil {
					t.Fatal(err)
				}
				for idx := range index.All(shape, index.C) {
					want := float64(seed.At(idx...))
					if from.Kind() == dtype.KindBool || to.Kind() == dtype.KindBool {
						want = min(want, 1)
					}
					if got := floatAt(dst, idx); got != want {
						t.Fatalf("%v to %v at %v: %v, want %v", src.DType(), dst.DType(), idx, got, want)
					}
				}
			}
		}
	}
}

// TestCopyLeadingOnes tests that Copy drops leading axes of length 1 that dst does not have, like NumPy.
func TestCopyLeadingOnes(t *testing.T) {
	dst := must(FromSlice(make([]int32, 6), 2, 3))
	src := must(FromSlice([]int32{1, 2, 3, 4, 5, 6}, 1, 1, 2, 3))
	if err := dst.CopyFrom(src); err != nil || dst.At(1, 2) != 6 {
		t.Errorf("%d, %v", dst.At(1, 2), err)
	}
	if err := dst.Index(0).CopyFrom(src); !errors.Is(err, ErrShape) {
		t.Errorf("two rows into one: %v", err)
	}
}

func TestCopyErrors(t *testing.T) {
	v := must(FromSlice(make([]float64, 6), 2, 3))
	w := must(FromSlice(make([]float64, 4), 4))
	b := must(v.Broadcast(5, 2, 3))
	text := must(FromBytes(make([]byte, 24), dtype.Bytes(4), index.C, 2, 3))
	for _, tt := range []struct {
		err  error
		is   error
		want string
	}{
		{v.CopyFrom(w), ErrShape, "array: cannot broadcast (4,) to (2, 3): axis 0 has length 4, want 1 or 3"},
		{b.CopyFrom(b), ErrReadOnly, "array: array is read-only"},
		{Copy(v.Array(), text), nil,
			"array: cannot convert between these dtypes: have dtype |S4, want " + dtype.Float64.String()},
	} {
		if tt.err == nil || tt.err.Error() != tt.want || tt.is != nil && !errors.Is(tt.err, tt.is) {
			t.Errorf("got %v, want %q", tt.err, tt.want)
		}
	}
	f := must(Create(tempPath(t), dtype.Float64, index.C, 2))
	f.Close()
	g := must(Open(f.Path(), mmap.ReadOnly))
	defer g.Close()
	if err := Copy(g.Array, g.Array); !errors.Is(err, ErrReadOnly) {
		t.Errorf("copy into a read-only file: %v", err)
	}
}

// TestCopyTimes tests that Copy converts times like NumPy, or returns an error.
func TestCopyTimes(t *testing.T) {
	const nat = math.MinInt64
	units := "cannot convert between time units; to copy the counts, Reinterpret one array as the dtype of the other: "
	for _, c := range []struct {
		from, to string
		want     []int64
		err      string
	}{
		{"<M8[s]", ">M8[s]", []int64{90, nat, -1}, ""},
		{"<M8[s]", "<i8", []int64{90, nat, -1}, ""},
		{">m8[25us]", "<i8", []int64{90, nat, -1}, ""},
		{"<i8", ">M8[D]", []int64{90, nat, -1}, ""},
		{"<M8[s]", "<m8[D]", []int64{90, nat, -1}, ""}, // NumPy copies the counts in this case
		{"<m8", "<m8[D]", []int64{90, nat, -1}, ""},    // and in this one
		{"<M8[s]", "<M8[ms]", nil, "array: " + units + "have dtype <M8[s], want <M8[ms]"},
		{"<M8[ns]", ">M8[D]", nil, "array: " + units + "have dtype <M8[ns], want >M8[D]"},
		{"<m8[s]", "<m8[2s]", nil, "array: " + units + "have dtype <m8[s], want <m8[2s]"},
		{"<m8[s]", "<m8", nil, "array: " + units + "have dtype <m8[s], want <m8"},
	} {
		src := must(FromBytes(make([]byte, 24), dtype.MustParse(c.from), index.C, 3))
		dst := must(FromBytes(make([]byte, 24), dtype.MustParse(c.to), index.C, 3))
		for i, x := range []int64{90, nat, -1} {
			must(As[int64](src)).SetAt(x, i)
		}
		err := Copy(dst, src)
		if c.err != "" {
			var e *DTypeError
			if err == nil || err.Error() != c.err || !errors.As(err, &e) {
				t.Errorf("%s to %s: %v, want %s", c.from, c.to, err, c.err)
			}
			c.want = []int64{0, 0, 0}
		} else if err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(c.want, collect(must(As[int64](dst)))); d != "" {
			t.Errorf("%s to %s: want -, got +\n%s", c.from, c.to, d)
		}
	}
}

// TestCopyNaNToTime tests that Copy converts NaN to NaT.
func TestCopyNaNToTime(t *testing.T) {
	n := 2*strided.PartBytes/8 + 300 // enough for several goroutines in the first round
	for _, from := range []string{"<f2", ">f4", "<f4", "<f8", "<c8", ">c16"} {
		for _, to := range []string{"<M8[s]", ">m8[us]"} {
			for _, step := range []int{1, 2} {
				src := must(New(dtype.MustParse(from), index.C, n, step))
				dst := must(New(dtype.MustParse(to), index.C, n, step))
				x := must(FromSlice([]float64{1.5, math.NaN(), -3}))
				for i := range 3 {
					s := must(src.Select(index.From(i).Every(3), index.At(0)))
					if err := Copy(s, must(x.Array().Select(index.At(i)))); err != nil {
						t.Fatal(err)
					}
				}
				if err := Copy(must(dst.Select(index.Colon, index.At(0))), must(src.Select(index.Colon,
					index.At(0)))); err != nil {
					t.Fatal(err)
				}
				i := 0
				for idx, got := range must(As[int64](must(dst.Select(index.Colon, index.At(0))))).All(index.C) {
					if want := []int64{1, dtype.NaT, -3}[i%3]; got != want {
						t.Fatalf("%s to %s: element %d is %d, want %d", from, to, idx, got, want)
					}
					i++
				}
				src.Close()
				dst.Close()
				n = 1000
			}
		}
	}
}

// TestCopyLongBlock tests that Copy does not allocate memory in proportion to the size of an element. A header can
// specify elements of any size, even if the file contains no elements. The test then checks the byte order of every
// field of a shorter element.
func TestCopyLongBlock(t *testing.T) {
	blocks := func(n string) [2]dtype.DType {
		block := "[('a', [('x', '<i2'), ('y', '|b1'), ('z', [('u', '>u4'), ('v', '<f8')], (2,))], (" + n + "))]"
		return [2]dtype.DType{dtype.MustParse(block), dtype.MustParse(block).WithByteOrder(dtype.BigEndian)}
	}
	long := blocks("300, 1000")
	src, dst := must(FromBytes(nil, long[0], index.C, 0)), must(FromBytes(nil, long[1], index.C, 0))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := Copy(dst, src); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 100_000 {
		t.Errorf("%d bytes allocated", got)
	}

	short := blocks("3, 2")
	mem := randomMemory(1, 5*short[0].ItemSize())
	src = must(FromBytes(mem, short[0], index.C, 5))
	out := make([]byte, len(mem))
	dst = must(FromBytes(out, short[1], index.C, 5))
	if err := Copy(dst, src); err != nil {
		t.Fatal(err)
	}
	for i := range 5 { // swap the fields of every element by hand
		for k := range 6 {
			at := i*short[0].ItemSize() + k*27
			s, d := mem[at:], out[at:]
			want := []byte{s[1], s[0], s[2]}
			for z := 3; z < 27; z += 12 {
				want = append(want, s[z:z+4]...)
				for b := range 8 {
					want = append(want, s[z+11-b])
				}
			}
			if diff := cmp.Diff(want, d[:27]); diff != "" {
				t.Fatalf("element %d, block %d: want -, got +\n%s", i, k, diff)
			}
		}
	}
}
