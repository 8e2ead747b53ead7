package array

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
)

// TestCopyToSlice copies views of every kind of element to a slice by CopyFrom, Collect and AppendTo.
func TestCopyToSlice(t *testing.T) {
	testCopyToSlice[float64](t, dtype.MustParse(">f8"))
	testCopyToSlice[bool](t, dtype.Bool)
	testCopyToSlice[dtype.Half](t, dtype.MustParse(">f2"))
	testCopyToSlice[complex64](t, dtype.MustParse("<c8"))
	testCopyToSlice[int64](t, dtype.MustParse(">M8[ns]"))
	testCopyToSlice[[5]byte](t, dtype.Bytes(5))
	testCopyToSlice[[3]byte](t, dtype.Void(3))
	testCopyToSlice[[2]uint32](t, dtype.MustParse(">U2"))
	testCopyToSlice[[16]byte](t, dtype.MustParse("<f16"))
	// The Go type of a particle represents text and bytes as arrays of numbers.
	testCopyToSlice[particle](t, dtype.MustParse(particleDescr).WithByteOrder(dtype.BigEndian))
}

func testCopyToSlice[T any](t *testing.T, d dtype.DType) {
	t.Helper()
	b := make([]byte, 24*d.ItemSize()+1)
	for i := range b {
		b[i] = byte(i % 32)
		if d.Kind() == dtype.KindBool {
			b[i] %= 2
		}
	}
	v := must(As[T](must(FromBytes(b[1:], d, index.C, 2, 3, 4)))) // not aligned
	for name, v := range map[string]View[T]{
		"all": v, "F order": v.T(), "part": pick(v, "::-1, :, 1::2"), "one": v.Index(1).Index(2).Index(3), "none": pick(v,
			":0"),
	} {
		s := make([]T, v.Size())
		w, err := FromSlice(s, v.Shape()...)
		if err == nil {
			err = w.CopyFrom(v)
		}
		if want := slices.Collect(v.Values()); err != nil || len(s) > 0 && !reflect.DeepEqual(s, want) {
			t.Errorf("%v, %s: %v and %v; want %v", d, name, err, s, want)
		}
		got := v.Collect()
		if got == nil || len(s) > 0 && !reflect.DeepEqual(got, s) {
			t.Errorf("%v, %s: Collect returns %v, want %v", d, name, got, s)
		}
		room := append(make([]T, 0, 2*len(s)+1), v.Collect()...)
		if more := v.AppendTo(room); &more[:1][0] != &room[:1][0] || len(s) > 0 && !reflect.DeepEqual(more,
			append(slices.Clone(s), s...)) {
			t.Errorf("%v, %s: AppendTo returns %v", d, name, more)
		}
	}
}

// TestCollect tests converted elements, joined arrays, broadcast views, shared memory, bools that are neither 0 nor 1,
// and arrays large enough for several goroutines.
func TestCollect(t *testing.T) {
	a := sequence(">i2", index.F, 0, 2, 3)
	if got := must(Cast[float32](a)).Collect(); !slices.Equal(got,
		slices.Collect(must(Cast[float32](a)).Values())) ||
		len(got) != 6 {
		t.Errorf("cast: %v", got)
	}
	stack := must(Stack(a, a))
	if got := must(As[int16](stack)).Collect(); !slices.Equal(got,
		slices.Collect(must(As[int16](stack)).Values())) ||
		len(got) != 12 {
		t.Errorf("stack: %v", got)
	}
	if got := must(must(As[int16](a.Index(0))).Broadcast(2, 3)).Collect(); len(got) != 6 || !slices.Equal(got[:3],
		got[3:]) {
		t.Errorf("broadcast: %v", got)
	}
	s := []int32{1, 2, 3, 4, 5, 6}
	v := must(must(FromSlice(s[2:], 2, 2)).Transpose())
	if got := v.AppendTo(s[:1]); !slices.Equal(got, []int32{1, 3, 5, 4, 6}) || &got[0] != &s[0] {
		t.Errorf("shared: %v", got)
	}
	odd := must(As[bool](must(FromBytes([]byte{0, 1, 2, 255}, dtype.Bool, index.C, 4))))
	for i, x := range odd.Collect() {
		if n := *(*byte)(pointer(&x)); n != byte(min(i, 1)) {
			t.Errorf("bool %d is the byte %d", i, n)
		}
	}
	large := must(FromSlice(make([]float64, 1<<18), 512, 512))
	for i := range 512 {
		large.SetAt(float64(i), i, 511-i)
	}
	if got := large.Collect(); !slices.Equal(got, must(large.Data())) || &got[0] == &must(large.Data())[0] {
		t.Error("large: wrong elements, or shared memory")
	}
	if got := large.T().Collect(); !slices.Equal(got, slices.Collect(large.T().Values())) {
		t.Error("large, F order: wrong elements")
	}
	if got := must(New(dtype.Float64, index.C, 0, 3)); must(As[float64](got.Array)).Collect() == nil ||
		must(As[float64](got.Array)).AppendTo(nil) == nil {
		t.Error("Collect or AppendTo returns nil for no elements")
	}
}

// TestAsType compares AsType with a Copy to new memory.
func TestAsType(t *testing.T) {
	r := oracle.Rand(t, 42)
	for range oracle.Cases(t, 500) {
		c := randomStream(r)
		order := among(r, index.C, index.F, index.K)
		got, err := c.a.AsType(c.other, order)
		check(t, err)
		want := must(FromBytes(make([]byte, c.a.Size()*c.other.ItemSize()), c.other, index.C, c.a.Shape()...))
		check(t, Copy(want, c.a))
		if err := sameBytes(want, got); err != nil || !got.Contiguous(order) || got.ReadOnly() {
			t.Fatalf("%+v to %v, order %v: %v, %+v", c.a, c.other, order, err, got)
		}
		if order == index.K && !slices.Equal(strided.AxesByStride(got.Layout()),
			strided.AxesByStride(must(c.a.Clone(index.K)).Layout())) &&
			c.a.ItemSize() > 0 {
			t.Fatalf("%v of %v", got.Strides(), c.a.Strides())
		}
	}
	a := sequence("<i4", index.C, 1, 2)
	if _, err := a.AsType(dtype.DType{}, index.C); err == nil ||
		err.Error() != "array: the zero DType is invalid" {
		t.Error(err)
	}
	if _, err := a.AsType(dtype.Int32, 9); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
	if _, err := a.AsType(dtype.Bytes(3), index.C); func() bool {
		_, ok := errors.AsType[*DTypeError](err)
		return !ok
	}() {
		t.Error(err)
	}
	huge := must(must(FromSlice([]int8{1})).Array().Broadcast(math.MaxInt/2 + 1))
	if _, err := huge.AsType(dtype.Int64, index.C); !errors.Is(err, ErrShape) {
		t.Error(err)
	}
}
