package elem

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/oracle"
)

// cases returns the number of random cases to test, which is smaller under the race detector: see [oracle.Cases].
func cases(t testing.TB, n int) int {
	if oracle.Race {
		n = max(n/4, 1)
	}
	return oracle.Cases(t, n)
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// numbers are all dtypes of numbers and times, in both byte orders.
var numbers = func() (list []dtype.DType) {
	list = append(list, dtype.Bool, dtype.Int8, dtype.Uint8, dtype.Float8E4M3FN, dtype.Float8E5M2)
	for s := range strings.FieldsSeq("i2 i4 i8 u2 u4 u8 f2 f4 f8 c8 c16 M8[s] m8[25us] bfloat16") {
		list = append(list, dtype.MustParse("<"+s), dtype.MustParse(">"+s))
	}
	return list
}()

var orders = []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian}

// randomType draws two dtypes that differ at most in byte order. Structures are nested up to the given number of
// levels.
func randomType(r *rand.Rand, levels int) (a, b dtype.DType) {
	n := r.IntN(12)
	if levels == 0 {
		n = r.IntN(8)
	}
	switch n {
	case 0:
		a = dtype.Bool
	case 1:
		a = []dtype.DType{dtype.Bytes(r.IntN(9)), dtype.Void(1 + r.IntN(9)), dtype.Unicode(1 + r.IntN(3))}[r.IntN(3)]
	case 2:
		a = dtype.MustParse([]string{"<f16", "<c32"}[r.IntN(2)])
	case 3, 4, 5, 6, 7:
		a = numbers[r.IntN(len(numbers))]
	case 8, 9:
		a, b = randomType(r, levels-1)
		shape := make([]int, 1+r.IntN(2))
		for k := range shape {
			shape[k] = r.IntN(4)
		}
		x, err := dtype.SubarrayOf(a, shape...)
		if err != nil { // blocks without elements
			return a, b
		}
		return x, must(dtype.SubarrayOf(b, shape...))
	case 10, 11:
		return randomStruct(r, levels-1)
	}
	return a.WithByteOrder(orders[r.IntN(2)]), a.WithByteOrder(orders[r.IntN(2)])
}

// randomStruct draws two structured dtypes that differ at most in byte order, with or without padding between fields.
func randomStruct(r *rand.Rand, levels int) (a, b dtype.DType) {
	var fa, fb []dtype.Field
	off := 0
	gaps := r.IntN(2) * 4
	sameOrder := r.IntN(3) == 0 // the same byte orders
	for k := range r.IntN(6) {
		x, y := randomType(r, levels)
		if sameOrder {
			y = x
		}
		off += r.IntN(gaps + 1)
		name := fmt.Sprint("f", k)
		fa = append(fa, dtype.Field{Name: name, Type: x, Offset: off})
		fb = append(fb, dtype.Field{Name: name, Type: y, Offset: off})
		off += x.ItemSize()
	}
	if r.IntN(8) == 0 && off >= 4 { // add a last field that overlaps other fields and overwrites them
		if x := numbers[1+r.IntN(len(numbers)-1)]; x.ItemSize() <= off && !hasBool(fa) {
			at := r.IntN(off - x.ItemSize() + 1)
			fa = append(fa, dtype.Field{Name: "top", Type: x.WithByteOrder(orders[r.IntN(2)]), Offset: at})
			fb = append(fb, dtype.Field{Name: "top", Type: x.WithByteOrder(orders[r.IntN(2)]), Offset: at})
		}
	}
	size := off + r.IntN(gaps+1)
	return must(dtype.Struct(size, fa...)), must(dtype.Struct(size, fb...))
}

