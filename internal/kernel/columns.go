package kernel

import "unsafe"

// The loops below reduce the columns of a block to accumulators, one for each column. The block has m rows, stride
// bytes apart, and starts at p. The loops take several rows at a time, so that they load and store the accumulators
// only once for these rows.

// Integer is the constraint for the integer types.
type Integer interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint
}

// Float is the constraint for the floating-point types.
type Float interface{ float32 | float64 }

// rowAt returns row i of n numbers.
func rowAt[T any](p Pointer, stride, i, n int) []T {
	return unsafe.Slice((*T)(Add(p, i*stride)), n)
}

// fourRows returns the four rows of n numbers that start at p.
func fourRows[T any](p Pointer, stride, n int) (a, b, c, d []T) {
	q, r, s := unsafe.Add(p, stride), unsafe.Add(p, 2*stride), unsafe.Add(p, 3*stride)
	return unsafe.Slice((*T)(p), n), unsafe.Slice((*T)(q), n), unsafe.Slice((*T)(r), n), unsafe.Slice((*T)(s), n)
}

// eachNative calls f for blocks of the m rows of n numbers at p, starting at column first. The blocks are in native
// order: if swap is not 0, eachNative copies the numbers to a buffer and reverses their bytes. The arguments p, stride
// and m of f describe a block, which has the columns from first up to n. Every block that is not at the end has a
// multiple of 8 rows.
func eachNative[T Real](p Pointer, stride, m, first, n, swap int, f func(p Pointer, stride, m, first, n int)) {
	size := int(unsafe.Sizeof(T(0)))
	switch {
	case m == 0 || first == n: // the pointer would be past the last number
		return
	case swap == 0:
		f(Add(p, first*size), stride, m, first, n)
		return
	}
	var buf [256]uint64
	for j := first; j < n; {
		columns := min(n-j, len(buf)/8)
		row := columns * size
		most := int(unsafe.Sizeof(buf)) / row &^ 7
		for i := 0; i < m; i += most {
			rows := min(most, m-i)
			part := Hide(Pointer(&buf))
			Move(rows, columns, Side{part, row, size}, Side{Add(p, i*stride+j*size), stride, size}, size, swap)
			f(part, row, rows, j, j+columns)
		}
		j += columns
	}
}

// AddIntegers adds the sum of each column to the corresponding element of sum. Sums wrap around. A has 64 bits, or more
// bits than T.
func AddIntegers[T Integer, A int32 | int64](sum []A, p Pointer, stride, m, swap int) {
	if m > 0 && len(sum) > 0 {
		done := addColumns[T](sum, p, stride, m, swap)
		eachNative[T](p, stride, m, done, len(sum), swap, func(p Pointer, stride, m, first, n int) {
			addIntegersPlain[T](sum[first:n], p, stride, m)
		})
	}
}

// addColumns implements AddIntegers with a loop for the first columns, and returns the number of these columns.
func addColumns[T Integer, A int32 | int64](sum []A, p Pointer, stride, m, swap int) (done int) {
	size, sumSize := int(unsafe.Sizeof(T(0))), int(unsafe.Sizeof(A(0)))
	loop := active.add[numOf[T]()]
	switch {
	case loop == nil, size >= 4 && sumSize == 4, size < 4 && sumSize == 8 && m > 1<<(32-8*size):
		return 0
	case size >= 4 || sumSize == 4:
		eachRowGroup(p, stride, m, len(sum)*size, 128, func(p Pointer, rows int, inOrder bool) {
			done = loop(Hide(Pointer(&sum[0])), p, stride, rows, len(sum), swap, inOrder)
		})
		return done
	}
	var short [shortColumns]int32 // half as many bytes to load and store for each row
	for k, n := 0, 0; k == n && done < len(sum); done += k {
		n = min(len(sum)-done, len(short))
		clear(short[:n])
		eachRowGroup(Add(p, done*size), stride, m, n*size, 128, func(p Pointer, rows int, inOrder bool) {
			k = loop(Hide(Pointer(&short)), p, stride, rows, n, swap, inOrder)
		})
		for j, x := range short[:k] {
			if T(0)-1 > 0 {
				sum[done+j] += A(uint32(x))
			} else {
				sum[done+j] += A(x)
			}
		}
	}
	return done
}

// addIntegersPlain implements AddIntegers in plain Go, for native order.
func addIntegersPlain[T Integer, A int32 | int64](sum []A, p Pointer, stride, m int) {
	n, i := len(sum), 0
	for ; i+8 <= m; i += 8 {
		a, b, c, d := fourRows[T](Add(p, i*stride), stride, n)
		e, f, g, h := fourRows[T](Add(p, (i+4)*stride), stride, n)
		for j := range sum {
			sum[j] += ((A(a[j]) + A(b[j])) + (A(c[j]) + A(d[j]))) + ((A(e[j]) + A(f[j])) + (A(g[j]) + A(h[j])))
		}
	}
	for ; i < m; i++ {
		a := rowAt[T](p, stride, i, n)
		for j := range sum {
			sum[j] += A(a[j])
		}
	}
}

