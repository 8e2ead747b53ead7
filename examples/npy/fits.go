package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/words"
)

// misfits returns the number of elements of a, or of values in its structures, that change when they are converted to
// dtype d: integers out of range, fractions and NaN that become integers, values that become infinite, nonzero
// imaginary parts that are dropped, text that is cut, and values other than 0 and 1 that become booleans. Rounding to
// the nearest float does not count. If the dtypes do not convert at all, misfits returns 0.
func misfits(w *sweepProgress, a array.Array, d dtype.DType) (int, error) {
	from := a.DType()
	if from.NumField() > 0 || d.NumField() > 0 {
		return misfitsOfFields(w, a, d)
	}
	switch from.Kind() {
	case dtype.KindBytes, dtype.KindUnicode, dtype.KindVoid:
		if from.Kind() != d.Kind() || from.ItemSize() <= d.ItemSize() {
			return 0, nil
		}
		return cutTexts(a, d.ItemSize())
	}
	switch {
	case d.IsLongDouble() || isText(d):
		return 0, nil
	case from.IsLongDouble() && from.Kind() == dtype.KindFloat:
		return countIf(w, a, overflows)
	case from.IsLongDouble():
		return countIf(w, a, func(x [32]byte) bool {
			return overflows(dtype.LongDouble(x[:16])) || overflows(dtype.LongDouble(x[16:]))
		})
	}
	switch from.Kind() {
	case dtype.KindUint:
		return misfitsOfUints(w, a, d)
	case dtype.KindBool, dtype.KindInt, dtype.KindDatetime, dtype.KindTimedelta:
		return misfitsOfInts(w, a, d)
	case dtype.KindComplex:
		return misfitsOfComplex(w, a, complexFits(from, d))
	}
	if from.Kind() == dtype.KindFloat && from.ItemSize() == 4 {
		return misfitsOfFloats[float32](w, a, d)
	}
	return misfitsOfFloats[float64](w, a, d)
}

func isText(d dtype.DType) bool {
	return d.Kind() == dtype.KindBytes || d.Kind() == dtype.KindUnicode || d.Kind() == dtype.KindVoid
}

// misfitsOfFields returns the sum of misfits over the pairs of fields with the same position, because records are
// converted field by field.
func misfitsOfFields(w *sweepProgress, a array.Array, d dtype.DType) (n int, err error) {
	from := a.DType()
	if from.NumField() != d.NumField() {
		return 0, nil
	}
	for i := range from.NumField() {
		to := d.FieldAt(i).Type
		for to.Kind() == dtype.KindSubarray {
			to = to.Base()
		}
		field, err := a.Field(from.FieldAt(i).Name)
		if err != nil {
			return 0, err
		}
		more, err := misfits(w, field, to)
		if n += more; err != nil {
			return 0, err
		}
	}
	return n, nil
}

// overflows reports whether x is finite, and the nearest float64 is infinite.
func overflows(x dtype.LongDouble) bool {
	const infinite = 0x7FFF // exponent of infinity and NaN
	return math.IsInf(x.Float64(), 0) && binary.LittleEndian.Uint16(x[8:])&infinite != infinite
}

// countIf counts the elements of a that satisfy is.
func countIf[T any](w *sweepProgress, a array.Array, is func(x T) bool) (int, error) {
	return countBlocks(w, a, func(block []T) (n int) {
		for _, x := range block {
			if is(x) {
				n++
			}
		}
		return n
	})
}

// countBlocks calls of for each block of elements of a, and returns the sum of the results.
func countBlocks[T any](w *sweepProgress, a array.Array, of func(block []T) int) (int, error) {
	if a.Size() == 0 {
		return 0, nil
	}
	return sweep(w, a, of, func(a, b int) int { return a + b })
}

// misfitsOfFloats implements misfits for arrays of floats, read as T.
func misfitsOfFloats[T float32 | float64](w *sweepProgress, a array.Array, d dtype.DType) (int, error) {
	fits, limit := floatFits(a.DType(), d), 0.0
	if fits == nil {
		return 0, nil
	}
	if _, _, toInts := intRange(d); !toInts {
		limit = overflowLimit(d)
	}
	return countBlocks(w, a, func(block []T) (n int) {
		if areBelow(block, limit) {
			return 0
		}
		for _, x := range block {
			if !fits(float64(x)) {
				n++
			}
		}
		return n
	})
}

