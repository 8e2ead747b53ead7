package array

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
)

// A castType is a Go type that arrays are read and written as.
type castType struct {
	d      dtype.DType
	as     func(Array) (goView, error)
	cast   func(Array) (goView, error)
	scaled func(a Array, scale, offset float64) (goView, error)
}

func castTo[T any]() castType {
	view := func(v View[T], err error) (goView, error) { return &chainedView[T]{v: v}, err }
	return castType{
		must(dtype.Of[T]()),
		func(a Array) (goView, error) { return view(As[T](a)) },
		func(a Array) (goView, error) { return view(Cast[T](a)) },
		func(a Array, scale, offset float64) (goView, error) { return view(Scaled[T](a, scale, offset)) },
	}
}

var castTypes = []castType{
	castTo[bool](), castTo[int8](), castTo[int16](), castTo[int32](), castTo[int64](), castTo[int](), castTo[uint8](),
	castTo[uint16](), castTo[uint32](), castTo[uint64](), castTo[dtype.Half](), castTo[float32](), castTo[float64](),
	castTo[complex64](), castTo[complex128](),
}

func TestCast(t *testing.T) {
	r := oracle.Rand(t, 71)
	orders := []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian}
	for n := range oracle.Cases(t, 1000) {
		d := among(r, numbers...).WithByteOrder(among(r, orders...))
		shape := make([]int, r.IntN(4))
		for k := range shape {
			shape[k] = r.IntN(9)
		}
		if len(shape) > 0 && r.IntN(20) == 0 {
			shape[0] = 3000 // several blocks
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
		if err := among(r, castTypes...).testCast(r, a); err != nil {
			t.Fatalf("case %d of NDMAP_SEED=%d: %v %v: %v", n, oracle.Seed(t), d, a.Layout(), err)
		}
	}
}

// values returns an array of the given shape whose elements are the Go values with bytes b.
func (c castType) values(b []byte, shape []int) goView {
	return must(c.as(must(FromBytes(append(strided.Alloc(len(b))[:0], b...), c.d, index.C, shape...))))
}

// equalValues reports whether x and y are the bytes of equal Go values. All NaNs are equal.
func (c castType) equalValues(x, y []byte) bool {
	if bytes.Equal(x, y) || len(x) != len(y) || c.d.Kind() != dtype.KindFloat && c.d.Kind() != dtype.KindComplex {
		return bytes.Equal(x, y)
	}
	numbers := func(b []byte) []complex128 {
		return must(Cast[complex128](c.values(b, []int{len(b) / c.d.ItemSize()}).array())).Collect()
	}
	hasNaN := func(x complex128) bool { return math.IsNaN(real(x)) || math.IsNaN(imag(x)) }
	return slices.EqualFunc(numbers(x), numbers(y), func(x, y complex128) bool { return x == y || hasNaN(x) && hasNaN(y) })
}

// readEveryWay returns the elements of v in C order, as each function that reads elements returns them.
func readEveryWay(v goView) map[string][]byte {
	core := v.viewCore()
	shape := core.Shape()
	values := func(v goView) (s []byte) {
		for x := range v.eachValue() {
			s = append(s, x...)
		}
		return s
	}
	all := map[string][]byte{"Values": values(v), "Collect": v.collect(), "Clone": values(v.clone(index.C)),
		"Clone, F order": values(v.clone(index.F)), "At": nil, "All": nil, "Blocks": nil}
	for idx := range index.All(shape, index.C) {
		all["At"] = append(all["At"], v.get(idx)...)
	}
	for _, x := range v.eachAt(index.C) {
		all["All"] = append(all["All"], x...)
	}
	for b := range v.blocks(index.C) {
		all["Blocks"] = append(all["Blocks"], b...)
	}
	if len(shape) > 0 {
		rows := make([]int, shape[0])
		for i := range rows {
			rows[i] = i
		}
		all["AppendRows"] = v.appendRows(rows)
	}
	return all
}

// writings maps names to the functions that write elements. Each writes the elements of src to v, which has the same
// shape.
var writings = map[string]func(v, src goView){
	"SetAt": func(v, src goView) {
		for idx, x := range src.eachAt(index.C) {
			v.put(x, idx)
		}
	},
	"Update": func(v, src goView) {
		k, all := 0, src.collect()
		for b := range v.updates(index.C) {
			k += copy(b, all[k:])
		}
	},
	"CopyFrom": func(v, src goView) { must(0, v.copyFrom(src)) },
	"Fill": func(v, src goView) {
		for idx, x := range src.eachAt(index.C) {
			sel := make([]index.Selector, len(idx))
			for k := range idx {
				sel[k] = index.At(idx[k])
			}
			v.sel(sel...).fill(x)
		}
	},
	"Map": func(v, src goView) { must(0, v.mapFrom(src)) },
}

