package array

import (
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Map calls f with the elements of dst and those of src, block by block, and stores what f has done to those of dst.
// Element i of both slices, which are of one length, is that of the same position. Goroutines share the calls. If f
// returns an error, Map returns it as it is: of several, the one that a single goroutine would have come to first.
//
// The shape of src must be that of dst or broadcast to it; otherwise the error wraps [ErrShape]. If dst is read-only it
// wraps [ErrReadOnly]. The two may be the same elements, also as different types (see [Cast]). If they share memory in
// another way, Map returns an error before it calls f. Selections of one array with the same steps, as even and odd
// columns have, and fields of one record may be interleaved. Map also refuses interleaved elements of which it cannot
// tell cheaply that they share no memory, such as columns 0, 6 and columns 2, 4. It does not notice memory that two
// mappings of one file share, nor elements of dst that share memory with each other.
//
// Blocks have up to 64 KiB, are valid until f returns, and depend on the two views alone. All elements of a block of
// dst are stored, as by [View.Update]; the one of src must not be written to.
func Map[D, S any](dst View[D], src View[S], f func(dst []D, src []S) error) error {
	return dst.view.Map(src.view, func(d, s pointer, n int) error {
		return f(strided.Slice[D](d, n), strided.Slice[S](s, n))
	})
}

// Rows calls f with consecutive indices of the first axis of v, until all have come once: rows is v[first : first+n] in
// the same memory, and n is rows.Len(0). Goroutines share the calls, in any order, so f may set rows, and what it
// stores for an index, as in a slice of v.Len(0) results, needs no lock; all else that it changes does.
//
// A call has up to 256 KiB, as they are in memory or as values of T, or one index. Rows goes through v once, in the
// order of the memory, reads ahead and lets go as [Reduce] does; an index of more than 32 MiB is f's to read, by
// [View.Blocks], say. Where the first axis is not the slowest in memory, as in order F, a call has few indices, on
// many pages. Of a file that is not in memory, a part has indices on pages of an eighth of the memory, or of as many
// bytes where one index is on more, up to 64 MiB; each page is read for each part with elements on it: [Convert] the
// file first where these are many. [View.AppendTo] copies rows in the order of the memory.
//
// An error of f ends the work, and is returned as it is: of several, the one that a single goroutine would have come to
// first. Calls that are under way end before Rows returns. Panics of f and page faults are those of Reduce. For a v
// of no dimensions the error wraps [ErrShape]; without elements f is not called.
func Rows[T any](v View[T], f func(first int, rows View[T]) error) error {
	return v.view.Rows(func(first int, rows nd.View) error { return f(first, View[T]{shaped: shaped{rows}}) })
}

// Reduce calls f with the elements of v, block by block, and merge with what f returned, two results at a time, until
// one is left. It goes through v once, in memory order, whatever layout and byte order v has.
//
// Several goroutines call f and merge at once. Blocks have up to 64 KiB, are valid until f returns, and must not be
// written to. In merge(a, b) all elements behind a come before those behind b, in the order of the memory and next to
// them, and neither is used again, so that merge may change and return one of them. All that depends on v alone.
//
// If f returns an error, Reduce returns the first one in the order of the memory, as it is, and the zero R; later
// blocks may have been passed to f by then. A view without elements is the zero R, and f is not called.
func Reduce[T, R any](v View[T], f func(block []T) (R, error), merge func(a, b R) R) (R, error) {
	p := v.view.Pass()
	defer p.Readahead.Stop()
	return nd.InOrder(p.NumParts, func(k int, failed *nd.Failure) (R, error) {
		p.Readahead.Enter(k)
		w := p.Part(k)
		all := nd.MergeTree[R]{Merge: merge}
		for block, n := w.ReadBlock(); n > 0 && !failed.Before(k); block, n = w.ReadBlock() {
			r, err := f(strided.Slice[T](block, n))
			if err != nil {
				return r, err
			}
			all.Add(r)
		}
		p.Readahead.Leave(k)
		return all.Total(), nil
	}, merge)
}
