package kernel

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// SumWide returns the sum of s, which are integers, in 64 bits, which wrap around. Short
// integers are added up several at a time, in the lanes of a word.
func SumWide[T Real](s []T, swap int) (total int64) {
	size := int(unsafe.Sizeof(T(0)))
	if loop := active.total[numOf[T]()]; loop != nil {
		var sum int64 // in memory
		for k := 1; k > 0 && len(s)*size >= LineBytes; s = s[k:] {
			k = loop(Hide(Pointer(&sum)), Hide(Pointer(&s[0])), min(len(s), callBytes/size), swap)
		}
		total = sum
	}
	if swap == 0 {
		return total + sumWidePlain(s)
	}
	var buf [256]T
	for len(s) > 0 {
		n := min(len(s), len(buf))
		total += sumWidePlain(inNative(buf[:], s[:n], swap))
		s = s[n:]
	}
	return total
}

// sumWidePlain is SumWide in plain Go, of numbers in native order.
func sumWidePlain[T Real](s []T) (total int64) {
	size := int(unsafe.Sizeof(T(0)))
	signed := T(0)-1 < 0
	if len(s)*size >= 64 && size < 8 {
		b := Bytes(Pointer(&s[0]), len(s)*size&^7)
		var done uint64
		switch size {
		case 1:
			done = sumLanes8(b, signed)
		case 2:
			done = sumLanes16(b, signed)
		default:
			done = sumLanes32(b, signed)
		}
		total = int64(done)
		s = s[len(b)/size:]
	}
	var more int64
	for ; len(s) >= 4; s = s[4:] {
		x := (*[4]T)(s)
		total += int64(x[0]) + int64(x[1])
		more += int64(x[2]) + int64(x[3])
	}
	for _, x := range s {
		total += int64(x)
	}
	return total + more
}

// SumExact returns the sum of s in 128 bits, of which hi has the upper ones. It has less than 1<<63 integers.
func SumExact[T int64 | uint64](s []T, swap int) (hi int64, lo uint64) {
	if swap != 0 {
		var buf [256]T
		for len(s) > 0 {
			n := min(len(s), len(buf))
			h, l := SumExact(inNative(buf[:], s[:n], swap), 0)
			hi, lo = Add128(hi, lo, h, l)
			s = s[n:]
		}
		return hi, lo
	}
	loop := active.totalTop[numOf[T]()]
	for k := 1; loop != nil && k > 0 && len(s)*8 >= LineBytes; s = s[k:] {
		var sum, top int64 // in memory
		k = loop(Hide(Pointer(&sum)), Hide(Pointer(&top)), Hide(Pointer(&s[0])), min(len(s), callBytes/8))
		// The sum is top<<48, and the lower bits, whose sum is less than 1<<63.
		h, l := Add128(top>>16, uint64(top)<<48, 0, uint64(sum)-uint64(top)<<48)
		hi, lo = Add128(hi, lo, h, l)
	}
	for _, x := range s {
		sign := int64(0)
		if x < 0 {
			sign = -1
		}
		hi, lo = Add128(hi, lo, sign, uint64(x))
	}
	return hi, lo
}

// Add128 adds two integers of 128 bits.
func Add128(hi int64, lo uint64, h int64, l uint64) (int64, uint64) {
	sum, carry := bits.Add64(lo, l, 0)
	return hi + h + int64(carry), sum
}

// AddWide adds to sum[i] that of row i of n integers, in 64 bits. The rows are stride bytes apart.
func AddWide[T Integer](sum []int64, p Pointer, stride, n, swap int) {
	size := int(unsafe.Sizeof(T(0)))
	loop := active.total[numOf[T]()]
	if n == 0 {
		return
	}
	if n*size < LineBytes || n*size > callBytes {
		loop = nil
	}
	for i := range sum {
		done := 0
		if loop != nil {
			done = loop(Hide(Pointer(&sum[i])), Add(p, i*stride), n, swap)
		}
		if done < n { // else no pointer is made to what is behind the last number
			sum[i] += SumWide(rowAt[T](Add(p, done*size), stride, i, n-done), swap)
		}
	}
}

// flip has the sign bits of all lanes if they are signed: without them they are unsigned
// numbers that are more by half of what the lane counts.
func flip(bits uint64, signed bool) uint64 {
	if signed {
		return bits
	}
	return 0
}

func sumLanes8(b []byte, signed bool) (total uint64) {
	const even = 0x00FF00FF00FF00FF
	turn := flip(0x8080808080808080, signed)
	for rest := b; len(rest) > 0; {
		n := min(len(rest), 8*256)
		c := rest[:n]
		var low, high uint64 // each 4 lanes of 16 bits, which have room for 257 bytes
		for ; len(c) >= 32; c = c[32:] {
			w, x, y, z := word(c[:32], 0)^turn, word(c[:32], 8)^turn, word(c[:32], 16)^turn, word(c[:32], 24)^turn
			low += w&even + x&even + y&even + z&even
			high += w>>8&even + x>>8&even + y>>8&even + z>>8&even
		}
		for ; len(c) >= 8; c = c[8:] {
			x := word(c, 0) ^ turn
			low += x & even
			high += x >> 8 & even
		}
		for ; low|high != 0; low, high = low>>16, high>>16 {
			total += low&0xFFFF + high&0xFFFF
		}
		rest = rest[n:]
	}
	if signed {
		total -= uint64(len(b)) << 7
	}
	return total
}

func sumLanes16(b []byte, signed bool) (total uint64) {
	const even = 0x0000FFFF0000FFFF
	turn := flip(0x8000800080008000, signed)
	for rest := b; len(rest) > 0; {
		n := min(len(rest), 8<<16)
		c := rest[:n]
		var low, high uint64 // each 2 lanes of 32 bits
		for ; len(c) >= 32; c = c[32:] {
			w, x, y, z := word(c[:32], 0)^turn, word(c[:32], 8)^turn, word(c[:32], 16)^turn, word(c[:32], 24)^turn
			low += w&even + x&even + y&even + z&even
			high += w>>16&even + x>>16&even + y>>16&even + z>>16&even
		}
		for ; len(c) >= 8; c = c[8:] {
			x := word(c, 0) ^ turn
			low += x & even
			high += x >> 16 & even
		}
		total += low&0xFFFFFFFF + low>>32 + high&0xFFFFFFFF + high>>32
		rest = rest[n:]
	}
	if signed {
		total -= uint64(len(b)/2) << 15
	}
	return total
}

func sumLanes32(b []byte, signed bool) (total uint64) {
	turn := flip(0x8000000080000000, signed)
	c := b
	var high uint64
	for ; len(c) >= 32; c = c[32:] {
		w, x, y, z := word(c[:32], 0)^turn, word(c[:32], 8)^turn, word(c[:32], 16)^turn, word(c[:32], 24)^turn
		total += w&0xFFFFFFFF + x&0xFFFFFFFF + y&0xFFFFFFFF + z&0xFFFFFFFF
		high += w>>32 + x>>32 + y>>32 + z>>32
	}
	for ; len(c) >= 8; c = c[8:] {
		x := word(c, 0) ^ turn
		total += x & 0xFFFFFFFF
		high += x >> 32
	}
	total += high
	if signed {
		total -= uint64(len(b)/4) << 31
	}
	return total
}

// word returns the 8 bytes of b from byte i on.
func word(b []byte, i int) uint64 { return binary.NativeEndian.Uint64(b[i : i+8]) }
