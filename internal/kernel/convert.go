package kernel

import "math"

// A Num identifies a type of numbers in memory.
type Num uint8

const (
	Bool Num = iota // one byte: 0 is false, other values are true
	I8
	I16
	I32
	I64
	U8
	U16
	U32
	U64
	F16 // a dtype.Half
	F32
	F64
	C64
	C128
	BF16   // a dtype.BF16
	E4M3FN // a dtype.F8E4M3FN
	E5M2   // a dtype.F8E5M2
	nums   // number of types
)

// IsInt reports whether n is an integer. Bool is not an integer.
func (n Num) IsInt() bool { return I8 <= n && n <= U64 }

// IsFloat reports whether n is one of NumPy's floats.
func (n Num) IsFloat() bool { return F16 <= n && n <= F64 }

// IsModel reports whether n is a float of machine learning models that NumPy does not have.
func (n Num) IsModel() bool { return n >= BF16 }

// IsComplex reports whether n is complex.
func (n Num) IsComplex() bool { return n == C64 || n == C128 }

// Convert converts the n consecutive numbers of type from at src to numbers of type to at dst. Both are in native byte
// order and aligned, and do not overlap. Convert implements the following conversions; package elem combines them to
// make other conversions:
//
//   - integers, F32 and F64 to Bool, and to F32 and F64; F32 and F64 to integers, and integers to larger ones
//   - Bool to Bool, I8 and U8
//   - F16, BF16, E4M3FN and E5M2 to and from F32 and F64; F16 to Bool; I64 and U64 to BF16
//   - F32 to C64, F64 to C128, and C64 to C128 and back
//
// Results are the same on every machine:
//
//   - Integers wrap around, as in C, Go and NumPy.
//   - When floats become integers, they are truncated toward zero. Numbers out of range become
//     the nearest integer of the type, and NaN becomes 0. In C and NumPy these results depend on the machine.
//   - When floats become smaller floats, they are rounded to the nearest one, ties to even.
//   - The imaginary part of a converted real number is 0.
//   - Every nonzero number is true, including NaN.
//
// If nonTemporal is true, as [IsNonTemporal] advises for long results, stores bypass the caches, and the caller calls
// [Fence] after the last of them.
func Convert(dst Pointer, to Num, src Pointer, from Num, n int, nonTemporal bool) {
	if n <= 0 {
		return
	}
	if from.IsComplex() && to.IsComplex() { // convert the real and imaginary parts
		from, to, n = from-(C64-F32), to-(C64-F32), 2*n
	}
	f, t := equivalentTypes(from, to)
	if t == Bool && f == Bool {
		CleanBools(dst, src, n, nonTemporal)
		return
	}
	done := 0
	if active.converts {
		done = convertRun(conversions.convert[f][t], dst, sizes[to], src, sizes[from], n, nonTemporal)
	}
	if done < n {
		table[f][t](Add(dst, done*sizes[to]), Add(src, done*sizes[from]), n-done)
	}
}

// CleanBools copies n bytes from src to dst and replaces nonzero bytes by 1, like [Convert] from Bool to Bool.
func CleanBools(dst, src Pointer, n int, nonTemporal bool) {
	if done := convertRun(active.cleanBools, dst, 1, src, 1, n, nonTemporal); done < n {
		cleanBytes(Add(dst, done), Add(src, done), n-done)
	}
}

// equivalentTypes returns the types whose loop in the table also converts from and to, because it has the same effect
// on bytes: signed integers instead of unsigned ones if the sign does not matter, and Bool to Bool instead of Bool to
// an integer of one byte.
func equivalentTypes(from, to Num) (Num, Num) {
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

// convertRun converts n numbers of ssize bytes to numbers of dsize bytes with loop, and returns n. If n is less than 32
// or loop is nil, it does nothing and returns 0.
func convertRun(loop func(dst, src Pointer, n int, nonTemporal bool) int, dst Pointer, dsize int, src Pointer, ssize,
	n int, nonTemporal bool) (done int) {
	if loop == nil || n < 32 {
		return 0
	}
	if nonTemporal = nonTemporal && n >= 128; nonTemporal { // convert up to a cache line, if a number starts there
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
	if rest := n - 32; done < n { // convert the last 32 again, which is safe because source and destination do not overlap
		loop(Add(dst, rest*dsize), Add(src, rest*ssize), 32, false)
	}
	return n
}

// CanConvertStrided reports whether [ConvertStrided] can convert numbers of type from to type to.
func CanConvertStrided(to, from Num) bool {
	from, to = equivalentTypes(from, to)
	return active.converts && conversions.convertStrided[from][to] != nil
}

// ConvertStrided converts m × n numbers of type from, at any strides, to type to, by the rules of [Convert], and
// returns the number of rows that it converted. It stops at a row with a float that the integer type cannot hold, NaN
// included, or with a uint64 of at least 1<<63 to convert to a float. Some numbers of that row and later ones may
// have been
// written.
//
// [CanConvertStrided] must be true. The numbers need not be aligned, and source and destination must not overlap. If
// dswap is not 0, the bytes of each destination number are reversed, or of each part of a complex number; sswap does
// the same for the source.
func ConvertStrided(m, n int, dst Side, to Num, src Side, from Num, dswap, sswap int) (rows int) {
	if m <= 0 || n <= 0 {
		return m
	}
	from, to = equivalentTypes(from, to)
	loop, most := conversions.convertStrided[from][to], callBytes/16 // items
	for rows < m {
		step := min(rowsPerCall(m, n, most), m-rows)
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

// sizes holds the size in bytes of each type.
var sizes = [nums]int{1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16, 2, 1, 1}

// NaNToNaT stores NumPy's NaT, the least int64, in each of the n int64 at dst whose corresponding float64 at src is
// NaN.
func NaNToNaT(dst, src Pointer, n int) {
	d, s := asSlices[int64, float64](dst, src, n)
	for i, x := range s {
		if x != x {
			d[i] = math.MinInt64
		}
	}
}
