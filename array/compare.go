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

// AllClose reports whether |a-b| <= atol + rtol*|b| for all elements of the broadcast arrays, as np.allclose does
// (defaults 1e-5 and 1e-8). The error wraps [ErrShape] if the shapes cannot be broadcast; see also [Comparison].
func AllClose(a, b Array, rtol, atol float64) (bool, error) {
	x, y, err := nd.BroadcastBoth(a.view, b.view)
	if err != nil {
		return false, err
	}
	return Comparison{RTol: rtol, ATol: atol}.equal(x, y)
}

// A Comparison compares the elements of two arrays, in one pass, on all cores. Its fields say which elements count as
// equal.
//
//   - Numbers of any dtypes are compared by value: integers exactly, and an integer with a float as float64.
//   - NaN and NaT equal nothing, unless EqualNaN is set.
//   - Text is compared without the NULs at its end.
//   - Records are compared field by field, without padding. Both must have fields of the same names and titles, in the same order.
//   - For other pairs of dtypes, times in different units, and long doubles the error is a *[DTypeError].
type Comparison struct {
	// RTol and ATol are the relative and the absolute tolerance. Numbers a and b, also in records, count as equal if |a-b|
	// <= ATol + RTol*|b|, computed in float64. An infinity is close only to itself. Other elements must be equal. A
	// tolerance that is negative or NaN is an error that wraps [fs.ErrInvalid].
	RTol, ATol float64

	// EqualNaN makes NaN equal to NaN, and NaT equal to NaT. Complex numbers that contain a NaN are then equal, too.
	EqualNaN bool

	// Progress, if it is not nil, is called as [SaveConfig] describes, and its error stops the comparison. done and
	// total count bytes of the elements of both arrays.
	Progress func(done, total int64) error
}

// A Difference describes how the elements of two arrays differ.
type Difference struct {
	Count          int     // the number of elements that differ
	First          [][]int // the indices of up to ten of them, the first in C order
	MaxAbs, MaxRel float64 // the greatest |a-b|, and the greatest |a-b|/|b| where b is not 0, of all numbers
}

// mostFirst is the maximum number of elements in Difference.First.
const mostFirst = 10

// errUnequal ends a pass at the first elements that differ.
var errUnequal = errors.New("unequal")

// Equal reports whether a and b have the same shape and equal elements. It stops at the first elements that differ.
func (c Comparison) Equal(a, b Array) (bool, error) {
	a.view.MustBeSet()
	b.view.MustBeSet()
	if !a.view.Layout.SameShape(b.view.Layout) {
		return false, c.checkTolerances(a.view)
	}
	return c.equal(a.view, b.view)
}

func (c Comparison) equal(a, b nd.View) (bool, error) {
	p, err := c.plan(a, b)
	if err != nil {
		return false, err
	}
	var found atomic.Bool
	err = c.pass(p, nd.Part{Views: []nd.View{a, b}}, func(b *nd.Block) error {
		if found.Load() || !p.Equal(b.P[0], b.P[1], b.N) {
			found.Store(true) // stops earlier parts, too
			return errUnequal
		}
		return nil
	})
	if err == errUnequal {
		return false, nil
	}
	return err == nil, err
}

// Diff describes how a and b differ. MaxAbs and MaxRel cover all numbers and counts of times, even those that count as
// equal. Unequal infinities are infinitely far apart, and NaN is ignored. The error wraps [ErrShape] if the shapes
// differ.
func (c Comparison) Diff(a, b Array) (Difference, error) {
	a.view.MustBeSet()
	b.view.MustBeSet()
	if !a.view.Layout.SameShape(b.view.Layout) {
		return Difference{}, fmt.Errorf("%s%w: cannot compare shape %s with %s", nd.Prefix(a.view.Store.Mem.Path), ErrShape,
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
	var first []int // positions, in ascending order
	var stats compare.Stats
	part := nd.Part{Views: []nd.View{a.view, b.view}, Positions: &nd.Positions{Layout: order}}
	err = c.pass(p, part, func(b *nd.Block) error {
		var s compare.Stats
		var found []int
		ascending := nd.IsSorted(b.Part.Positions.Layout) || b.Part.Positions.Layout.Size() < 2
		p.Diff(b.P[0], b.P[1], b.N, &s, func(i int) bool {
			found = insertLeast(found, b.Position(i))
			return !ascending || len(found) < mostFirst
		})
		mu.Lock()
		defer mu.Unlock()
		stats.Merge(s)
		for _, i := range found {
			first = insertLeast(first, i)
		}
		return nil
	})
	d := Difference{Count: stats.Count, MaxAbs: stats.MaxAbs, MaxRel: stats.MaxRel}
	for _, i := range first {
		idx := make([]int, a.NDim())
		index.Unravel(i, a.view.Shape(), idx, index.C)
		d.First = append(d.First, idx)
	}
	return d, err
}

// insertLeast inserts i into the sorted slice least, and returns the mostFirst smallest numbers.
func insertLeast(least []int, i int) []int {
	if len(least) == mostFirst && i > least[mostFirst-1] {
		return least
	}
	k, _ := slices.BinarySearch(least, i)
	least = slices.Insert(least, k, i)
	return least[:min(len(least), mostFirst)]
}

// checkTolerances returns an error if a tolerance is negative or NaN.
func (c Comparison) checkTolerances(a nd.View) error {
	for k, x := range [...]float64{c.RTol, c.ATol} {
		if !(x >= 0) {
			return fmt.Errorf("%s%w: the tolerance %s is %v; want 0 or more", nd.Prefix(a.Store.Mem.Path), fs.ErrInvalid,
				[...]string{"RTol", "ATol"}[k], x)
		}
	}
	return nil
}

func (c Comparison) plan(a, b nd.View) (*compare.Plan, error) {
	if err := c.checkTolerances(a); err != nil {
		return nil, err
	}
	p, err := compare.New(a.Store.DType, b.Store.DType, compare.Rule{RTol: c.RTol, ATol: c.ATol, EqualNaN: c.EqualNaN})
	if err != nil {
		return nil, &DTypeError{Path: b.Store.Mem.Path, Have: b.Store.DType, Want: a.Store.DType, Msg: err.Error()}
	}
	return p, nil
}

// pass calls f with the blocks of the two views of part, as bytes, and reports progress.
func (c Comparison) pass(p *compare.Plan, part nd.Part, f func(b *nd.Block) error) error {
	a, b := &part.Views[0], &part.Views[1]
	counter := report.Counter{Report: c.Progress, Total: int64(a.NBytes()) + int64(b.NBytes())}
	err := counter.Begin()
	if err == nil && a.Layout.Size() > 0 && !p.IsEmpty() {
		*a, *b = a.Raw(), b.Raw()
		m := nd.NewPass(part)
		if c.Progress != nil {
			m.Report = func(done int) error { return counter.To(doneBytes(counter.Total, done, m.Parts)) }
		}
		err = m.RunBlocks(f)
	}
	if err == nil || err == errUnequal { // the result is known
		err = cmp.Or(counter.End(), err)
	}
	return err
}

// doneBytes estimates how many of total bytes are done when n of the given number of parts are done.
func doneBytes(total int64, n, parts int) int64 {
	return int64(float64(total) * (float64(n) / float64(parts)))
}
