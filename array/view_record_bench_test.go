package array

import (
	"math"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

func (t *trade) sum() int64 {
	return t.TS + int64(t.ID) + int64(t.Side) + int64(math.Float32bits(t.Price[0])) + int64(math.Float32bits(t.Price[1])) + int64(t.Size)
}

// BenchmarkPackedRecords sums all fields of a million records, packed and aligned, in both byte orders. Divide ns/op by
// 10^6 for nanoseconds per record.
func BenchmarkPackedRecords(b *testing.B) {
	const n = 1_000_000
	aligned := must(dtype.Of[trade]())
	packed := must(aligned.Packed())
	for _, tt := range []struct {
		name string
		d    dtype.DType
	}{
		{"aligned", aligned},
		{"packed", packed},
		{"packed, big-endian", packed.WithByteOrder(dtype.BigEndian)},
	} {
		v := must(As[trade](must(FromBytes(make([]byte, n*tt.d.ItemSize()), tt.d, index.C, n))))
		b.Run(tt.name+"/Values", func(b *testing.B) {
			sum := int64(0)
			for range b.N {
				for x := range v.Values() {
					sum += x.sum()
				}
			}
			sink = float64(sum)
		})
		b.Run(tt.name+"/Blocks", func(b *testing.B) {
			sum := int64(0)
			for range b.N {
				for block := range v.Blocks(index.C) {
					for i := range block {
						sum += block[i].sum()
					}
				}
			}
			sink = float64(sum)
		})
		b.Run(tt.name+"/At", func(b *testing.B) {
			sum := int64(0)
			for range b.N {
				for i := range n {
					x := v.At(i)
					sum += x.sum()
				}
			}
			sink = float64(sum)
		})
	}
}
