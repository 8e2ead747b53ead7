package array

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
)

// castTo holds Cast[T] of arrays against Copy to the dtype of T, both ways.
type castTo func(r *rand.Rand, a Array) error

var castTypes = []castTo{
	castAs[bool], castAs[int8], castAs[int16], castAs[int32], castAs[int64], castAs[int], castAs[uint8], castAs[uint16],
	castAs[uint32],
	castAs[uint64], castAs[uint], castAs[dtype.Half], castAs[float32], castAs[float64], castAs[complex64],
	castAs[complex128],
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
		mem := randomMemory(r.Uint64(), off+index0(shape)*d.ItemSize())
		a := must(FromBytes(mem[off:], d, among(r, index.C, index.F), shape...))
		if r.IntN(2) == 0 && len(shape) > 1 {
			a = a.T()
		}
		if r.IntN(2) == 0 && len(shape) > 0 {
			a = must(a.Select(index.Every(among(r, -1, 2, -2))))
		}
		if err := among(r, castTypes...)(r, a); err != nil {
			t.Fatalf("case %d of NDMAP_SEED=%d: %v %v: %v", n, oracle.Seed(t), d, a.Layout(), err)
		}
	}
}

func castAs[T comparable](r *rand.Rand, a Array) error {
	want, have := must(dtype.Of[T]()), a.DType()
	v, err := Cast[T](a)
	if have.Kind() == dtype.KindComplex && want.Kind() != dtype.KindComplex && want.Kind() != dtype.KindBool {
		if _, ok := err.(*DTypeError); !ok {
			return fmt.Errorf("Cast to %v: %v, want a *DTypeError", want, err)
		}
		return nil
	} else if err != nil {
		return err
	}
	if !v.DType().Equal(have) || !v.Array().DType().Equal(have) || !v.Layout().Equal(a.Layout()) {
		return fmt.Errorf("Cast to %v has dtype %v, shape %v", want, v.DType(), v.Layout())
	}

	// Reading.
	converted := must(As[T](must(FromBytes(strided.Alloc(a.Size()*want.ItemSize()), want, index.C, a.Shape()...))))
	if err := Copy(converted.Array(), a); err != nil {
		return err
	}
	same := func(x, y T) bool { return x == y || x != x && y != y }
	all := slices.Collect(converted.Values())
	read := map[string]func() []T{
		"Values": func() []T { return slices.Collect(v.Values()) },
		"At": func() (s []T) {
			for idx := range index.All(a.Shape(), index.C) {
				s = append(s, v.At(idx...))
			}
			return s
		},
		"All": func() (s []T) {
			for _, x := range v.All(index.C) {
				s = append(s, x)
			}
			return s
		},
		"Blocks": func() (s []T) {
			for b := range v.Blocks(index.C) {
				s = append(s, b...)
			}
			return s
		},
		"Clone": func() []T { return slices.Collect(must(v.Clone(index.C)).Values()) },
		"CopyFrom": func() []T {
			w := must(must(FromSlice(make([]T, a.Size()))).Reshape(a.Shape()...))
			must(0, w.CopyFrom(v))
			return slices.Collect(w.Values())
		},
		"AppendRows": func() []T {
			if a.NDim() == 0 {
				return all
			}
			rows := make([]int, a.Len(0))
			for i := range rows {
				rows[i] = i
			}
			return must(v.AppendRows(nil, rows))
		},
	}
	for name, f := range read {
		if got := f(); !slices.EqualFunc(got, all, same) {
			return fmt.Errorf("%s of a Cast to %v: %v, want %v", name, want, got, all)
		}
	}

	// Writing: the memory of two copies of a must be the same.
	values := must(As[T](must(FromBytes(randomMemory(r.Uint64(), a.Size()*want.ItemSize()), want, index.C,
		a.Shape()...))))
	values = must(must(FromSlice(slices.Collect(values.Values()))).Reshape(a.Shape()...)) // no bool is 2
	copied := func() Array { return must(a.Clone(index.C)) }
	expected := copied()
	if err := Copy(expected, values.Array()); err != nil {
		return err
	}
	write := map[string]func(v View[T]){
		"SetAt": func(v View[T]) {
			for idx, x := range values.All(index.C) {
				v.SetAt(x, idx...)
			}
		},
		"Update": func(v View[T]) {
			k := 0
			all := slices.Collect(values.Values())
			for b := range v.Update(index.C) {
				k += copy(b, all[k:])
			}
		},
		"CopyFrom": func(v View[T]) { must(0, v.CopyFrom(values)) },
		"Fill": func(v View[T]) {
			for idx, x := range values.All(index.C) {
				sel := make([]index.Selector, len(idx))
				for k := range idx {
					sel[k] = index.At(idx[k])
				}
				must(v.Select(sel...)).Fill(x)
			}
		},
	}
	for name, f := range write {
		a := copied()
		f(must(Cast[T](a)))
		x, y := strided.Slice[byte](a.view.P, a.NBytes()), strided.Slice[byte](expected.view.P, a.NBytes())
		if !bytes.Equal(x, y) {
			return fmt.Errorf("%s through a Cast to %v of %v: % x, want % x", name, want, values, x, y)
		}
	}
	return nil
}

// What does not convert says why.
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
		"array: complex numbers do not become real ones; Reinterpret has their real and imaginary parts as a longer last axis; or Cast to complex128: have dtype <c16, want <f8")
	v := must(Cast[float64](must(FromSlice(make([]int16, 2))).Array()))
	_, err = v.Data()
	wantErr(err, "array: elements are not directly accessible: they are converted from dtype <i2 (see Cast and Scaled)")
	_, err = v.Vector()
	wantErr(err, "array: elements are not directly accessible: they are converted from dtype <i2 (see Cast and Scaled)")
}

// Integers of the same size are Go values in memory whether they have a sign or not, where they
// have the byte order of the machine.
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

// A Cast of a stack converts in all of its parts.
func TestCastStack(t *testing.T) {
	a, _ := shards(t, dtype.Int32.WithByteOrder(dtype.BigEndian), index.F, 5, 3, 4)
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

// Casts of a stack that share memory are copied as if there were another memory in
// between, with the conversions that they have.
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