// areBelow reports whether the absolute values of all numbers in block are less than limit. NaN is not.
func areBelow[T float32 | float64](block []T, limit float64) bool {
	v, err := array.FromSlice(block)
	if err != nil || len(block) == 0 {
		return false
	}
	lo, hi := array.MinMax(v)
	return float64(lo) > -limit && float64(hi) < limit
}

func misfitsOfComplex(w *sweepProgress, a array.Array, fits func(complex128) bool) (int, error) {
	if fits == nil {
		return 0, nil
	}
	return countIf(w, a, func(x complex128) bool { return !fits(x) })
}

// cutTexts counts the elements of a that have nonzero bytes after the first size bytes.
func cutTexts(a array.Array, size int) (n int, err error) {
	err = blocks(a, a.DType(), func(b []byte, _ int) error {
		for ; len(b) > 0; b = b[a.ItemSize():] {
			for _, c := range b[size:a.ItemSize()] {
				if c != 0 {
					n++
					break
				}
			}
		}
		return nil
	})
	return n, err
}

// intRange returns the smallest and the largest value of a dtype of integers, booleans or times.
func intRange(d dtype.DType) (lo int64, hi uint64, ok bool) {
	bits := 8 * d.ItemSize()
	switch d.Kind() {
	case dtype.KindBool:
		return 0, 1, true
	case dtype.KindInt, dtype.KindDatetime, dtype.KindTimedelta:
		return math.MinInt64 >> (64 - bits), math.MaxInt64 >> (64 - bits), true
	case dtype.KindUint:
		return 0, math.MaxUint64 >> (64 - bits), true
	}
	return 0, 0, false
}

// misfitsOfInts implements misfits for arrays of signed integers, booleans and times.
func misfitsOfInts(w *sweepProgress, a array.Array, d dtype.DType) (int, error) {
	lo, most := intsThatFit(d)
	least, greatest, _ := intRange(a.DType())
	hi := int64(min(most, greatest))
	switch lo = max(lo, least); {
	case lo == least && uint64(hi) == greatest:
		return 0, nil
	case a.ItemSize() == 1:
		return outside(w, a, int8(lo), int8(hi))
	case a.ItemSize() == 2:
		return outside(w, a, int16(lo), int16(hi))
	case a.ItemSize() == 4:
		return outside(w, a, int32(lo), int32(hi))
	}
	return outside(w, a, lo, hi)
}

// misfitsOfUints implements misfits for arrays of unsigned integers.
func misfitsOfUints(w *sweepProgress, a array.Array, d dtype.DType) (int, error) {
	_, hi := intsThatFit(d)
	_, greatest, _ := intRange(a.DType())
	switch {
	case hi >= greatest:
		return 0, nil
	case a.ItemSize() == 1:
		return outside(w, a, 0, uint8(hi))
	case a.ItemSize() == 2:
		return outside(w, a, 0, uint16(hi))
	case a.ItemSize() == 4:
		return outside(w, a, 0, uint32(hi))
	}
	return outside(w, a, 0, hi)
}

// outside counts the integers in a, read as T, that are less than lo or greater than hi.
func outside[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](w *sweepProgress, a array.Array, lo,
	hi T) (int,
	error) {
	return countBlocks(w, a, func(block []T) (n int) {
		for _, x := range block {
			if x < lo || x > hi {
				n++
			}
		}
		return n
	})
}

// intsThatFit returns the smallest and the largest integer that an element of dtype d can hold.
func intsThatFit(d dtype.DType) (lo int64, hi uint64) {
	if lo, hi, ok := intRange(d); ok {
		return lo, hi
	}
	limit := overflowLimit(d)
	if limit > 1<<64 { // larger than any integer
		return math.MinInt64, math.MaxUint64
	}
	most := int64(math.Ceil(limit)) - 1 // the conversion cannot overflow
	return -most, uint64(most)
}

// floatFits returns a function that reports whether a float of dtype from fits dtype d, or nil if all of them do.
func floatFits(from, d dtype.DType) func(float64) bool {
	if lo, hi, ok := intRange(d); ok {
		least, past := float64(lo), float64(hi/2+1)*2 // a power of two, or 2 for booleans
		isTime := isTime(d)                           // NaN converts to NaT
		return func(x float64) bool { return x >= least && x < past && x == math.Trunc(x) || isTime && x != x }
	}
	limit, infinite := overflowLimit(d), hasInfinity(d)
	if limit >= overflowLimit(from) && (infinite || !hasInfinity(from)) {
		return nil
	}
	return func(x float64) bool { return !(math.Abs(x) >= limit) || infinite && math.IsInf(x, 0) }
}

