//go:build arm64 && !purego && !race

package kernel

// hasLoops is true: every arm64 has NEON. The race detector sees plain Go only, so it runs without loops.
const hasLoops = true

// turned[size][swap] is the byte shuffle that reverses the order of items of size bytes. If swap is 1, it also reverses
// the bytes of each item.
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
