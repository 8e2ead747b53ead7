package array

import (
	"fmt"

	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Map calls f with blocks of the elements of dst and src, and stores the elements of dst as f leaves them. The two
// slices have the same length, and elements at the same index have the same position in dst and src. src is broadcast
// to the shape of dst.
//
// Several goroutines call f at the same time. A block has up to 64 KiB, is valid until f returns, and depends on the
// two views alone. f must not write to the block of src. All elements of a block of dst are stored, as by
// [View.Update]. Map returns an error of f unchanged: of several, the one that a single goroutine would have returned.
// The error wraps [ErrShape] if src cannot be broadcast, and [ErrReadOnly] if dst is read-only.
//
// dst and src may be the same elements, also with different types (see [Cast]). The two slices may then be the same
// memory: f must read element i of src before it sets element i of dst. They may also be interleaved, such as even and
// odd columns. If they overlap otherwise, or if Map cannot rule that out cheaply (columns 0, 2, 4 and 3, 6, 9), it
// returns an error before it calls f. It does not detect two mappings of the same file.
func Map[D, S any](dst View[D], src View[S], f func(dst []D, src []S) error) error {
	return dst.view.Map(func(p []pointer, n int) error {
		return f(strided.Slice[D](p[0], n), strided.Slice[S](p[1], n))
	}, src.view)
}

// Map2 is like [Map] with two sources, each broadcast to the shape of dst: f computes elements of dst from elements of
// a and b. Each of a and b may be the same elements as dst, or share no memory with it; a and b may share memory in any
// way. All three slices may then be the same memory, so f must read element i of a and b before it sets element i of
// dst. f writes only to dst.
func Map2[D, A, B any](dst View[D], a View[A], b View[B], f func(dst []D, a []A, b []B) error) error {
	return dst.view.Map(func(p []pointer, n int) error {
		return f(strided.Slice[D](p[0], n), strided.Slice[A](p[1], n), strided.Slice[B](p[2], n))
	}, a.view, b.view)
}

// Rows calls f with blocks of consecutive rows of v, so that f gets each row once. A row is the elements at one index
// of the first axis. rows is v[first : first+n] in the same memory, where n is rows.Len(0).
//
// Several goroutines call f at the same time, in any order. f may write to rows, and without a lock it may store a
// result for each row in a slice of v.Len(0) results. An error of f stops the work, and Rows returns it unchanged: of
// several, the one that a single goroutine would have returned. The error wraps [ErrShape] if v has no dimensions.
//
// A block has one row, or more rows of up to 256 KiB. Rows reads a file that is not in memory once, in memory order,
// and releases its pages; f itself reads rows of more than 32 MiB, for example by [View.Blocks]. If rows are scattered
// over the file, as in F order, pages may be read several times: see README.md, or [Convert] the file first.
func Rows[T any](v View[T], f func(first int, rows View[T]) error) error {
	return v.view.Rows(func(first int, rows nd.View) error { return f(first, View[T]{view: rows}) })
}

// RowsHalo is like [Rows], and also passes the halo of each block for moving windows: the block with the n rows before
// it and the n rows after it, as far as v has them. halo is v[max(0, first-n) : min(v.Len(0), first+rows.Len(0)+n)] in
// the same memory, so row i of rows is row min(first, n)+i of halo.
//
// The neighboring rows belong to other blocks, which other goroutines read at the same time. So f must not write to
// rows or halo; it stores its results elsewhere. RowsHalo panics with an error that wraps [ErrShape] if n is negative.
//
// A block has at least 4n rows, unless v has too few rows for all goroutines. RowsHalo reads files as Rows does, but
// may read the pages of a halo twice if the file does not fit in memory.
func RowsHalo[T any](v View[T], n int, f func(first int, rows, halo View[T]) error) error {
	if n < 0 {
		panic(nd.Misuse(fmt.Sprintf("array: RowsHalo: %d rows before and after a block; want at least 0", n), ErrShape))
	}
	return v.view.RowsHalo(n, func(first int, rows, halo nd.View) error {
		return f(first, View[T]{view: rows}, View[T]{view: halo})
	})
}

// Reduce calls f with the elements of v, block by block, and merges the results of f, two at a time, until one is left.
// It reads v once, in memory order. Several goroutines call f and merge at the same time. A block has up to 64 KiB, is
// valid until f returns, and must not be written to.
//
// In merge(a, b), the elements of a come directly before the elements of b in memory order. Reduce uses neither a nor b
// again: merge may change one and return it. v alone determines the blocks, and which results are merged. If f returns
// an error, Reduce returns the zero R and the first error in memory order, unchanged; f may have been called with later
// blocks, too. If v has no elements, Reduce returns the zero R.
func Reduce[T, R any](v View[T], f func(block []T) (R, error), merge func(a, b R) R) (R, error) {
	p := nd.NewPass(nd.Part{Views: []nd.View{v.view}})
	return nd.InOrder(p, func(b *nd.Block) (R, error) { return f(strided.Slice[T](b.P[0], b.N)) }, merge)
}