// randomAssignment draws two structured dtypes with the same number of fields. Each field converts to the field with
// the same number. Names, offsets and padding differ.
func randomAssignment(r *rand.Rand, levels int) (dst, src dtype.DType) {
	var fd, fs []dtype.Field
	for k := range r.IntN(6) {
		var x, y dtype.DType
		switch n := r.IntN(12); {
		case n < 2:
			x, y = randomType(r, 0)
		case n < 7:
			for x, y = numbers[r.IntN(len(numbers))],
				numbers[r.IntN(len(numbers))]; IsTime(x); x = numbers[r.IntN(len(numbers))] {
			}
		case n == 7:
			x, y = dtype.Unicode(r.IntN(4)).WithByteOrder(orders[r.IntN(2)]),
				dtype.Unicode(r.IntN(4)).WithByteOrder(orders[r.IntN(2)])
		case n == 8:
			x, y = dtype.Bytes(1+r.IntN(4)), dtype.Bytes(1+r.IntN(4))
		case levels > 0:
			x, y = randomAssignment(r, levels-1)
		default:
			x, y = dtype.Int64, dtype.Float32
		}
		if x.ItemSize() > 0 && y.ItemSize() > 0 && x.Kind() != dtype.KindSubarray && y.Kind() != dtype.KindSubarray &&
			r.IntN(4) == 0 {
			shape := []int{1 + r.IntN(3), r.IntN(4)}[r.IntN(2):]
			x, y = must(dtype.SubarrayOf(x, shape...)), must(dtype.SubarrayOf(y, shape...))
		}
		fd = append(fd, dtype.Field{Name: fmt.Sprint("d", k), Type: x})
		fs = append(fs, dtype.Field{Name: fmt.Sprint("s", 9-k), Type: y})
	}
	return layOut(r, fd), layOut(r, fs)
}

// layOut returns a structured dtype with the fields in any order in memory, and with gaps.
func layOut(r *rand.Rand, fields []dtype.Field) dtype.DType {
	order := make([]int, len(fields))
	for k := range order {
		order[k] = k
	}
	if r.IntN(2) == 0 {
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	off, gaps := 0, r.IntN(2)*4
	for _, k := range order {
		off += r.IntN(gaps + 1)
		fields[k].Offset = off
		off += fields[k].Type.ItemSize()
	}
	return must(dtype.Struct(off+r.IntN(gaps+1), fields...))
}

// hasBool reports whether fields contain booleans, whose bytes may change when they are copied.
func hasBool(fields []dtype.Field) bool {
	for _, f := range fields {
		var sub []dtype.Field
		for k := range f.Type.Base().NumField() {
			sub = append(sub, f.Type.Base().FieldAt(k))
		}
		if f.Type.Base().Kind() == dtype.KindBool || hasBool(sub) {
			return true
		}
	}
	return false
}

// fillElement makes b a random element of d: numbers near the limits of other types, small numbers, halves, infinities,
// NaNs, or random bytes.
func fillElement(r *rand.Rand, d dtype.DType, b []byte) {
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	switch d.Kind() {
	case dtype.KindStructured:
		for k := range d.NumField() {
			f := d.FieldAt(k)
			fillElement(r, f.Type, b[f.Offset:][:f.Type.ItemSize()])
		}
		return
	case dtype.KindSubarray:
		if n := d.Base().ItemSize(); n > 0 {
			for at := 0; at < len(b); at += n {
				fillElement(r, d.Base(), b[at:at+n])
			}
		}
		return
	case dtype.KindBool:
		b[0] = []byte{0, 0, 1, 1, 2, 128, 255}[r.IntN(7)]
		return
	case dtype.KindFloat, dtype.KindComplex, dtype.KindBFloat16, dtype.KindFloat8E4M3FN, dtype.KindFloat8E5M2:
		if d.IsLongDouble() || r.IntN(3) == 0 {
			return
		}
		slowNumber{re: randomFloat(r), im: randomFloat(r)}.write(d, b)
		return
	}
	if r.IntN(3) > 0 && len(b) <= 8 && d.Kind() != dtype.KindBytes { // near the end of a shorter integer, or near 0
		x := uint64(1)<<[]int{0, 7, 8, 15, 16, 24, 31, 32, 53, 63}[r.IntN(10)] + uint64(r.IntN(5)) - 2
		if r.IntN(2) == 0 {
			x = -x
		}
		le := binary.LittleEndian.AppendUint64(nil, x)
		if d.ByteOrder() == dtype.BigEndian {
			be := binary.BigEndian.AppendUint64(nil, x)
			copy(b, be[8-len(b):])
		} else {
			copy(b, le)
		}
	}
}

func randomFloat(r *rand.Rand) float64 {
	switch r.IntN(6) {
	case 0:
		return []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, 65519, 65520, -65520, 1e-30, 6e-8,
			464, 464.00001, 61440, 61439.9, 0x1.ffp127, 1e-40}[r.IntN(16)]
	case 1: // near the limits of integers
		x := math.Ldexp(1, []int{0, 7, 8, 15, 16, 31, 32, 63, 64}[r.IntN(9)]) + float64(r.IntN(5)-2)/2
		return math.Copysign(x, float64(r.IntN(2))-0.5)
	case 2: // near a tie of two floats
		tie := 1 + math.Ldexp(1, -[]int{3, 4, 8, 11, 24}[r.IntN(5)])
		return (tie + math.Ldexp(float64(r.IntN(3)-1), -r.IntN(53))) * math.Ldexp(1, r.IntN(40)-24)
	}
	return math.Ldexp(float64(r.IntN(512)-256), r.IntN(70)-6)
}

