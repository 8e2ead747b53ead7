package elem

import (
	"slices"

	"github.com/ndmap/ndmap/internal/kernel"
)

// An Axis is an axis of two arrays that are walked together. It has N elements, with strides of DS bytes in the
// destination and SS bytes in the source.
type Axis struct{ N, DS, SS int }

func (a Axis) dstStride() int { return a.DS }
func (a Axis) srcStride() int { return a.SS }

// Walk moves the elements of the source to the destination, which must not overlap. The axes must be in the memory
// order of the destination: their strides DS descend and are not negative.
func (c *Codec) Walk(axes []Axis, dst, src Pointer) {
	switch {
	case c.op == opConvert && c.isDirect(axes, dst, src):
		eachBlock(axes, rowAxis(axes), dst, src, c.convertRows)
	case c.op == opConvert && c.prefersItems(axes):
		eachBlock(axes, rowAxis(axes), dst, src, c.convertItems)
	case c.op == opChain && c.isInPlace(axes, dst):
		eachBlock(axes, rowAxis(axes), dst, src, c.scaleRows)
	case c.op == opConvert, c.op == opChain:
		c.moveTiles(axes, dst, src)
	case c.op == opMove:
		moveAxes(axes, dst, kernel.Add(src, c.skip), c.size, c.swap)
	case len(axes) == 1:
		a := axes[0]
		c.Move(1, a.N, Side{P: dst, Item: a.DS}, Side{P: src, Item: a.SS})
	default:
		eachBlock(axes, rowAxis(axes), dst, src, c.Move)
	}
}

// isOneItem reports whether the items of size bytes along the innermost axis are consecutive, and can be moved as one
// item of a size that the kernels support.
func isOneItem(axes []Axis, size, swap int) bool {
	a := axes[len(axes)-1]
	rowSize := a.N * size
	return len(axes) > 1 && swap <= 1 && a.DS == size && a.SS == size && rowSize <= largestItem && rowSize&(rowSize-1) == 0
}

// WalkInOrder does the work of Walk for arrays that overlap in a way that InPlace allows. It moves one row along the
// last axis after another, in the order of the outer axes.
func (c *Codec) WalkInOrder(axes []Axis, dst, src Pointer) { eachBlock(axes, -1, dst, src, c.Move) }

// Merge drops axes of length 1 and merges axes that continue each other, in place. It leaves at least one axis.
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

// moveTiled does the work of Move for elements that may go through the buffers.
func (c *Codec) moveTiled(m, n int, dst, src Side) {
	if m == 1 && n <= bufferLen && c.op == opConvert {
		c.convertRun(n, dst, src)
		return
	}
	var axes [2]Axis
	c.Walk(blockAxes(&axes, m, n, dst, src), dst.P, src.P)
}

// blockAxes sets axes to the axes of a block, and returns them in the order that Walk needs.
func blockAxes(axes *[2]Axis, m, n int, dst, src Side) []Axis {
	if abs(dst.Row) < abs(dst.Item) {
		m, n, dst, src = n, m, dst.Turned(), src.Turned()
	}
	*axes = [2]Axis{{m, dst.Row, src.Row}, {n, dst.Item, src.Item}}
	return Merge(axes[:])
}

// convertRun converts one row of up to bufferLen numbers.
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
	c.convertBlock(out, in, n, &b.middle, false)
	if !plain {
		kernel.Move(1, n, dst, dense(out, n, c.to.size), c.to.size, c.to.swap)
	}
	pool.Put(b)
}

// A dim is an axis of a walk by tiles. A tile has up to maxLen elements along the axis, and the current tile starts at
// element pos.
type dim struct {
	Axis
	maxLen, pos int
}

