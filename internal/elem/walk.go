package elem

import (
	"slices"

	"github.com/ndmap/ndmap/internal/kernel"
)

// An Axis is one axis of two arrays that are walked together: N elements, and a stride in
// bytes in the destination and in the source.
type Axis struct{ N, DS, SS int }

// Walk moves the elements of two arrays, which must not overlap. The axes are in the order
// of the destination's memory; the strides DS fall, and none is negative.
func (c *Codec) Walk(axes []Axis, dst, src Pointer) {
	switch {
	case c.op == opConvert && c.isDirect(axes, dst, src):
		blocks(axes, rowAxis(axes), dst, src, c.convertRows)
	case c.op == opConvert && c.isItemwise(axes):
		blocks(axes, rowAxis(axes), dst, src, c.convertItems)
	case c.op == opChain && c.isInPlace(axes, dst):
		blocks(axes, rowAxis(axes), dst, src, c.scaleRows)
	case c.op == opConvert, c.op == opChain:
		c.tiled(axes, dst, src)
	case c.op == opMove && isItem(axes, c.size, c.swap):
		last := len(axes) - 1
		whole := Repeat(c.size * axes[last].N)
		whole.Walk(axes[:last], dst, kernel.Add(src, c.skip))
	case len(axes) == 1:
		a := axes[0]
		c.Move(1, a.N, Side{P: dst, Item: a.DS}, Side{P: src, Item: a.SS})
	default:
		blocks(axes, rowAxis(axes), dst, src, c.Move)
	}
}

// isItem reports whether the innermost axis has items of size bytes that follow one another,
// and that are one item of a size that the kernels know.
func isItem(axes []Axis, size, swap int) bool {
	a := axes[len(axes)-1]
	whole := a.N * size
	return len(axes) > 1 && swap <= 1 && a.DS == size && a.SS == size && whole <= largestItem && whole&(whole-1) == 0
}

// WalkInOrder is Walk for arrays that overlap as InPlace says: row by row along the last
// axis, in the order of the others.
func (c *Codec) WalkInOrder(axes []Axis, dst, src Pointer) { blocks(axes, -1, dst, src, c.Move) }

// Merge drops axes of length 1 and merges those that continue one another, in place. At
// least one is left.
func Merge(axes []Axis) []Axis {
	last := -1
	for _, a := range axes {
		switch {
		case a.N == 1:
			continue
		case last >= 0 && axes[last].DS == a.N*a.DS && axes[last].SS == a.N*a.SS:
			axes[last] = Axis{axes[last].N * a.N, a.DS, a.SS}
			continue
		}
		last++
		axes[last] = a
	}
	if last < 0 {
		return append(axes[:0], Axis{N: 1})
	}
	return axes[:last+1]
}

// moveTiled is Move where elements go by way of buffers.
func (c *Codec) moveTiled(m, n int, dst, src Side) {
	if m == 1 && n <= bufferLen && c.op == opConvert {
		c.convertRun(n, dst, src)
		return
	}
	var axes [2]Axis
	c.Walk(blockAxes(&axes, m, n, dst, src), dst.P, src.P)
}

// blockAxes makes axes those of a block.
func blockAxes(axes *[2]Axis, m, n int, dst, src Side) []Axis {
	if abs(dst.Row) < abs(dst.Item) {
		m, n, dst, src = n, m, dst.Turned(), src.Turned()
	}
	*axes = [2]Axis{{m, dst.Row, src.Row}, {n, dst.Item, src.Item}}
	return Merge(axes[:])
}

// convertRun converts n numbers, which a buffer has room for.
func (c *Codec) convertRun(n int, dst, src Side) {
	b := pool.Get().(*buffers)
	in, out := src.P, dst.P
	if !c.from.isPlain(in) || n > 1 && src.Item != c.from.size {
		in = Pointer(&b.in)
		kernel.Move(1, n, dense(in, n, c.from.size), src, c.from.size, c.from.swap)
	}
	plain := c.to.isPlain(out) && (n == 1 || dst.Item == c.to.size)
	if !plain {
		out = Pointer(&b.out)
	}
	c.convertBlock(out, in, n, &b.between, false)
	if !plain {
		kernel.Move(1, n, dst, dense(out, n, c.to.size), c.to.size, c.to.swap)
	}
	pool.Put(b)
}

// A dim is one axis of what is moved by tiles: of at most so many elements, from pos on.
type dim struct {
	Axis
	most, pos int
}

