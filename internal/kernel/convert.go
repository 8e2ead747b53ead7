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
	BF16   // a dtype.BF16, to and from F32 and F64, and from integers of 64 bits
	E4M3FN // a dtype.F8E4M3FN, to and from F32 and F64
	E5M2   // a dtype.F8E5M2, as E4M3FN
	nums
)

// IsInt reports whether n is an integer, which Bool is not.
func (n Num) IsInt() bool { return I8 <= n && n <= U64 }

// IsFloat reports whether n is one of NumPy's floats.
func (n Num) IsFloat() bool { return F16 <= n && n <= F64 }

// IsModel reports whether n is a float of machine learning models.
func (n Num) IsModel() bool { return n >= BF16 }

// IsComplex reports whether n is complex.
func (n Num) IsComplex() bool { return n == C64 || n == C128 }

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
// If nonTemporal is true, as [IsNonTemporal] says, much else is stored before dst is read again; the
// caller then calls [Fence] once all is stored.
func Convert(dst Pointer, to Num, src Pointer, from Num, n int, nonTemporal bool) {
	if n <= 0 {
		return
	}
	if from.IsComplex() && to.IsComplex() { // part by part
		from, to, n = from-(C64-F32), to-(C64-F32), 2*n
	}
	f, t := alike(from, to)
	if done := convertRun(active.convert[f][t], dst, sizes[to], src, sizes[from], n, nonTemporal); done < n {
		table[from][to](Add(dst, done*sizes[to]), Add(src, done*sizes[from]), n-done)
	}
}

// alike returns the types for which there is a loop that converts the same bytes: integers with a sign where that
// does not matter, and booleans.
func alike(from, to Num) (Num, Num) {
	switch {
	case to == Bool && U8 <= from && from <= U64:
		from -= U8 - I8
	case from <= U64 && U8 <= to && to <= U64:
		to -= U8 - I8
	}
	if from+to == Bool+I8 {
		return Bool, Bool
	}
	return from, to
}

// convertRun converts n numbers of so many bytes, if n is at least 32, and returns how many it converted.
func convertRun(loop func(dst, src Pointer, n int, nonTemporal bool) int, dst Pointer, dsize int, src Pointer, ssize,
	n int, nonTemporal bool) (done int) {
	if loop == nil || n < 32 {
		return 0
	}
	if nonTemporal = nonTemporal && n >= 128; nonTemporal { // up to a whole line, where numbers end there
		head := -int(uintptr(dst)) & 63
		if nonTemporal = head&(dsize-1) == 0; nonTemporal && head > 0 {
			loop(dst, src, 32, false)
			done = head / dsize
			if done > 32 {
				loop(Add(dst, 32*dsize), Add(src, 32*ssize), 32, false)
			}
		}
	}
	for step := callBytes / 8; n-done >= 32; {
		done += loop(Add(dst, done*dsize), Add(src, done*ssize), min(step, n-done), nonTemporal)
		if done < n {
			checkpoint()
		}
	}
	if rest := n - 32; done < n { // the last 32 once more: source and destination do not overlap
		loop(Add(dst, rest*dsize), Add(src, rest*ssize), 32, false)
	}
	return n
}

// HasItems reports whether ConvertItems converts numbers of type from to type to.
func HasItems(to, from Num) bool {
	from, to = alike(from, to)
	return active.itemwise[from][to] != nil
}

// ConvertItems converts m × n numbers of type from, at any strides, to type to, as [Convert]
// does, and returns how many rows that was: all of them, or up to one with a float that the
// integer has no room for, NaN included, or a uint64 of 1<<63 or more for a float. Of the
// rows from there on it may have written numbers. [HasItems] must be true. The numbers need
// not be aligned; the two sides must not overlap. The bytes of numbers, or of the parts of complex ones, are reversed
// in the destination if dswap is not 0, in the source if sswap is not.
func ConvertItems(m, n int, dst Side, to Num, src Side, from Num, dswap, sswap int) (rows int) {
	if m <= 0 || n <= 0 {
		return m
	}
	from, to = alike(from, to)
	loop, most := active.itemwise[from][to], callBytes/16 // items
	for rows < m {
		step := min(rowsOf(m, n, most), m-rows)
		for j := 0; j < n; j += most {
			if rows+j > 0 {
				checkpoint()
			}
			if done := loop(step, min(most, n-j), dst.At(rows, j), src.At(rows, j), dswap, sswap); done < step {
				return rows + done
			}
		}
		rows += step
	}
	return m
}

var sizes = [nums]int{1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16, 2, 1, 1}

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
