package nd

import (
	"cmp"
	"os"
	"slices"

	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// AreCold reports whether some of the parts of c at those indices of its first axis are on a disk.
func (c Array) AreCold(rows []int) bool {
	if !c.Store.IsWhole() || c.Store.Mem.File == nil || len(rows) == 0 {
		return false
	}
	row := c
	row.Index(0, &row)
	return row.Piece().AreCold(c.Layout.Stride(0), rows)
}

// TakeCold moves the rows of src, which are on a disk, to those of dst. They are read in the order of the file, so that
// a page of several rows is read once. Where rows are next to each other in the file, and the elements of one are not,
// each page is one of all rows: then it takes a part of all rows, and then the next. What it waits for at a time has
// about tile bytes.
func TakeCold(dst, src Array, rows []int, tile int, c *elem.Codec) {
	defer strided.SuppressReadaheadIfLarge(src.Piece(), src.Piece())()
	sorted := make([]int, len(rows)) // positions in rows
	for k := range sorted {
		sorted[k] = k
	}
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(rows[a], rows[b]) })
	row := src
	row.Index(0, &row)
	pages := src.onPages()
	crossed := len(rows)*row.onPages() > 2*pages
	if !crossed {
		pages = row.onPages()
		if pages > tile { // a row may lie across the order of the file: Copy goes by tiles
			for _, i := range sorted {
				to, from := dst, src
				to.Index(i, &to)
				from.Index(rows[i], &from)
				Must(0, strided.Copy(to.Piece(), from.Piece(), c))
			}
			return
		}
	}
	about := min(1+pages/tile, row.Layout.Size())
	whole := src.sub(Must(src.Layout.MoveAxis(0, -1)), 0) // rows are last
	for k, n := 0, countParts(row.Layout, about); k < n; k++ {
		part, batch := row.cut(k, about), len(rows)
		if !crossed {
			batch = max(1, tile/(part.onPages()+os.Getpagesize()))
		}
		if crossed && k == 0 {
			want(whole.cut(0, about))
		}
		if crossed && k+1 < n {
			want(whole.cut(k+1, about)) // while this one is copied
		}
		size := part.Layout.Size()
		for lo := 0; lo < len(rows); lo += batch {
			some := sorted[lo:min(lo+batch, len(rows))]
			if !crossed {
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
					to, from := dst, src
					to.Index(i, &to)
					from.Index(rows[i], &from)
					to, from = to.cut(k, about), from.cut(k, about)
					strided.CopyTile(to.Piece(), from.Piece(), &codec)
				}
			})
		}
	}
}

// want has the pages of c read, and no others.
func want(c Array) { c.Piece().Prefetch(strided.WhereScattered) }

// Decode has the elements of c in C order in buf, as Go values.
func (c *Array) Decode(buf []byte) {
	if !c.Store.IsWhole() {
		c.decodeParts(buf)
		return
	}
	strided.Decode(strided.Start(buf), c.Piece(), &c.Store.Decode, c.Store.Size)
}
