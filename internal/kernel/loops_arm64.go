//go:build arm64 && !purego && !race

package kernel

// Every arm64 has NEON. The race detector sees plain Go alone, so that is what it gets to see.
const hasLoops = true

// masks[swap] is what reverses groups of swap bytes.
//
//lint:ignore U1000 the assembly uses it
var masks = [17][16]byte{
	0:  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	2:  {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14},
	4:  {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
	8:  {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8},
	16: {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
}

// turned[size][swap] is what puts items of size bytes in the opposite order, with the bytes of each reversed if swap
// is 1.
//
//lint:ignore U1000 the assembly uses it
var turned = func() (turned [17][2][16]byte) {
	for _, size := range []int{1, 2, 4, 8, 16} {
		for j := range 16 {
			turned[size][0][j] = byte((16/size-1-j/size)*size + j%size)
			turned[size][1][j] = byte(15 - j)
		}
	}
	return turned
}()
