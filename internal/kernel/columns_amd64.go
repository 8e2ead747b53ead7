//go:build amd64 && !purego && !race

package kernel

import "unsafe"

// A fetch says what a loop prefetches while it goes through a block: at each step some lines, apart bytes from one to the
// next, of which the first one is first bytes behind the start of the block at the first step. Each step takes that next
// bytes further, and the end of the inner loop back bytes more.
//
// Most loops prefetch further columns of the rows they read. If rows are short and contiguous, they prefetch what follows the
// block instead, in memory order: that was up to 3.4 times as fast with one core of an AMD EPYC, and slower for rows of more
// than 2 KiB.
type fetch struct{ first, apart, next, back int }

// isShort reports whether rows of so many bytes are short and follow one another, with no gaps or small ones.
func isShort(stride, bytes int) bool {
	return bytes <= stride && stride-bytes <= stride/8 && stride <= 2<<10
}

//go:noescape
func addRowsF32(hi, lo *float64, p Pointer, stride, n int, mask *[16]byte, ahead fetch)

//go:noescape
func addRowsF64(hi, lo *float64, p Pointer, stride, n int, mask *[16]byte, ahead fetch)

//go:noescape
func subtractedSums(sum, from *float64, p Pointer, stride, m, n int, mask *[16]byte, ahead fetch)

//go:noescape
func subtractedSquares(sum, from *float64, p Pointer, stride, m, n int, mask *[16]byte, ahead fetch, lo *float64)

//go:noescape
func subtractedRowSums(sum, lo *[rowColumns]float64, from float64, p Pointer, m int, mask *[16]byte)

//go:noescape
func subtractedRowSquares(sum, lo *[rowColumns]float64, from float64, p Pointer, m int, mask *[16]byte)

