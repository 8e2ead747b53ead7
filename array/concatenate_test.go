package array

import (
	"testing"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestConcatenateMany tests that Concatenate of n arrays that do not overlap the result takes time in proportion to n:
// here milliseconds. If each array were compared with the destination of every other array, it would take half a
// minute.
func TestConcatenateMany(t *testing.T) {
	const n = 20000
	dst := must(New(dtype.Int32, index.C, n)).Array
	arrays := make([]Array, n)
	for i := range arrays {
		arrays[i] = must(FromSlice([]int32{int32(i)})).Array()
	}
	start := time.Now()
	if err := Concatenate(dst, 0, arrays...); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("%d arrays took %v", n, took)
	}
	i := int32(0)
	for x := range must(As[int32](dst)).Values() {
		if x != i {
			t.Fatalf("element %d is %d", i, x)
		}
		i++
	}
}
