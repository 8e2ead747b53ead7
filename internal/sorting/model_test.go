package sorting

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// A column is an array of one dimension for tests.
type column struct {
	d    dtype.DType
	mem  []byte
	view nd.View
	nd.Array
}

// newColumn returns a column of the n elements of d that start at byte first of mem, stride bytes apart.
func newColumn(d dtype.DType, mem []byte, n, first, stride int) column {
	lay := nd.Must(index.Strided([]int{n}, []int{stride}))
	v := nd.Must(new(nd.Backing).Init(strided.Memory{Base: strided.Start(mem), Size: len(mem)}, d, first, lay))
	a, _ := v.Plain()
	return column{d, mem, v, a}
}

// at returns the bytes of element i, in native byte order.
func (c *column) at(i int) []byte {
	p := strided.Add(c.P, i*c.Layout.Stride(0))
	b := slices.Clone(strided.Slice[byte](p, c.d.ItemSize()))
	if !c.d.IsNative() {
		size := len(b)
		switch c.d.Kind() {
		case dtype.KindComplex:
			size /= 2
		case dtype.KindUnicode:
			size = 4
		}
		for part := range slices.Chunk(b, max(1, size)) {
			slices.Reverse(part)
		}
	}
	return b
}

// compareModel compares two elements by the rules that NumPy documents, one dtype after another. In descending order,
// NaN and NaT come last, too.
func compareModel(d dtype.DType, x, y []byte, descending bool) int {
	nan := cmp.Compare(nanClass(d, x), nanClass(d, y))
	c := compareValues(d, x, y)
	if descending {
		c = -c
	}
	return cmp.Or(nan, c)
}

// nanClass returns which of the numbers of x are NaN, or NaT: 2 for a real number, plus 1 for an imaginary one.
func nanClass(d dtype.DType, x []byte) (class int) {
	isNaN := func(f float64) bool { return f != f }
	switch kind := d.Kind(); {
	case elem.IsTime(d):
		isNaN = func(float64) bool { return signed(x) == math.MinInt64 }
	case kind == dtype.KindComplex:
		if isNaN(float(d, x[len(x)/2:])) {
			class = 1
		}
		x = x[:len(x)/2]
	case !elem.IsFloat(d):
		return 0
	}
	if isNaN(float(d, x)) {
		class += 2
	}
	return class
}

// compareValues compares two elements of the same nanClass.
func compareValues(d dtype.DType, x, y []byte) int {
	switch d.Kind() {
	case dtype.KindBool:
		return cmp.Compare(min(x[0], 1), min(y[0], 1))
	case dtype.KindInt, dtype.KindDatetime, dtype.KindTimedelta:
		return cmp.Compare(signed(x), signed(y))
	case dtype.KindUint:
		return cmp.Compare(unsigned(x), unsigned(y))
	case dtype.KindComplex:
		half := len(x) / 2
		return cmp.Or(compareFloats(float(d, x[:half]), float(d, y[:half])),
			compareFloats(float(d, x[half:]), float(d, y[half:])))
	case dtype.KindBytes:
		return bytes.Compare(x, y)
	case dtype.KindUnicode:
		for i := 0; i < len(x); i += 4 {
			if c := cmp.Compare(unsigned(x[i:i+4]), unsigned(y[i:i+4])); c != 0 {
				return c
			}
		}
		return 0
	}
	return compareFloats(float(d, x), float(d, y))
}

// compareFloats compares numbers, or two NaN.
func compareFloats(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func unsigned(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.NativeEndian.Uint16(b))
	case 4:
		return uint64(binary.NativeEndian.Uint32(b))
	}
	return binary.NativeEndian.Uint64(b)
}

func signed(b []byte) int64 { return int64(unsigned(b)<<(64-8*len(b))) >> (64 - 8*len(b)) }

