package strided

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/oracle"
)

// A valueCase describes how elements of a dtype are converted to Go values.
type valueCase struct {
	name           string
	decode, encode elem.Codec
	size           int // the number of bytes of a Go value
	item           int // the number of bytes of an element in memory
	bools          bool
	padding        []int // the bytes of a Go value that are padding
}

// zeroPadding returns a copy of the Go values b with zero padding.
func (v valueCase) zeroPadding(b []byte) []byte {
	b = slices.Clone(b)
	for at := 0; at < len(b) && len(v.padding) > 0; at += v.size {
		for _, i := range v.padding {
			b[at+i] = 0
		}
	}
	return b
}

func newValueCase(want dtype.DType, have string) valueCase {
	d := dtype.MustParse(have)
	v := valueCase{name: have + " as " + want.String(), size: want.ItemSize(), item: d.ItemSize(),
		bools: want.Kind() == dtype.KindBool}
	var err error
	if v.decode, v.encode, err = elem.GoValue(want, d); err != nil {
		v.decode, v.encode = must2(elem.Numbers(want, d))
	}
	return v
}

func withPadding(v valueCase, bytes ...int) valueCase { v.padding = bytes; return v }

func must2[T any](x, y T, err error) (T, T) {
	if err != nil {
		panic(err)
	}
	return x, y
}

// goValues cover all ways in which elements are read and written.
var goValues = []valueCase{
	newValueCase(dtype.Float64, "<f8"), newValueCase(dtype.Float64, ">f8"), newValueCase(dtype.Uint8, "|u1"),
	newValueCase(dtype.Bool, "|b1"),
	newValueCase(dtype.Int16, ">i2"),
	newValueCase(must(dtype.SubarrayOf(dtype.Uint8, 5)), "|S5"), newValueCase(must(dtype.SubarrayOf(dtype.Uint32, 3)),
		">U3"),
	newValueCase(must(dtype.SubarrayOf(dtype.Uint8, 100)), "|V100"), newValueCase(must(dtype.SubarrayOf(dtype.Uint8, 600)),
		"|V600"),
	withPadding(newValueCase(dtype.MustParse("[('a', '<i4'), ('', '|V3'), ('b', '<i2')]"),
		"[('a', '>i4'), ('', '|V3'), ('b', '>i2')]"), 4, 5, 6),
	withPadding(newValueCase(dtype.MustParse("[('a', '<i4'), ('', '|V3'), ('b', '<i2')]"),
		"[('a', '<i4'), ('', '|V3'), ('b', '<i2')]"), 4, 5, 6),
	newValueCase(dtype.Float64, "<f4"), newValueCase(dtype.Float32, ">i8"), newValueCase(dtype.Int64,
		"<M8[s]"), // converted
	{name: "no bytes"},
}

// slowValues returns the elements of p as consecutive Go values.
func slowValues(p Piece, order index.Order, v valueCase) []byte {
	var list []byte
	for _, off := range slowElements(p, order) {
		b := Alloc(v.size)
		v.decode.One(Start(b), Add(p.Mem.Base, off))
		list = append(list, b...)
	}
	return list
}

func randomGoPiece(r *rand.Rand, v valueCase) Piece {
	shape := randomShape(r, 12, 3000/max(1, v.item/8))
	lay := randomLayout(r, shape, v.item)
	if len(shape) > 0 && r.IntN(4) == 0 { // rows longer than a buffer
		shape = []int{1 + r.IntN(3), r.IntN(40000 / max(1, v.item))}
		lay = randomLayout(r, shape, v.item)
	}
	return randomPiece(r, lay, v.item)
}

// randomDirect returns a random value for the argument direct of StartValues: false unless elements are Go values in
// memory.
func (v valueCase) randomDirect(r *rand.Rand) bool { return v.decode.IsPlain() && r.IntN(3) > 0 }

