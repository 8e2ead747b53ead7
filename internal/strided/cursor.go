package strided

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
)

// A Cursor walks through a piece and hands out its elements, some at a time: where they
// are, or decoded to a buffer. It is a value that the compiler can keep on the stack, so
// it has no pointers to itself. The zero Cursor has no elements.
type Cursor struct {
	base  Pointer
	left  int  // elements that are not handed out yet
	inner axis // the innermost axis
	pos   int  // in inner
	off   int  // of the element at pos, from base
	outer int  // number of the other axes, which are
	small [smallRank]counter
	large []counter // if there are more

	load  *elem.Codec // nil: elements are handed out where they are,
	limit int         // and so many of one run at most
	size  int         // bytes of a decoded element
	ahead *Readahead
	slabs *slabs // if what it walks through is a copy of a part
	buf   []byte // for blocks, and for an element that is larger than a loop's buffer
	last  place  // where the block that NextBlock handed out starts
}

// A counter is an outer axis, and where the walk is on it.
type counter struct{ n, stride, i int }

// A place is a position of a Cursor, for Put.
type place struct {
	pos, off int
	idx      [smallRank]int
	large    []int
}

// An Ahead says what a Cursor does about pages that are not in memory.
type Ahead uint8

const (
	Never   Ahead = iota // nothing: it walks through a part of a pass, which reads ahead, and stops when that ends
	InPlace              // has them read before it comes to them
	Copied               // and, where it would come to each page again and again, hands out copies of the elements
)

// StartValues begins to walk through p in the order C, F or K, for [Cursor.Next]. The
// elements become Go values of size bytes by load. If direct is true they are Go values
// in memory already, and load only moves those whose rows are short.
func (w *Cursor) StartValues(p Piece, order index.Order, load *elem.Codec, direct bool, size int, ahead Ahead) {
	w.start(p, order, load, size, ahead)
	if direct && (w.inner.N >= leastLoopRun || w.outer == 0) {
		if w.load, w.limit = nil, w.inner.N; w.ahead != nil { // which advances from block to block
			w.limit = max(1, BlockBytes/max(1, size))
		}
	}
	if w.slabs != nil {
		w.left, w.slabs.values, w.slabs.direct = 0, true, direct
	}
}

// StartBlocks begins to walk through p as StartValues does, for [Cursor.NextBlock].
func (w *Cursor) StartBlocks(p Piece, order index.Order, load *elem.Codec, direct bool, size int, ahead Ahead) {
	w.start(p, order, load, size, ahead)
	if direct && (w.inner.N == 1 || w.inner.DS == size && (w.inner.N*size >= spanBytes || w.outer == 0)) {
		w.load, w.limit = nil, max(1, BlockBytes/max(1, size))
	}
	if w.slabs != nil {
		w.left, w.slabs.direct = 0, direct
	}
}

func (w *Cursor) start(p Piece, order index.Order, load *elem.Codec, size int, ahead Ahead) {
	*w = Cursor{load: load, size: size, left: p.Layout.Size()}
	var buf [smallRank]axis
	axes, off := single(buf[:0], p.Layout, order)
	if ahead != Never && p.Mem.File != nil {
		if isNested(axes, 1) {
			w.ahead = p.sweep()
		} else {
			if w.slabs = p.acrossOrder(order, ahead); w.slabs != nil {
				w.slabs.load, w.slabs.size = load, size
			}
		}
	}
	w.base = Add(p.P, off)
	w.outer = len(axes) - 1
	w.inner = axes[w.outer]
	if w.outer > smallRank {
		w.large = make([]counter, w.outer)
	}
	for k, a := range axes[:w.outer] {
		*w.counter(k) = counter{n: a.N, stride: a.DS}
	}
}

func (w *Cursor) counter(k int) *counter {
	if w.large != nil {
		return &w.large[k]
	}
	return &w.small[k]
}

