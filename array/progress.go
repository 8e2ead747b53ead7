package array

import (
	"errors"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// pieceBytes is about how much is copied, or brought to stable storage, from one
// report of progress to the next.
const pieceBytes = 32 << 20

// A progress counts bytes for Config.Progress.
type progress struct {
	report      func(done, total int64) error
	done, total int64
	piece       int  // bytes
	later       bool // nobody waits for the disk
}

func (p *progress) add(n int) error {
	p.done += int64(n)
	return p.report(p.done, p.total)
}

// fill copies src to a new file, and returns when it is on stable storage, unless NoSync
// says not to wait. The system stores a piece while the next one is copied.
func (cfg Config) fill(f *File, src Array) error {
	n := f.NBytes()
	p := &progress{report: cfg.Progress, total: 2 * int64(n), piece: pieceBytes, later: cfg.NoSync}
	if p.report == nil {
		p.report = func(done, total int64) error { return nil }
	}
	if cfg.NoSync {
		p.total = int64(n)
	}
	err := p.add(0)
	if err == nil {
		err = p.copyPieces(f, f.Array, src)
	}
	if cfg.NoSync {
		return err
	}
	if err == nil && cfg.Progress != nil {
		err = p.storePieces(f, f.h.DataOffset, n)
	}
	if err == nil {
		err = f.Sync() // what is left: the header, and what the system knows of the file
	}
	if err == nil {
		err = p.report(p.total, p.total)
	}
	return err
}

// storePieces brings n bytes of f from byte off to stable storage, and reports all but the
// last piece of them.
func (p *progress) storePieces(f *File, off, n int) error {
	for done := 0; done < n; {
		piece := min(p.piece, n-done)
		if err := f.m.SyncRange(off+done, piece); err != nil {
			return err
		}
		if done += piece; done < n {
			if err := p.add(piece); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyPieces copies an array to a part of f, of the same shape, by pieces. They are
// what lies together in both, as far as that goes: a piece is half of a larger one,
// cut at an axis that has the largest strides of one of them.
func (p *progress) copyPieces(f *File, dst, src Array) error {
	if dst.NBytes() <= p.piece || dst.Size() == 1 {
		if err := f.copyPiece(dst, src, p.later); err != nil {
			return err
		}
		return p.add(dst.NBytes())
	}
	axis, other := dst.view.outermost(), src.view.outermost()
	if dst.Dim(other) > dst.Dim(axis) {
		axis = other
	}
	half := dst.Dim(axis) / 2
	sel := make([]index.Selector, axis+1) // colons, and last the half
	for _, sel[axis] = range []index.Selector{index.Range(0, half), index.Range(half, index.Omit)} {
		if err := p.copyPieces(f, must(dst.Select(sel...)), must(src.Select(sel...))); err != nil {
			return err
		}
	}
	return nil
}

// copyPiece is Copy to a part of f, which is to be stored soon, or later. What has the same
// bytes in memory is written by system calls: a page fault for every page of a new file takes
// longer.
func (f *File) copyPiece(dst, src Array, later bool) error {
	n := dst.NBytes()
	together := dst.Contiguous(index.C) || dst.Contiguous(index.F)
	same := together && src.view.el.mem.File != f.m && dst.DType().Equal(src.DType()) &&
		(dst.Contiguous(index.C) && src.Contiguous(index.C) || dst.Contiguous(index.F) && src.Contiguous(index.F))
	err := mmap.Guard(func() error {
		for done := 0; same && done < n; {
			b := strided.Slice[byte](src.view.p, n)[done:min(done+writeBytes, n)]
			_, err := f.m.WriteAt(b, int64(dst.view.el.mem.Offset+dst.view.offset()+done))
			switch done += len(b); {
			case errors.Is(err, errBadAddress):
				same = false // what is wrong with src a page fault tells
			case err != nil:
				return err
			}
		}
		if same {
			return nil
		}
		return Copy(dst, src)
	})
	if err == nil && together && n > 0 && !later {
		err = f.m.Advise(dst.view.el.mem.Offset+dst.view.offset(), n, mmap.Written)
	}
	return err
}

// writeBytes is how much one system call writes.
const writeBytes = 256 << 10

// outermost is the axis, of those with more than one element, with the largest
// stride.
func (c *view) outermost() int {
	best := -1
	for axis := range c.lay.NDim() {
		if c.lay.Len(axis) > 1 && (best < 0 || abs(c.lay.Stride(axis)) > abs(c.lay.Stride(best))) {
			best = axis
		}
	}
	return best
}
