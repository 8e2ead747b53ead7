//go:build amd64 && !purego && !race

package kernel

import "unsafe"

//go:noescape
func sumWide8(p Pointer, n int, turn uint64, mask *[16]byte) uint64

//go:noescape
func sumWide16(p Pointer, n int, turn uint64, mask *[16]byte) uint64

//go:noescape
func sumWide32(p Pointer, n int, turn uint64, mask *[16]byte) uint64

//go:noescape
func sumWide64(p Pointer, n int, turn uint64, mask *[16]byte) uint64

// A wideSum adds up integers in 64 bits.
type wideSum struct {
	sum    func(p Pointer, n int, turn uint64, mask *[16]byte) uint64
	turn   uint64
	offset int64 // what corrects a flipped sign bit
}

func wideSumOf[T Real]() wideSum {
	zero := T(0)
	signed := zero-1 < 0
	w := wideSum{sumWide8, flip(signs[T](), signed), -128}
	switch unsafe.Sizeof(zero) {
	case 2:
		w = wideSum{sumWide16, flip(signs[T](), !signed), 1 << 15}
	case 4:
		w = wideSum{sumWide32, flip(signs[T](), signed), -1 << 31}
	case 8:
		w = wideSum{sumWide64, 0, 0}
	}
	if w.turn == 0 {
		w.offset = 0
	}
	return w
}

// sumWideVector adds up the first done of s, which are integers.
func sumWideVector[T Real](s []T, swap int) (total int64, done int) {
	size := int(unsafe.Sizeof(T(0)))
	if !vectors || len(s)*size < 64 {
		return 0, 0
	}
	w := wideSumOf[T]()
	for rest := len(s) * size &^ 63; rest > 0; {
		n := min(rest, callBytes&^63)
		total += int64(w.sum(Pointer(&s[done]), n, w.turn, &masks[swap]))
		done += n / size
		rest -= n
	}
	return total + int64(done)*w.offset, done
}

// addWideRows does what AddWide does to the first numbers of each row, and returns how many.
func addWideRows[T Integer](sum []int64, p Pointer, stride, n, swap int) (done int) {
	size := int(unsafe.Sizeof(T(0)))
	bytes := n * size &^ 63
	if !vectors || bytes == 0 || bytes > callBytes {
		return 0
	}
	w := wideSumOf[T]()
	done = bytes / size
	for i := range sum {
		sum[i] += int64(w.sum(Add(p, i*stride), bytes, w.turn, &masks[swap])) + int64(done)*w.offset
	}
	return done
}

//go:noescape
func zeros8(p Pointer, n int) int

//go:noescape
func zeros16(p Pointer, n int) int

//go:noescape
func zeros32(p Pointer, n int) int

//go:noescape
func zeros64(p Pointer, n int) int

//go:noescape
func zerosF32(p Pointer, n int) int

//go:noescape
func zerosF64(p Pointer, n int) int

// nonzeroVector counts which of the first done are not 0.
func nonzeroVector[T Real](s []T) (count, done int) {
	size := int(unsafe.Sizeof(T(0)))
	if !vectors || len(s)*size < 64 {
		return 0, 0
	}
	var zeros func(p Pointer, n int) int
	switch {
	case size == 1:
		zeros = zeros8
	case size == 2:
		zeros = zeros16
	case size == 4 && isFloat[T]():
		zeros = zerosF32
	case size == 4:
		zeros = zeros32
	case isFloat[T]():
		zeros = zerosF64
	default:
		zeros = zeros64
	}
	for rest := len(s) * size &^ 31; rest > 0; {
		n := min(rest, callBytes&^31)
		count += (n - zeros(Pointer(&s[done]), n)) / size
		done += n / size
		rest -= n
	}
	return count, done
}
