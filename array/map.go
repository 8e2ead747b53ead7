package array

import (
	"github.com/ndmap/ndmap/internal/strided"
)

// Map calls f with the elements of dst and those of src, block by block, and stores what f has done to those of dst.
// Element i of both slices, which are of one length, is that of the same position. Goroutines share the calls. If f
// returns an error, Map returns it as it is: of several, the one that a single goroutine would have come to first.
//
// The shape of src must be that of dst or broadcast to it; otherwise the error wraps [ErrShape]. If dst is read-only it
// wraps [ErrReadOnly]. The two may be the same elements, also as different types (see [Cast]); if they share memory in
// another way, or strides of many axes leave that open, Map returns an error before it calls f. It does not notice
// memory that two mappings of one file share, nor elements of dst that share memory with one another.
//
// Blocks have up to 64 KiB, are valid until f returns, and depend on the two views alone. All elements of a block of
// dst are stored, as by [View.Update]; the one of src must not be written to.
func Map[D, S any](dst View[D], src View[S], f func(dst []D, src []S) error) error {
	return dst.view.Map(src.view, func(d, s pointer, n int) error {
		return f(strided.Slice[D](d, n), strided.Slice[S](s, n))
	})
}