// A block is m × n elements of size bytes somewhere in a buffer.
type block struct {
	mem       []byte
	start     int // offset of element (0, 0)
	m, n      int
	row, item int
	size      int
}

func (b *block) side() Side {
	return Side{P: kernel.Add(address(b.mem), b.start), Row: b.row, Item: b.item}
}

// at returns the bytes of element (i, j).
func (b *block) at(i, j int) []byte { return b.elementIn(b.mem, i, j) }

// elementIn returns the bytes of element (i, j) in mem, a copy of the buffer.
func (b *block) elementIn(mem []byte, i, j int) []byte {
	return mem[b.start+i*b.row+j*b.item:][:b.size]
}

func (b *block) String() string {
	return fmt.Sprintf("%d × %d of %d bytes, strides %d and %d, from byte %d", b.m, b.n, b.size, b.row, b.item, b.start)
}

func address(b []byte) Pointer {
	if len(b) == 0 {
		return nil
	}
	return Pointer(&b[0])
}

// randomBlock draws a block in a new buffer of random bytes. Elements overlap only if shared is true, for sources.
func randomBlock(r *rand.Rand, m, n, size int, shared bool) *block {
	b := &block{m: m, n: n, size: size}
	unit := []int{1, 8, 16}[r.IntN(3)] // makes many elements aligned
	gap := func() int { return r.IntN(2) * r.IntN(5) * unit }
	switch r.IntN(8) {
	case 0, 1: // dense
		b.item, b.row = size, n*size
	case 2: // transposed
		b.item, b.row = m*size, size
	case 3: // rows with gaps
		b.item, b.row = size, n*size+gap()
	case 4: // columns with gaps
		b.item, b.row = m*size+gap(), size
	case 5:
		b.item = size + gap()
		b.row = n*b.item + gap()
	case 6:
		b.row = size + gap()
		b.item = m*b.row + gap()
	case 7: // a stride that is not used
		b.item, b.row = size, n*size
		if m == 1 {
			b.row = r.IntN(100) - 50
		}
		if n == 1 {
			b.item = r.IntN(100) - 50
			b.row = size + gap()
		}
	}
	if r.IntN(4) == 0 {
		b.row = -b.row
	}
	if r.IntN(4) == 0 {
		b.item = -b.item
	}
	if shared {
		switch r.IntN(8) {
		case 0:
			b.row = 0
		case 1:
			b.item = 0
		case 2:
			b.row = r.IntN(4*size+1) - 2*size
		}
	}
	lo := min(0, (m-1)*b.row) + min(0, (n-1)*b.item)
	hi := max(0, (m-1)*b.row) + max(0, (n-1)*b.item) + size
	b.start = 64 - lo
	if r.IntN(3) == 0 {
		b.start += r.IntN(16)
	} else {
		b.start = (b.start + 15) &^ 15
	}
	b.mem = make([]byte, b.start+hi+64)
	for i := range b.mem {
		b.mem[i] = byte(r.Uint32())
	}
	return b
}

// fill fills the block with random elements of d.
func (b *block) fill(r *rand.Rand, d dtype.DType) {
	for i := range b.m {
		for j := range b.n {
			fillElement(r, d, b.at(i, j))
		}
	}
}

// randomLengths draws the lengths of a block: short rows, long rows, and lengths close to the length of the buffers
// of a
// conversion.
func randomLengths(r *rand.Rand, size int) (m, n int) {
	lens := []int{1, 1, 2, 3, 5, 8, 9, 17, 31, 64, 65, 130, 511, 513, 700}
	m, n = lens[r.IntN(len(lens))], lens[r.IntN(len(lens))]
	for most := 3000; m*n > most || m*n*size > 64<<10; {
		if m, n = (m+1)/2, (n+1)/2; m == 1 && n == 1 {
			break
		}
	}
	if r.IntN(8) == 0 {
		m = 1
	}
	return m, n
}
