package array

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/compare"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/report"
)

// Equal reports whether a and b have the same shape and equal elements, as np.array_equal does; see [Comparison].
func Equal(a, b Array) (bool, error) { return Comparison{}.Equal(a, b) }

// AllClose reports whether all |a-b| <= atol + rtol*|b|, as np.allclose does, where one is broadcast to the other; the
// error wraps [ErrShape] if neither can be, and is that of a [Comparison]. NumPy's defaults are 1e-5 and 1e-8. See
// [Comparison].
func AllClose(a, b Array, rtol, atol float64) (bool, error) {
	x, y, err := nd.BroadcastBoth(a.view, b.view)
	if err != nil {
		return false, err
	}
	return Comparison{RTol: rtol, ATol: atol}.equal(x, y)
}

// A Comparison says which elements of two arrays count as equal. It goes once through both, on all cores, whatever
// their layouts and dtypes, larger than memory or not; its methods allocate for each call, and may be called by several
// goroutines.
//
// Numbers are compared by value, whatever their dtypes: integers exactly, integers with floats as float64. NaN and NaT
// equal nothing, unless EqualNaN is set. Text is compared without the NULs at its end. Records compare field by
// field, without padding; names, titles and their order must be the same. Other pairs of dtypes, times in different
// units and long doubles are a *[DTypeError].
type Comparison struct {
	// RTol and ATol are how far numbers may be apart: |a-b| <= ATol + RTol*|b|, in float64, also those in records.
	// Infinities are close only to themselves. All else must be equal. A negative tolerance, and NaN, is an error that
	// wraps [fs.ErrInvalid].
	RTol, ATol float64

	// EqualNaN makes NaN equal to NaN, and NaT to NaT; so are complex numbers with a NaN in them.
	EqualNaN bool

	// Progress, if it is not nil, is called as that of [Config] is, with bytes of elements of both, unless their shapes
	// differ. If it returns an error, the comparison stops, and returns it.
	Progress func(done, total int64) error
}

// A Difference says how the elements of two arrays differ.
type Difference struct {
	Count          int     // of the elements that do
	First          [][]int // indices of the first of them in C order, ten at most
	MaxAbs, MaxRel float64 // the greatest |a-b|, and |a-b|/|b| where b is not 0, of all numbers
}

// mostFirst is how many indices a Difference has.
const mostFirst = 10

// errUnequal ends a comparison.
var errUnequal = errors.New("unequal")

// Equal reports whether a and b have the same shape and equal elements. It stops at the first that are not.
func (c Comparison) Equal(a, b Array) (bool, error) {
	a.view.MustBeSet()
	b.view.MustBeSet()
	if !a.view.Layout.SameShape(b.view.Layout) {
		return false, c.check(a.view)
	}
	return c.equal(a.view, b.view)
}

func (c Comparison) equal(a, b nd.View) (bool, error) {
	p, err := c.plan(a, b)
	if err != nil {
		return false, err
	}
	var found atomic.Bool
	err = c.pass(p, nd.Pair{Dst: a, Src: b}, func(_ *nd.Pair, _ int, x, y pointer, n int) error {
		if found.Load() || !p.Equal(x, y, n) {
			found.Store(true) // which ends parts that come before this one
			return errUnequal
		}
		return nil
	})
	if err == errUnequal {
		return false, nil
	}
	return err == nil, err
}

