package strided

import (
	"time"

	"github.com/ndmap/ndmap/index"
)

// Operations that report their progress, or can be canceled, do so several times a second, every minReportTime to
// maxReportTime.
const (
	minReportTime = 25 * time.Millisecond
	maxReportTime = 75 * time.Millisecond
)

// Waves divides n parts into consecutive ranges, and calls do for the parts first to last-1 of each range in turn. The
// caller can report progress after each call. The number of parts in a range, from least to most, depends on the time
// that the previous call took. Waves stops at the first error of do and returns it.
func Waves(n, least, most int, do func(first, last int) error) error {
	least = max(1, least)
	for first, step := 0, least; first < n; {
		start, last := time.Now(), min(first+step, n)
		if err := do(first, last); err != nil {
			return err
		}
		first, step = last, pacedStep(step, least, most, time.Since(start))
	}
	return nil
}

// pacedStep returns the size of the next step, from least to most, after a step that took the given time.
func pacedStep(step, least, most int, took time.Duration) int {
	switch {
	case took < minReportTime:
		step = min(2*step, most)
	case took > maxReportTime:
		step /= 2
	}
	return max(step, least)
}

// A Pacer copies an array in pieces, and reports progress after each piece. It adapts the size of the pieces to the
// time that they take.
type Pacer struct {
	Size   int               // maximum number of bytes of a piece in dst
	IsNew  bool              // padding in dst need not be kept
	Max    int               // maximum of Size
	Report func(n int) error // if not nil, called after each piece, with its number of bytes in dst
}

func (p *Pacer) report(n int) error {
	if p.Report == nil {
		return nil
	}
	return p.Report(n)
}

// Each divides dst and src, which have the same shape, into corresponding pieces by halving them repeatedly. It calls
// do with each pair of pieces, until do or Report returns an error.
func (p *Pacer) Each(dst, src Piece, do func(dst, src Piece) error) error {
	n := dst.Layout.Size() * dst.ItemSize
	if n <= p.Size || dst.Layout.Size() < 2 {
		start := time.Now()
		if err := do(dst, src); err != nil {
			return err
		}
		p.Took(time.Since(start))
		return p.report(n)
	}
	axis := HalvedAxis(dst, src)
	half := dst.Layout.Len(axis) / 2
	for _, sel := range [...]index.Selector{index.Range(0, half), index.From(half)} {
		if err := p.Each(dst.selectAlong(axis, sel), src.selectAlong(axis, sel), do); err != nil {
			return err
		}
	}
	return nil
}

// Took sets the size of the next piece after one that took the given time.
func (p *Pacer) Took(took time.Duration) {
	p.Max = max(p.Max, p.Size)
	p.Size = pacedStep(p.Size, min(p.Max, PartBytes), p.Max, took)
}
