package array

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
)

// Concatenate assigns the elements of the arrays to those of dst, one array after the other along an axis, as
// np.concatenate does with out: each as [Copy] does, from its dtype to that of dst. A negative axis counts from the
// end. The arrays have as many dimensions as dst, at least one, and lengths that along the axis add up to that of dst,
// and are the same along the others; else the error wraps [ErrShape]. If dst is read-only it wraps [ErrReadOnly], and
// dtypes that do not convert are a *[DTypeError]. All that is checked before the first element is assigned.
//
// The result is as if the arrays were copied elsewhere first; one that shares memory with a part of dst that it does
// not become is. [Join] makes one array of several without copying.
func Concatenate(dst Array, axis int, arrays ...Array) error {
	to, err := dst.MoveAxis(axis, 0)
	if err != nil {
		return err
	}
	if len(arrays) == 0 {
		return fmt.Errorf("%s%w: no arrays to concatenate", nd.Prefix(dst.view.Store.Mem.Path), ErrShape)
	}
	dsts, srcs := make([]nd.Array, len(arrays)), make([]nd.Array, len(arrays))
	end := 0
	for k, a := range arrays {
		a.view.MustBeSet()
		fits := a.NDim() == dst.NDim()
		if fits {
			a = nd.Must(a.MoveAxis(axis, 0))
			for i := 1; i < a.NDim(); i++ {
				fits = fits && a.Len(i) == to.Len(i)
			}
		}
		if !fits {
			return fmt.Errorf("%s%w: array %d of shape %s does not go along axis %d of shape %s",
				nd.Prefix(arrays[k].view.Store.Mem.Path), ErrShape, k, nd.Tuple(arrays[k].Shape()), axis, nd.Tuple(dst.Shape()))
		}
		start := end
		end = min(end+a.Len(0), to.Len(0)+1) // no lengths overflow
		part, err := to.Select(index.Range(start, end))
		if err != nil {
			return err
		}
		if end > to.Len(0) || k == len(arrays)-1 && end < to.Len(0) {
			total := 0
			for _, b := range arrays {
				total += nd.Must(b.MoveAxis(axis, 0)).Len(0)
			}
			return fmt.Errorf("%s%w: the arrays have %d along axis %d, and dst %d", nd.Prefix(dst.view.Store.Mem.Path), ErrShape,
				total, axis, to.Len(0))
		}
		dsts[k] = part.view
		if srcs[k], err = a.view.ForWriting(part.view); err != nil {
			return err
		}
		if _, err := nd.Assignment(part.view.Store, srcs[k].Store); err != nil {
			return err
		}
	}
	for k := range srcs {
		if !srcs[k].MayOverlap(&to.view) {
			continue
		}
		for j := range dsts {
			if j != k && srcs[k].MayOverlap(&dsts[j]) {
				if srcs[k], err = srcs[k].Clone(index.K); err != nil {
					return err
				}
				break
			}
		}
	}
	for k := range srcs {
		if err := nd.Copy(dsts[k], srcs[k]); err != nil {
			return err
		}
	}
	return nil
}
