package array

import (
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestBlockLength guards how long blocks are: those that are the memory itself at
// most 64 KiB, and those that are gathered or decoded at most 32 KiB, to be in the
// processor's first cache; not much less either, or the loop around them would take the
// time.
func TestBlockLength(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	const (
		n        = 1 << 19 // elements, more than a block of either kind has bytes
		inPlace  = 64 << 10
		gathered = 32 << 10
		least    = 4 << 10
	)
	foreign := dtype.BigEndian
	if dtype.Native == dtype.BigEndian {
		foreign = dtype.LittleEndian
	}
	var parts []Array // of 1 KiB: 32 bits address no larger ones in a stack of n
	for range n / 512 {
		parts = append(parts, must(FromSlice(make([]int16, 512))).Array())
	}
	for _, tt := range []struct {
		name string
		a    Array
		most int
	}{
		{"in place", zeros(dtype.Int16, n), inPlace},
		{"in place, long rows", zeros(dtype.Int16, 2, n/2), inPlace},
		{"other byte order", zeros(dtype.Int16.WithByteOrder(foreign), n), gathered},
		{"other byte order, rows", zeros(dtype.Int16.WithByteOrder(foreign), 512, n/512), gathered},
		{"not aligned", must(FromBytes(make([]byte, 2*n+1)[1:], dtype.Int16, index.C, n)), gathered},
		{"transposed", zeros(dtype.Int16, 512, n/512).T(), gathered},
		{"short rows", must(zeros(dtype.Int16, n/8, 16).Select(index.Colon, index.Range(0, 8))), gathered},
		{"every second", must(zeros(dtype.Int16, 2*n).Select(index.Every(2))), gathered},
		{"downwards", must(zeros(dtype.Int16, n).Select(index.Reverse())), gathered},
		{"a stack", must(Stack(parts...)).T(), gathered},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := must(As[int16](tt.a))
			for name, blocks := range map[string]func(func([]int16) bool){
				"Blocks": v.Blocks(index.C),
				"Update": v.Update(index.C),
			} {
				total, count := 0, 0
				for b := range blocks {
					if len(b) == 0 || len(b)*2 > tt.most {
						t.Fatalf("%s, %s: a block of %d bytes, want 1 to %d", tt.name, name, len(b)*2, tt.most)
					}
					total += len(b)
					count++
				}
				if total != n {
					t.Errorf("%s, %s: %d elements, want %d", tt.name, name, total, n)
				}
				if mean := total * 2 / count; mean < least {
					t.Errorf("%s, %s: blocks of %d bytes on average, want at least %d", tt.name, name, mean, least)
				}
			}
		})
	}
	for b := range must(FromSlice(make([]uint8, n))).Blocks(index.C) {
		if len(b) != inPlace {
			t.Errorf("a block of %d single bytes in place, want %d", len(b), inPlace)
		}
	}
}

func zeros(d dtype.DType, shape ...int) Array {
	return must(New(d, index.C, shape...)).Array
}
