package array

import "github.com/ndmap/ndmap/internal/nd"

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
	return v.view.Rows(func(first int, rows nd.Array) error { return f(first, View[T]{shaped: shaped{rows}}) })
}
