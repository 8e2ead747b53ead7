package zipfile

import "hash/crc32"

// Checksum returns the CRC-32 of b.
func Checksum(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

// CombineCRC returns the CRC-32 of two concatenated byte sequences. The first has CRC a; the second has n bytes and CRC
// b. Appending n zero bytes to a sequence multiplies its CRC by x^8n, modulo the polynomial of the CRC.
func CombineCRC(a, b uint32, n int64) uint32 {
	power := uint32(1) << 31 // x^0: the bits of a CRC are in ascending order of powers
	square := uint32(1) << 23
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			power = multiply(power, square)
		}
		square = multiply(square, square)
	}
	return multiply(power, a) ^ b
}

// multiply returns a × b modulo the polynomial of the CRC.
func multiply(a, b uint32) uint32 {
	p := uint32(0)
	for bit := uint32(1) << 31; bit != 0; bit >>= 1 {
		if a&bit != 0 {
			p ^= b
		}
		b = b>>1 ^ crc32.IEEE&-(b&1)
	}
	return p
}
