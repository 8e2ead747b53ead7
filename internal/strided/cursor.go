package strided

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
)

// A Cursor walks through a piece and returns its elements, several at a time. If elements are Go values in memory, it
// returns their addresses. Otherwise it decodes them to a buffer. A Cursor contains no pointers to itself, so that the
// compiler can keep it on the stack. The zero Cursor has no elements.
type Cursor struct {
	base  Pointer
	size  int  // the number of elements
	left  int  // the number of elements not returned yet
	inner axis // the innermost axis
	pos   int  // the position along inner
	off   int  // the distance in bytes from base to the element at pos
	outer int  // the number of outer axes, which are in small
	small [smallRank]counter
	large []counter // the outer axes if there are more than smallRank

	decode *elem.Codec // decodes elements; nil if their addresses are returned
	limit  int         // if decode is nil, the maximum number of elements returned at a time
	item   int         // the number of bytes of a decoded element
	ahead  *Readahead
	slabs  *slabs // if the walk is through copies of slabs
	buf    []byte // for blocks, and for an element that is larger than the buffer of a loop
}

// A counter is an outer axis, with the current index along it.
type counter struct{ n, stride, i int }

// An Ahead tells a Cursor what to do about pages that are not in memory.
type Ahead uint8

const (
	Never   Ahead = iota // do nothing: the walk covers one part of a pass, and the pass prefetches the pages
	InPlace              // prefetch them
	Copied               // like InPlace, but return copies of elements if the walk would need each page several times
)

// StartValues begins a walk through p in the order C, F or K, for [Cursor.Next]. decode decodes elements to Go values
// of size bytes. If direct is true, the elements are Go values in memory already, and decode only gathers short rows.
func (w *Cursor) StartValues(p Piece, order index.Order, decode *elem.Codec, direct bool, size int, ahead Ahead) {
	w.start(p, order, decode, size, ahead)
	if direct && (w.inner.N >= minLoopRun || w.outer == 0) {
		if w.decode, w.limit = nil, w.inner.N; w.ahead != nil { // w.ahead advances from block to block
			w.limit = max(1, BlockBytes/max(1, size))
		}
	}
	if w.slabs != nil {
		w.left, w.slabs.values, w.slabs.direct = 0, true, direct
	}
}

// StartBlocks is like StartValues, for [Cursor.NextBlock].
func (w *Cursor) StartBlocks(p Piece, order index.Order, decode *elem.Codec, direct bool, size int, ahead Ahead) {
	w.start(p, order, decode, size, ahead)
	if direct && (w.inner.N == 1 || w.inner.DS == size && (w.inner.N*size >= minInPlaceBytes || w.outer == 0)) {
		w.decode, w.limit = nil, max(1, BlockBytes/max(1, size))
	}
	if w.slabs != nil {
		w.left, w.slabs.direct = 0, direct
	}
}

func (w *Cursor) start(p Piece, order index.Order, decode *elem.Codec, size int, ahead Ahead) {
	n := p.Layout.Size()
	*w = Cursor{decode: decode, item: size, size: n, left: n}
	var buf [smallRank]axis
	axes, off := layoutAxes(buf[:0], p.Layout, order)
	if ahead != Never && p.Mem.File != nil {
		if isNested(axes, 1) {
			w.ahead = p.newReadahead()
		} else {
			if w.slabs = p.prepareAcrossOrder(order, ahead); w.slabs != nil {
				w.slabs.decode, w.slabs.size = decode, size
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

// Next returns the next n elements. The first is at p, and each following one is stride bytes after the previous one. n
// is 0 after the last element. Elements that are not Go values in memory are decoded to buf, which has room bytes. If a
// decoded element is larger than room, Next decodes one element at a time to a buffer of the Cursor.
func (w *Cursor) Next(buf Pointer, room int) (p Pointer, n, stride int) {
	if w.left == 0 && (w.slabs == nil || !w.slabs.next(w)) {
		return nil, 0, 0
	}
	w.ahead.advance(w.off)
	if w.decode == nil {
		p, n = Add(w.base, w.off), min(w.limit, w.inner.N-w.pos)
		w.left -= n
		w.advance(1, n)
		return p, n, w.inner.DS
	}
	if w.item > room { // one element at a time
		if w.buf == nil {
			w.buf = Alloc(w.item)
		}
		buf, room = Start(w.buf), w.item
	}
	if n = w.left; w.item > 0 {
		n = min(n, room/w.item)
	}
	w.left -= n
	w.move(buf, n, w.decode, false)
	return buf, n, w.item
}

// NextBlock returns the next n elements, which are consecutive and start at p. n is 0 after the last element. Elements
// that are not consecutive in memory, or are not Go values there, are decoded to a buffer, which the next call
// overwrites.
func (w *Cursor) NextBlock() (p Pointer, n int) {
	room := 0
	if w.left == 0 && w.slabs != nil {
		w.slabs.next(w)
	}
	if w.decode != nil && w.left > 0 {
		if w.buf == nil {
			w.buf = Alloc(max(min(BufferBytes/max(1, w.item), w.left), 1) * w.item)
		}
		room = len(w.buf)
	}
	p, n, _ = w.Next(Start(w.buf), room)
	return p, n
}

// Put encodes the n elements of the last block with encode, and stores them in the elements that NextBlock decoded. n
// must be the length of that block. If NextBlock returned memory of the piece itself, Put does nothing.
func (w *Cursor) Put(n int, encode *elem.Codec) {
	if w.decode == nil || n == 0 {
		return
	}
	w.seek(w.size - w.left - n)
	w.move(Start(w.buf), n, encode, true)
}

// seek moves the position to element k of the walk.
func (w *Cursor) seek(k int) {
	k, w.pos = k/w.inner.N, k%w.inner.N
	w.off = w.pos * w.inner.DS
	for axis := w.outer - 1; axis >= 0; axis-- {
		c := w.counter(axis)
		k, c.i = k/c.n, k%c.n
		w.off += c.i * c.stride
	}
}

// move moves the next n elements to buf, or from buf to memory if put is true. It moves a part of a row of the
// innermost axis at a time, or several whole rows along the next axis.
func (w *Cursor) move(buf Pointer, n int, c *elem.Codec, put bool) {
	for n > 0 {
		rows, cols, stride := 1, min(n, w.inner.N-w.pos), 0
		if cols == w.inner.N && w.outer > 0 {
			next := w.counter(w.outer - 1)
			rows, stride = max(1, min(n/cols, next.n-next.i)), next.stride
		}
		mem := elem.Side{P: Add(w.base, w.off), Row: stride, Item: w.inner.DS}
		val := elem.Side{P: buf, Row: cols * w.item, Item: w.item}
		if put {
			c.Move(rows, cols, mem, val)
		} else {
			c.Move(rows, cols, val, mem)
		}
		w.advance(rows, cols)
		if n -= rows * cols; n > 0 {
			buf = Add(buf, rows*cols*w.item)
		}
	}
}

// advance moves the position forward by cols elements of the current row, or by whole rows of cols elements.
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

// Decode decodes all elements of p with decode to buf, in C order. Each decoded element has size bytes.
func Decode(buf Pointer, p Piece, decode *elem.Codec, size int) {
	var w Cursor
	w.start(p, index.C, decode, size, Never)
	w.move(buf, w.left, decode, false)
}