// TestCursorValues checks that Next returns every element in order, in place or decoded, and writes only to the given
// buffer.
func TestCursorValues(t *testing.T) {
	r := oracle.Rand(t, 20)
	inPlace := 0
	for range caseCount(t, 500) {
		v := goValues[r.IntN(len(goValues))]
		p, order := randomGoPiece(r, v), index.Order(r.IntN(3))
		before := snapshot(p.Mem)
		room := v.size + r.IntN(2)*r.IntN(512)
		buf := append(Alloc(room), 0xA5, 0xA5, 0xA5, 0xA5)
		direct := v.randomDirect(r)
		var w Cursor
		w.StartValues(p, order, &v.decode, direct, v.size, InPlace)
		var got []byte
		left := p.Layout.Size()
		for {
			q, n, stride := w.Next(Start(buf), room)
			if n == 0 {
				break
			}
			if left -= n; left < 0 {
				t.Fatalf("%s: %v in order %v: more elements than there are", v.name, p.Layout, order)
			}
			if q != Start(buf) {
				inPlace++
				if !direct {
					t.Fatalf("%s: %v in order %v: elements are handed out where they are", v.name, p.Layout, order)
				}
			}
			for k := range n {
				got = append(got, Slice[byte](Add(q, k*stride), v.size)...)
			}
		}
		if left != 0 {
			t.Fatalf("%s: %v in order %v, buffer of %d bytes: %d elements are missing", v.name, p.Layout, order, room, left)
		}
		if want := slowValues(p, order, v); !bytes.Equal(v.zeroPadding(got), v.zeroPadding(want)) {
			t.Fatalf("%s: %v in order %v, buffer of %d bytes: byte %d is wrong", v.name, p.Layout, order, room,
				firstDifference(got, want))
		}
		if _, n, _ := w.Next(Start(buf), room); n != 0 {
			t.Fatalf("%s: %v in order %v: %d elements after the end", v.name, p.Layout, order, n)
		}
		if !bytes.Equal(buf[room:], []byte{0xA5, 0xA5, 0xA5, 0xA5}) {
			t.Fatalf("%s: %v in order %v: written past the buffer", v.name, p.Layout, order)
		}
		if !bytes.Equal(bytesOf(p.Mem), before) {
			t.Fatalf("%s: %v in order %v: the memory has changed", v.name, p.Layout, order)
		}
	}
	if inPlace == 0 {
		t.Error("no elements were handed out where they are")
	}
}

// TestCursorBlocks checks that NextBlock returns every element in order, in blocks of consecutive elements, in place or
// in one buffer, and that Put stores the changed elements of a block and nothing else.
func TestCursorBlocks(t *testing.T) {
	r := oracle.Rand(t, 21)
	inPlace, gathered := 0, 0
	for range caseCount(t, 500) {
		v := goValues[r.IntN(len(goValues))]
		p, order := randomGoPiece(r, v), index.Order(r.IntN(3))
		elements := slowElements(p, order)
		values := slowValues(p, order, v)
		want := snapshot(p.Mem)
		direct, write := v.randomDirect(r), r.IntN(2) == 0
		var w Cursor
		w.StartBlocks(p, order, &v.decode, direct, v.size, InPlace)
		at := 0 // the number of elements so far
		for {
			q, n := w.NextBlock()
			if n == 0 {
				break
			}
			if at+n > len(elements) {
				t.Fatalf("%s: %v in order %v: more elements than there are", v.name, p.Layout, order)
			}
			block := Slice[byte](q, n*v.size)
			if !bytes.Equal(v.zeroPadding(block), v.zeroPadding(values[at*v.size:][:n*v.size])) {
				t.Fatalf("%s: %v in order %v: elements %d to %d are wrong", v.name, p.Layout, order, at, at+n-1)
			}
			maxBytes := BufferBytes
			if d := Distance(q, p.Mem.Base); d >= 0 && d < p.Mem.Size {
				maxBytes = BlockBytes
				inPlace++
				if !direct {
					t.Fatalf("%s: %v in order %v: elements are handed out where they are", v.name, p.Layout, order)
				}
			} else {
				gathered++
			}
			if n > 1 && len(block) > maxBytes {
				t.Fatalf("%s: %v in order %v: a block of %d bytes", v.name, p.Layout, order, len(block))
			}
			if write && r.IntN(4) > 0 {
				for i := range block {
					switch {
					case slices.Contains(v.padding, i%v.size):
					case v.bools:
						block[i] = byte(r.IntN(2))
					default:
						block[i] = byte(r.Uint32())
					}
				}
				for k := range n {
					v.encode.One(Add(Start(want), elements[at+k]), Add(q, k*v.size))
				}
				w.Put(n, &v.encode)
			}
			if at += n; write && r.IntN(20) == 0 { // as if the loop ended with break
				at = len(elements)
				break
			}
		}
		if at != len(elements) {
			t.Fatalf("%s: %v in order %v: %d of %d elements", v.name, p.Layout, order, at, len(elements))
		}
		if got := bytesOf(p.Mem); !bytes.Equal(got, want) {
			t.Fatalf("%s: %v in order %v: byte %d of the memory is wrong", v.name, p.Layout, order, firstDifference(got, want))
		}
	}
	if inPlace == 0 || gathered == 0 {
		t.Errorf("%d blocks in place, %d gathered", inPlace, gathered)
	}
}