// AddFloats adds the sum of each column to the corresponding element of hi, and the rounding errors of these additions
// to lo. The first m&^7 rows are added in groups of 8, in a fixed order.
func AddFloats[T Float](hi, lo []float64, p Pointer, stride, m, swap int) {
	if m == 0 || len(hi) == 0 {
		return
	}
	n, done, whole := len(hi), 0, m&^7
	lo = lo[:n]
	if loop := active.addFloats[numOf[T]()]; loop != nil {
		h, l, ahead := Hide(Pointer(&hi[0])), Hide(Pointer(&lo[0])), prefetchPlanFor(stride, n, int(unsafe.Sizeof(T(0))))
		for i := 0; i < whole; i += 8 {
			done = loop(h, l, Add(p, i*stride), stride, n, swap, ahead)
		}
	}
	plain := func(p Pointer, stride, m, first, n int) { addFloatsPlain[T](hi[first:n], lo[first:n], p, stride, m) }
	eachNative[T](p, stride, whole, done, n, swap, plain)
	if whole < m {
		eachNative[T](Add(p, whole*stride), stride, m-whole, 0, n, swap, plain)
	}
}

// prefetchPlanFor returns the fetch for the loop of AddFloats, for rows of n numbers of size bytes.
func prefetchPlanFor(stride, n, size int) prefetchPlan {
	if areShortRows(stride, n*size) {
		next := 8 * stride / max(1, n/4)
		return prefetchPlan{first: 8 * stride, apart: next / 8, next: next}
	}
	return prefetchPlan{first: 256, apart: stride, next: 4 * size}
}

// addFloatsPlain implements AddFloats in plain Go, for native order.
func addFloatsPlain[T Float](hi, lo []float64, p Pointer, stride, m int) {
	n, i := len(hi), 0
	lo = lo[:n]
	for ; i+8 <= m; i += 8 {
		a, b, c, d := fourRows[T](Add(p, i*stride), stride, n)
		e, f, g, h := fourRows[T](Add(p, (i+4)*stride), stride, n)
		for j := range hi {
			TwoSum(&hi[j], &lo[j], ((float64(a[j])+float64(b[j]))+(float64(c[j])+float64(d[j])))+
				((float64(e[j])+float64(f[j]))+(float64(g[j])+float64(h[j]))))
		}
	}
	for ; i+2 <= m; i += 2 {
		a, b := rowAt[T](p, stride, i, n), rowAt[T](p, stride, i+1, n)
		for j := range hi {
			TwoSum(&hi[j], &lo[j], float64(a[j])+float64(b[j]))
		}
	}
	for ; i < m; i++ {
		for j, x := range rowAt[T](p, stride, i, n) {
			TwoSum(&hi[j], &lo[j], float64(x))
		}
	}
}

// A prefetchPlan describes the cache lines that a loop prefetches while it walks through a block. Each step
// prefetches a few lines that are apart bytes from each other. In the first step, the first line is first bytes after
// the start of the block. Each step adds next bytes to that offset, and the end of the inner loop adds back bytes.
//
// Most loops prefetch later columns of the rows that they read. If rows are short and contiguous, the loops prefetch
// the bytes after the block instead, in memory order.
type prefetchPlan struct{ first, apart, next, back int }

// areShortRows reports whether rows of the given number of bytes are short, with small gaps or no gaps between them.
func areShortRows(stride, bytes int) bool {
	return bytes <= stride && stride-bytes <= stride/8 && stride <= inOrderRowBytes
}

// eachRowGroup divides the m rows of the given number of bytes into groups and calls f for each group. inOrder tells
// f to read row by row. It is true if the rows are short and have at least least bytes.
func eachRowGroup(p Pointer, stride, m, bytes, least int, f func(p Pointer, rows int, inOrder bool)) {
	most := 8
	short := areShortRows(stride, bytes)
	if short {
		most = max(8, 16<<10/stride) // fits the first cache
	}
	for i := 0; i < m; i += most {
		f(Add(p, i*stride), min(most, m-i), short && bytes >= least)
	}
}

// CountNonzero adds the count of nonzero numbers in each column to the corresponding element of count.
func CountNonzero[T Real](count []int64, p Pointer, stride, m int) {
	n, i := len(count), 0
	for ; i+4 <= m; i += 4 {
		a, b, c, d := fourRows[T](Add(p, i*stride), stride, n)
		for j := range count {
			count[j] += int64(boolToInt(a[j] != 0) + boolToInt(b[j] != 0) + (boolToInt(c[j] != 0) + boolToInt(d[j] != 0)))
		}
	}
	for ; i < m; i++ {
		for j, x := range rowAt[T](p, stride, i, n) {
			count[j] += int64(boolToInt(x != 0))
		}
	}
}

// Nonzero returns the count of nonzero numbers in s.
func Nonzero[T Real](s []T) (n int) {
	if loop := active.nonzero[numOf[T]()]; loop != nil {
		size, count := int(unsafe.Sizeof(T(0))), 0 // the loop takes the address of count
		for k := 1; k > 0 && len(s)*size >= LineBytes; s = s[k:] {
			k = loop(Hide(Pointer(&count)), Hide(Pointer(&s[0])), min(len(s), callBytes/size))
		}
		n = count
	}
	return n + nonzeroPlain(s)
}
