package array

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// takeBytes is how much one goroutine takes at a time.
const takeBytes = 256 << 10

// prefetchBytes is how many bytes of rows to come are being loaded while one is copied.
const prefetchBytes = 4 << 10

// Take appends the parts of v at the given indices of its first axis to dst, one after the other, the elements of each
// in C order, and returns the extended slice, as append does. Indices may repeat and be in any order; [View.Find] finds
// them in a column of v. It panics as [View.Index] does if one is out of range, and if v has no dimensions; dst is then
// as it was. It allocates nothing for small batches if dst has the capacity. Rows on the disk are read in the order of
// the file. dst must not be memory of v. To call it off, take some rows at a time.
func (v View[T]) Take(dst []T, rows []int) []T {
	n := v.Len(0)
	mustBeWithin(rows, n)
	if len(rows) == 0 || v.Size() == 0 {
		return dst
	}
	size := v.Size() / n
	start := len(dst)
	if size > (math.MaxInt-start)/len(rows) {
		panic(fmt.Sprintf("array: Take of %d parts of %d elements: no slice has as many", len(rows), size))
	}
	dst = slices.Grow(dst, len(rows)*size)[:start+len(rows)*size]
	switch out := dst[start:]; {
	case v.view.areCold(rows):
		v.takeCold(out, rows, strided.TileBytes())
	case len(out)*strided.Sizeof[T]() <= takeBytes:
		v.take(out, rows)
	default:
		step := max(1, takeBytes/(size*v.ItemSize()))
		strided.Share((len(rows)+step-1)/step, func(k int) {
			lo, hi := k*step, min((k+1)*step, len(rows))
			v.take(out[lo*size:hi*size], rows[lo:hi])
		})
	}
	return dst
}

// take is Take of some rows, at least one, to as many elements of dst.
func (v View[T]) take(dst []T, rows []int) {
	size := len(dst) / len(rows)
	row := v.Index(rows[0])
	plain := v.view.el.isWhole() && row.view.load == direct && row.Contiguous(index.C)
	stride := v.view.lay.Stride(0)
	apart, ahead := prefetchRows(&row.view)
	if !v.view.el.isWhole() {
		apart = 0
	}
	for k, i := range rows {
		out := dst[k*size : (k+1)*size]
		if apart > 0 && k+apart < len(rows) {
			kernel.Prefetch(strided.Add(v.view.p, rows[k+apart]*stride), ahead)
		}
		if plain {
			kernel.Copy(strided.Bytes(out), strided.Bytes(strided.Slice[T](strided.Add(v.view.p, i*stride), size)))
			continue
		}
		row := v.Index(i)
		row.view.decode(strided.Bytes(out))
	}
}

// prefetchRows returns how many rows behind the one that is copied to have the processor load to its cache, for rows
// like this one, and how many bytes of it: none where the elements of a row do not follow one another.
func prefetchRows(row *view) (rows, bytes int) {
	n := row.NBytes()
	if n == 0 || !row.el.isWhole() || !row.Contiguous(index.C) {
		return 0, 0
	}
	return max(1, prefetchBytes/n), min(n, prefetchBytes)
}

// takeCold is Take of rows that are on a disk.
func (v View[T]) takeCold(out []T, rows []int, tile int) {
	shape := append([]int{len(rows)}, v.view.lay.Shape()[1:]...)
	size := strided.Sizeof[T]()
	dst := must(onBytes(strided.Bytes(out), dtype.Void(size), must(index.NewLayout(shape, size, index.C))))
	takeCold(dst, v.view, rows, tile, &v.view.el.load)
}

// areCold reports whether some of the parts of c at those indices of its first axis are on a disk.
func (c view) areCold(rows []int) bool {
	if !c.el.isWhole() || c.el.mem.File == nil || len(rows) == 0 {
		return false
	}
	row := c
	row.index(0, &row)
	return row.piece().AreCold(c.lay.Stride(0), rows)
}

// takeCold moves the rows of src, which are on a disk, to those of dst. They are read in the order of the file, so that
// a page of several rows is read once. Where rows are next to each other in the file, and the elements of one are not,
// each page is one of all rows: then it takes a part of all rows, and then the next. What it waits for at a time has
// about tile bytes.
func takeCold(dst, src view, rows []int, tile int, c *elem.Codec) {
	defer strided.Calm(src.piece(), src.piece())()
	sorted := make([]int, len(rows)) // positions in rows
	for k := range sorted {
		sorted[k] = k
	}
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(rows[a], rows[b]) })
	row := src
	row.index(0, &row)
	pages := src.onPages()
	crossed := len(rows)*row.onPages() > 2*pages
	if !crossed {
		pages = row.onPages()
		if pages > tile { // a row may lie across the order of the file: Copy goes by tiles
			for _, i := range sorted {
				to, from := dst, src
				to.index(i, &to)
				from.index(rows[i], &from)
				must(0, strided.Copy(to.piece(), from.piece(), c))
			}
			return
		}
	}
	about := min(1+pages/tile, row.lay.Size())
	whole := src.sub(must(src.lay.MoveAxis(0, -1)), 0) // rows are last
	for k, n := 0, countParts(row.lay, about); k < n; k++ {
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
		size := part.lay.Size()
		for lo := 0; lo < len(rows); lo += batch {
			some := sorted[lo:min(lo+batch, len(rows))]
			if !crossed {
				wanted := make([]int, len(some))
				for j, i := range some {
					wanted[j] = rows[i]
				}
				part.piece().WantEach(src.lay.Stride(0), wanted)
			}
			parts := min(len(some), 1+len(some)*size*dst.ItemSize()/takeBytes)
			codec := *c
			strided.Share(parts, func(j int) {
				for _, i := range some[strided.Bound(len(some), j, parts):strided.Bound(len(some), j+1, parts)] {
					to, from := dst, src
					to.index(i, &to)
					from.index(rows[i], &from)
					to, from = to.cut(k, about), from.cut(k, about)
					strided.CopyTile(to.piece(), from.piece(), &codec)
				}
			})
		}
	}
}

// want has the pages of c read, and no others.
func want(c view) { c.piece().Want() }

// decode has the elements of c in C order in buf, as Go values.
func (c *view) decode(buf []byte) {
	if !c.el.isWhole() {
		c.decodeParts(buf)
		return
	}
	strided.Decode(strided.Start(buf), c.piece(), &c.el.load, c.el.size)
}