func TestDecode(t *testing.T) {
	r := oracle.Rand(t, 22)
	for range caseCount(t, 500) {
		v := goValues[r.IntN(len(goValues))]
		p := randomGoPiece(r, v)
		if r.IntN(4) == 0 {
			p = randomPiece(r, randomSource(r, p.Layout.Shape(), v.item), v.item)
		}
		n := p.Layout.Size() * v.size
		buf := append(Alloc(n), 0xA5)
		Decode(Start(buf), p, &v.decode, v.size)
		if want := slowValues(p, index.C, v); !bytes.Equal(v.zeroPadding(buf[:n]), v.zeroPadding(want)) || buf[n] != 0xA5 {
			t.Fatalf("%s: %v: byte %d is wrong", v.name, p.Layout, firstDifference(buf, append(want, 0xA5)))
		}
	}
}

// TestZeroCursor checks that the zero Cursor has no elements.
func TestZeroCursor(t *testing.T) {
	var w Cursor
	var buf [8]byte
	if p, n, stride := w.Next(Start(buf[:]), 8); n != 0 {
		t.Errorf("Next: %v, %d, %d", p, n, stride)
	}
	if p, n := w.NextBlock(); n != 0 {
		t.Errorf("NextBlock: %v, %d", p, n)
	}
	w.Put(0, nil)
}

// TestCursorAllocs checks that a loop over values allocates nothing for up to 8 axes, and a loop over blocks at most
// one buffer.
func TestCursorAllocs(t *testing.T) {
	oracle.CountsAllocations(t)
	for rank := range smallRank + 1 {
		for _, v := range goValues {
			if v.bools {
				continue
			}
			shape := slices.Repeat([]int{2}, rank)
			strides := make([]int, rank)
			size := v.item
			for k := range strides { // F order, so that no axes merge in C order
				strides[k] = size
				size *= 2
			}
			lay := newLayout(shape, strides)
			mem := &Memory{Base: Start(Alloc(size)), Size: size}
			p := pieceOn(mem, 0, lay, v.item)
			buf := Alloc(512)
			got := testing.AllocsPerRun(20, func() {
				var w Cursor
				w.StartValues(p, index.C, &v.decode, v.decode.IsPlain(), v.size, InPlace)
				for n := 1; n > 0; {
					_, n, _ = w.Next(Start(buf), 512)
				}
			})
			if got != 0 && v.size <= 512 {
				t.Errorf("%s, %d axes: values: %v allocations", v.name, rank, got)
			}
			got = testing.AllocsPerRun(20, func() {
				var w Cursor
				w.StartBlocks(p, index.C, &v.decode, v.decode.IsPlain(), v.size, InPlace)
				for n := 1; n > 0; {
					_, n = w.NextBlock()
					w.Put(n, &v.encode)
				}
			})
			if got > 1 {
				t.Errorf("%s, %d axes: blocks: %v allocations", v.name, rank, got)
			}
		}
	}
}