// Diff says how a and b differ. Distances are of numbers and of the counts of times, also in records and where they are
// close; infinities that are not the same are infinitely far apart, and NaN is left out. Other shapes are an error
// that wraps
// [ErrShape].
func (c Comparison) Diff(a, b Array) (Difference, error) {
	a.view.MustBeSet()
	b.view.MustBeSet()
	if !a.view.Layout.SameShape(b.view.Layout) {
		return Difference{}, fmt.Errorf("%s%w: %s is compared with %s", nd.Prefix(a.view.Store.Mem.Path), ErrShape,
			nd.Tuple(b.view.Shape()), nd.Tuple(a.view.Shape()))
	}
	p, err := c.plan(a.view, b.view)
	if err != nil {
		return Difference{}, err
	}
	order, err := index.NewLayout(a.view.Shape(), 1, index.C)
	if err != nil {
		return Difference{}, fmt.Errorf("%s%w", nd.Prefix(a.view.Store.Mem.Path), err)
	}
	var mu sync.Mutex
	var first []int // positions, in order
	var all compare.Stats
	t := nd.Pair{Dst: a.view, Src: b.view, Positions: &nd.Positions{Layout: order}}
	err = c.pass(p, t, func(t *nd.Pair, at int, x, y pointer, n int) error {
		var s compare.Stats
		var found []int
		ascending := nd.IsSorted(t.Positions.Layout) || t.Dst.Layout.Size() < 2
		p.Diff(x, y, n, &s, func(i int) bool {
			found = keepLeast(found, t.Position(at+i))
			return !ascending || len(found) < mostFirst
		})
		mu.Lock()
		defer mu.Unlock()
		all.Merge(s)
		for _, i := range found {
			first = keepLeast(first, i)
		}
		return nil
	})
	d := Difference{Count: all.Count, MaxAbs: all.MaxAbs, MaxRel: all.MaxRel}
	for _, i := range first {
		idx := make([]int, a.NDim())
		index.Unravel(i, a.view.Shape(), idx, index.C)
		d.First = append(d.First, idx)
	}
	return d, err
}

// keepLeast adds i to the mostFirst least numbers, which are sorted.
func keepLeast(least []int, i int) []int {
	if len(least) == mostFirst && i > least[mostFirst-1] {
		return least
	}
	k, _ := slices.BinarySearch(least, i)
	least = slices.Insert(least, k, i)
	return least[:min(len(least), mostFirst)]
}

// check returns the error of a tolerance that is none.
func (c Comparison) check(a nd.View) error {
	for k, x := range [...]float64{c.RTol, c.ATol} {
		if !(x >= 0) {
			return fmt.Errorf("%s%w: the tolerance %s is %v; want 0 or more", nd.Prefix(a.Store.Mem.Path), fs.ErrInvalid,
				[...]string{"RTol", "ATol"}[k], x)
		}
	}
	return nil
}

func (c Comparison) plan(a, b nd.View) (*compare.Plan, error) {
	if err := c.check(a); err != nil {
		return nil, err
	}
	p, err := compare.New(a.Store.DType, b.Store.DType, compare.Rule{RTol: c.RTol, ATol: c.ATol, EqualNaN: c.EqualNaN})
	if err != nil {
		return nil, &DTypeError{Path: b.Store.Mem.Path, Have: b.Store.DType, Want: a.Store.DType, Msg: err.Error()}
	}
	return p, nil
}

// pass calls f with the blocks of two views of one shape, as they lie in memory.
func (c Comparison) pass(p *compare.Plan, t nd.Pair, f func(t *nd.Pair, at int, x, y pointer, n int) error) error {
	told := report.Counter{Report: c.Progress, Total: int64(t.Dst.NBytes()) + int64(t.Src.NBytes())}
	err := told.Begin()
	if err == nil && t.Dst.Layout.Size() > 0 && !p.IsEmpty() {
		t.Dst, t.Src = t.Dst.Raw(), t.Src.Raw()
		m := nd.NewPairPass(t, f)
		var tell func(done int) error
		if c.Progress != nil {
			tell = func(done int) error { return told.To(portion(told.Total, done, m.NumParts)) }
		}
		err = m.Run(tell)
	}
	if err == nil || err == errUnequal { // which no more elements change
		err = cmp.Or(told.End(), err)
	}
	return err
}

// portion returns how much of a total are n of all parts.
func portion(total int64, n, all int) int64 {
	return int64(float64(total) * (float64(n) / float64(all)))
}
