package kernel

import (
	"encoding/binary"
	"math"
	"math/bits"
	"unsafe"
)

// item returns the T at p, which need not be aligned, its bytes reversed if swapped is true.
func item[T Real](p Pointer, swapped bool) T {
	ne := binary.NativeEndian
	switch unsafe.Sizeof(T(0)) {
	case 1:
		return *(*T)(p)
	case 2:
		x := ne.Uint16(Bytes(p, 2))
		if swapped {
			x = bits.ReverseBytes16(x)
		}
		return *(*T)(Pointer(&x))
	case 4:
		x := ne.Uint32(Bytes(p, 4))
		if swapped {
			x = bits.ReverseBytes32(x)
		}
		return *(*T)(Pointer(&x))
	default:
		x := ne.Uint64(Bytes(p, 8))
		if swapped {
			x = bits.ReverseBytes64(x)
		}
		return *(*T)(Pointer(&x))
	}
}

// A column is where a strip has an item of every row.
type column struct {
	p       Pointer // nil if it has none
	step    int
	swapped bool
}

// column returns column k of s, of items of size bytes.
func (s *Strip) column(p Pointer, step, k, size int) column {
	take := s.Take[k*size : (k+1)*size]
	if take[0] == Zero {
		return column{}
	}
	off := s.Off + int(min(take[0], take[size-1]))
	if k*size >= StripBytes/2 {
		off += s.Next
	}
	return column{Add(p, off), step, take[0] > take[size-1]}
}

func valueAt[A, T Real](c column, row int) A {
	if c.p == nil {
		return 0
	}
	return A(item[T](Add(c.p, row*c.step), c.swapped))
}

// sumStripPlain adds up a strip in the type A, 32 bits of a type of 64 in pairs.
func sumStripPlain[A, T Real](sums *Sums, p Pointer, s *Strip, step, rows int) {
	size, wide := int(unsafe.Sizeof(T(0))), int(unsafe.Sizeof(A(0)))
	lanes := StripBytes / wide
	for k := range lanes {
		c, d := s.column(p, step, k, size), column{}
		if wide > size {
			d = s.column(p, step, lanes+k, size)
		}
		if c.p == nil && d.p == nil {
			continue
		}
		var sum A
		for i := 0; i < rows; i += chainRows {
			var a [4]A
			n := min(chainRows, rows-i)
			for j := range n {
				k := j % 4
				if j >= n&^3 {
					k = 0
				}
				a[k] += valueAt[A, T](c, i+j) + valueAt[A, T](d, i+j)
			}
			sum += (a[0] + a[1]) + (a[2] + a[3])
		}
		*(*A)(Add(Pointer(sums), k*wide)) += sum
	}
}

// minMaxStripPlain has its result in the first lane.
func minMaxStripPlain[T Real](e *Extremes, p Pointer, s *Strip, step, rows int) {
	size := int(unsafe.Sizeof(T(0)))
	e.turn(bias[T]())
	lo, hi := (*T)(Pointer(&e.lo)), (*T)(Pointer(&e.hi))
	var last column
	for k := range StripBytes / size {
		c := s.column(p, step, k, size)
		if c == last { // it fills a window
			continue
		}
		for i := range rows {
			x := valueAt[T, T](c, i)
			*lo, *hi = min(*lo, x), max(*hi, x)
		}
		last = c
	}
	if isFloat[T]() {
		if *lo != *lo {
			e.nan[0] = 1
		}
		if *lo == 0 && math.Signbit(float64(*lo)) {
			e.any[0] |= signs[T]()
		}
		if *hi == 0 && !math.Signbit(float64(*hi)) {
			e.all[0] = 0
		}
	}
	e.turn(bias[T]())
}