func complexFits(from, d dtype.DType) func(complex128) bool {
	real64 := floatFits(from, d)
	if d.Kind() == dtype.KindComplex {
		if real64 == nil {
			return nil
		}
		return func(x complex128) bool { return real64(real(x)) && real64(imag(x)) }
	}
	return func(x complex128) bool { return imag(x) == 0 && (real64 == nil || real64(real(x))) }
}

// rounded returns x rounded to a float of dtype d. For a complex dtype, it rounds to the dtype of the real part.
func rounded(d dtype.DType, x float64) float64 {
	switch {
	case d.Kind() == dtype.KindBFloat16:
		return dtype.BF16From64(x).Float64()
	case d.Kind() == dtype.KindFloat8E4M3FN:
		return dtype.F8E4M3FNFrom64(x).Float64()
	case d.Kind() == dtype.KindFloat8E5M2:
		return dtype.F8E5M2From64(x).Float64()
	case d.Kind() == dtype.KindFloat && d.ItemSize() == 2:
		return dtype.HalfFrom64(x).Float64()
	case d.Kind() == dtype.KindFloat && d.ItemSize() == 4, d.Kind() == dtype.KindComplex && d.ItemSize() == 8:
		return float64(float32(x))
	}
	return x
}

// overflowLimit returns the smallest positive float that becomes infinite when it is rounded to dtype d. The result
// may be
// infinity.
func overflowLimit(d dtype.DType) float64 {
	lo, hi := uint64(0), math.Float64bits(math.Inf(1)) // the bits of non-negative floats have the same order as the floats
	for lo < hi {
		if middle := lo + (hi-lo)/2; finite(rounded(d, math.Float64frombits(middle))) {
			lo = middle + 1
		} else {
			hi = middle
		}
	}
	return math.Float64frombits(lo)
}

func hasInfinity(d dtype.DType) bool { return math.IsInf(rounded(d, math.Inf(1)), 0) }

// fit counts the elements of a, read from the file at path, that do not fit dtype d. If strict is set, any such element
// is an error.
func (e *env) fit(path string, a array.Array, d dtype.DType, strict bool) (n int, err error) {
	n, err = misfits(&sweepProgress{bar: &e.bar, total: int64(a.NBytes())}, a, d)
	if err == nil && n > 0 && strict {
		err = fileError{path, errors.New(misfitText(n, a, d, "do"))}
	}
	return n, err
}

// warnOfMisfits warns that n elements of a did not fit the dtype d of the file at path.
func (e *env) warnOfMisfits(path string, n int, a array.Array, d dtype.DType) {
	if n > 0 {
		e.warn(path, misfitWarning(n, a, d))
	}
}

// misfitWarning returns the warning that n elements of a did not fit dtype d.
func misfitWarning(n int, a array.Array, d dtype.DType) error {
	return fmt.Errorf("warning: %s; -strict makes this an error", misfitText(n, a, d, "did"))
}

// misfitText returns a message that n elements of a do not fit dtype d. did is the verb of the message, "do" or "did".
func misfitText(n int, a array.Array, d dtype.DType, did string) string {
	switch {
	case a.DType().NumField() == 0:
		return fmt.Sprintf("%s of %s elements %s not fit dtype %v", words.Count(n), words.Count(a.Size()), did, d)
	case n == 1:
		return fmt.Sprintf("a value of a field %s not fit dtype %v", map[string]string{"do": "does", "did": "did"}[did], d)
	}
	return fmt.Sprintf("%s values of fields %s not fit dtype %v", words.Count(n), did, d)
}

// conversionError replaces an *array.DTypeError by an error saying that the elements of the file at path cannot be
// converted. It returns other errors unchanged.
func conversionError(path string, err error, from, to dtype.DType) error {
	e, ok := errors.AsType[*array.DTypeError](err)
	switch {
	case !ok:
		return err
	case to.NumField() > 0:
		return fileError{path, errors.New(e.Msg)}
	case from.IsLongDouble():
		return fileError{path, fmt.Errorf("cannot convert dtype %v to %v: %s", from, to, e.Msg)}
	}
	return fileError{path, fmt.Errorf("cannot convert dtype %v to %v", from, to)}
}
