package array

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
)

// The tests in this file apply random chains of operations to random arrays and compare the results with slow.
// TestNumPyChains compares them with NumPy.

// A goView is a View whose elements are the bytes of Go values. Its methods are compiled for every Go type and are
// therefore short; the tests are methods and functions without type parameters.
type goView interface {
	viewCore() *nd.View
	array() Array
	applyOp(o op) (goView, error)
	sel(sel ...index.Selector) goView
	get(idx []int) []byte
	put(b []byte, idx []int)
	fill(b []byte)
	eachValue() iter.Seq[[]byte]
	eachAt(order index.Order) iter.Seq2[[]int, []byte]
	blocks(order index.Order) iter.Seq[[]byte]
	updates(order index.Order) iter.Seq[[]byte]
	split(n int) (values int)
	data() ([]byte, error)
	collect() []byte
	appendRows(rows []int) []byte
	clone(order index.Order) goView
	copyFrom(src goView) error
	mapFrom(src goView) error
	vector() (access func(i int), n int, err error)
	matrix() (access func(i, j int), row func(i int) ([]byte, bool), dims [2]int, err error)
	cube() (access func(i, j, k int), dims [3]int, err error)
}

type chainedView[T any] struct {
	v   View[T]
	ops func(View[T], op) (View[T], error) // apply or viaArray
}

func (c *chainedView[T]) viewCore() *nd.View { return &c.v.view }
func (c *chainedView[T]) array() Array       { return c.v.Array() }
func (c *chainedView[T]) sel(sel ...index.Selector) goView {
	return &chainedView[T]{v: must(c.v.Select(sel...))}
}
func (c *chainedView[T]) get(idx []int) []byte    { return strided.Bytes([]T{c.v.At(idx...)}) }
func (c *chainedView[T]) put(b []byte, idx []int) { c.v.SetAt(goValue[T](b), idx...) }
func (c *chainedView[T]) fill(b []byte)           { c.v.Fill(goValue[T](b)) }
func (c *chainedView[T]) collect() []byte         { return strided.Bytes(c.v.Collect()) }
func (c *chainedView[T]) appendRows(rows []int) []byte {
	return strided.Bytes(must(c.v.AppendRows(nil, rows)))
}
func (c *chainedView[T]) clone(order index.Order) goView {
	return &chainedView[T]{v: must(c.v.Clone(order))}
}
func (c *chainedView[T]) copyFrom(src goView) error { return c.v.CopyFrom(src.(*chainedView[T]).v) }
func (c *chainedView[T]) applyOp(o op) (goView, error) {
	w, err := c.ops(c.v, o)
	return &chainedView[T]{w, c.ops}, err
}

func (c *chainedView[T]) eachValue() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for x := range c.v.Values() {
			if !yield(strided.Bytes([]T{x})) {
				return
			}
		}
	}
}

func (c *chainedView[T]) eachAt(order index.Order) iter.Seq2[[]int, []byte] {
	return func(yield func([]int, []byte) bool) {
		for idx, x := range c.v.All(order) {
			if !yield(idx, strided.Bytes([]T{x})) {
				return
			}
		}
	}
}

func (c *chainedView[T]) blocks(order index.Order) iter.Seq[[]byte] {
	return bytesOf(c.v.Blocks(order))
}
func (c *chainedView[T]) updates(order index.Order) iter.Seq[[]byte] {
	return bytesOf(c.v.Update(order))
}

// bytesOf yields the memory of the slices that seq yields.
func bytesOf[T any](seq iter.Seq[[]T]) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for s := range seq {
			if !yield(strided.Bytes(s)) {
				return
			}
		}
	}
}

func (c *chainedView[T]) split(n int) (values int) {
	for _, part := range c.v.Split(n) {
		for range part.Values() {
			values++
		}
	}
	return values
}

func (c *chainedView[T]) data() ([]byte, error) {
	s, err := c.v.Data()
	return strided.Bytes(s), err
}

func (c *chainedView[T]) mapFrom(src goView) error {
	return Map(c.v, src.(*chainedView[T]).v, func(dst, src []T) error { copy(dst, src); return nil })
}

