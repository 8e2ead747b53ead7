//go:build amd64 && !purego && !race

package kernel

//go:noescape
func sumSquares16(out *[2][4]uint64, s Pointer, n int, bias *[32]byte)

// unsigned16 turns unsigned integers into signed ones of the same order, signed16 leaves
// signed ones as they are.
var unsigned16, signed16 = func() (flip, keep [32]byte) {
	for i := 1; i < len(flip); i += 2 {
		flip[i] = 0x80
	}
	return flip, keep
}()

// squaresRows is for how many rows of 32 bytes sums of pairs of int16 fit into 32 bits.
const squaresRows = 1 << 14

// sumSquaresVector adds up the first of s, and their squares.
func sumSquaresVector[T int16 | uint16](s []T) (sum int64, squares uint64, done int) {
	if !vectors {
		return 0, 0, 0
	}
	bias, zero := &signed16, int64(0)
	if x := T(0); x-1 > 0 {
		bias, zero = &unsigned16, 1<<15
	}
	for len(s)-done >= 16 {
		rows := min((len(s)-done)/16, squaresRows, callBytes/vectorBytes)
		var out [2][4]uint64
		sumSquares16(&out, Pointer(&s[done]), rows, bias)
		n := int64(rows) * 16
		// (x + zero)² is x² + 2 zero x + zero².
		a, b := int64(out[0][0]+out[0][1]+out[0][2]+out[0][3]), out[1][0]+out[1][1]+out[1][2]+out[1][3]
		sum += a + n*zero
		squares += b + uint64(2*zero*a+n*zero*zero)
		done += int(n)
	}
	return sum, squares, done
}
