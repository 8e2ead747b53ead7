package array

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// pieceBytes is about how much is copied, or brought to stable storage, from one
// report of progress to the next.
const pieceBytes = 64 << 20

// A progress counts bytes for Config.Progress.
type progress struct {
	report      func(done, total int64) error
	done, total int64
	piece       int // bytes
}

func (p *progress) add(n int) error {
	p.done += int64(n)
	return p.report(p.done, p.total)
}

// fill copies src to a new file, and returns when it is on stable storage.
func (cfg Config) fill(f *File, src Array) error {
	if cfg.Progress == nil {
		if err := mmap.Guard(func() error { return Copy(f.Array, src) }); err != nil {
			return err
		}
		return f.Sync()
	}
	n := f.NBytes()
	p := &progress{report: cfg.Progress, total: 2 * int64(n), piece: pieceBytes}
	err := p.add(0)
	if err == nil {
		err = copyPieces(p, f.Array, src)
	}
	for done := 0; done < n && err == nil; {
		piece := min(p.piece, n-done)
		if err = f.m.SyncRange(f.h.DataOffset+done, piece); err == nil && done+piece < n {
			err = p.add(piece)
		}
		done += piece
	}
	if err == nil {
		err = f.Sync() // what is left: the header, and what the system knows of the file
	}
	if err == nil {
		err = p.report(p.total, p.total)
	}
	return err
}

// copyPieces is Copy of an array to another of the same shape, by pieces. They are
// what lies together in both, as far as that goes: a piece is half of a larger one,
// cut at an axis that has the largest strides of one of them.
func copyPieces(p *progress, dst, src Array) error {
	if dst.NBytes() <= p.piece || dst.Size() == 1 {
		if err := mmap.Guard(func() error { return Copy(dst, src) }); err != nil {
			return err
		}
		return p.add(dst.NBytes())
	}
	axis, other := dst.outermost(), src.outermost()
	if dst.Dim(other) > dst.Dim(axis) {
		axis = other
	}
	half := dst.Dim(axis) / 2
	sel := make([]index.Selector, axis+1) // colons, and last the half
	for _, sel[axis] = range []index.Selector{index.Range(0, half), index.Range(half, index.Omit)} {
		if err := copyPieces(p, must(dst.Select(sel...)), must(src.Select(sel...))); err != nil {
			return err
		}
	}
	return nil
}

// outermost is the axis, of those with more than one element, with the largest
// stride.
func (c *core) outermost() int {
	best := -1
	for axis := range c.lay.NDim() {
		if c.lay.Len(axis) > 1 && (best < 0 || abs(c.lay.Stride(axis)) > abs(c.lay.Stride(best))) {
			best = axis
		}
	}
	return best
}