// float returns the float of dtype d, or of a part of a complex number, in b.
func float(d dtype.DType, b []byte) float64 {
	switch w := unsigned(b); {
	case d == dtype.Float8E4M3FN:
		return dtype.F8E4M3FN(w).Float64()
	case d == dtype.Float8E5M2:
		return dtype.F8E5M2(w).Float64()
	case d.Kind() == dtype.KindBFloat16:
		return dtype.BF16(w).Float64()
	case len(b) == 2:
		return dtype.Half(w).Float64()
	case len(b) == 4:
		return float64(math.Float32frombits(uint32(w)))
	default:
		return math.Float64frombits(w)
	}
}

// argSortModel sorts one position after another by comparisons.
func argSortModel(c *column, descending bool) []int {
	order := make([]int, c.Layout.Len(0))
	elements := make([][]byte, len(order))
	for i := range order {
		order[i], elements[i] = i, c.at(i)
	}
	sort.SliceStable(order, func(i, j int) bool {
		return compareModel(c.d, elements[order[i]], elements[order[j]], descending) < 0
	})
	return order
}

// orderedTypes returns all dtypes with an order, in both byte orders.
func orderedTypes() (types []dtype.DType) {
	for _, d := range []dtype.DType{dtype.Bool, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8,
		dtype.Uint16, dtype.Uint32, dtype.Uint64, dtype.Float8E4M3FN, dtype.Float8E5M2, dtype.BFloat16, dtype.Float16,
		dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128, dtype.MustParse("M8[s]"), dtype.MustParse("m8"),
		dtype.Bytes(0), dtype.Bytes(1), dtype.Bytes(5), dtype.Bytes(8), dtype.Bytes(19), dtype.Unicode(0),
		dtype.Unicode(1), dtype.Unicode(2), dtype.Unicode(5)} {
		types = append(types, d.WithByteOrder(dtype.LittleEndian))
		if big := d.WithByteOrder(dtype.BigEndian); big != types[len(types)-1] {
			types = append(types, big)
		}
	}
	return types
}

// randomColumn returns a column of random elements of d: few or many different ones, with any stride, also 0 and
// negative ones, sorted or not.
func randomColumn(r *rand.Rand, d dtype.DType, n int) column {
	size := d.ItemSize()
	stride := size + []int{0, 0, 0, 1, 8, 3 * size}[r.IntN(6)]
	mem := make([]byte, n*stride+3)
	first := r.IntN(3)
	fillRandom(r, d, mem, n, first, stride)
	switch r.IntN(12) {
	case 0:
		return newColumn(d, mem, n, first, 0)
	case 1, 2, 3:
		if n > 0 {
			return newColumn(d, mem, n, first+(n-1)*stride, -stride)
		}
	}
	return newColumn(d, mem, n, first, stride)
}

// fillRandom sets the elements of a column of mem to random bytes, or to a few elements in a random or a sorted order.
func fillRandom(r *rand.Rand, d dtype.DType, mem []byte, n, first, stride int) {
	for i := range mem {
		mem[i] = byte(r.Uint32())
	}
	if r.IntN(3) == 0 { // small numbers of both signs, and texts that differ in few places
		for i := range mem {
			mem[i] = []byte{0, 0, 0, 1, 0x80, 0xff, 0x7f}[r.IntN(7)]
		}
	}
	if n == 0 || r.IntN(2) == 0 {
		return
	}
	size := d.ItemSize()
	few := 1 + r.IntN(min(n, 40))
	c := newColumn(d, slices.Clone(mem), few, first, stride)
	order := make([]int, n)
	for i := range order {
		order[i] = r.IntN(few)
	}
	if r.IntN(2) == 0 {
		slices.SortFunc(order, func(i, j int) int { return compareModel(d, c.at(i), c.at(j), false) })
		for range r.IntN(4) {
			order[r.IntN(n)] = r.IntN(few)
		}
	}
	if r.IntN(4) == 0 {
		slices.Reverse(order)
	}
	for i, k := range order {
		copy(mem[first+i*stride:][:size], c.mem[first+k*stride:][:size])
	}
}
