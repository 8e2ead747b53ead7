package kernel

import (
	"math/bits"
	"unsafe"
)

// LeastOf replaces least[j] by the least of least[j] and the numbers of column j, or by NaN if one of these is NaN.
func LeastOf[T Real](least []T, p Pointer, stride, m, swap int) {
	extremesOf(active.least[numOf[T]()], least, p, stride, m, swap, false)
}

// GreatestOf replaces greatest[j] by the greatest of greatest[j] and the numbers of column j, or by NaN if one of these
// is NaN.
func GreatestOf[T Real](greatest []T, p Pointer, stride, m, swap int) {
	extremesOf(active.greatest[numOf[T]()], greatest, p, stride, m, swap, true)
}

// extremesOf implements GreatestOf if greatest is true, and LeastOf otherwise.
func extremesOf[T Real](loop columnLoop, x []T, p Pointer, stride, m, swap int, greatest bool) {
	switch bytes := len(x) * int(unsafe.Sizeof(T(0))); {
	case m == 0 || len(x) == 0:
	case loop != nil && bytes >= ExtremeBytes:
		extremesWide(loop, x, p, stride, m, swap, greatest)
	case stride == bytes && bytes < ExtremeBytes && m*bytes >= leastFolded && swap == 0:
		extremesFolded(loop, x, p, m, greatest)
	default:
		extremesFrom(0, x, p, stride, m, swap, greatest)
	}
}

// extremesWide implements extremesOf for rows of at least ExtremeBytes.
func extremesWide[T Real](loop columnLoop, x []T, p Pointer, stride, m, swap int, greatest bool) {
	eachRowGroup(p, stride, m, len(x)*int(unsafe.Sizeof(T(0))), 2*ExtremeBytes, func(p Pointer, rows int, inOrder bool) {
		extremesGroup(loop, x, p, stride, rows, swap, inOrder, greatest)
	})
}

// extremesGroup implements extremesOf for a group of rows.
func extremesGroup[T Real](loop columnLoop, x []T, p Pointer, stride, m, swap int, inOrder, greatest bool) {
	if loop == nil {
		extremesFrom(0, x, p, stride, m, swap, greatest)
		return
	}
	size := int(unsafe.Sizeof(T(0)))
	done := loop(Hide(Pointer(&x[0])), p, stride, m, len(x), swap, inOrder)
	// Reducing some columns twice does not change the result.
	if last := len(x) - ExtremeBytes/size; done < len(x) && done >= last {
		done = last + loop(Hide(Pointer(&x[last])), Add(p, last*size), stride, m, ExtremeBytes/size, swap, false)
	}
	extremesFrom(done, x, p, stride, m, swap, greatest)
}

// extremesFrom implements extremesOf in plain Go, for the columns starting at first.
func extremesFrom[T Real](first int, x []T, p Pointer, stride, m, swap int, greatest bool) {
	eachNative[T](p, stride, m, first, len(x), swap, func(p Pointer, stride, m, first, n int) {
		extremesPlain(x[first:n], p, stride, m, greatest)
	})
}

// extremesFolded implements extremesOf for consecutive rows of less than ExtremeBytes. It first reduces the block as if
// several rows were one long row. Then it folds the resulting row: it reduces the two halves to one half, until the
// length of a short row is left.
func extremesFolded[T Real](loop columnLoop, x []T, p Pointer, m int, greatest bool) {
	n := len(x)
	stride := n * int(unsafe.Sizeof(T(0)))
	rows := 1 << bits.Len(uint(foldedBytes/stride)) >> 1
	var memory [foldedBytes / 8]uint64
	row := unsafe.Slice((*T)(Pointer(&memory)), rows*n)
	for i := range rows {
		copy(row[i*n:], x)
	}
	extremesWide(loop, row, p, rows*stride, m/rows, 0, greatest)
	for k := rows / 2; k > 0; k /= 2 {
		if half, other := row[:k*n], Hide(Pointer(&row[k*n])); k*stride >= ExtremeBytes {
			extremesGroup(loop, half, other, 0, 1, 0, false, greatest)
		} else {
			extremesPlain(half, other, 0, 1, greatest)
		}
	}
	extremesPlain(x, Pointer(&row[0]), 0, 1, greatest)
	if rest := m % rows; rest > 0 { // if rest is 0, the pointer would be past the last number
		extremesPlain(x, Add(p, (m-rest)*stride), stride, rest, greatest)
	}
}

// extremesPlain implements extremesOf in plain Go, for native order.
func extremesPlain[T Real](x []T, p Pointer, stride, m int, greatest bool) {
	if unsafe.Sizeof(T(0)) == 1 {
		done := extremesLanes(x, p, stride, m, greatest)
		if done == len(x) {
			return
		}
		x, p = x[done:], Add(p, done)
	}
	n, i := len(x), 0
	for ; i+4 <= m; i += 4 {
		a, b, c, d := fourRows[T](Add(p, i*stride), stride, n)
		if greatest {
			for j := range x {
				x[j] = max(x[j], max(a[j], b[j]), max(c[j], d[j]))
			}
		} else {
			for j := range x {
				x[j] = min(x[j], min(a[j], b[j]), min(c[j], d[j]))
			}
		}
	}
	for ; i < m; i++ {
		a := rowAt[T](p, stride, i, n)
		if greatest {
			for j := range x {
				x[j] = max(x[j], a[j])
			}
		} else {
			for j := range x {
				x[j] = min(x[j], a[j])
			}
		}
	}
}
