package array

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
)

var scaledTypes = []castType{
	castTo[bool](), castTo[int8](), castTo[int16](), castTo[int32](), castTo[int64](), castTo[uint8](), castTo[uint16](),
	castTo[uint64](), castTo[dtype.Half](), castTo[dtype.BF16](), castTo[float32](), castTo[float32](), castTo[float32](),
	castTo[float64](), castTo[float64](),
}

// TestScaled compares Scaled with scaling one number at a time, on arrays of any dtype and layout, through every
// function that reads or writes.
func TestScaled(t *testing.T) {
	r := oracle.Rand(t, 72)
	orders := []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian}
	for n := range oracle.Cases(t, 400) {
		d := among(r, numbers...).WithByteOrder(among(r, orders...))
		shape := make([]int, r.IntN(4))
		for k := range shape {
			shape[k] = 1 + r.IntN(9)
		}
		if len(shape) > 0 && r.IntN(10) == 0 {
			shape[r.IntN(len(shape))] = 1 + r.IntN(1500) // several blocks
		}
		off := r.IntN(3)
		mem := randomMemory(r.Uint64(), off+elementCount(shape)*d.ItemSize())
		a := must(FromBytes(mem[off:], d, among(r, index.C, index.F), shape...))
		if r.IntN(2) == 0 && len(shape) > 1 {
			a = a.T()
		}
		if r.IntN(2) == 0 && len(shape) > 0 {
			a = must(a.Select(index.Every(among(r, -1, 2, -2))))
		}
		if err := among(r, scaledTypes...).testScaled(r, a); err != nil {
			t.Fatalf("case %d of NDMAP_SEED=%d: %v %v: %v", n, oracle.Seed(t), d, a.Layout(), err)
		}
	}
}

// fitsFloat32 reports whether float32 represents the numbers of d exactly.
func fitsFloat32(d dtype.DType) bool {
	return d.ItemSize() <= 2 || elem.IsFloat(d) && d.ItemSize() == 4
}

// slowScaled returns x*scale + offset, computed with the precision for reading elements of dtype have as dtype want.
func slowScaled(have, want dtype.DType, x, scale, offset float64) float64 {
	if elem.IsFloat(want) && fitsFloat32(want) && fitsFloat32(have) {
		product := float32(float32(x) * float32(scale)) // keeps the compiler from fusing the product with the sum
		return float64(product + float32(offset))
	}
	return slowRounded(want, float64(x*scale)+offset)
}

// slowRounded returns x, rounded to an integer if d is an integer dtype.
func slowRounded(d dtype.DType, x float64) float64 {
	if d.Kind() == dtype.KindInt || d.Kind() == dtype.KindUint {
		return math.RoundToEven(x)
	}
	return x
}

