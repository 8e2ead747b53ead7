//go:build amd64 && !purego && !race

package kernel

import "unsafe"

//go:noescape
func addRowsF32(hi, lo *float64, p Pointer, stride, n int, mask *[16]byte)

//go:noescape
func addRowsF64(hi, lo *float64, p Pointer, stride, n int, mask *[16]byte)

//go:noescape
func subtractedSums(sum, from *float64, p Pointer, stride, m, n, ahead int, mask *[16]byte)

//go:noescape
func subtractedSquares(sum, from *float64, p Pointer, stride, m, n, ahead int, mask *[16]byte, lo *float64)

//go:noescape
func leastI8(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func greatestI8(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func leastU8(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func greatestU8(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func leastI16(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func greatestI16(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func leastU16(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func greatestU16(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func leastI32(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func greatestI32(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func leastU32(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func greatestU32(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func leastF32(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func greatestF32(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func leastF64(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func greatestF64(x, p Pointer, stride, m, blocks int, mask *[16]byte)

//go:noescape
func addColumnsI8(sum *int64, p Pointer, stride, m, blocks int, mask *[16]byte, ahead int)

//go:noescape
func addColumnsU8(sum *int64, p Pointer, stride, m, blocks int, mask *[16]byte, ahead int)

//go:noescape
func addColumnsI16(sum *int64, p Pointer, stride, m, blocks int, mask *[16]byte, ahead int)

//go:noescape
func addColumnsU16(sum *int64, p Pointer, stride, m, blocks int, mask *[16]byte, ahead int)

//go:noescape
func addColumnsI32(sum *int64, p Pointer, stride, m, blocks int, mask *[16]byte, ahead int)

//go:noescape
func addColumnsU32(sum *int64, p Pointer, stride, m, blocks int, mask *[16]byte, ahead int)

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
func addColumnsVector[T Integer](sum []int64, p Pointer, stride, m, swap int) (done int) {
	const nearby = 256 // bytes further on in a row are prefetched
	most := 1 << 15    // rows at a time: their sum fits 32 bits
	lanes := 32
	if unsafe.Sizeof(T(0)) == 4 {
		lanes = 16
	}
	blocks := len(sum) / lanes
	if !vectors || blocks == 0 {
		return 0
	}
	var add func(sum *int64, p Pointer, stride, m, blocks int, mask *[16]byte, ahead int)
	switch any(T(0)).(type) {
	case int8:
		add = addColumnsI8
	case uint8:
		add = addColumnsU8
	case int16:
		add = addColumnsI16
	case uint16:
		add = addColumnsU16
	case int32:
		add = addColumnsI32
	case uint32:
		add = addColumnsU32
	default:
		return 0
	}
	block := lanes * int(unsafe.Sizeof(T(0))) // bytes
	first := blocks
	if stride/block == blocks { // the rows are contiguous: their last blocks prefetch the rows that come next
		first = max(0, blocks-nearby/block)
		most = max(8, 16<<10/stride) // the cache holds these and those that are prefetched
	}
	for i := 0; i < m; i += most {
		p, rows := Add(p, i*stride), min(most, m-i)
		if first > 0 {
			add(&sum[0], p, stride, rows, first, &masks[swap], nearby)
		}
		if first < blocks {
			add(&sum[first*lanes], Add(p, first*block), stride, rows, blocks-first, &masks[swap], rows*stride-first*block)
		}
	}
	return blocks * lanes
}

// addRowsVector adds the first columns of 8 rows, as AddFloats does, and returns how many.
func addRowsVector[T Float](hi, lo []float64, p Pointer, stride, swap int) (done int) {
	done = len(hi) &^ 3
	if !vectors || done == 0 {
		return 0
	}
	if unsafe.Sizeof(T(0)) == 4 { // called directly, or hi and lo would escape
		addRowsF32(&hi[0], &lo[0], p, stride, done, &masks[swap])
	} else {
		addRowsF64(&hi[0], &lo[0], p, stride, done, &masks[swap])
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
	ahead := 4 * stride // what is fetched meanwhile: the next rows,
	if stride == 8*len(sum) {
		ahead = 8 * PairsLen // or, if they follow one another, what comes after all of them
	}
	switch m /= 4; {
	case m == 0:
	case lo == nil:
		subtractedSums(&sum[0], &from[0], p, stride, m, done, ahead, &masks[swap])
	default:
		subtractedSquares(&sum[0], &from[0], p, stride, m, done, ahead, &masks[swap], &lo[0])
	}
	return done
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
	var f [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte)
	switch any(T(0)).(type) {
	case int8:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte){leastI8, greatestI8}
	case uint8:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte){leastU8, greatestU8}
	case int16:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte){leastI16, greatestI16}
	case uint16:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte){leastU16, greatestU16}
	case int32:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte){leastI32, greatestI32}
	case uint32:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte){leastU32, greatestU32}
	case float32:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte){leastF32, greatestF32}
	case float64:
		f = [2]func(x, p Pointer, stride, m, blocks int, mask *[16]byte){leastF64, greatestF64}
	default:
		return 0
	}
	if greatest {
		f[0] = f[1]
	}
	f[0](Pointer(&x[0]), p, stride, m, blocks, &masks[swap])
	return blocks * blockBytes / size
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