// tiled moves all elements by way of the buffers, a tile of at most bufferLen elements at a
// time.
func (c *Codec) tiled(axes []Axis, dst, src Pointer) {
	var smallDims [smallRank]dim
	var smallTile [smallRank]Axis
	var smallSides [3][smallRank]Axis
	dims := smallDims[:0]
	for _, a := range axes {
		dims = append(dims, dim{Axis: a})
	}
	first := chooseTile(dims)
	if c.op == opConvert && !isRun(dims, dim.ds) { // then the buffers have the order of the source, if that is a run
		slices.SortStableFunc(dims, func(a, b dim) int { return abs(b.SS) - abs(a.SS) })
		if isRun(dims, dim.ss) {
			first = len(dims) - 1
		} else {
			slices.SortStableFunc(dims, func(a, b dim) int { return b.DS - a.DS })
		}
	}
	in, out := c.from.size, c.to.size
	if c.op == opChain {
		in, out = c.first.dsize, c.first.dsize
	}
	t := tile{axes: append(smallTile[:0], axes...), nonTemporal: kernel.IsNonTemporal(c.dsize * count(axes))}
	b := pool.Get().(*buffers)
	for {
		changed := t.n == 0
		n := 1
		for k := range dims {
			d := &dims[k]
			length := min(d.most, d.N-d.pos)
			changed = changed || length != t.axes[k].N
			t.axes[k] = Axis{length, d.DS, d.SS}
			n *= length
		}
		if changed {
			t.n = n
			t.to = buffered(smallSides[0][:0], t.axes, in, true)
			t.from = buffered(smallSides[1][:0], t.axes, out, false)
			t.rows = nil
			if row := t.from[len(t.from)-1]; n == 1 || row.DS == out && (len(t.from) == 1 || row.N >= leastKernelRow) {
				t.rows = buffered(smallSides[2][:0], t.axes, in, false)
			}
		}
		if c.op == opChain {
			c.first.Walk(t.to, Pointer(&b.in), src)
			c.linear.apply(Pointer(&b.in), t.n)
			c.second.Walk(t.from, dst, Pointer(&b.in))
		} else {
			c.convertTile(b, &t, dst, src)
		}
		k := first
		for next := len(dims) - 1; ; next-- {
			d := &dims[k]
			if d.pos+t.axes[k].N < d.N {
				d.pos += t.axes[k].N
				dst, src = kernel.Add(dst, t.axes[k].N*d.DS), kernel.Add(src, t.axes[k].N*d.SS)
				break
			}
			dst, src = kernel.Add(dst, -d.pos*d.DS), kernel.Add(src, -d.pos*d.SS)
			d.pos = 0
			if next == first {
				next--
			}
			if k = next; k < 0 {
				if pool.Put(b); t.nonTemporal {
					kernel.Fence()
				}
				return
			}
		}
	}
}

// chooseTile chooses the size of tiles: long along the innermost axis, and along the one along
// which the source lies: where that is another, lines of the cache are used as a whole
// on either side. It returns the latter, which is the first to step.
func chooseTile(dims []dim) (lies int) {
	last := len(dims) - 1
	lies = last
	for k, d := range dims {
		if d.SS != 0 && abs(d.SS) < abs(dims[lies].SS)/2 {
			lies = k
		}
	}
	room, d := bufferLen, &dims[lies]
	if lies != last {
		parts := (d.N + transposeColumns - 1) / transposeColumns
		d.most = min(d.N, ((d.N+parts-1)/parts+transposeRows-1)&^(transposeRows-1))
		room /= d.most
	}
	for k := last; k >= 0; k-- {
		if k != lies || lies == last {
			dims[k].most = min(dims[k].N, room)
			room /= dims[k].most
		}
	}
	if lies != last {
		d.most = min(d.N, d.most*room)
	}
	return lies
}

func (d dim) ds() int { return d.DS }
func (d dim) ss() int { return d.SS }

// isRun reports whether the elements of a tile follow one another at one distance.
func isRun(dims []dim, stride func(dim) int) bool {
	next := 0 // the stride of an axis that continues the last one
	for _, d := range slices.Backward(dims) {
		switch {
		case d.most == 1:
			continue
		case next != 0 && stride(d) != next:
			return false
		}
		next = stride(d) * d.most
	}
	return true
}

// A tile is a part of the elements.
type tile struct {
	axes        []Axis
	n           int    // elements
	to, from    []Axis // from the source to a buffer, and from a buffer to the destination
	rows        []Axis // from before the conversion to the destination, where that needs no buffer
	nonTemporal bool   // the destination is stored past the caches
}

// buffered appends to into the axes of a tile, with the elements of a buffer, of size bytes,
// in place of the destination or of the source.
func buffered(into, tile []Axis, size int, destination bool) []Axis {
	into = append(into, tile...)
	for k := len(into) - 1; k >= 0; k-- {
		if destination {
			into[k].DS = size
		} else {
			into[k].SS = size
		}
		size *= into[k].N
	}
	return Merge(into)
}

// moveAxes moves the bytes of all items of the axes.
func moveAxes(axes []Axis, dst, src Pointer, size, swap int) {
	if isItem(axes, size, swap) {
		last := len(axes) - 1
		axes, size = axes[:last], size*axes[last].N
	}
	if len(axes) == 1 {
		a := axes[0]
		kernel.Move(1, a.N, Side{P: dst, Item: a.DS}, Side{P: src, Item: a.SS}, size, swap)
		return
	}
	blocks(axes, rowAxis(axes), dst, src, func(m, n int, dst, src Side) { moveBytes(m, n, dst, src, size, swap) })
}

// convertTile converts a tile: what is not plain is moved to the buffers first, and from
// there.
func (c *Codec) convertTile(b *buffers, t *tile, dst, src Pointer) {
	in := src
	if !c.from.isPlain(src) || len(t.to) > 1 || t.to[0].SS != c.from.size {
		in = Pointer(&b.in)
		moveAxes(t.to, in, src, c.from.size, c.from.swap)
	}
	if c.isPlainRows(t, dst) {
		blocks(t.rows, rowAxis(t.rows), dst, in, func(m, n int, dst, src Side) {
			for i := range m {
				c.convertBlock(dst.At(i, 0).P, src.At(i, 0).P, n, &b.between, t.nonTemporal && n*c.dsize >= nonTemporalRow)
			}
		})
		return
	}
	out := Pointer(&b.out)
	c.convertBlock(out, in, t.n, &b.between, false)
	moveAxes(t.from, dst, out, c.to.size, c.to.swap)
}

// isPlainRows reports whether all rows of a tile at dst are as kernel.Convert makes them.
func (c *Codec) isPlainRows(t *tile, dst Pointer) bool {
	if t.rows == nil || !c.to.isPlain(dst) {
		return false
	}
	for _, a := range t.rows {
		if !c.to.isPlain(kernel.Add(dst, a.DS)) {
			return false
		}
	}
	return true
}

// count returns the number of elements.
func count(axes []Axis) int {
	n := 1
	for _, a := range axes {
		n *= a.N
	}
	return n
}
