package strided

import (
	"math/bits"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/kernel"
)

// Strips walks through the numbers of a piece for a reduction, in the order of memory.
// It takes them where they are, in whatever byte order: as rows along one axis, which
// hold what the axes within that one have, in windows of 16 bytes. So short axes and
// items that do not follow one another cost little. It is a value that the compiler can
// keep on the stack.
type Strips struct {
	base  Pointer
	outer int // number of the axes around that of the rows
	axes  [smallRank]counter
	done  bool

	// Rows of n items of the axis, step bytes apart, and the items that are left over.
	row, rest  windows
	rows, step int
	restOff    int
	most       int // rows in a block
	off, at    int // of the block that is next, from base, and its first row
}

// maxWindows is how many windows the axes within that of the rows have at most.
const maxWindows = 32

// windows are the windows of one row.
type windows struct {
	n      int
	extent int // bytes from the first item to the end of the last
	at     [2 * maxWindows]window
	strips [maxWindows]kernel.Strip
}

// A window is 16 bytes, off bytes from the start of the row. Bit b of items is set where an
// item starts at byte b.
type window struct {
	off   int
	items uint16
}

const (
	windowBytes = kernel.StripBytes / 2

	// longRows is how many rows make it worth while to call a kernel for them.
	longRows = 64

	// stripsBytes is what rows of several strips may have at a time, for the first cache to
	// hold them.
	stripsBytes = 32 << 10

	// mostRows bounds how long a kernel runs, and how many floats it adds up one after the
	// other.
	mostRows = 1024
)

// Start begins to walk through p, whose items are numbers of size bytes, their bytes
// reversed if swapped is true. With zero, kernels see zeros where windows have no items,
// and otherwise an item for the second time. It returns false where this is no way to
// go: for few items, and those that overlap.
func (w *Strips) Start(p Piece, size int, swapped, zero bool) bool {
	var buf [smallRank]axis
	axes, off := single(buf[:0], p.Layout, index.K)
	extent := size
	for k := len(axes) - 1; k >= 0; k-- {
		if axes[k].DS < extent {
			return false
		}
		extent += (axes[k].N - 1) * axes[k].DS
	}
	if extent < windowBytes || len(axes) > smallRank {
		return false
	}
	w.base = Add(p.P, off)
	w.row.n, w.row.extent = 1, size
	w.row.at[0] = window{0, 1}
	k := len(axes) - 1
	for ; k > 0; k-- {
		a := axes[k]
		per, _ := w.row.joined(a)
		if a.N/per >= longRows || w.row.n*((a.N+per-1)/per) > maxWindows {
			break
		}
		w.row.repeat(a.N, a.DS)
	}
	a := axes[k]
	_, per := w.row.joined(a)
	w.rest.n, w.rest.extent = w.row.n, w.row.extent
	copy(w.rest.at[:w.row.n], w.row.at[:w.row.n])
	w.rows, w.step = a.N/per, per*a.DS
	w.restOff = w.rows * w.step
	w.row.repeat(per, a.DS)
	w.rest.repeat(a.N%per, a.DS)
	w.row.finish(size, swapped, zero)
	w.rest.finish(size, swapped, zero)
	w.most = mostRows
	if w.row.n > 2 {
		w.most = min(max(stripsBytes/w.step, 16), mostRows)
	}
	w.outer = k
	for j, a := range axes[:k] {
		w.axes[j] = counter{n: a.N, stride: a.DS}
	}
	return true
}

// joined returns how many items of a have their windows in one, and how many are to be one
// row: as many as fill two windows, or an even number of them.
func (w *windows) joined(a axis) (per, row int) {
	switch {
	case w.n == 1 && w.extent <= windowBytes:
		per = 1
		if a.N > 1 {
			per += (windowBytes - w.extent) / a.DS
		}
		return per, 2 * per
	case w.n%2 == 0:
		return 1, 1
	}
	return 1, 2
}

// repeat makes w what there is in n of it, ds bytes apart.
func (w *windows) repeat(n, ds int) {
	if n == 0 {
		w.n = 0
		return
	}
	per, _ := w.joined(axis{N: n, DS: ds})
	if per > 1 {
		first := w.at[0].items
		w.n = 0
		for i := 0; i < n; i += per {
			items := uint16(0)
			for j := range min(per, n-i) {
				items |= first << (j * ds)
			}
			w.at[w.n] = window{i * ds, items}
			w.n++
		}
	} else {
		for i := 1; i < n; i++ {
			for j, v := range w.at[:w.n] {
				w.at[i*w.n+j] = window{i*ds + v.off, v.items}
			}
		}
		w.n *= n
	}
	w.extent += (n - 1) * ds
}

// finish makes the strips of w. No window reaches past the last item: what would do so starts
// before its first item, where there are others.
func (w *windows) finish(size int, swapped, zero bool) {
	for i := range w.n {
		if v := &w.at[i]; v.off+windowBytes > w.extent {
			back := v.off + windowBytes - w.extent
			v.off -= back
			v.items <<= back
		}
	}
	for i := 0; i < w.n; i += 2 {
		s := &w.strips[i/2]
		s.Off, s.Next = w.at[i].off, 0
		first, second := s.Take[:windowBytes], s.Take[windowBytes:]
		w.at[i].take(first, size, swapped, zero)
		switch {
		case i+1 < w.n && w.at[i+1].items == w.at[i].items:
			s.Next = w.at[i+1].off - s.Off
			copy(second, first)
		case i+1 < w.n:
			s.Next = w.at[i+1].off - s.Off
			w.at[i+1].take(second, size, swapped, zero)
		case zero:
			window{}.take(second, size, swapped, zero)
		default: // the same again, so that there is nothing but items
			copy(second, first)
		}
		if zero && size == 4 && first[8] == kernel.Zero && second[8] == kernel.Zero {
			copy(second[8:], second[:8]) // apart from those of the first half, which is faster
			copy(second[:8], first[8:])
		}
	}
	w.n = (w.n + 1) / 2
}

// take sets the half of a strip that is a window.
func (v window) take(half []byte, size int, swapped, zero bool) {
	last := 0
	for k := 0; k < windowBytes; k += size {
		if v.items == 0 && zero {
			for i := range size {
				half[k+i] = kernel.Zero
			}
			continue
		}
		if v.items != 0 {
			last = bits.TrailingZeros16(v.items)
			v.items &= v.items - 1
		}
		for i := range size {
			if swapped {
				half[k+i] = byte(last + size - 1 - i)
			} else {
				half[k+i] = byte(last + i)
			}
		}
	}
}

// Next returns the next block: rows of strips, the first at p, the others step bytes apart.
// After the last one there are no rows. Which blocks there are depends on the layout alone.
func (w *Strips) Next() (p Pointer, strips []kernel.Strip, step, rows int) {
	for !w.done {
		if w.at < w.rows {
			p, rows = Add(w.base, w.off+w.at*w.step), min(w.most, w.rows-w.at)
			w.at += rows
			return p, w.row.strips[:w.row.n], w.step, rows
		}
		if w.rest.n > 0 {
			p = Add(w.base, w.off+w.restOff)
		}
		w.at = 0
		w.advance()
		if w.rest.n > 0 {
			return p, w.rest.strips[:w.rest.n], 0, 1
		}
	}
	return nil, nil, 0, 0
}

func (w *Strips) advance() {
	for k := w.outer - 1; k >= 0; k-- {
		c := &w.axes[k]
		w.off += c.stride
		if c.i++; c.i < c.n {
			return
		}
		w.off -= c.n * c.stride
		c.i = 0
	}
	w.done = true
}
