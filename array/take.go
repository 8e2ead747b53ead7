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
	case v.view.RowsAreCold(rows):
		v.takeCold(out, rows, strided.TileBytes())
	case len(out)*strided.Sizeof[T]() <= strided.TakeBytes:
		v.take(out, rows)
	default:
		step := max(1, strided.TakeBytes/(size*v.ItemSize()))
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
	plain := !v.view.Store.IsJoined() && row.view.Read == nd.InPlace && row.Contiguous(index.C)
	stride := v.view.Layout.Stride(0)
	apart, ahead := prefetchRows(&row.view)
	if v.view.Store.IsJoined() {
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
func prefetchRows(row *nd.View) (rows, bytes int) {
	n := row.NBytes()
	if n == 0 || row.Store.IsJoined() || !row.Contiguous(index.C) {
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

// Take returns a new array of the parts of a at the given indices of an axis, in their order, as np.take(a, indices,
// axis) does: NumPy's a[indices] for axis 0, a[:, indices] for axis 1. It has the dtype of a, in C order, in Go's
// memory; the function [Take] has the parts go to any array. Indices may repeat; one out of range panics, as in
// [View.Take], also a negative one. A negative axis counts from the end; the error is that of one that a does not
// have, or of too many
// elements.
func (a Array) Take(axis int, indices []int) (Array, error) {
	moved, err := a.MoveAxis(axis, 0)
	if err != nil {
		return Array{}, err
	}
	if axis < 0 {
		axis += a.NDim()
	}
	shape := a.Shape()
	shape[axis] = len(indices)
	_, n, err := index.Size(shape, a.ItemSize())
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", nd.Prefix(a.view.Store.Mem.Path), err)
	}
	mustBeWithin(indices, moved.Len(0)) // before the memory is there
	dst, err := nd.OnBytes(strided.Alloc(n), a.DType(), nd.Must(index.NewLayout(shape, a.ItemSize(), index.C)))
	if err != nil {
		return Array{}, err
	}
	return Array{shaped{dst}}, Take(Array{shaped{dst}}, a, axis, indices)
}

// Compress returns a new array of the parts of a along an axis for which the mask is true: NumPy's a[mask] for axis 0,
// a[:, mask] for axis 1. The mask has the length of the axis; else the error wraps [ErrShape]. See [Array.Take];
// [View.Collect] makes a slice of an array of booleans.
func (a Array) Compress(axis int, mask []bool) (Array, error) {
	moved, err := a.MoveAxis(axis, 0)
	if err != nil {
		return Array{}, err
	}
	if moved.Len(0) != len(mask) {
		return Array{}, fmt.Errorf("%s%w: a mask of %d booleans for axis %d of length %d", nd.Prefix(a.view.Store.Mem.Path),
			ErrShape, len(mask), axis, moved.Len(0))
	}
	var indices []int
	for i, is := range mask {
		if is {
			indices = append(indices, i)
		}
	}
	return a.Take(axis, indices)
}

// Take assigns the parts of src at the given indices of an axis to those of dst, in their order, as [Copy] does: from
// the dtype of one to that of the other. The shape of dst is that of src, but for the axis, which has as many
// positions as there are indices; else the error wraps [ErrShape]. After an error, and after the panic of an index out
// of range, dst is as it was. Parts on the disk are read in the order of the file, and pages that have none of them
// are not read. If the two share memory, src is copied first.
func Take(dst, src Array, axis int, indices []int) error {
	from, err := src.MoveAxis(axis, 0)
	if err != nil {
		return err
	}
	mustBeWithin(indices, from.Len(0))
	want := from.Shape()
	want[0] = len(indices)
	to, err := dst.MoveAxis(axis, 0)
	if err == nil && dst.NDim() == src.NDim() {
		for k, n := range want {
			if to.Len(k) != n {
				err = ErrShape
			}
		}
	} else {
		err = ErrShape
	}
	if err != nil {
		return fmt.Errorf("%s%w: %d parts along axis %d of shape %s do not fill shape %s", nd.Prefix(dst.view.Store.Mem.Path),
			ErrShape, len(indices), axis, nd.Tuple(src.Shape()), nd.Tuple(dst.Shape()))
	}
	return take(to.view, from.view, indices)
}

// take is Take along the first axis, of two shapes that fit.
func take(dst, src nd.View, indices []int) error {
	if dst.Write == nd.NoWrite {
		return fmt.Errorf("%s%w", nd.Prefix(dst.Store.Mem.Path), ErrReadOnly)
	}
	c, err := nd.Assignment(dst.Store, src.Store)
	if err != nil || dst.Layout.Size() == 0 {
		return err
	}
	if dst.MayOverlap(&src) {
		if src, err = src.Clone(index.K); err != nil {
			return err
		}
	}
	switch {
	case !dst.IsPlain() || !src.IsPlain():
		for k, i := range indices {
			to, from := dst, src
			to.Index(k, &to)
			from.Index(i, &from)
			if err := nd.Copy(to, from); err != nil {
				return err
			}
		}
	case src.RowsAreCold(indices):
		nd.TakeCold(dst, src, indices, strided.TileBytes(), &c)
	default:
		strided.Take(dst.Piece(), src.Piece(), indices, &c)
	}
	return nil
}

// mustBeWithin panics if one of the indices is not within an axis of length n.
func mustBeWithin(indices []int, n int) {
	for _, i := range indices {
		if uint(i) >= uint(n) {
			panic(&index.BoundsError{Axis: 0, Index: i, Len: n})
		}
	}
}