// testCast compares reading and writing through a Cast of a with Copy to and from the dtype of the Go type.
func (c castType) testCast(r *rand.Rand, a Array) error {
	want, have := c.d, a.DType()
	v, err := c.cast(a)
	if have.Kind() == dtype.KindComplex && want.Kind() != dtype.KindComplex && want.Kind() != dtype.KindBool {
		if _, ok := err.(*DTypeError); !ok {
			return fmt.Errorf("Cast to %v: %v, want a *DTypeError", want, err)
		}
		return nil
	} else if err != nil {
		return err
	}
	if core := v.viewCore(); !core.DType().Equal(have) || !v.array().DType().Equal(have) ||
		!core.Layout.Equal(a.Layout()) {
		return fmt.Errorf("Cast to %v has dtype %v, shape %v", want, core.DType(), core.Layout)
	}

	// Reading.
	converted := c.values(make([]byte, a.Size()*want.ItemSize()), a.Shape())
	if err := Copy(converted.array(), a); err != nil {
		return err
	}
	all := readEveryWay(converted)["Values"]
	other := c.values(make([]byte, len(all)), a.Shape())
	must(0, other.copyFrom(v))
	read := readEveryWay(v)
	read["CopyFrom"] = other.collect()
	for name, got := range read {
		if !c.equalValues(got, all) {
			return fmt.Errorf("%s of a Cast to %v: % x, want % x", name, want, got, all)
		}
	}

	// Writing: the memory of two copies of a must be the same.
	values := c.values(randomMemory(r.Uint64(), len(all)), a.Shape())
	values = c.values(values.collect(), a.Shape()) // every bool becomes 0 or 1
	copied := func() Array { return must(a.Clone(index.C)) }
	expected := copied()
	if err := Copy(expected, values.array()); err != nil {
		return err
	}
	for name, write := range writings {
		a := copied()
		write(must(c.cast(a)), values)
		x, y := strided.Slice[byte](a.view.P, a.NBytes()), strided.Slice[byte](expected.view.P, a.NBytes())
		if !bytes.Equal(x, y) {
			return fmt.Errorf("%s through a Cast to %v of %v: % x, want % x", name, want, values.array(), x, y)
		}
	}
	return nil
}

// TestCastErrors tests the errors of conversions that do not exist.
func TestCastErrors(t *testing.T) {
	text := must(FromBytes(make([]byte, 8), dtype.Bytes(4), index.C, 2))
	native := strings.NewReplacer("<f8", dtype.Float64.String(), "<c16", dtype.Complex128.String(), "<i2",
		dtype.Int16.String())
	wantErr := func(err error, want string) {
		t.Helper()
		want = native.Replace(want)
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	_, err := Cast[float64](text)
	wantErr(err, "array: have dtype |S4, want <f8")
	_, err = Cast[string](text)
	wantErr(err, "dtype: Go type string has no dtype; want numbers, bool, arrays and structs of them")
	_, err = Cast[float64](must(FromSlice(make([]complex128, 2))).Array())
	wantErr(err,
		"array: cannot convert complex numbers to real numbers; Cast to complex128, or Reinterpret them as real and imaginary parts along a longer last axis: have dtype <c16, want <f8")
	v := must(Cast[float64](must(FromSlice(make([]int16, 2))).Array()))
	_, err = v.Data()
	wantErr(err, "array: elements are not directly accessible: they are converted from dtype <i2 (see Cast and Scaled)")
	_, err = v.Vector()
	wantErr(err, "array: elements are not directly accessible: they are converted from dtype <i2 (see Cast and Scaled)")
}

// TestCastSign tests that integers in native byte order can be accessed in place as the signed or unsigned type of the
// same size.
func TestCastSign(t *testing.T) {
	b := []byte{1, 0xFF, 0x80, 0}
	a := must(FromBytes(b, dtype.Uint8, index.C, 4))
	v := must(Cast[int8](a))
	data, err := v.Data()
	if err != nil || !slices.Equal(data, []int8{1, -1, -128, 0}) {
		t.Fatalf("%v, %v", data, err)
	}
	data[0] = -2
	vector := must(v.Vector())
	vector.SetAt(-3, 3)
	if want := []byte{0xFE, 0xFF, 0x80, 0xFD}; !bytes.Equal(b, want) || v.DType() != dtype.Uint8 {
		t.Errorf("% x of %v, want % x", b, v.DType(), want)
	}
	order := dtype.BigEndian
	if dtype.Native == order {
		order = dtype.LittleEndian
	}
	foreign := must(Cast[int32](must(FromBytes(b, dtype.Uint32.WithByteOrder(order), index.C, 1))))
	if _, err := foreign.Data(); !errors.Is(err, ErrNotDirect) {
		t.Errorf("of foreign byte order: %v", err)
	}
}

// TestCastStack tests that a Cast of a stack converts the elements of all members.
func TestCastStack(t *testing.T) {
	a, _ := shardFiles(t, dtype.Int32.WithByteOrder(dtype.BigEndian), index.F, 5, 3, 4)
	for _, a := range []Array{a, a.T()} {
		v := must(Cast[float64](a))
		i := 0
		for idx := range index.All(a.Shape(), index.C) {
			v.SetAt(float64(i)+0.5, idx...)
			i++
		}
		i = 0
		for _, x := range must(As[int32](v.Array())).All(index.C) {
			if x != int32(i) {
				t.Fatalf("element %d is %d", i, x)
			}
			i++
		}
		v.Fill(-2.5)
		if got := Sum[float64](v); got != -2*5*3*4 {
			t.Errorf("the sum is %v", got)
		}
	}
}

// TestCastStackOverlap tests copies between Casts of a stack that share memory. The result must be as if the elements
// were copied to other memory first.
func TestCastStackOverlap(t *testing.T) {
	var parts []Array
	for k := range int32(3) {
		parts = append(parts, must(FromSlice([]int32{10 * k, 10*k + 1, 10*k + 2})).Array())
	}
	v := must(Cast[float64](must(Stack(parts...))))
	if err := v.CopyFrom(must(v.Select(index.Reverse()))); err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Collect(v.Values()), []float64{20, 21, 22, 10, 11, 12, 0, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
