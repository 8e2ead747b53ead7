package elem

import "github.com/ndmap/ndmap/internal/kernel"

// eachBlock divides the elements of the axes into blocks, and calls move for each block. A block extends along the last
// axis and axis row, or only along the last axis if row is negative.
func eachBlock(axes []Axis, row int, dst, src Pointer, move func(m, n int, dst, src Side)) {
	if row >= 0 {
		limit := max(min(cachedRows(axes[row].DS), cachedRows(axes[row].SS)), smallBlock/axes[len(axes)-1].N)
		if first := cachedAxis(axes, row); axes[row].N > limit+limit/4 && (first < row || row < len(axes)-2) {
			splitBlocks(axes, first, row, limit, dst, src, move)
			return
		}
	}
	inner, other := axes[len(axes)-1], Axis{N: 1}
	if row >= 0 {
		other = axes[row]
	}
	var small [smallRank + 1]int
	idx := append(small[:0], make([]int, len(axes))...)
	for d, s := 0, 0; ; {
		move(other.N, inner.N, Side{P: kernel.Add(dst, d), Row: other.DS, Item: inner.DS}, Side{P: kernel.Add(src, s),
			Row: other.SS, Item: inner.SS})
		k := len(axes) - 2
		for ; k >= 0; k-- {
			if k == row {
				continue
			}
			a := axes[k]
			d += a.DS
			s += a.SS
			if idx[k]++; idx[k] < a.N {
				break
			}
			d -= a.N * a.DS
			s -= a.N * a.SS
			idx[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// cachedRows returns the number of rows, stride bytes apart, whose cache lines fit in the first cache together.
func cachedRows(stride int) int {
	switch apart := stride & -stride; { // the greatest power of two that divides stride
	case apart >= farBytes:
		return max(transposeRows, fewRows*farBytes/apart)
	case abs(stride) >= halfPage:
		return pagedRows
	}
	return maxRows
}

// cachedAxis returns the first axis along which a step accesses the same cache lines of a block again, or row if no
// axis before row has this property.
func cachedAxis(axes []Axis, row int) int {
	for k, a := range axes[:row] {
		if axes[row].SS != 0 && a.N > 1 && abs(a.SS) < kernel.LineBytes {
			return k
		}
	}
	return row
}

// splitBlocks does the work of blocks with blocks of the given number of rows. It moves these rows at all positions
// along axis first and later axes, and then moves the next rows.
func splitBlocks(axes []Axis, first, row, rows int, dst, src Pointer, move func(m, n int, dst, src Side)) {
	var small [smallRank + 1]Axis
	parts := append(append(append(small[:0], axes[:first]...), Axis{}), axes[first:]...)
	a := axes[row]
	equal := (a.N + rows - 1) / rows
	rows = ((a.N+equal-1)/equal + transposeRows - 1) &^ (transposeRows - 1)
	full, rest := a.N/rows, a.N%rows
	parts[first] = Axis{full, a.DS * rows, a.SS * rows}
	parts[row+1].N = rows
	eachBlock(parts, row+1, dst, src, move)
	if rest > 0 {
		parts[first].N, parts[row+1].N = 1, rest
		eachBlock(parts, row+1, kernel.Add(dst, full*parts[first].DS), kernel.Add(src, full*parts[first].SS), move)
	}
}

// rowAxis returns the second axis of blocks, in addition to the innermost axis, or a negative number if there is only
// one axis. The second axis is the axis next to the innermost one, with two exceptions. If the innermost axis steps
// over cache lines of the source, rowAxis returns the axis with the shortest stride in the source, because each line
// that a row touches has more elements along this axis. If the block would be small, rowAxis returns the longest
// axis: see
// smallBlock.
func rowAxis(axes []Axis) int {
	outer, inner := axes[:len(axes)-1], axes[len(axes)-1]
	best := len(outer) - 1
	if best < 0 {
		return best
	}
	if abs(inner.SS) >= kernel.LineBytes {
		least := abs(inner.SS) / 2
		for k, a := range outer {
			if a.N >= manyRows && a.SS != 0 && abs(a.SS) < least {
				best, least = k, abs(a.SS)
			}
		}
	}
	far := axes[0].N*axes[0].DS > nearSpanBytes
	if block := outer[best].N * inner.N; block < largeBlock {
		for k, a := range outer {
			if a.N > outer[best].N && (!far || block < smallBlock || max(a.DS, abs(a.SS)) < farBytes) {
				best = k
			}
		}
	}
	return best
}
