package kernel

import "math"

// Num is a type of numbers that [Convert] knows.
type Num uint8

const (
	Bool Num = iota // a byte: 0 is false, anything else true
	I8
	I16
	I32
	I64
	U8
	U16
	U32
	U64
	F16 // a dtype.Half, only to and from F32 and F64
	F32
	F64
	C64 // and C128, only to each other and to Bool: a real part is a number itself
	C128
	nums
)

// IsInt reports whether n is an integer, which Bool is not.
func (n Num) IsInt() bool { return I8 <= n && n <= U64 }

// IsFloat reports whether n is a float.
func (n Num) IsFloat() bool { return F16 <= n && n <= F64 }

// Convert converts n numbers of type from, which follow one another at src, to
// type to at dst. Both are in native byte order and aligned, and do not overlap.
//
//   - Integers wrap around, as in C, Go and NumPy.
//   - Floats are truncated toward zero to an integer. What is too large becomes
//     the largest, what is too small the smallest, and NaN becomes 0, on every
//     machine; C and NumPy leave that to the machine.
//   - Floats are rounded to the nearest float, ties to even.
//   - The imaginary part of what was a real number is 0.
//   - Anything but zero, NaN too, is true.
//
// If past is true, as [IsPast] says, much else is stored before dst is read again; the
// caller then calls [Fence] once all is stored.
func Convert(dst Pointer, to Num, src Pointer, from Num, n int, past bool) {
	if n <= 0 {
		return
	}
	if from >= C64 && to >= C64 { // part by part
		from, to, n = from-(C64-F32), to-(C64-F32), 2*n
	}
	if done := convertVector(dst, to, src, from, n, past); done < n {
		table[from][to](Add(dst, done*sizes[to]), Add(src, done*sizes[from]), n-done)
	}
}

var sizes = [nums]int{1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16}

// NaNToNaT makes each of the n int64 at dst whose float64 at src is NaN the least
// there is, which is NumPy's NaT.
func NaNToNaT(dst, src Pointer, n int) {
	d, s := asSlices[int64, float64](dst, src, n)
	for i, x := range s {
		if x != x {
			d[i] = math.MinInt64
		}
	}
}