// Next hands out the next elements: n of them, the first at p, the others stride bytes
// apart. Where they are not Go values in memory they are decoded to buf, which has room
// for so many bytes; elements that are larger are decoded to a buffer of the Cursor, one
// at a time. After the last n is 0.
func (w *Cursor) Next(buf Pointer, room int) (p Pointer, n, stride int) {
	if w.left == 0 && (w.slabs == nil || !w.slabs.next(w)) {
		return nil, 0, 0
	}
	w.ahead.advance(w.off)
	if w.load == nil {
		p, n = Add(w.base, w.off), min(w.limit, w.inner.N-w.pos)
		w.left -= n
		w.advance(1, n)
		return p, n, w.inner.DS
	}
	if w.size > room { // one element at a time
		if w.buf == nil {
			w.buf = Alloc(w.size)
		}
		buf, room = Start(w.buf), w.size
	}
	if n = w.left; w.size > 0 {
		n = min(n, room/w.size)
	}
	w.left -= n
	w.move(buf, n, w.load, false)
	return buf, n, w.size
}

// NextBlock hands out the next elements, which follow one another. Where they do not
// do so in memory, or are not Go values there, they are decoded to a buffer, which
// is used again for the next block. After the last n is 0.
func (w *Cursor) NextBlock() (p Pointer, n int) {
	room := 0
	if w.left == 0 && w.slabs != nil {
		w.slabs.next(w)
	}
	if w.load != nil && w.left > 0 {
		if w.buf == nil {
			w.buf = Alloc(max(min(BufferBytes/max(1, w.size), w.left), 1) * w.size)
		}
		w.mark()
		room = len(w.buf)
	}
	p, n, _ = w.Next(Start(w.buf), room)
	return p, n
}

// mark keeps the position for Put.
func (w *Cursor) mark() {
	w.last.pos, w.last.off = w.pos, w.off
	if w.large != nil && w.last.large == nil {
		w.last.large = make([]int, w.outer)
	}
	for k := range w.outer {
		*w.last.at(k) = w.counter(k).i
	}
}

func (l *place) at(k int) *int {
	if l.large != nil {
		return &l.large[k]
	}
	return &l.idx[k]
}

// Put stores the n elements of the last block, which NextBlock decoded, with the
// operation save. A block that is the memory itself is there already.
func (w *Cursor) Put(n int, save *elem.Codec) {
	if w.load == nil {
		return
	}
	w.pos, w.off = w.last.pos, w.last.off
	for k := range w.outer {
		w.counter(k).i = *w.last.at(k)
	}
	w.move(Start(w.buf), n, save, true)
}

// move moves the next n elements to buf, or from there if put is true: a part of a row
// of the innermost axis, or as many whole rows as there are along the next.
func (w *Cursor) move(buf Pointer, n int, c *elem.Codec, put bool) {
	for n > 0 {
		rows, cols, stride := 1, min(n, w.inner.N-w.pos), 0
		if cols == w.inner.N && w.outer > 0 {
			next := w.counter(w.outer - 1)
			rows, stride = max(1, min(n/cols, next.n-next.i)), next.stride
		}
		mem := elem.Side{P: Add(w.base, w.off), Row: stride, Item: w.inner.DS}
		val := elem.Side{P: buf, Row: cols * w.size, Item: w.size}
		if put {
			c.Move(rows, cols, mem, val)
		} else {
			c.Move(rows, cols, val, mem)
		}
		w.advance(rows, cols)
		if n -= rows * cols; n > 0 {
			buf = Add(buf, rows*cols*w.size)
		}
	}
}

// advance goes on by a part of a row, or by whole rows.
func (w *Cursor) advance(rows, cols int) {
	w.pos += cols
	w.off += cols * w.inner.DS
	if w.pos < w.inner.N {
		return
	}
	w.pos = 0
	w.off -= w.inner.N * w.inner.DS
	for k := w.outer - 1; k >= 0; k-- {
		c := w.counter(k)
		w.off += rows * c.stride
		if c.i += rows; c.i < c.n {
			return
		}
		w.off -= c.n * c.stride
		c.i = 0
		rows = 1
	}
}

// Decode has all elements of p in C order in buf, where they have size bytes each.
func Decode(buf Pointer, p Piece, load *elem.Codec, size int) {
	var w Cursor
	w.start(p, index.C, load, size, Never)
	w.move(buf, w.left, load, false)
}
