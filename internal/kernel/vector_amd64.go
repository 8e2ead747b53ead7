//go:build amd64 && !purego && !race

package kernel

import (
	"math/bits"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// The race detector sees plain Go alone, so that is what it gets to see.
var hasVectors = cpu.X86.HasAVX2

// aheadBytes is how far ahead numbers that follow one another are prefetched. With processors of Intel, short rows were
// summed at 14 to 15 GB/s so, on two cores, and at 11 to 14 without it. Those of AMD prefetch better themselves: whole sums and
// extremes took up to 18 % longer on an EPYC with it.
var aheadBytes = func() int {
	if isAMD() {
		return 0
	}
	return 2 << 10
}()

// isAMD reports whether the processor is one of AMD.
func isAMD() bool

// masks[swap] is what reverses groups of swap bytes.
var masks = [17][16]byte{
	0:  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	2:  {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14},
	4:  {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
	8:  {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8},
	16: {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
}

// pick[step][size][swap] is what takes every item of size bytes that is step from the
// last one, and turn what puts items in the opposite order, both with the bytes of each
// reversed if swap is 1.
var pick, turn = func() (pick [9][17][2][16]byte, turn [17][2][16]byte) {
	for _, size := range []int{1, 2, 4, 8, 16} {
		for swap := range 2 {
			for j := range 16 {
				in := j % size
				if swap == 1 {
					in = size - 1 - in
				}
				for _, step := range []int{2, 4, 8} {
					pick[step][size][swap][j] = byte(step*(j/size)*size+in) & 15
				}
				turn[size][swap][j] = byte((16/size-1-j/size)*size + in)
			}
		}
	}
	return pick, turn
}()

//go:noescape
func shuffle(dst, src Pointer, n int, mask *[16]byte, past bool)

//go:noescape
func pairs(dst, src Pointer, n int, mask *[16]byte, past bool)

//go:noescape
func quads(dst, src Pointer, n int, mask *[16]byte, past bool)

//go:noescape
func octs(dst, src Pointer, n int, mask *[16]byte, past bool)

//go:noescape
func backward(dst, src Pointer, n int, mask *[16]byte, past bool)

//go:noescape
func gather8(dst, src Pointer, ss, n int, mask *[16]byte, past bool)

// vectorItems is the least length of a row for which a call of the vector loop per row is
// faster than the scalar loop.
const vectorItems = 48

// moveVector does the first part of every row of Move, for groups of swap bytes that are
// items, where it is faster than going from item to item.
func moveVector(m, n int, dst, src Side, size, swap int) (done int) {
	if !vectors || swap != 0 && swap != size || dst.Item != size || n < vectorItems || size > 16 || size&(size-1) != 0 {
		return 0
	}
	log := bits.TrailingZeros(uint(size))
	last := n // items from here on are left
	switch ss := src.Item; {
	case ss == size, ss == -size:
	case IsFast(ss, size):
		last-- // what follows each item is read, which the last one may not have
	case size == 8 && n >= 64:
	default:
		return 0
	}
	if n<<log >= pastBytes {
		for i := range m {
			d, s := dst.At(i, 0), src.At(i, 0)
			head, past := 0, false
			if gap := -int(uintptr(d.P)) & 63; gap&(size-1) == 0 { // up to a whole line
				head, past = gap>>log, true
				movePlain(1, head, d, s, size, swap)
			}
			k := (last - head) &^ (32>>log - 1)
			if k > 0 {
				vectorRow(k, d.At(0, head), s.At(0, head), log, swap, past)
			}
			if done := head + k; done < n { // and no pointer is made to what is behind the last item
				movePlain(1, n-done, d.At(0, done), s.At(0, done), size, swap)
			}
		}
		return n
	}
	done = last &^ (32>>log - 1)
	for i := range m {
		vectorRow(done, dst.At(i, 0), src.At(i, 0), log, swap, false)
	}
	return done
}

// vectorRow moves n items of 1<<log bytes, which are a multiple of 32 bytes.
func vectorRow(n int, dst, src Side, log, swap int, past bool) {
	size, reversed := 1<<log, min(swap, 1)
	step := callBytes >> log &^ (32>>log - 1)
	for done := 0; done < n; done += step {
		if done > 0 {
			checkpoint()
		}
		k := min(step, n-done)
		d, s := Add(dst.P, done<<log), Add(src.P, done*src.Item)
		switch ss := src.Item; {
		case ss == size:
			shuffle(d, s, k<<log, &masks[swap], past)
		case ss == -size:
			backward(d, Add(s, size-1), k<<log, &turn[size][reversed], past)
		case !IsFast(ss, size):
			gather8(d, s, ss, k, &masks[swap], past)
		case ss == 2*size:
			pairs(d, s, k<<log, &pick[2][size][reversed], past)
		case ss == 4*size:
			quads(d, s, k<<log, &pick[4][size][reversed], past)
		default:
			octs(d, s, k<<log, &pick[8][size][reversed], past)
		}
	}
}

//go:noescape
func strip8(dst Pointer, ds int, src Pointer, ss, n int, mask *[16]byte)

//go:noescape
func strip4(dst Pointer, ds int, src Pointer, ss, n int, mask *[16]byte)

//go:noescape
func strip16(dst Pointer, ds int, src Pointer, ss, n int, mask *[16]byte)

//go:noescape
func strip1(dst Pointer, ds int, src Pointer, ss, n int, mask *[16]byte)

//go:noescape
func strip2(dst Pointer, ds int, src Pointer, ss, n int, mask *[16]byte)

// stripBytes is how much of its rows a strip does before the one beside it: the
// lines that it prefetches for that one must still be there then.
const stripBytes = 4 << 10

// transposeVector does Transpose and returns true, or does nothing where there are too few rows or columns.
// Where strips do not fit m and n exactly, the last ones overlap others and move some items again.
func transposeVector(dst Pointer, ds int, src Pointer, ss int, m, n, size, swap int) bool {
	var strip func(dst Pointer, ds int, src Pointer, ss, n int, mask *[16]byte)
	columns := 32 / size // at a time
	switch size {
	case 1:
		strip, columns = strip1, 8
	case 2:
		strip = strip2
	case 4:
		strip = strip4
	case 8:
		strip = strip8
	case 16:
		strip = strip16
	default:
		return false
	}
	if !vectors || m < 8 || n < columns {
		return false
	}
	cols := n &^ (columns - 1)
	step := min(stripBytes, callBytes) / size
	for j := 0; j < n; {
		length := min(step, cols-j)
		if length == 0 {
			j, length = n-columns, columns
		}
		for i := 0; i < m; i += 8 {
			if i&127 == 120 {
				checkpoint()
			}
			i := min(i, m-8)
			strip(Add(dst, i*ds+j*size), ds, Add(src, i*size+j*ss), ss, length, &masks[swap])
		}
		j += length
	}
	return true
}

//go:noescape
func sumRowsF64(out, p Pointer, stride, m, n, ahead int, mask *[16]byte)

//go:noescape
func sumRowsReversedF64(out, p Pointer, stride, m, n, ahead int, mask *[16]byte)

//go:noescape
func sumRowsReversedF32(out, p Pointer, stride, m, n, ahead int, mask *[16]byte)

//go:noescape
func sumRowsF32(out, p Pointer, stride, m, n, ahead int, mask *[16]byte)

// sumRowsVector does what sumRows does, if it can.
func sumRowsVector[T Real](out []float64, p Pointer, stride, n, swap int) bool {
	if !vectors || len(out) == 0 || !isFloat[T]() {
		return false
	}
	ahead := aheadBytes
	if bytes := n * int(unsafe.Sizeof(T(0))); stride != 0 && ahead > 0 {
		ahead = (1 + ahead/bytes) * stride
	}
	switch to, mask := Pointer(&out[0]), &masks[swap]; { // called directly, or out would escape
	case swap == 0 && unsafe.Sizeof(T(0)) == 8:
		sumRowsF64(to, p, stride, len(out), n, ahead, mask)
	case swap == 0:
		sumRowsF32(to, p, stride, len(out), n, ahead, mask)
	case swap == 8:
		sumRowsReversedF64(to, p, stride, len(out), n, ahead, mask)
	default:
		sumRowsReversedF32(to, p, stride, len(out), n, ahead, mask)
	}
	return true
}

//go:noescape
func index8(p Pointer, n int, bits uint64) int

//go:noescape
func index16(p Pointer, n int, bits uint64) int

//go:noescape
func index32(p Pointer, n int, bits uint64) int

//go:noescape
func index64(p Pointer, n int, bits uint64) int

// indexVector returns the index of the first number in s that has those bits, or how many there are, of a multiple of 32
// bytes, if none has.
func indexVector[T Real](s []T, bits T) int {
	size := int(unsafe.Sizeof(bits))
	n := len(s) * size &^ 31
	if !vectors || n == 0 {
		return 0
	}
	p := Pointer(&s[0])
	switch all := repeated(bits); size {
	case 1:
		return index8(p, n, all)
	case 2:
		return index16(p, n, all) / 2
	case 4:
		return index32(p, n, all) / 4
	default:
		return index64(p, n, all) / 8
	}
}

//go:noescape
func minMax8(out *extremes, p Pointer, rows int, mask *[16]byte, bias uint64)

//go:noescape
func minMax16(out *extremes, p Pointer, rows int, mask *[16]byte, bias uint64)

//go:noescape
func minMax32(out *extremes, p Pointer, rows int, mask *[16]byte, bias uint64)

//go:noescape
func minMax64(out *extremes, p Pointer, rows int, mask *[16]byte, bias uint64)

//go:noescape
func minMaxF32(out *extremes, p Pointer, rows int, mask *[16]byte)

//go:noescape
func minMaxF64(out *extremes, p Pointer, rows int, mask *[16]byte)

// minMaxVector adds rows of vectorBytes to e.
func minMaxVector[T Real](e *extremes, p Pointer, rows, swap int) {
	mask := &masks[swap]
	switch size := unsafe.Sizeof(T(0)); {
	case size == 1:
		minMax8(e, p, rows, mask, bias[T]())
	case size == 2:
		minMax16(e, p, rows, mask, bias[T]())
	case size == 4 && isFloat[T]():
		minMaxF32(e, p, rows, mask)
	case size == 4:
		minMax32(e, p, rows, mask, bias[T]())
	case isFloat[T]():
		minMaxF64(e, p, rows, mask)
	default:
		minMax64(e, p, rows, mask, bias[T]())
	}
}