// The functions that vector, matrix and cube return read an element, and set it again unless the view is read-only.

func (c *chainedView[T]) vector() (access func(i int), n int, err error) {
	w, err := c.v.Vector()
	return func(i int) {
		if x := w.At(i); !c.v.ReadOnly() {
			w.SetAt(x, i)
		}
	}, w.Len(), err
}

func (c *chainedView[T]) matrix() (access func(i, j int), row func(i int) ([]byte, bool), dims [2]int, err error) {
	m, err := c.v.Matrix()
	dims[0], dims[1] = m.Dims()
	return func(i, j int) {
			if x := m.At(i, j); !c.v.ReadOnly() {
				m.SetAt(x, i, j)
			}
		}, func(i int) ([]byte, bool) {
			s, ok := m.Row(i)
			return strided.Bytes(s), ok
		}, dims, err
}

func (c *chainedView[T]) cube() (access func(i, j, k int), dims [3]int, err error) {
	m, err := c.v.Cube()
	dims[0], dims[1], dims[2] = m.Dims()
	return func(i, j, k int) {
		if x := m.At(i, j, k); !c.v.ReadOnly() {
			m.SetAt(x, i, j, k)
		}
	}, dims, err
}

// goValue returns the value whose bytes are b.
func goValue[T any](b []byte) T {
	s := make([]T, 1)
	if copy(strided.Bytes(s), b) != len(b) {
		panic("wrong number of bytes for the type")
	}
	return s[0]
}

// fileBytes converts an element of dtype d between its bytes in the file and the bytes of the Go value. It is its own
// inverse.
func fileBytes(d dtype.DType, b []byte) []byte {
	n := d.ItemSize() // size of a number
	switch d.Kind() {
	case dtype.KindComplex:
		n /= 2
	case dtype.KindUnicode:
		n = 4
	}
	if d.IsNative() || n < 2 {
		return b
	}
	b = slices.Clone(b)
	for number := range slices.Chunk(b, n) {
		slices.Reverse(number)
	}
	return b
}

// decode returns the Go value of an element with bytes b. It is the inverse of encode.
func decode[T any](d dtype.DType, b []byte) (x T) {
	order := binary.ByteOrder(binary.LittleEndian)
	if d.ByteOrder() == dtype.BigEndian {
		order = binary.BigEndian
	}
	if err := binary.Read(bytes.NewReader(b), order, &x); err != nil {
		panic(err)
	}
	return x
}

// chainOn returns a as an untypedView whose operations are applied to the Array.
func chainOn[T any](a Array) (untypedView, error) {
	v, err := As[T](a)
	return untypedView{&chainedView[T]{v, viaArray[T]}}, err
}

// viewOn returns a as an untypedView whose operations are applied to the View.
func viewOn[T any](a Array) (untypedView, error) {
	v, err := As[T](a)
	return untypedView{&chainedView[T]{v, apply[T]}}, err
}

// chainTypes are dtypes with their Go types. The tests use both byte orders of each dtype.
var chainTypes = []struct {
	descr string
	on    func(Array) (untypedView, error)
}{
	{"|b1", viewOn[bool]},
	{"|i1", chainOn[int8]}, {"<i2", viewOn[int16]}, {"<i4", chainOn[int32]}, {"<i8", chainOn[int64]},
	{"|u1", viewOn[uint8]}, {"<u2", chainOn[uint16]}, {"<u4", chainOn[uint32]}, {"<u8", chainOn[uint64]},
	{"<f2", chainOn[dtype.Half]}, {"<f4", chainOn[float32]}, {"<f8", viewOn[float64]},
	{"<c8", viewOn[complex64]}, {"<c16", chainOn[complex128]},
	{"|S3", viewOn[[3]byte]}, {"<U2", chainOn[[2]uint32]}, {"|V5", chainOn[[5]byte]}, {"<M8[us]", chainOn[int64]},
}

// A baseArray is the array that a chain starts from. It lies in a larger memory.
type baseArray struct {
	descr string
	off   int
	order index.Order
	shape []int
	on    func(Array) (untypedView, error)
}

