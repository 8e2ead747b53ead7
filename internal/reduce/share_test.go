package reduce

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// TestFetchedSlabs tests that results are the same if the elements are fetched, also if the slabs divide tiles.
func TestFetchedSlabs(t *testing.T) {
	old := maxSlabBytes
	defer func() { maxSlabBytes = old }()
	rows, columns := 150, 20_000 // more than walkBytes, and more than fewStates results
	lay, err := index.NewLayout([]int{rows, columns}, 8, index.C)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	numbers := make([]float64, rows*columns)
	for i := range numbers {
		numbers[i] = r.NormFloat64() * math.Exp(10*r.NormFloat64())
	}
	base := strided.Start(strided.Bytes(numbers))
	for _, maxSlabBytes = range []int{old, 50 * 8 * columns, 1} { // slabs of 50 rows and of 1 row
		for _, op := range []Op{Sum, Var, Moments} {
			d := op.Type(dtype.Float64)
			if op == Moments {
				d = momentsType
			}
			size := d.ItemSize()
			to, err := index.NewLayout([]int{columns}, size, index.C)
			if err != nil {
				t.Fatal(err)
			}
			reduce := func(fetch func(p strided.Piece) (strided.Pointer, func())) []byte {
				src := newSource(base, lay, dtype.Float64)
				src.Pieces[0].Mem.Fetch = fetch
				got := make([]byte, columns*size)
				p := strided.Start(got)
				dst := strided.Piece{P: p, Layout: to, ItemSize: size, Mem: &strided.Memory{Base: p, Size: len(got)}}
				if err := newJob(op, lay, []int{0}).Into(dst, d, src); err != nil {
					t.Fatal(err)
				}
				return got
			}
			want := reduce(nil)
			fetches := 0
			got := reduce(func(p strided.Piece) (strided.Pointer, func()) { fetches++; return p.P, func() {} })
			if fetches == 0 || !bytes.Equal(got, want) {
				t.Errorf("operation %d, slabs of up to %d bytes: another result after %d fetches", op, maxSlabBytes, fetches)
			}
		}
	}
}
