package nd

import (
	"cmp"
	"os"
	"slices"

	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// RowsAreCold reports whether some of the given rows of a, indices of its first axis, are on disk and not in memory. It
// looks at a few of them.
func (a Array) RowsAreCold(rows []int) bool {
	if a.Store.IsJoined() || a.Store.Mem.File == nil || len(rows) == 0 {
		return false
	}
	row := a
	row.Index(0, &row)
	return row.Piece().AreCold(a.Layout.Stride(0), rows)
}

// TakeCold copies the given rows of src, which are on disk, to the rows of dst, row rows[k] to row k. It reads the rows
// in the order of the file, so that a page that contains several rows is read once.
//
// If rows are interleaved, as they are in F order, every page contains elements of all rows. TakeCold then cuts the
// rows into parts, and copies the same part of all rows before the next part. It prefetches about tile bytes at a time.
func TakeCold(dst, src Array, rows []int, tile int, c *elem.Codec) {
	defer strided.SuppressReadaheadIfLarge(src.Piece(), src.Piece())()
	sorted := make([]int, len(rows)) // positions in rows, in the order of the file
	for k := range sorted {
		sorted[k] = k
	}
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(rows[a], rows[b]) })
	row := src
	row.Index(0, &row)
	pages := src.onPages()
	interleaved := len(rows)*row.onPages() > 2*pages
	if !interleaved {
		pages = row.onPages()
		if pages > tile { // Copy cuts a row that is in another order than the file into tiles
			for _, i := range sorted {
				to, from := rowPair(dst, src, i, rows[i])
				Must(0, strided.Copy(to.Piece(), from.Piece(), c))
			}
			return
		}
	}
	cuts := min(1+pages/tile, row.Layout.Size())
	columns := src.sub(Must(src.Layout.MoveAxis(0, -1)), 0) // a part of these is the same part of all rows
	for k, n := 0, countParts(row.Layout, cuts); k < n; k++ {
		part, batch := row.cut(k, cuts), len(rows)
		if !interleaved {
			batch = max(1, tile/(part.onPages()+os.Getpagesize()))
		}
		if interleaved && k == 0 {
			prefetch(columns.cut(0, cuts))
		}
		if interleaved && k+1 < n {
			prefetch(columns.cut(k+1, cuts)) // while part k is copied
		}
		size := part.Layout.Size()
		for lo := 0; lo < len(rows); lo += batch {
			some := sorted[lo:min(lo+batch, len(rows))]
			if !interleaved {
				wanted := make([]int, len(some))
				for j, i := range some {
					wanted[j] = rows[i]
				}
				part.Piece().PrefetchEach(src.Layout.Stride(0), wanted)
			}
			parts := min(len(some), 1+len(some)*size*dst.ItemSize()/strided.TakeBytes)
			codec := *c
			strided.Share(parts, func(j int) {
				for _, i := range some[strided.Bound(len(some), j, parts):strided.Bound(len(some), j+1, parts)] {
					to, from := rowPair(dst, src, i, rows[i])
					to, from = to.cut(k, cuts), from.cut(k, cuts)
					strided.CopyTile(to.Piece(), from.Piece(), &codec)
				}
			})
		}
	}
}

// rowPair returns row i of dst and row j of src.
func rowPair(dst, src Array, i, j int) (to, from Array) {
	dst.Index(i, &dst)
	src.Index(j, &src)
	return dst, src
}

// prefetch asks the system for the pages of a, and for no others.
func prefetch(a Array) { a.Piece().Prefetch(strided.WhereScattered) }