func (b baseArray) String() string {
	return fmt.Sprintf("%s at byte %d, order %v, shape %v", b.descr, b.off, b.order, b.shape)
}

// onMemory returns b, in the memory mem, as an untypedView and as a slowView.
func (b baseArray) onMemory(mem []byte) (untypedView, slowView) {
	d := dtype.MustParse(b.descr)
	a := must(FromBytes(mem[b.off:], d, b.order, b.shape...))
	return must(b.on(a)), newSlowView(b.shape, d.ItemSize(), b.order, b.off)
}

// elementBytes returns the bytes of an element as At must return them: a bool is 0 or 1.
func elementBytes(d dtype.DType, mem []byte, at int) []byte {
	b := mem[at : at+d.ItemSize()]
	if d.Kind() == dtype.KindBool && b[0] > 1 {
		return []byte{1}
	}
	return b
}

// checkAgrees compares all properties and elements of v with s.
func checkAgrees(v untypedView, s slowView, mem []byte, stack bool) error {
	c := v.viewCore()
	d := c.DType()
	if got := c.Shape(); !slices.Equal(got, s.shape) {
		return fmt.Errorf("shape %v, want %v", got, s.shape)
	}
	if c.NDim() != len(s.shape) || c.Size() != s.size() || c.NBytes() != s.size()*d.ItemSize() {
		return fmt.Errorf("NDim %d, Size %d, NBytes %d", c.NDim(), c.Size(), c.NBytes())
	}
	if c.ReadOnly() != s.readOnly {
		return fmt.Errorf("ReadOnly %v", c.ReadOnly())
	}
	if !stack {
		for _, order := range []index.Order{index.C, index.F} {
			if got, want := c.Contiguous(order), s.contiguous(order, d.ItemSize()); got != want {
				return fmt.Errorf("contiguous in order %v: %v, want %v", order, got, want)
			}
		}
	}
	k := 0
	for idx := range slowIndices(s.shape) {
		if got, want := v.at(idx), elementBytes(d, mem, s.at[k]); !bytes.Equal(got, want) {
			return fmt.Errorf("At(%v) is %x, want %x", idx, got, want)
		}
		k++
	}
	k = 0
	for got := range v.values() {
		if want := elementBytes(d, mem, s.at[k]); !bytes.Equal(got, want) {
			return fmt.Errorf("element %d of Values is %x, want %x", k, got, want)
		}
		k++
	}
	if k != s.size() {
		return fmt.Errorf("Values has %d elements, want %d", k, s.size())
	}
	for _, order := range []index.Order{index.C, index.F} {
		k = 0
		want := slowIndices(s.shape)
		if order == index.F { // C order of the reversed axes
			want = slowIndices(reversed(s.shape))
		}
		next, stop := iter.Pull(iter.Seq[[]int](want))
		defer stop()
		for idx, got := range v.all(order) {
			at, ok := next()
			if order == index.F {
				at = reversed(at)
			}
			if !ok || !slices.Equal(idx, at) {
				return fmt.Errorf("All(%v) is at %v, want %v", order, idx, at)
			}
			if want := elementBytes(d, mem, s.elem(at)); !bytes.Equal(got, want) {
				return fmt.Errorf("All(%v) at %v is %x, want %x", order, idx, got, want)
			}
			k++
		}
		if k != s.size() {
			return fmt.Errorf("All(%v) has %d elements, want %d", order, k, s.size())
		}
	}
	return nil
}

func reversed(s []int) []int {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}

// checkWrite sets a random element, and checks that nothing else changed.
func checkWrite(r *rand.Rand, v untypedView, s slowView, mem []byte) error {
	if s.readOnly || s.size() == 0 {
		return nil
	}
	d := v.viewCore().DType()
	idx := make([]int, len(s.shape))
	for axis, n := range s.shape {
		idx[axis] = r.IntN(n)
	}
	x := make([]byte, d.ItemSize())
	for k := range x {
		x[k] = byte(r.Uint32()) & 1 // no NaN, and valid Go booleans
	}
	want := slices.Clone(mem)
	copy(want[s.elem(idx):], x)
	v.set(idx, x)
	if !bytes.Equal(mem, want) {
		return fmt.Errorf("SetAt(%x) at %v, byte %d, changed the wrong bytes", x, idx, s.elem(idx))
	}
	return nil
}

