package kernel

import "math"

// HasScale reports whether Scale takes numbers of type from. It takes those of type to, F32 or F64, which it makes.
func HasScale(to, from Num) bool { return from == to || active.scale[from][to] != nil }

// Scale stores x*factor + offset for n numbers x of type from, which follow one another at src, at dst, as numbers of
// type to, F32 or F64: each step is one of those, and rounded. All are in native order and aligned. The two sides may
// be the same, but do not overlap otherwise. [HasScale] must be true.
func Scale(dst Pointer, to Num, src Pointer, from Num, n int, factor, offset float64) {
	done := 0
	if loop := active.scale[from][to]; loop != nil {
		for step := callBytes / 8; n-done >= 32; {
			if done > 0 {
				checkpoint()
			}
			done += loop(Add(dst, done*sizes[to]), Add(src, done*sizes[from]), min(step, n-done), factor, offset)
		}
	}
	if done == n { // no pointer is made to what lies behind
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

func scalePlain[T Float](dst, src Pointer, n int, factor, offset T) {
	i := 0
	for ; i+4 <= n; i += 4 {
		d, s := four[T](dst, i), four[T](src, i)
		d[0], d[1] = T(s[0]*factor)+offset, T(s[1]*factor)+offset // T keeps the machine from fusing the two
		d[2], d[3] = T(s[2]*factor)+offset, T(s[3]*factor)+offset
	}
	d, s := asSlices[T, T](dst, src, n)
	for ; i < n; i++ {
		d[i] = T(s[i]*factor) + offset
	}
}

// Unscale makes n float64 x at p (x-offset)/factor, each step rounded.
func Unscale(p Pointer, n int, factor, offset float64) {
	all, _ := asSlices[float64, float64](p, p, n)
	for i, x := range all {
		all[i] = (x - offset) / factor
	}
}

// Round makes n float64 at p the nearest integers, ties to even.
func Round(p Pointer, n int) {
	all, _ := asSlices[float64, float64](p, p, n)
	for i, x := range all {
		all[i] = math.RoundToEven(x)
	}
}
