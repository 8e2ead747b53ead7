//go:build amd64 && !purego && !race

package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// The race detector sees plain Go alone, so that is what it gets to see.
var hasVectors = cpu.X86.HasAVX2

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

// moveVector does a part of Move for groups of swap bytes that are items.
func moveVector(dst Pointer, ds int, src Pointer, ss int, n, size, swap int) (done int) {
	bytes := n * size
	if !vectors || ds != size || bytes < 64 || swap != 0 && swap != size || size > 16 || size&(size-1) != 0 {
		return 0
	}
	reversed := 0
	if swap > 0 {
		reversed = 1
	}
	every := 0 // 2, 4 or 8, where one of so many is taken
	last := n  // items from here on go to the scalar loop
	switch {
	case ss == size, ss == -size:
	case ss == 2*size && size <= 8, ss == 4*size && size <= 4, ss == 8*size && size <= 2:
		every = ss / size
		last-- // what follows each item is read, which the last one may not have
	case size == 8:
	default:
		return 0
	}
	past := bytes >= pastBytes
	if past { // up to a whole line
		head := -int(uintptr(dst)) & 63
		past = head%size == 0
		if past && head > 0 {
			done = head / size
			movePlain(dst, ds, src, ss, done, size, swap)
		}
	}
	for step := callBytes / size; last-done >= 32/size; {
		k := min(step, last-done) &^ (32/size - 1)
		d, s := Add(dst, done*ds), Add(src, done*ss)
		switch {
		case ss == size:
			shuffle(d, s, k*size, &masks[swap], past)
		case ss == -size:
			backward(d, Add(s, size), k*size, &turn[size][reversed], past)
		case every == 2:
			pairs(d, s, k*size, &pick[2][size][reversed], past)
		case every == 4:
			quads(d, s, k*size, &pick[4][size][reversed], past)
		case every == 8:
			octs(d, s, k*size, &pick[8][size][reversed], past)
		default:
			gather8(d, s, ss, k, &masks[swap], past)
		}
		done += k
	}
	return done
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

// transposeVector does a part of Transpose: the first cols of the first rows.
func transposeVector(dst Pointer, ds int, src Pointer, ss int, m, n, size, swap int) (rows, cols int) {
	if !vectors {
		return 0, 0
	}
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
		return 0, 0
	}
	rows, cols = m&^7, n&^(columns-1)
	step := min(stripBytes, callBytes) / size
	for j := 0; j < cols; j += step {
		for i := 0; i < rows; i += 8 {
			strip(Add(dst, i*ds+j*size), ds, Add(src, i*size+j*ss), ss, min(step, cols-j), &masks[swap])
		}
	}
	return rows, cols
}

//go:noescape
func eightF64(s Pointer, n int) float64

//go:noescape
func eightF32(s Pointer, n int) float64

// eightVector is what does the same as eightPlain, or nil.
func eightVector[A, T Real]() func([]T) A {
	if vectors {
		for _, f := range [...]any{
			func(s []float64) float64 { return eight(eightF64, s) },
			func(s []float32) float64 { return eight(eightF32, s) },
		} {
			if f, ok := f.(func([]T) A); ok {
				return f
			}
		}
	}
	return nil
}

func eight[T Real](f func(s Pointer, n int) float64, s []T) float64 {
	if len(s) == 0 {
		return 0
	}
	return f(Pointer(&s[0]), len(s))
}

//go:noescape
func minMaxI8(s Pointer, n int, out *[64]byte)

//go:noescape
func minMaxI16(s Pointer, n int, out *[64]byte)

//go:noescape
func minMaxI32(s Pointer, n int, out *[64]byte)

//go:noescape
func minMaxI64(s Pointer, n int, out *[64]byte)

//go:noescape
func minMaxU8(s Pointer, n int, out *[64]byte)

//go:noescape
func minMaxU16(s Pointer, n int, out *[64]byte)

//go:noescape
func minMaxU32(s Pointer, n int, out *[64]byte)

//go:noescape
func minMaxU64(s Pointer, n int, out *[64]byte)

//go:noescape
func minMaxF32(s Pointer, n int, out *[64]byte)

//go:noescape
func minMaxF64(s Pointer, n int, out *[64]byte)

// minMaxVector is the least and the greatest of the first elements of s.
func minMaxVector[T Real](s []T) (lo, hi T, done int) {
	size := int(unsafe.Sizeof(lo))
	bytes := len(s) * size &^ 63
	if !vectors || bytes == 0 {
		return
	}
	lo, hi = s[0], s[0]
	var out [64]byte // 32 of each
	for done := 0; done < bytes; done += callBytes {
		p, n := Add(Pointer(&s[0]), done), min(callBytes, bytes-done)
		switch any(lo).(type) {
		case int8:
			minMaxI8(p, n, &out)
		case int16:
			minMaxI16(p, n, &out)
		case int32:
			minMaxI32(p, n, &out)
		case int64, int:
			minMaxI64(p, n, &out)
		case uint8:
			minMaxU8(p, n, &out)
		case uint16:
			minMaxU16(p, n, &out)
		case uint32:
			minMaxU32(p, n, &out)
		case uint64, uint:
			minMaxU64(p, n, &out)
		case float32:
			minMaxF32(p, n, &out)
		case float64:
			minMaxF64(p, n, &out)
		}
		for i := 0; i < 32; i += size {
			lo = min(lo, *(*T)(Add(Pointer(&out), i)))
			hi = max(hi, *(*T)(Add(Pointer(&out), 32+i)))
		}
	}
	if lo != lo || hi != hi { // a NaN is on the side of its sign
		lo += hi
		hi = lo
	}
	return lo, hi, bytes / size
}
