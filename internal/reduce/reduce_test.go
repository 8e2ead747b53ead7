package reduce

import (
	"bytes"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// TestBools tests that results are 0 or 1 even if the bytes of the booleans are not, for one and for several elements
// per result.
func TestBools(t *testing.T) {
	mem := []byte{117, 0, 2, 1, 0, 255}
	for _, count := range []int{1, 2, 3, 6} { // number of elements per result
		n := len(mem) / count
		from, err := index.NewLayout([]int{n, count}, 1, index.C)
		if err != nil {
			t.Fatal(err)
		}
		to, err := index.NewLayout([]int{n}, 1, index.C)
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range []Op{Min, Max, All, Any} {
			want := make([]byte, n)
			for i := range want {
				any, all := byte(0), byte(1)
				for _, x := range mem[i*count : (i+1)*count] {
					any, all = max(any, min(x, 1)), min(all, x)
				}
				if want[i] = any; op == Min || op == All {
					want[i] = all
				}
			}
			got := make([]byte, n)
			p := strided.Start(got)
			dst := strided.Piece{P: p, Layout: to, ItemSize: 1, Mem: &strided.Memory{Base: p, Size: n}}
			err := newJob(op, from, []int{1}).Into(dst, dtype.Bool, newSource(strided.Start(mem), from, dtype.Bool))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("operation %d, %d elements each: %v, want %v; %v", op, count, got, want, err)
			}
		}
	}
}
