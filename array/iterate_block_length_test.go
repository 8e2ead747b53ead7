package array

import (
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestBlockLength tests the length of blocks. Blocks in place have at most 64 KiB. Gathered or decoded blocks have at
// most 32 KiB, to fit the first-level cache. With much shorter blocks, the surrounding loop would dominate the time.
func TestBlockLength(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	const (
		n        = 1 << 19 // elements; more than the number of bytes in any block
		inPlace  = 64 << 10
		gathered = 32 << 10
		least    = 4 << 10
	)
	foreign := dtype.BigEndian
	if dtype.Native == dtype.BigEndian {
		foreign = dtype.LittleEndian
	}
	var parts []Array // 1 KiB each: a stack of larger ones would exceed the virtual memory of 32-bit systems
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