// moveTiles moves all elements through the buffers, a tile of up to bufferLen elements at a time.
func (c *Codec) moveTiles(axes []Axis, dst, src Pointer) {
	var smallDims [smallRank]dim
	var smallTile [smallRank]Axis
	var smallSides [3][smallRank]Axis
	dims := smallDims[:0]
	for _, a := range axes {
		dims = append(dims, dim{Axis: a})
	}
	last := len(dims) - 1
	first := chooseTile(dims) // the axis to step along first
	if c.op == opConvert && !isRun(dims, Axis.dstStride) {
		// Elements in the buffers are in the order of the source if this makes a tile of the source a run.
		slices.SortStableFunc(dims, func(a, b dim) int { return abs(b.SS) - abs(a.SS) })
		if isRun(dims, Axis.srcStride) {
			first = last
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
	for k := first; k >= 0; {
		changed := t.n == 0
		n := 1
		for k := range dims {
			d := &dims[k]
			length := min(d.maxLen, d.N-d.pos)
			changed = changed || length != t.axes[k].N
			t.axes[k] = Axis{length, d.DS, d.SS}
			n *= length
		}
		if changed {
			t.n = n
			t.to = withBuffer(smallSides[0][:0], t.axes, in, true)
			t.from = withBuffer(smallSides[1][:0], t.axes, out, false)
			t.rows = nil
			if row := t.from[len(t.from)-1]; n == 1 || row.DS == out && (len(t.from) == 1 || row.N >= minKernelRow) {
				t.rows = withBuffer(smallSides[2][:0], t.axes, in, false)
			}
		}
		if c.op == opChain {
			c.first.Walk(t.to, Pointer(&b.in), src)
			c.linear.apply(Pointer(&b.in), t.n)
			c.second.Walk(t.from, dst, Pointer(&b.in))
		} else {
			c.convertTile(b, &t, dst, src)
		}
		next := last // the axis to step along if axis k is at its end: the last axis, then the axes before it
		for k = first; k >= 0; k, next = next, next-1 {
			d, step := &dims[k], t.axes[k].N
			if d.pos+step == d.N {
				step = -d.pos // return to the start
			}
			d.pos += step
			dst, src = kernel.Add(dst, step*d.DS), kernel.Add(src, step*d.SS)
			if step > 0 {
				break
			}
			if next == first {
				next--
			}
		}
	}
	pool.Put(b)
	if t.nonTemporal {
		kernel.Fence()
	}
}

// chooseTile sets the sizes of tiles, and returns the fastest axis of the source, which has the shortest stride. Tiles
// are long along this axis and along the innermost axis. If the two axes differ, a tile uses whole cache lines on both
// sides.
func chooseTile(dims []dim) (sourceAxis int) {
	last := len(dims) - 1
	sourceAxis = last
	for k, d := range dims {
		if d.SS != 0 && abs(d.SS) < abs(dims[sourceAxis].SS)/2 {
			sourceAxis = k
		}
	}
	room, d := bufferLen, &dims[sourceAxis]
	if sourceAxis != last {
		parts := (d.N + transposeColumns - 1) / transposeColumns
		d.maxLen = min(d.N, ((d.N+parts-1)/parts+transposeRows-1)&^(transposeRows-1))
		room /= d.maxLen
	}
	for k := last; k >= 0; k-- {
		if k != sourceAxis || sourceAxis == last {
			dims[k].maxLen = min(dims[k].N, room)
			room /= dims[k].maxLen
		}
	}
	if sourceAxis != last {
		d.maxLen = min(d.N, d.maxLen*room)
	}
	return sourceAxis
}

// isRun reports whether the elements of a tile all have the same distance to the next one.
func isRun(dims []dim, stride func(Axis) int) bool {
	next := 0 // the stride that an axis needs to continue the axis after it
	for _, d := range slices.Backward(dims) {
		switch {
		case d.maxLen == 1:
			continue
		case next != 0 && stride(d.Axis) != next:
			return false
		}
		next = stride(d.Axis) * d.maxLen
	}
	return true
}

// A tile contains elements that fit in the buffers.
type tile struct {
	axes        []Axis // of the source and the destination
	n           int    // number of elements
	to, from    []Axis // for moves from the source to a buffer, and from a buffer to the destination
	rows        []Axis // for conversions from a buffer to rows of the destination; nil to convert to another buffer
	nonTemporal bool   // stores to the destination bypass the caches
}

// withBuffer appends the axes of a tile to into, with a buffer of elements of size bytes as the destination if
// destination is true, and otherwise as the source.
func withBuffer(into, tile []Axis, size int, destination bool) []Axis {
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

// moveAxes moves the bytes of all items of the axes, and reverses each group of swap bytes if swap is more than 1.
func moveAxes(axes []Axis, dst, src Pointer, size, swap int) {
	if isOneItem(axes, size, swap) {
		last := len(axes) - 1
		axes, size = axes[:last], size*axes[last].N
	}
	if len(axes) == 1 {
		a := axes[0]
		kernel.Move(1, a.N, Side{P: dst, Item: a.DS}, Side{P: src, Item: a.SS}, size, swap)
		return
	}
	eachBlock(axes, rowAxis(axes), dst, src, func(m, n int, dst, src Side) { moveBytes(m, n, dst, src, size, swap) })
}

// convertTile converts a tile. Numbers that are not plain go through the buffers.
func (c *Codec) convertTile(b *buffers, t *tile, dst, src Pointer) {
	in := src
	if !c.from.isPlain(src) || len(t.to) > 1 || t.to[0].SS != c.from.size {
		in = Pointer(&b.in)
		moveAxes(t.to, in, src, c.from.size, c.from.swap)
	}
	if t.rows != nil && c.to.arePlain(dst, t.rows, Axis.dstStride) {
		eachBlock(t.rows, rowAxis(t.rows), dst, in, func(m, n int, dst, src Side) {
			for i := range m {
				c.convertBlock(dst.At(i, 0).P, src.At(i, 0).P, n, &b.middle, t.nonTemporal && n*c.dsize >= nonTemporalRow)
			}
		})
		return
	}
	out := Pointer(&b.out)
	c.convertBlock(out, in, t.n, &b.middle, false)
	moveAxes(t.from, dst, out, c.to.size, c.to.swap)
}

// count returns the number of elements along all axes.
func count(axes []Axis) int {
	n := 1
	for _, a := range axes {
		n *= a.N
	}
	return n
}
