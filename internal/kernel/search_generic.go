package kernel

import "unsafe"

// The loops below look for numbers, or count them: short ones several at a time, in the lanes of a word.

// aligned divides s into words, and what comes before and after them.
func aligned[T Real](s []T) (head []T, words []uint64, tail []T) {
	size := int(unsafe.Sizeof(T(0)))
	n := int(-uintptr(Pointer(unsafe.SliceData(s)))&7) / size
	if len(s) < n+8/size {
		return s, nil, nil
	}
	words = unsafe.Slice((*uint64)(Pointer(&s[n])), (len(s)-n)*size/8)
	return s[:n], words, s[n+len(words)*8/size:]
}

// nonzeroPlain is Nonzero in plain Go.
func nonzeroPlain[T Real](s []T) (n int) {
	if size := unsafe.Sizeof(T(0)); size <= 2 {
		head, words, tail := aligned(s)
		if size == 1 {
			n = nonzeroLanes8(words)
		} else {
			n = nonzeroLanes16(words)
		}
		return nonzeroEach(head) + n + nonzeroEach(tail)
	}
	if isFloat[T]() { // of zero all bits are 0 but the sign
		if n, p := len(s), Pointer(unsafe.SliceData(s)); unsafe.Sizeof(T(0)) == 4 {
			return nonzeroBits(unsafe.Slice((*uint32)(p), n))
		} else {
			return nonzeroBits(unsafe.Slice((*uint64)(p), n))
		}
	}
	return nonzeroEach(s)
}

func nonzeroBits[U uint32 | uint64](s []U) (n int) {
	more := 0
	for ; len(s) >= 4; s = s[4:] {
		x := (*[4]U)(s)
		n += oneIf(x[0]<<1 != 0) + oneIf(x[1]<<1 != 0)
		more += oneIf(x[2]<<1 != 0) + oneIf(x[3]<<1 != 0)
	}
	for _, x := range s {
		n += oneIf(x<<1 != 0)
	}
	return n + more
}

func nonzeroEach[T Real](s []T) (n int) {
	more := 0
	for ; len(s) >= 4; s = s[4:] {
		x := (*[4]T)(s)
		n += oneIf(x[0] != 0) + oneIf(x[1] != 0)
		more += oneIf(x[2] != 0) + oneIf(x[3] != 0)
	}
	for _, x := range s {
		n += oneIf(x != 0)
	}
	return n + more
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// nonzeroLanes8 counts the bytes of words that are not 0: each lane has room for 255.
func nonzeroLanes8(words []uint64) (n int) {
	const ones, even = 0x0101010101010101, 0x00FF00FF00FF00FF
	for len(words) > 0 {
		some := words[:min(len(words), 255)]
		var sum uint64
		for _, x := range some {
			sum += (x&(0x7F*ones) + 0x7F*ones | x) >> 7 & ones // the top bit of each byte that is not 0
		}
		sum = sum&even + sum>>8&even
		n += int(sum * 0x0001000100010001 >> 48)
		words = words[len(some):]
	}
	return n
}

// nonzeroLanes16 is nonzeroLanes8 for numbers of two bytes.
func nonzeroLanes16(words []uint64) (n int) {
	const ones = 0x0001000100010001
	for len(words) > 0 {
		some := words[:min(len(words), 1<<14-1)]
		var sum uint64
		for _, x := range some {
			sum += (x&(0x7FFF*ones) + 0x7FFF*ones | x) >> 15 & ones
		}
		n += int(sum * ones >> 48) // the sum of all lanes has 16 bits too
		words = words[len(some):]
	}
	return n
}

// indexPlain is indexOf in plain Go, or len(s) if there is no such number.
func indexPlain[T Real](s []T, bits T) int {
	switch n, p := len(s), Pointer(unsafe.SliceData(s)); unsafe.Sizeof(bits) {
	case 1, 2:
		head, words, _ := aligned(s)
		i := indexBits(head, bits)
		if i == len(head) {
			skipped := 0
			if unsafe.Sizeof(bits) == 1 {
				skipped = wordsWithout(words, repeated(bits), 0x0101010101010101)
			} else {
				skipped = wordsWithout(words, repeated(bits), 0x0001000100010001)
			}
			i += skipped * 8 / int(unsafe.Sizeof(bits))
			i += indexBits(s[i:], bits)
		}
		return i
	case 4:
		return indexUint(unsafe.Slice((*uint32)(p), n), *(*uint32)(Pointer(&bits)))
	default:
		return indexUint(unsafe.Slice((*uint64)(p), n), *(*uint64)(Pointer(&bits)))
	}
}

func indexBits[T Real](s []T, bits T) int {
	for i, x := range s {
		if x == bits {
			return i
		}
	}
	return len(s)
}

func indexUint[U uint32 | uint64](s []U, x U) int {
	i := 0
	for ; i+4 <= len(s); i += 4 {
		if y := (*[4]U)(s[i:]); y[0] == x || y[1] == x || y[2] == x || y[3] == x {
			break
		}
	}
	for ; i < len(s) && s[i] != x; i++ {
	}
	return i
}

// wordsWithout returns a number of words that have no lane as those of lanes. Ones has 1 in each lane. After them
// comes one that has, or less than four words.
func wordsWithout(words []uint64, lanes, ones uint64) (n int) {
	top := ones << 7 // of each lane
	if ones != 0x0101010101010101 {
		top = ones << 15
	}
	for ; n+4 <= len(words); n += 4 {
		w := (*[4]uint64)(words[n:])
		a, b, c, d := w[0]^lanes, w[1]^lanes, w[2]^lanes, w[3]^lanes
		if ((a-ones)&^a|(b-ones)&^b|(c-ones)&^c|(d-ones)&^d)&top != 0 { // a lane is 0
			break
		}
	}
	return n
}

// skipNotBetterPlain is SkipNotBetter in plain Go.
func skipNotBetterPlain[T Real](best, s []T, swap int, least bool) (n int) {
	var buf [64]T
	for n < len(s) {
		some := inNative(buf[:], s[n:min(n+len(buf), len(s))], swap)
		k := 0
		if least {
			k = notLess(some, best[n:])
		} else {
			k = notLess(best[n:], some)
		}
		if n += k; k < len(some) {
			break
		}
	}
	return n
}

// notLess returns a number of elements at the start of a or b, whichever is shorter, none of which is less in a than
// in b, or NaN in either.
func notLess[T Real](a, b []T) (n int) {
	last := min(len(a), len(b))
	for ; n+4 <= last; n += 4 {
		x, y := (*[4]T)(a[n:]), (*[4]T)(b[n:])
		if !(x[0] >= y[0] && x[1] >= y[1] && x[2] >= y[2] && x[3] >= y[3]) {
			return n
		}
	}
	for ; n < last && a[n] >= b[n]; n++ {
	}
	return n
}
