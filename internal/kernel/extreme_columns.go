package kernel

import (
	"math/bits"
	"unsafe"
)

// LeastOf makes each element of least the least of itself and a column. It is NaN if one of these is NaN.
func LeastOf[T Real](least []T, p Pointer, stride, m, swap int) {
	extremesOf(active.least[numOf[T]()], least, p, stride, m, swap, false)
}

// GreatestOf is LeastOf for the greatest.
func GreatestOf[T Real](greatest []T, p Pointer, stride, m, swap int) {
	extremesOf(active.greatest[numOf[T]()], greatest, p, stride, m, swap, true)
}

// extremesOf is LeastOf, or GreatestOf if greatest is true.
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

// extremesWide is extremesOf for rows of at least ExtremeBytes.
func extremesWide[T Real](loop columnLoop, x []T, p Pointer, stride, m, swap int, greatest bool) {
	inGroups(p, stride, m, len(x)*int(unsafe.Sizeof(T(0))), 2*ExtremeBytes, func(p Pointer, rows int, inOrder bool) {
		extremesGroup(loop, x, p, stride, rows, swap, inOrder, greatest)
	})
}

// extremesGroup is extremesOf for a group of rows.
func extremesGroup[T Real](loop columnLoop, x []T, p Pointer, stride, m, swap int, inOrder, greatest bool) {
	if loop == nil {
		extremesFrom(0, x, p, stride, m, swap, greatest)
		return
	}
	size := int(unsafe.Sizeof(T(0)))
	done := loop(Hide(Pointer(&x[0])), p, stride, m, len(x), swap, inOrder)
	// Taking some columns twice changes nothing.
	if last := len(x) - ExtremeBytes/size; done < len(x) && done >= last {
		done = last + loop(Hide(Pointer(&x[last])), Add(p, last*size), stride, m, ExtremeBytes/size, swap, false)
	}
	extremesFrom(done, x, p, stride, m, swap, greatest)
}

// extremesFrom is extremesOf in plain Go, for the columns starting at first.
func extremesFrom[T Real](first int, x []T, p Pointer, stride, m, swap int, greatest bool) {
	eachNative[T](p, stride, m, first, len(x), swap, func(p Pointer, stride, m, first, n int) {
		extremesPlain(x[first:n], p, stride, m, greatest)
	})
}

// extremesFolded is extremesOf for consecutive rows of less than ExtremeBytes. It reduces several rows as one row
// first, and then folds that row: it reduces its halves to one half, until one of the rows is left.
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
	if rest := m % rows; rest > 0 { // else the pointer would be past the last number
		extremesPlain(x, Add(p, (m-rest)*stride), stride, rest, greatest)
	}
}

// extremesPlain is extremesOf in plain Go, in native order.
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
