//go:build amd64 && !purego && !race

package kernel

import "golang.org/x/sys/cpu"

// hasLoops reports whether the processor has AVX2. The race detector sees plain Go only, so it runs without loops.
var hasLoops = cpu.X86.HasAVX2

// pick[step][size][swap] is the byte shuffle that takes every step-th item of size bytes. pick[0] reverses the order of
// the items. If swap is 1, the shuffle also reverses the bytes of each item.
//
//lint:ignore U1000 the assembly uses it
var pick = func() (pick [9][17][2][16]byte) {
	for _, size := range []int{1, 2, 4, 8, 16} {
		for swap := range 2 {
			for j := range 16 {
				in := j % size
				if swap == 1 {
					in = size - 1 - in
				}
				for _, step := range []int{2, 4, 8} {
					pick[step][size][swap][j] = byte(step*(j/size)*size+in) & 15
				}
				pick[0][size][swap][j] = byte((16/size-1-j/size)*size + in)
			}
		}
	}
	return pick
}()
