package array

import (
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// callAtDepth calls f with n frames of its own on the stack.
//
//go:noinline
func callAtDepth(n int, f func()) byte {
	var frame [24]byte
	if n == 0 {
		f()
		return 0
	}
	frame[n%24] = 1
	return callAtDepth(n-1, f) + frame[3]
}

// TestStackGrows tests that values are decoded correctly if the stack grows at the same time. The decoder writes to
// memory on the stack in a way that the compiler does not see; under -race this test once failed.
func TestStackGrows(t *testing.T) {
	oracle.Slow(t)
	big := must(FromBytes([]byte{0, 0, 0, 1, 0, 0, 0, 2}, dtype.Int32.WithByteOrder(dtype.BigEndian), index.C, 2))
	little := must(FromBytes([]byte{1, 0, 0, 0, 2, 0, 0, 0}, dtype.Int32.WithByteOrder(dtype.LittleEndian), index.C, 2))
	shards := must(As[int32](must(Stack(must(big.Clone(index.C)), must(big.Clone(index.C))))))
	for depth := range 1500 {
		wrong := make(chan string, 20)
		check := func(what string, ok bool) {
			if !ok {
				wrong <- what
			}
		}
		go func() {
			defer close(wrong)
			callAtDepth(depth, func() {
				for _, a := range []Array{big, little} {
					v := must(As[int32](a))
					check("At", v.At(1) == 2)
					sum := int32(0)
					for x := range v.Values() {
						sum += x
					}
					check("Values", sum == 3)
					c := must(Cast[float64](must(a.Clone(index.C))))
					c.SetAt(7, 0)
					check("At of Cast", c.At(0) == 7)
					c.Fill(5)
					check("Fill of Cast", c.At(0) == 5 && c.At(1) == 5)
				}
				shards.Fill(int32(depth))
				check("Fill of a stack", shards.At(0, 0) == int32(depth) && shards.At(1, 1) == int32(depth))
			})
		}()
		for what := range wrong {
			t.Fatalf("%d frames: %s is wrong", depth, what)
		}
	}
}