// testScaled compares reading and writing through Scaled with one number at a time.
func (c castType) testScaled(r *rand.Rand, a Array) error {
	want, have := c.d, a.DType()
	scale := among(r, 1, -1, 1.0/255, 0.01, 3, -0.5, 1e-3*(1+r.Float64()))
	offset := among(r, 0, 0, 1, -0.5, 273.15, r.NormFloat64())
	v, err := c.scaled(a, scale, offset)
	if have.Kind() == dtype.KindComplex {
		if _, ok := err.(*DTypeError); !ok {
			return fmt.Errorf("Scaled to %v: %v, want a *DTypeError", want, err)
		}
		return nil
	} else if err != nil {
		return err
	}
	if core := v.viewCore(); !core.DType().Equal(have) || !core.Layout.Equal(a.Layout()) {
		return fmt.Errorf("Scaled to %v has dtype %v, shape %v", want, core.DType(), core.Layout)
	}

	// Reading.
	stored := slices.Collect(must(Cast[float64](a)).Values())
	for i, x := range stored {
		stored[i] = slowScaled(have, want, x, scale, offset)
	}
	all := c.values(make([]byte, len(stored)*want.ItemSize()), []int{len(stored)})
	must(0, Copy(all.array(), must(FromSlice(stored)).Array()))
	for name, got := range readEveryWay(v) {
		if !c.equalValues(got, all.collect()) {
			return fmt.Errorf("%s of %v scaled to %v by %v and %v: % x, want %v", name, a, want, scale, offset, got,
				all.array())
		}
	}

	// Writing: the memory of two copies of a must be the same.
	values := c.values(randomMemory(r.Uint64(), a.Size()*want.ItemSize()), a.Shape())
	values = c.values(values.collect(), a.Shape()) // every bool becomes 0 or 1
	stored = slices.Collect(must(Cast[float64](values.array())).Values())
	for i, x := range stored {
		stored[i] = slowRounded(have, (x-offset)/scale)
	}
	copied := func() Array { return must(a.Clone(index.C)) }
	expected := copied()
	must(0, Copy(expected, must(must(FromSlice(stored)).Array().Reshape(a.Shape()...))))
	for name, write := range writings {
		a := copied()
		write(must(c.scaled(a, scale, offset)), values)
		x, y := strided.Slice[byte](a.view.P, a.NBytes()), strided.Slice[byte](expected.view.P, a.NBytes())
		if !bytes.Equal(x, y) {
			return fmt.Errorf("%s through %v scaled to %v by %v and %v of %v: % x, want % x", name, have, want, scale, offset,
				values.array(), x, y)
		}
	}
	return nil
}

// TestScaledBack tests that elements that are read and stored again are unchanged, and that numbers out of range become
// the nearest representable ones.
func TestScaledBack(t *testing.T) {
	s := make([]int16, 1<<16)
	for i := range s {
		s[i] = int16(i)
	}
	a := must(FromSlice(slices.Clone(s))).Array()
	v := must(Scaled[float32](a, 0.01, 273.15))
	if err := v.CopyFrom(must(v.Clone(index.C))); err != nil || !slices.Equal(must(must(As[int16](a)).Data()),
		s) {
		t.Errorf("%v; elements that were read and stored again differ", err)
	}
	for _, tt := range []struct {
		x    float32
		want int16
	}{{1e9, math.MaxInt16}, {float32(math.Inf(-1)), math.MinInt16}, {float32(math.NaN()), 0}, {273.15, 0}, {273.1749, 2}} {
		if v.SetAt(tt.x, 3); must(As[int16](a)).At(3) != tt.want {
			t.Errorf("%v is stored as %v, want %v", tt.x, must(As[int16](a)).At(3), tt.want)
		}
	}
}

// TestScaledLarge tests that scales too small for float32 are applied in float64.
func TestScaledLarge(t *testing.T) {
	a := must(FromSlice([]float32{1e30, 2e30})).Array()
	for _, scale := range []float64{1e-60, 0x1p-130} {
		v := must(Scaled[float32](a, scale, 0))
		if got, want := v.At(1), float32(float64(float32(2e30))*scale); got != want {
			t.Errorf("scaled by %v: %v, want %v", scale, got, want)
		}
	}
}

