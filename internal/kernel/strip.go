package kernel

import (
	"math"
	"unsafe"
)

// A Strip is a part of every row of a block: the items in two windows of 16 bytes.
// Rows are reduced down their columns, so that neither have their items to follow one
// another nor need there be many in a row.
type Strip struct {
	Off  int // from the start of a row to that of the first window, in bytes
	Next int // from there to the start of the second one

	// Take puts the items in the windows one after the other, their bytes in native
	// order: byte i of the first half is byte Take[i] of the first window, and of the
	// second half of the second. All bytes of an item may be Zero: it is then 0.
	Take [StripBytes]byte
}

const (
	// StripBytes is how many bytes a Strip has of every row.
	StripBytes = 32

	// Zero in Strip.Take is a byte that is 0.
	Zero = 0x80

	// chainRows is how many rows are added up one after the other. Then their sum is
	// added to that of the others, so that rounding errors grow no longer.
	chainRows = 64
)

// dense[swap] is the strip of items that follow one another, in rows of StripBytes.
var dense = func() (dense [9]Strip) {
	for swap := range dense {
		s := &dense[swap]
		s.Next = StripBytes / 2
		for i := range s.Take {
			s.Take[i] = byte(i % s.Next)
			if swap&(swap-1) == 0 && swap > 0 {
				s.Take[i] ^= byte(swap - 1)
			}
		}
	}
	return dense
}()

// Sums are what is added up of the columns of strips: float64 of floats, otherwise
// numbers of the same type as the items.
type Sums [4]uint64

// SumStrips adds to sums what the strips have in rows that are step bytes apart, the
// first at p. The order of the additions depends on the strips and rows alone.
func SumStrips[T Real](sums *Sums, p Pointer, strips []Strip, step, rows int) {
	for k := range strips {
		if s := &strips[k]; !sumStripVector[T](sums, p, s, step, rows) {
			if isFloat[T]() {
				sumStripPlain[float64, T](sums, p, s, step, rows)
			} else {
				sumStripPlain[T, T](sums, p, s, step, rows)
			}
		}
	}
}

// Total returns all sums of T, added up.
func Total[A, T Real](sums *Sums) (sum A) {
	if isFloat[T]() {
		s := (*[4]float64)(Pointer(sums))
		return A((s[0] + s[1]) + (s[2] + s[3]))
	}
	for i := 0; i < len(sums)*8; i += int(unsafe.Sizeof(T(0))) {
		sum += A(*(*T)(Add(Pointer(sums), i)))
	}
	return sum
}

// Extremes are the least and the greatest items of the columns of strips. Unsigned integers
// are kept as signed ones of the same order. Of floats, any has the bits that one item
// has at least, all those that every item has, and nan is not 0 where one is NaN.
type Extremes struct{ lo, hi, any, all, nan [4]uint64 }

// NoExtremes returns the Extremes of no items.
func NoExtremes[T Real]() (e Extremes) {
	lo, hi := ^signs[T](), signs[T]()
	if isFloat[T]() {
		inf := T(math.Inf(1))
		lo, hi = repeated(inf), repeated(-inf)
	}
	for i := range 4 {
		e.lo[i], e.hi[i], e.all[i] = lo, hi, ^uint64(0)
	}
	return e
}

// MinMaxStrips adds to e what the strips have in rows that are step bytes apart, the
// first at p.
func MinMaxStrips[T Real](e *Extremes, p Pointer, strips []Strip, step, rows int) {
	for k := range strips {
		if rows == 0 {
			break
		}
		if s := &strips[k]; !minMaxStripVector[T](e, p, s, step, rows) {
			minMaxStripPlain[T](e, p, s, step, rows)
		}
	}
}

// MinMaxOf returns the least and the greatest of what was added to e. If one is NaN, both
// are. -0 is less than 0.
func MinMaxOf[T Real](e *Extremes) (lo, hi T) {
	turned := *e
	turned.turn(bias[T]())
	at := func(i int, v *[4]uint64) T { return *(*T)(Add(Pointer(v), i)) }
	lo, hi = at(0, &turned.lo), at(0, &turned.hi)
	for i := 0; i < StripBytes; i += int(unsafe.Sizeof(lo)) {
		lo, hi = min(lo, at(i, &turned.lo)), max(hi, at(i, &turned.hi))
	}
	if !isFloat[T]() {
		return lo, hi
	}
	if e.nan != [4]uint64{} {
		return T(math.NaN()), T(math.NaN())
	}
	// Vectors take either zero for the less. If no item is below zero, a sign is that of
	// -0; if none is above, one without a sign is 0.
	if sign := signs[T](); lo == 0 && (e.any[0]|e.any[1]|e.any[2]|e.any[3])&sign != 0 {
		lo = T(math.Copysign(0, -1))
	} else if lo == 0 {
		lo = 0
	}
	if sign := signs[T](); hi == 0 && e.all[0]&e.all[1]&e.all[2]&e.all[3]&sign == sign {
		hi = T(math.Copysign(0, -1))
	} else if hi == 0 {
		hi = 0
	}
	return lo, hi
}

// turn makes signed integers unsigned ones of the same order, or the other way round.
func (e *Extremes) turn(bias uint64) {
	for i := range 4 {
		e.lo[i] ^= bias
		e.hi[i] ^= bias
	}
}

func isFloat[T Real]() bool { return T(1)/2 != 0 }

// bias is what turns unsigned integers into signed ones, and 0 for other numbers.
func bias[T Real]() uint64 {
	if zero := T(0); zero-1 > 0 {
		return signs[T]()
	}
	return 0
}

// signs returns the sign bits of all T in 8 bytes.
func signs[T Real]() uint64 {
	switch unsafe.Sizeof(T(0)) {
	case 1:
		return 0x8080808080808080
	case 2:
		return 0x8000800080008000
	case 4:
		return 0x8000000080000000
	}
	return 1 << 63
}

// repeated returns x as often as 8 bytes have it.
func repeated[T Real](x T) (word uint64) {
	for i := 0; i < 8; i += int(unsafe.Sizeof(x)) {
		*(*T)(Add(Pointer(&word), i)) = x
	}
	return word
}
