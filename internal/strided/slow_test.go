package strided

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/oracle"
)

// caseCount returns the number of random cases to test, which is smaller under the race detector: see [oracle.Cases].
func caseCount(t testing.TB, n int) int {
	if oracle.Race {
		n = max(n/4, 1)
	}
	return oracle.Cases(t, n)
}

func newLayout(shape, strides []int) index.Layout { return must(index.Strided(shape, strides)) }

// slowOffsets returns the offsets of the elements of a layout by definition, the sum of index times stride along all
// axes. They are in F order if fortran is true, and in C order otherwise.
func slowOffsets(l index.Layout, fortran bool) []int {
	axes := make([]int, l.NDim()) // slowest first
	for k := range axes {
		axes[k] = k
	}
	if fortran {
		slices.Reverse(axes)
	}
	offs := []int{0}
	for _, k := range axes {
		var longer []int
		for _, off := range offs {
			for i := range l.Len(k) {
				longer = append(longer, off+i*l.Stride(k))
			}
		}
		offs = longer
	}
	return offs
}

// randomShape returns a random shape with up to rank axes and usually up to size elements.
func randomShape(r *rand.Rand, rank, size int) []int {
	lens := []int{1, 1, 2, 2, 3, 3, 4, 5, 7, 20}
	shape := make([]int, r.IntN(rank+1))
	if len(shape) > smallRank && r.IntN(4) == 0 {
		for k := range shape {
			shape[k] = 2 // many axes that cannot be dropped, even if there are more than size elements
		}
		return shape
	}
	for k := range shape {
		shape[k] = lens[r.IntN(len(lens))]
		if shape[k] > size {
			shape[k] = 1
		}
		size /= shape[k]
	}
	if len(shape) > 0 && r.IntN(20) == 0 {
		shape[r.IntN(len(shape))] = 0
	}
	return shape
}

// randomLayout returns a random layout of items of size bytes that do not overlap. Its axes are in any order, may be
// reversed, and may have gaps.
func randomLayout(r *rand.Rand, shape []int, size int) index.Layout {
	strides := make([]int, len(shape))
	axes := r.Perm(len(shape))
	switch r.IntN(4) {
	case 0:
		slices.Sort(axes)
	case 1:
		slices.Sort(axes)
		slices.Reverse(axes)
	}
	gaps, reversed := r.IntN(2), r.IntN(3) == 0
	for _, k := range axes {
		size += gaps * r.IntN(2) * r.IntN(2) * r.IntN(9)
		strides[k] = size
		if reversed && r.IntN(2) == 0 {
			strides[k] = -size
		}
		size *= max(shape[k], 1)
	}
	return newLayout(shape, strides)
}

// randomTarget returns a random layout to write to. It is a result of randomLayout, or has interleaved axes: no order
// of the axes visits memory upwards, although no two elements share a byte.
func randomTarget(r *rand.Rand, shape []int, size int) index.Layout {
	for try := 0; try < 4 && size > 0 && r.IntN(4) == 0; try++ {
		strides := make([]int, len(shape))
		for k := range strides {
			strides[k] = size * (r.IntN(17) - 8)
		}
		l := newLayout(shape, strides)
		offs := slowOffsets(l, false)
		slices.Sort(offs)
		if len(slices.Compact(offs)) == l.Size() {
			return l
		}
	}
	return randomLayout(r, shape, size)
}

// randomSource returns a random layout to read from. Its elements may overlap, or be repeated like those of a broadcast
// array.
func randomSource(r *rand.Rand, shape []int, size int) index.Layout {
	l := randomLayout(r, shape, size)
	strides := l.Strides()
	for k := range strides {
		switch r.IntN(8) {
		case 0:
			strides[k] = 0
		case 1:
			strides[k] = r.IntN(4*size+9) - 2*size
		}
	}
	return newLayout(shape, strides)
}

// randomPiece returns a piece with the given layout of items of size bytes, at some address in a new memory of random
// bytes.
func randomPiece(r *rand.Rand, lay index.Layout, size int) Piece {
	lo, hi := lay.Bounds(size)
	before := 16 + r.IntN(2)*r.IntN(9)
	return pieceOn(randomMemory(r, before-lo+hi+16), before-lo, lay, size)
}

func randomMemory(r *rand.Rand, n int) *Memory {
	b := Alloc(n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return &Memory{Base: Start(b), Size: n}
}

func pieceOn(mem *Memory, off int, lay index.Layout, size int) Piece {
	return Piece{P: must(mem.Place(off, lay, size)), Layout: lay, ItemSize: size, Mem: mem}
}

// bytesOf returns all bytes of a memory, without copying them.
func bytesOf(mem *Memory) []byte { return Slice[byte](mem.Base, mem.Size) }

// snapshot returns a copy of all bytes of a memory.
func snapshot(mem *Memory) []byte { return slices.Clone(bytesOf(mem)) }

// slowElements returns the offsets of the elements of p in its memory, in order C or F, or ascending for order K.
func slowElements(p Piece, order index.Order) []int {
	offs := slowOffsets(p.Layout, order == index.F)
	for i := range offs {
		offs[i] += Distance(p.P, p.Mem.Base)
	}
	if order == index.K {
		slices.Sort(offs)
	}
	return offs
}

// slowCopy returns the contents that the memory of dst must have after a copy of src to dst. It must be called before
// the copy. It copies element by element in C order, from a snapshot of the memory of src.
func slowCopy(dst, src Piece, c *elem.Codec) []byte {
	want, from := snapshot(dst.Mem), snapshot(src.Mem)
	offs := slowElements(src, index.C)
	for i, off := range slowElements(dst, index.C) {
		c.One(Add(Start(want), off), Add(Start(from), offs[i]))
	}
	return want
}

// A testCodec is a Codec with a name and the sizes of its elements.
type testCodec struct {
	name         string
	c            elem.Codec
	dsize, ssize int
}

func newTestCodec(dst, src string) testCodec {
	d, s := dtype.MustParse(dst), dtype.MustParse(src)
	return testCodec{src + " to " + dst, must(elem.New(d, s)), d.ItemSize(), s.ItemSize()}
}

// codings cover all ways in which elements are copied and converted.
var codings = []testCodec{
	newTestCodec("<f8", "<f8"), newTestCodec("<f8", ">f8"), newTestCodec("|u1", "|u1"), newTestCodec("|S7", "|S7"),
	newTestCodec("|V64",
		"|V64"), newTestCodec("|V65", "|V65"), newTestCodec("<c16", ">c16"),
	newTestCodec("|V0", "|V0"), newTestCodec("|S5", "|S3"), newTestCodec("|S3", "|S5"), newTestCodec("<U2", ">U3"),
	newTestCodec("<i4", "<i8"), newTestCodec(">i4", "<i8"), newTestCodec("<i2", ">i8"), // copies of the low bytes
	newTestCodec("<f4", "<f8"), newTestCodec("<f8", ">f4"), newTestCodec("|b1", ">f4"), newTestCodec("<i4", "|b1"),
	newTestCodec(">f8",
		"<c16"),
	newTestCodec("[('a', '<i4'), ('', '|V3'), ('b', '|b1')]", "[('a', '>i4'), ('', '|V3'), ('b', '|b1')]"),
	{"<f4 to <f8 to >i2", elem.Chain(codecPointer(must(elem.New(dtype.Float64, dtype.MustParse("<f4")))),
		codecPointer(must(elem.New(dtype.MustParse(">i2"), dtype.Float64)))), 2, 4},
}

func codecPointer(c elem.Codec) *elem.Codec { return &c }
