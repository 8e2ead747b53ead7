package kernel

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// SumWide returns the sum of integers in 64 bits. It wraps around.
func SumWide[T Real](s []T, swap int) (total int64) {
	size := int(unsafe.Sizeof(T(0)))
	if loop := active.total[numOf[T]()]; loop != nil {
		var sum int64 // the loop takes its address
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

// sumWidePlain implements SumWide in plain Go, for native order.
func sumWidePlain[T Real](s []T) (total int64) {
	if size := int(unsafe.Sizeof(T(0))); len(s)*size >= 64 && size < 8 {
		b := Bytes(Pointer(&s[0]), len(s)*size&^7)
		total = int64(sumLanes[T](b))
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

// SumExact returns the sum of fewer than 1<<63 integers in 128 bits: hi has the upper bits, and lo the lower ones.
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
		var sum, top int64 // the loop takes their addresses
		k = loop(Hide(Pointer(&sum)), Hide(Pointer(&top)), Hide(Pointer(&s[0])), min(len(s), callBytes/8))
		// The sum is top<<48 plus the sum of the lower 48 bits, which is less than 1<<63.
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

// Add128 returns the sum of two integers of 128 bits.
func Add128(hi int64, lo uint64, h int64, l uint64) (int64, uint64) {
	sum, carry := bits.Add64(lo, l, 0)
	return hi + h + int64(carry), sum
}

// AddWide adds the sum of the n integers of row i to sum[i], in 64 bits. The rows are stride bytes apart.
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
		if done < n { // else the pointer would be past the last number
			sum[i] += SumWide(rowAt[T](Add(p, done*size), stride, i, n-done), swap)
		}
	}
}

// sumLanes adds up integers of 1, 2 or 4 bytes, given as a multiple of 8 bytes. It adds every second integer of a word
// in lanes of twice the size. To each signed integer it adds half of the range, so that all are unsigned.
func sumLanes[T Real](b []byte) (total uint64) {
	bits := 8 * unsafe.Sizeof(T(0))
	even := laneOnes(2*bits) * (1<<bits - 1) // the lower half of each lane
	flip := unsignedFlip[T]()
	most := len(b)
	if bits < 32 {
		most = 8 << bits // more bytes might overflow a lane
	}
	for rest := b; len(rest) > 0; {
		n := min(len(rest), most)
		c := rest[:n]
		var low, high uint64
		for ; len(c) >= 32; c = c[32:] {
			w, x, y, z := loadWord(c[:32], 0)^flip, loadWord(c[:32], 8)^flip, loadWord(c[:32], 16)^flip, loadWord(c[:32],
				24)^flip
			low += w&even + x&even + y&even + z&even
			high += w>>bits&even + x>>bits&even + y>>bits&even + z>>bits&even
		}
		for ; len(c) >= 8; c = c[8:] {
			x := loadWord(c, 0) ^ flip
			low += x & even
			high += x >> bits & even
		}
		for lane := uint64(1)<<(2*bits) - 1; low|high != 0; low, high = low>>(2*bits), high>>(2*bits) {
			total += low&lane + high&lane
		}
		rest = rest[n:]
	}
	if flip != 0 {
		total -= uint64(len(b)) * 8 / uint64(bits) << (bits - 1)
	}
	return total
}

// loadWord returns the 8 bytes of b starting at byte i.
func loadWord(b []byte, i int) uint64 { return binary.NativeEndian.Uint64(b[i : i+8]) }
