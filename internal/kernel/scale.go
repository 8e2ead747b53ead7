package kernel

import "math"

// HasScale reports whether Scale accepts numbers of type from for results of type to.
func HasScale(to, from Num) bool {
	return from == to || active.converts && conversions.scale[from][to] != nil
}

// Scale stores x*factor + offset at dst for the n consecutive numbers x of type from at src. to is the type of the
// results, F32 or F64, in which Scale computes and rounds each step. All numbers are in native order and aligned. src
// may be equal to dst; otherwise the two must not overlap. [HasScale] must be true.
func Scale(dst Pointer, to Num, src Pointer, from Num, n int, factor, offset float64) {
	done := 0
	if loop := conversions.scale[from][to]; loop != nil && active.converts {
		for step := callBytes / 8; n-done >= 32; {
			if done > 0 {
				checkpoint()
			}
			done += loop(Add(dst, done*sizes[to]), Add(src, done*sizes[from]), min(step, n-done), factor, offset)
		}
	}
	if done == n { // the pointers would be past the last number
		return
	}
	dst, src, n = Add(dst, done*sizes[to]), Add(src, done*sizes[from]), n-done
	if from != to {
		table[from][to](dst, src, n)
		src = dst
	}
	if to == F32 {
		scalePlain(dst, src, n, float32(factor), float32(offset))
	} else {
		scalePlain(dst, src, n, factor, offset)
	}
}

// scalePlain implements Scale in plain Go, for numbers that already have the type of the results.
func scalePlain[T Float](dst, src Pointer, n int, factor, offset T) {
	i := 0
	for ; i+4 <= n; i += 4 {
		d, s := four[T](dst, i), four[T](src, i)
		d[0], d[1] = T(s[0]*factor)+offset, T(s[1]*factor)+offset // the conversion prevents a fused multiply-add
		d[2], d[3] = T(s[2]*factor)+offset, T(s[3]*factor)+offset
	}
	d, s := asSlices[T, T](dst, src, n)
	for ; i < n; i++ {
		d[i] = T(s[i]*factor) + offset
	}
}

// Unscale replaces each x of the n float64 at p by (x-offset)/factor. It rounds after each step.
func Unscale(p Pointer, n int, factor, offset float64) {
	all, _ := asSlices[float64, float64](p, p, n)
	for i, x := range all {
		all[i] = (x - offset) / factor
	}
}

// Round replaces each of the n float64 at p by the nearest integer, ties to even.
func Round(p Pointer, n int) {
	all, _ := asSlices[float64, float64](p, p, n)
	for i, x := range all {
		all[i] = math.RoundToEven(x)
	}
}