//go:noescape
func leastI8(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func greatestI8(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func leastU8(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func greatestU8(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func leastI16(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func greatestI16(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func leastU16(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func greatestU16(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func leastI32(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func greatestI32(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func leastU32(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func greatestU32(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func leastF32(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func greatestF32(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func leastF64(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func greatestF64(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func addColumnsI8(sum, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func addColumnsU8(sum, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func addColumnsI16(sum, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func addColumnsU16(sum, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func addColumnsI32(sum, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func addColumnsU32(sum, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func addShortI8(sum, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func addShortU8(sum, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func addShortI16(sum, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func addShortU16(sum, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)

//go:noescape
func atMost8(best, p Pointer, n int, mask *[16]byte, bias uint64, ahead int) int

//go:noescape
func atMost16(best, p Pointer, n int, mask *[16]byte, bias uint64, ahead int) int

//go:noescape
func atMost32(best, p Pointer, n int, mask *[16]byte, bias uint64, ahead int) int

//go:noescape
func atMost64(best, p Pointer, n int, mask *[16]byte, bias uint64, ahead int) int

//go:noescape
func atMostF32(best, p Pointer, n int, mask *[16]byte, bias uint64, ahead int) int

//go:noescape
func atMostF64(best, p Pointer, n int, mask *[16]byte, bias uint64, ahead int) int

//go:noescape
func atLeast8(best, p Pointer, n int, mask *[16]byte, bias uint64, ahead int) int

//go:noescape
func atLeast16(best, p Pointer, n int, mask *[16]byte, bias uint64, ahead int) int

//go:noescape
func atLeast32(best, p Pointer, n int, mask *[16]byte, bias uint64, ahead int) int

//go:noescape
func atLeast64(best, p Pointer, n int, mask *[16]byte, bias uint64, ahead int) int

//go:noescape
func atLeastF32(best, p Pointer, n int, mask *[16]byte, bias uint64, ahead int) int

//go:noescape
func atLeastF64(best, p Pointer, n int, mask *[16]byte, bias uint64, ahead int) int

// addColumnsVector does what AddIntegers does to the first columns, and returns how many.
func addColumnsVector[T Integer, A int32 | int64](sum []A, p Pointer, stride, m, swap int) (done int) {
	lanes := 32
	if unsafe.Sizeof(T(0)) == 4 {
		lanes = 16
	}
	blocks := len(sum) / lanes
	if !vectors || blocks == 0 {
		return 0
	}
	var add, short func(sum, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)
	switch any(T(0)).(type) {
	case int8:
		add, short = addColumnsI8, addShortI8
	case uint8:
		add, short = addColumnsU8, addShortU8
	case int16:
		add, short = addColumnsI16, addShortI16
	case uint16:
		add, short = addColumnsU16, addShortU16
	case int32:
		add = addColumnsI32
	case uint32:
		add = addColumnsU32
	}
	if unsafe.Sizeof(A(0)) == 4 {
		add = short
	}
	if add == nil {
		return 0
	}
	size := int(unsafe.Sizeof(T(0)))
	inGroups(p, stride, m, len(sum)*size, blocks, lanes*size, func(p Pointer, rows int, ahead fetch) {
		add(Pointer(&sum[0]), p, stride, rows, blocks, &masks[swap], ahead)
	})
	return blocks * lanes
}

// inGroups calls f for m rows of so many bytes, some at a time. With each step f takes block bytes of a row, and its inner
// loop goes through the rows. One core of an AMD EPYC took numbers of 8 rows half a MiB apart at 16 GB/s, of 16 at 11 to 14,
// and of 64 at 7.
func inGroups(p Pointer, stride, m, bytes, blocks, block int, f func(p Pointer, rows int, ahead fetch)) {
	most := 8
	short := isShort(stride, bytes)
	if short {
		most = max(8, 16<<10/stride) // the first cache holds these and those that are prefetched
	}
	for i := 0; i < m; i += most {
		rows := min(most, m-i)
		ahead := fetch{first: 256, next: stride, back: block - rows*stride}
		if short {
			ahead = fetch{first: rows * stride, next: (stride + blocks - 1) / blocks}
		}
		f(Add(p, i*stride), rows, ahead)
	}
}

// addRowsVector adds the first columns of 8 rows, as AddFloats does, and returns how many.
func addRowsVector[T Float](hi, lo []float64, p Pointer, stride, swap int) (done int) {
	done = len(hi) &^ 3
	if !vectors || done == 0 {
		return 0
	}
	size := int(unsafe.Sizeof(T(0)))
	ahead := fetch{first: 256, apart: stride, next: 4 * size}
	if isShort(stride, len(hi)*size) {
		next := 8 * stride / (done / 4)
		ahead = fetch{first: 8 * stride, apart: next / 8, next: next}
	}
	if size == 4 { // called directly, or hi and lo would escape
		addRowsF32(&hi[0], &lo[0], p, stride, done, &masks[swap], ahead)
	} else {
		addRowsF64(&hi[0], &lo[0], p, stride, done, &masks[swap], ahead)
	}
	return done
}

// subtractedVector does what SubtractedSums does, or if there is a lo SubtractedSquares, to the
// first columns of as many rows as 4 divide, and returns how many columns.
func subtractedVector(sum, lo, from []float64, p Pointer, stride, m, swap int) (done int) {
	done = len(sum) &^ 3
	if !vectors || done == 0 {
		return 0
	}
	ahead := fetch{first: 4 * stride, apart: stride, next: 32, back: 4*stride - 8*done}
	if lo != nil {
		ahead.first = 8 * done // the sums have been there: the columns that come next
	}
	if isShort(stride, 8*len(sum)) {
		next := 4 * stride / (done / 4)
		ahead = fetch{first: max(4*stride, 2<<10), apart: next / 4, next: next}
	}
	switch m /= 4; {
	case m == 0:
	case lo == nil:
		subtractedSums(&sum[0], &from[0], p, stride, m, done, &masks[swap], ahead)
	default:
		subtractedSquares(&sum[0], &from[0], p, stride, m, done, &masks[swap], ahead, &lo[0])
	}
	return done
}

// subtractedRowVector does what subtractedRow does, if it can.
func subtractedRowVector(sum, lo *[rowColumns]float64, from float64, p Pointer, m, swap int, squares bool) bool {
	switch {
	case !vectors || m == 0:
		return false
	case squares:
		subtractedRowSquares(sum, lo, from, p, m/4, &masks[swap])
	default:
		subtractedRowSums(sum, lo, from, p, m/4, &masks[swap])
	}
	return true
}

// extremesVector does what LeastOf and GreatestOf do to the first columns, and returns how
// many.
func extremesVector[T Real](x []T, p Pointer, stride, m, swap int, greatest bool) (done int) {
	const blockBytes = 128
	size := int(unsafe.Sizeof(T(0)))
	blocks := len(x) * size / blockBytes
	if !vectors || blocks == 0 || m == 0 {
		return 0
	}
	var f [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch)
	switch any(T(0)).(type) {
	case int8:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch){leastI8, greatestI8}
	case uint8:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch){leastU8, greatestU8}
	case int16:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch){leastI16, greatestI16}
	case uint16:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch){leastU16, greatestU16}
	case int32:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch){leastI32, greatestI32}
	case uint32:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch){leastU32, greatestU32}
	case float32:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch){leastF32, greatestF32}
	case float64:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte, ahead fetch){leastF64, greatestF64}
	default:
		return 0
	}
	if greatest {
		f[0] = f[1]
	}
	inGroups(p, stride, m, len(x)*size, blocks, blockBytes, func(p Pointer, rows int, ahead fetch) {
		f[0](Pointer(&x[0]), p, stride, rows, blocks, &masks[swap], ahead)
		if last := len(x) - blockBytes/size; last*size%blockBytes != 0 { // some columns twice, which changes nothing
			f[0](Pointer(&x[last]), Add(p, last*size), stride, rows, 1, &masks[swap], fetch{})
		}
	})
	return len(x)
}

// Behind returns a number of elements at the start of s, none of which is greater than that of best at the same
// index, or if least is true less. There may be more; without vectors it returns 0. It prefetches what is ahead
// bytes further on.
func Behind[T Real](best, s []T, swap int, least bool, ahead int) int {
	size := int(unsafe.Sizeof(T(0)))
	n := len(s) * size &^ 127
	if !vectors || n == 0 {
		return 0
	}
	most, behind := atMost64, atLeast64
	switch {
	case size == 1:
		most, behind = atMost8, atLeast8
	case size == 2:
		most, behind = atMost16, atLeast16
	case size == 4 && isFloat[T]():
		most, behind = atMostF32, atLeastF32
	case size == 4:
		most, behind = atMost32, atLeast32
	case isFloat[T]():
		most, behind = atMostF64, atLeastF64
	}
	if !least {
		behind = most
	}
	return behind(Pointer(&best[0]), Pointer(&s[0]), n, &masks[swap], bias[T](), ahead) / size
}