// TestScaledReduced tests that reductions, text and JSON use the scaled elements, also of a stack.
func TestScaledReduced(t *testing.T) {
	parts := []Array{must(FromSlice([]uint8{0, 10, 20})).Array(), must(FromSlice([]uint8{30, 40, 50})).Array()}
	for _, a := range []Array{must(Stack(parts...)), must(FromSlice([]uint8{0, 10, 20, 30, 40, 50}, 2, 3)).Array()} {
		v := must(Scaled[float64](a, 0.5, -1))
		lo, hi := MinMax(v)
		q := must(Quantile(v, 0.5))
		n := must(Histogram(v, []float64{-1, 0, 24}))
		total := must(Reduce(v, func(b []float64) (s float64, err error) {
			for _, x := range b {
				s += x
			}
			return s, nil
		}, func(a, b float64) float64 { return a + b }))
		json := string(must(v.MarshalJSON()))
		got := fmt.Sprintln(Sum[float64](v), Mean(v), lo, hi, ArgMax(v), q, n, total, v.Index(1), json)
		if want := "69 11.5 -1 24 5 [11.5] [1 5] 69 [14. 19. 24.] [[-1.0,4.0,9.0],[14.0,19.0,24.0]]\n"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestScaledErrors(t *testing.T) {
	a, c := must(FromSlice([]int16{1})).Array(), must(FromSlice([]complex128{1})).Array()
	text := must(FromBytes(make([]byte, 6), dtype.Bytes(3), index.C, 2))
	times := must(FromBytes(make([]byte, 8), dtype.MustParse("<M8[s]"), index.C, 1))
	of := func(_ any, err error) error { return err }
	for _, tt := range []struct {
		err  error
		want string
	}{
		{of(Scaled[float32](a, 0, 1)), "array: invalid scale 0; want a finite number other than 0"},
		{of(Scaled[float32](a, math.Inf(-1), 1)), "array: invalid scale -Inf; want a finite number other than 0"},
		{of(Scaled[float32](a, math.NaN(), 1)), "array: invalid scale NaN; want a finite number other than 0"},
		{of(Scaled[float32](a, 1, math.NaN())), "array: invalid offset NaN; want a finite number"},
		{of(Scaled[float32](a, 1, math.Inf(1))), "array: invalid offset +Inf; want a finite number"},
		{of(Scaled[float32](text, 1, 0)), of(Cast[float32](text)).Error()},
		{of(Scaled[[3]byte](text, 1, 0)), "array: only real numbers can be scaled: have dtype |S3, want ('|u1', (3,))"},
		{of(Scaled[float32](c, 1, 0)), of(Cast[float32](c)).Error()},
		{of(Scaled[string](a, 1, 0)), of(Cast[string](a)).Error()},
	} {
		if tt.err == nil || tt.err.Error() != tt.want {
			t.Errorf("got  %v\nwant %s", tt.err, tt.want)
		}
	}
	for _, err := range []error{of(Scaled[complex128](a, 1, 0)), of(Scaled[int64](times, 1, 0)), of(Scaled[complex128](c,
		1, 0))} {
		if !errors.Is(err, ErrDType) {
			t.Errorf("%v, want an error that wraps ErrDType", err)
		}
	}
	if _, err := must(Scaled[int16](a, 1, 0)).Data(); !errors.Is(err, ErrNotDirect) {
		t.Errorf("Data: %v", err)
	}
}

// numpyScaled scales an array in NumPy and stores the result again. It clips numbers that are out of range of an
// integer dtype.
const numpyScaled = `
def scaled(c):
    a = np.frombuffer(b64(c["A"]), c["D"])
    T = np.dtype(c["T"]).type
    with np.errstate(all="ignore"):
        v = a.astype(T) * T(c["Scale"]) + T(c["Offset"])
        back = np.rint((v.astype("f8") - c["Offset"]) / c["Scale"])
        if a.dtype.kind in "iu":
            i = np.iinfo(a.dtype)
            back = np.clip(back, i.min, i.max)
        return {"V": v.astype(c["T"]).tobytes(), "Back": back.astype(a.dtype).tobytes()}
`

func TestNumPyScaled(t *testing.T) {
	p := oracle.Start(t)
	if err := p.Run(numpyScaled, nil, nil); err != nil {
		t.Fatal(err)
	}
	r := oracle.Rand(t, 73)
	const n = 300
	for _, name := range []string{"|u1", "|i1", "<i2", ">i2", "<u2", "<i4", ">u4"} {
		d := dtype.MustParse(name)
		a := must(FromBytes(randomMemory(r.Uint64(), n*d.ItemSize()), d, index.C, n))
		for _, single := range []bool{true, false} {
			if single && d.ItemSize() > 2 {
				continue // by default, NumPy computes in float64 in this case
			}
			work := struct {
				A             []byte
				D, T          string
				Scale, Offset float64
			}{slices.Clone(strided.Slice[byte](a.view.P, a.NBytes())), name, dtype.Float64.String(), among(r, 0.01, -3, 1.0/57),
				r.NormFloat64()}
			if single {
				work.T = dtype.Float32.String()
			}
			var want struct{ V, Back []byte }
			if err := p.Eval("scaled(x)", work, &want); err != nil {
				t.Fatal(err)
			}
			var got, back []byte
			if single {
				got, back = readAndStored[float32](a, work.Scale, work.Offset)
			} else {
				got, back = readAndStored[float64](a, work.Scale, work.Offset)
			}
			if !bytes.Equal(got, want.V) || !bytes.Equal(back, want.Back) {
				t.Errorf("%s to %s: equal to NumPy's: read %v, stored %v", name, work.T, bytes.Equal(got, want.V),
					bytes.Equal(back, want.Back))
			}
		}
	}
}

// readAndStored returns the bytes of the scaled elements of a, and the bytes of a copy of a in which these elements
// were stored.
func readAndStored[T float32 | float64](a Array, scale, offset float64) (read, stored []byte) {
	x := must(Scaled[T](a, scale, offset)).Collect()
	b := must(a.Clone(index.C))
	must(Scaled[T](b, scale, offset)).Fill(1)
	must(0, must(Scaled[T](b, scale, offset)).CopyFrom(must(FromSlice(x))))
	return strided.Bytes(x), strided.Slice[byte](b.view.P, b.NBytes())
}

// TestScaledArray tests that Array panics for a Scaled view, because a function that takes an Array would silently use
// the unscaled numbers in memory. The Array of a Clone contains the scaled elements.
func TestScaledArray(t *testing.T) {
	a := must(FromSlice([]int16{1, 2, 3, 4, 5, 6}, 2, 3)).Array()
	want := "array: Array of a Scaled view: its elements are not stored in memory; " +
		"call Clone first, or CopyFrom into a new array"
	for name, v := range map[string]View[float32]{
		"whole":     must(Scaled[float32](a, 2, 10)),
		"by 1":      must(Scaled[float32](a, 1, 0)),
		"same type": must(Scaled[float32](must(FromSlice([]float32{1})).Array(), 2, 10)),
		"part":      must(must(Scaled[float32](a, 2, 10)).Select(index.At(1))),
		"stack":     must(Scaled[float32](must(Stack(a, a)), 2, 10)),
		"of stack":  must(Scaled[float32](must(Stack(a, a)), 2, 10)).Index(1),
	} {
		t.Run(name, func(t *testing.T) {
			if err, ok := panicValue(func() { v.Array() }).(error); !ok || err.Error() != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
			for _, err := range []error{
				second(v.Data()), second(v.Vector()), second(v.Matrix()), second(v.Cube()),
			} {
				if err == nil {
					t.Errorf("%s: access in place to computed elements: no error", name)
				}
			}
		})
	}
	v := must(Scaled[float32](a, 2, 10))
	c := must(v.Clone(index.C)).Array()
	d := must(New(dtype.Float32, index.F, 2, 3))
	must(0, must(As[float32](d.Array)).CopyFrom(v))
	mean := must(Reduction{Op: OpMean}.Of(c))
	if got, want := fmt.Sprint(Mean(v), mean, c, d), fmt.Sprint("17 17.0 [[12. 14. 16.]\n [18. 20. 22.]] ",
		"[[12. 14. 16.]\n [18. 20. 22.]]"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if cast := must(Cast[float32](a)); fmt.Sprint(cast.Array(), cast.Array().DType()) != fmt.Sprint(a, a.DType()) {
		t.Errorf("Array of a Cast: %v %v", cast.Array().DType(), cast.Array())
	}
	// JSON that is too long is an error.
	large := must(Scaled[float32](must(New(dtype.Int8, index.C, 1<<20+1)).Array, 2, 10))
	if _, err := large.MarshalJSON(); err == nil {
		t.Error("JSON that is too long: no error")
	}
}
