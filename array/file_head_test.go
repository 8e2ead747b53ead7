package array

import (
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/npy"
)

// TestHeadBytes tests that the first read of Open, which reads the header, ends before the elements of an array of
// numbers. Another process may be writing elements at the same time.
func TestHeadBytes(t *testing.T) {
	h, _, err := npy.New(dtype.Int64, index.C, []int{2})
	if err != nil || headBytes > h.DataOffset {
		t.Errorf("Open reads %d bytes first, and the data starts at byte %d; %v", headBytes, h.DataOffset, err)
	}
}
