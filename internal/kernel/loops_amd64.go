//go:build amd64 && !purego && !race

package kernel

import "golang.org/x/sys/cpu"

// The race detector sees plain Go alone, so that is what it gets to see.
var hasLoops = cpu.X86.HasAVX2

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

// pick[step][size][swap] is what takes every item of size bytes that is step from the
// last one, or if step is 0 puts items in the opposite order, both with the bytes of each
// reversed if swap is 1.
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
