package array

import (
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

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
	case v.view.AreCold(rows):
		v.takeCold(out, rows, strided.TileBytes())
	case len(out)*strided.Sizeof[T]() <= nd.TakeBytes:
		v.take(out, rows)
	default:
		step := max(1, nd.TakeBytes/(size*v.ItemSize()))
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
	plain := v.view.Store.IsWhole() && row.view.Read == nd.InPlace && row.Contiguous(index.C)
	stride := v.view.Layout.Stride(0)
	apart, ahead := prefetchRows(&row.view)
	if !v.view.Store.IsWhole() {
		apart = 0
	}
	for k, i := range rows {
		out := dst[k*size : (k+1)*size]
		if apart > 0 && k+apart < len(rows) {
			kernel.Prefetch(strided.Add(v.view.P, rows[k+apart]*stride), ahead)
		}
		if plain {
			kernel.Copy(strided.Bytes(out), strided.Bytes(strided.Slice[T](strided.Add(v.view.P, i*stride), size)))
			continue
		}
		row := v.Index(i)
		row.view.Decode(strided.Bytes(out))
	}
}

// prefetchRows returns how many rows behind the one that is copied to have the processor load to its cache, for rows
// like this one, and how many bytes of it: none where the elements of a row do not follow one another.
func prefetchRows(row *nd.Array) (rows, bytes int) {
	n := row.NBytes()
	if n == 0 || !row.Store.IsWhole() || !row.Contiguous(index.C) {
		return 0, 0
	}
	return max(1, prefetchBytes/n), min(n, prefetchBytes)
}

// takeCold is Take of rows that are on a disk.
func (v View[T]) takeCold(out []T, rows []int, tile int) {
	shape := append([]int{len(rows)}, v.view.Layout.Shape()[1:]...)
	size := strided.Sizeof[T]()
	dst := nd.Must(nd.OnBytes(strided.Bytes(out), dtype.Void(size), nd.Must(index.NewLayout(shape, size, index.C))))
	nd.TakeCold(dst, v.view, rows, tile, &v.view.Store.Decode)
}
