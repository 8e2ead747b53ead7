package array

import (
	"fmt"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/sorting"
	"github.com/ndmap/ndmap/mmap"
)

// ArgSort returns the indices that sort a, which has one dimension: NumPy's argsort(a, kind="stable"). The least
// element is a[order[0]], and equal elements keep their order. [Array.Take] takes the elements, or rows of another
// array, in this order. For descending order, which also puts NaN and NaT last, see [TopK].
//
// Numbers, bools, text and times have an order. NaN and NaT come last, and -0 equals 0. Complex numbers are ordered by
// their real numbers, then by their imaginary numbers; those with NaN come last. Text is ordered by bytes, or by code
// points.
//
// The error wraps [ErrShape] if a does not have one dimension, and [ErrDType] if its elements have no order: records,
// raw bytes and long doubles. It wraps [mmap.ErrChanged] if another process writes to the elements of a file meanwhile,
// and ArgSort notices it; if not, their order is undefined.
//
// ArgSort works on all cores, and the time grows in proportion to the number of elements. It needs 16 bytes of memory
// for each element, including the result, and 2 MiB for each core. A [Stack] or a [Join] is copied first. If elements
// have more than 4 bytes, or are in disorder, ArgSort reads them several times and not in their order, so a file should
// fit in memory.
func ArgSort(a Array) ([]int, error) {
	if err := checkOrdered("ArgSort", a.view); err != nil {
		return nil, err
	}
	return argSort(a.view, false)
}

// TopK returns the indices of the k greatest elements of a, which has one dimension, or of the k least ones if least is
// true. They are sorted: the greatest, or the least, comes first. Of equal elements, the one with the lower index comes
// first. NaN and NaT come last, so they are among the results only if fewer than k other elements exist.
//
// TopK(a, k, true) returns the first k indices of [ArgSort]. TopK(a, k, false) does so for the descending order; pandas
// calls it nlargest. Both differ from np.argpartition, which returns the indices in any order. If a has fewer than k
// elements, TopK returns all indices: TopK(a, a.Len(0), false) sorts a in descending order. It panics if k is
// negative. For errors see ArgSort.
//
// TopK reads the elements once, in blocks, on all cores, so a can be larger than memory, a [Stack] or a [Join]. It
// needs 32 bytes of memory for each of the k results and each core, plus 256 KiB for each core. If k is more than 1/16
// of the number of elements, it sorts all elements, as ArgSort does.
func TopK(a Array, k int, least bool) ([]int, error) {
	if err := checkOrdered("TopK", a.view); err != nil {
		return nil, err
	}
	if k < 0 {
		panic(nd.Misuse(fmt.Sprintf("array: TopK: k is %d; want 0 or more", k), &index.BoundsError{Index: k, Len: a.Size()}))
	}
	if k > a.Size()/16 {
		order, err := argSort(a.view, !least)
		return slices.Clone(order[:min(k, len(order))]), err
	}
	return sorting.First(a.view, sorting.KeysOf(a.DType(), !least), k), nil
}

// Unique returns the distinct elements of a in the order of [ArgSort], and how often each occurs in a: NumPy's
// unique(a, return_counts=True). values has one dimension, the dtype of a, and new memory. a may have any number of
// dimensions.
//
// All NaN count as equal, as do all NaT, all complex numbers with a NaN, and 0 and -0. values contains the first of
// equal elements in the order of ArgSort.
//
// The error wraps [ErrDType] if the elements have no order; see also ArgSort. Unique sorts the elements: it takes the
// time and memory of ArgSort, plus 16 bytes and the size of an element for each distinct element. It copies an array
// whose elements cannot be seen as one dimension; see [Array.Ravel].
func Unique(a Array) (values Array, counts []int, err error) {
	flat, err := a.Ravel()
	if err != nil {
		if flat, err = a.Clone(index.C); err == nil {
			flat, err = flat.Ravel()
		}
		if err != nil {
			return Array{}, nil, err
		}
	}
	if err := checkOrdered("Unique", flat.view); err != nil {
		return Array{}, nil, err
	}
	p, err := plainArray(flat.view)
	if err != nil {
		return Array{}, nil, err
	}
	keys := sorting.KeysOf(p.Store.DType, false)
	order, err := sorting.ArgSort(p.Piece, keys)
	if err != nil {
		return Array{}, nil, changedError(a.view, err)
	}
	counts = sorting.Starts(p.Piece, keys, order)
	first := make([]int, len(counts)) // the index of the first element with each value
	for k, start := range counts {
		first[k] = order[start]
	}
	for k := range counts {
		end := len(order)
		if k+1 < len(counts) {
			end = counts[k+1]
		}
		counts[k] = end - counts[k]
	}
	values, err = flat.Take(0, first)
	return values, counts, err
}

// argSort returns the indices that sort v.
func argSort(v nd.View, descending bool) ([]int, error) {
	p, err := plainArray(v)
	if err != nil {
		return nil, err
	}
	order, err := sorting.ArgSort(p.Piece, sorting.KeysOf(p.Store.DType, descending))
	if err != nil {
		return nil, changedError(v, err)
	}
	return order, nil
}

// changedError returns an error of package sorting, which wraps [mmap.ErrChanged] and names the file of v.
func changedError(v nd.View, err error) error {
	return nd.OfKind(fmt.Errorf("%s%w", nd.Prefix(v.Store.Mem.Path), err), mmap.ErrChanged)
}

// plainArray returns v as a plain array, or a copy if v is joined.
func plainArray(v nd.View) (nd.Array, error) {
	p, ok := v.Plain()
	if ok {
		return p, nil
	}
	v, err := v.Clone(index.C)
	if err != nil {
		return nd.Array{}, err
	}
	p, _ = v.Plain()
	return p, nil
}

// checkOrdered returns an error that wraps ErrShape if v does not have one dimension, and ErrDType if its elements have
// no order. name is the name of the function for the message.
func checkOrdered(name string, v nd.View) error {
	v.MustBeSet()
	n := v.NDim()
	switch d := v.Store.DType; {
	case n != 1:
		return fmt.Errorf("%s%w: %s: %d dimensions, want 1; use Ravel", nd.Prefix(v.Store.Mem.Path), ErrShape, name, n)
	case sorting.HasOrder(d):
		return nil
	case d.Kind() == dtype.KindStructured:
		return v.DTypeError("%s: records have no order; use a Field: have dtype %v", name, d)
	case d.IsLongDouble():
		return v.DTypeError("%s: cannot sort long doubles; save them from NumPy as float64: have dtype %v", name, d)
	default:
		return v.DTypeError("%s: elements of dtype %v have no order", name, d)
	}
}