func TestChains(t *testing.T) {
	oracle.OneGoroutine(t)
	seed := oracle.Seed(t)
	mem := randomMemory(seed, 64+2*maxElements*16)
	done, refused := map[string]int{}, map[string]int{}
	for n := range uint64(oracle.Cases(t, 2500)) {
		r := rand.New(rand.NewPCG(seed, n+1))
		b := randomBase(r)
		v, s := b.onMemory(mem)
		steps := []string{b.String()}
		fail := func(err error) {
			t.Helper()
			t.Fatalf("chain %d of NDMAP_SEED=%d: %v\n%s", n, seed, err, strings.Join(steps, "\n"))
		}
		if err := checkAgrees(v, s, mem, false); err != nil {
			fail(err)
		}
		for range 1 + r.IntN(6) {
			o := randomOp(r, s.shape)
			steps = append(steps, o.String())
			w, err := v.apply(o)
			want, ok := s.apply(o)
			if (err == nil) != ok {
				fail(fmt.Errorf("error %v, want %v", err, !ok))
			}
			if !ok {
				steps = append(steps, "    # "+err.Error())
				refused[o.name]++
				continue
			}
			v, s = w, want
			done[o.name]++
			if err := checkAgrees(v, s, mem, false); err != nil {
				fail(err)
			}
		}
		if err := checkWrite(r, v, s, mem); err != nil {
			fail(err)
		}
	}
	for _, name := range []string{"select", "index", "part", "transpose", "reshape", "broadcast", "squeeze", "diagonal",
		"moveaxis", "expanddims"} {
		t.Logf("%-10s %6d done, %5d refused", name, done[name], refused[name])
	}
}

// TestStackChains applies random chains of operations to a stack of arrays at random places of the memory, and compares
// the results with slow. Reshape may refuse a stack although a view with strides could be reshaped.
func TestStackChains(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	seed := oracle.Seed(t)
	mem := randomMemory(seed, 5*(64+maxElements*16))
	for n := range uint64(oracle.Cases(t, 1000)) {
		r := rand.New(rand.NewPCG(seed, n+1))
		b := randomBase(r)
		size := dtype.MustParse(b.descr).ItemSize()
		parts := make([]Array, 1+r.IntN(4))
		s := slowView{shape: slices.Insert(slices.Clone(b.shape), 0, len(parts))}
		for k, slot := range r.Perm(5)[:len(parts)] {
			at := slot*(64+maxElements*16) + b.off
			parts[k] = must(FromBytes(mem[at:], dtype.MustParse(b.descr), b.order, b.shape...))
			s.at = append(s.at, newSlowView(b.shape, size, b.order, at).at...)
		}
		v := must(b.on(must(Stack(parts...))))
		steps := []string{fmt.Sprintf("%d times %v", len(parts), b)}
		fail := func(err error) {
			t.Helper()
			t.Fatalf("chain %d of NDMAP_SEED=%d: %v\n%s", n, seed, err, strings.Join(steps, "\n"))
		}
		if err := checkAgrees(v, s, mem, true); err != nil {
			fail(err)
		}
		for range 1 + r.IntN(6) {
			o := randomOp(r, s.shape)
			steps = append(steps, o.String())
			w, err := v.apply(o)
			want, ok := s.apply(o)
			if o.name == "reshape" && (err == nil || errors.Is(err, ErrCopy)) {
				ok = err == nil
			}
			if (err == nil) != ok {
				fail(fmt.Errorf("error %v, want %v", err, !ok))
			}
			if !ok {
				continue
			}
			v, s = w, want
			if err := checkAgrees(v, s, mem, true); err != nil {
				fail(err)
			}
		}
		if err := errors.Join(checkWrite(r, v, s, mem), copyAll(v), checkAgrees(v, s, mem, true)); err != nil {
			fail(err)
		}
	}
}
