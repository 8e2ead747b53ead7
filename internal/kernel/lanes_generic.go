package kernel

import (
	"encoding/binary"
	"unsafe"
)

// Extreme returns the least number of s, or the greatest if greatest is true. s must not be empty. Extreme treats NaN
// and -0 like MinMax. In plain Go it takes half the time of MinMax.
func Extreme[T Real](s []T, swap int, greatest bool) T {
	if unsafe.Sizeof(T(0)) <= 2 || swap != 0 || active.minMax[numOf[T]()] != nil {
		lo, hi := MinMax(s, swap)
		if greatest {
			return hi
		}
		return lo
	}
	a, b, c, d := s[0], s[0], s[0], s[0]
	if greatest {
		for ; len(s) >= 4; s = s[4:] {
			x := (*[4]T)(s)
			a, b, c, d = max(a, x[0]), max(b, x[1]), max(c, x[2]), max(d, x[3])
		}
		for _, x := range s {
			a = max(a, x)
		}
		return max(a, b, c, d)
	}
	for ; len(s) >= 4; s = s[4:] {
		x := (*[4]T)(s)
		a, b, c, d = min(a, x[0]), min(b, x[1]), min(c, x[2]), min(d, x[3])
	}
	for _, x := range s {
		a = min(a, x)
	}
	return min(a, b, c, d)
}

// extremesLanes implements extremesPlain for the first columns of integers of one byte, eight at a time. It returns the
// number of these columns. The method would not be faster for integers of two bytes.
func extremesLanes[T Real](x []T, p Pointer, stride, m int, greatest bool) (done int) {
	done = len(x) &^ 7
	if done == 0 || m < 4 {
		return 0
	}
	flip := unsignedFlip[T]()
	if greatest { // the greatest number has the least complement
		flip = ^flip
	}
	out := Pointer(&x[0])
	for i := 0; i < m; i += 4 {
		i = min(i, m-4) // reducing the last rows twice does not change the result
		a, b, c, d := Add(p, i*stride), Add(p, (i+1)*stride), Add(p, (i+2)*stride), Add(p, (i+3)*stride)
		for k := 0; k < done; k += 8 {
			w := leastBytesOf(wordAt(a, k)^flip, wordAt(b, k)^flip)
			y := leastBytesOf(wordAt(c, k)^flip, wordAt(d, k)^flip)
			setWord(out, k, leastBytesOf(wordAt(out, k)^flip, leastBytesOf(w, y))^flip)
		}
	}
	return done
}

// leastBytesOf returns the lesser of each pair of corresponding bytes of x and y, as unsigned integers. The top bit of
// a byte of t is clear if the lower 7 bits are less in x than in y.
func leastBytesOf(x, y uint64) uint64 {
	const top = 0x8080808080808080
	t, differ := (x|top)-(y&^top), x^y
	notLess := (x&^y | t&^differ) & top
	return x ^ differ&(notLess<<1-notLess>>7)
}

// wordAt returns the 8 bytes at p + off.
func wordAt(p Pointer, off int) uint64 { return binary.NativeEndian.Uint64((*[8]byte)(Add(p, off))[:]) }

// setWord stores x in the 8 bytes at p + off.
func setWord(p Pointer, off int, x uint64) {
	binary.NativeEndian.PutUint64((*[8]byte)(Add(p, off))[:], x)
}
