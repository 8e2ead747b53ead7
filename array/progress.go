package array

import (
	"errors"
	"fmt"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/report"
	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// A progress counts bytes for Config.Progress.
type progress struct {
	report.Counter
	piece, most int  // bytes: how many there are now from one report to the next, and at most
	later       bool // nobody waits for the disk
}

// newProgress counts total bytes for tell, in pieces of at most most bytes.
func newProgress(tell func(done, total int64) error, total int64, most int) *progress {
	return &progress{Counter: report.Counter{Report: tell, Total: total}, piece: most / 4, most: most}
}

func (p *progress) add(n int) error { return p.Add(int64(n)) }

// fill copies src to a new file, and returns when it is on stable storage, unless NoSync
// says not to wait. The system stores a piece while the next one is copied.
func (cfg Config) fill(f *File, src Array) error {
	n := f.NBytes()
	p := newProgress(cfg.Progress, int64(n), nd.MaxReportBytes)
	if p.later = cfg.NoSync; !p.later {
		p.Total *= 2
	}
	err := p.Begin()
	if err == nil && n > nd.MaxReportBytes && isCold(f.Array, src) {
		err = p.copyTiles(f, f.Array, src)
	} else if err == nil {
		err = p.copyPieces(f, f.Array, src)
	}
	if err == nil && !cfg.NoSync {
		if err = p.storePieces(f, f.h.DataOffset, n); err == nil {
			err = f.Sync() // the rest: the header, and the file system's record of the file
		}
	}
	if err == nil {
		err = p.End()
	}
	return err
}

// storePieces brings n bytes of f from byte off to stable storage, and reports all but the
// last piece of them. If nobody is told, it leaves all to the Sync that follows.
func (p *progress) storePieces(f *File, off, n int) error {
	if p.Report == nil {
		return nil
	}
	for done := 0; done < n; {
		piece, start := min(p.piece, n-done), time.Now()
		if err := f.m.SyncRange(off+done, piece); err != nil {
			return err
		}
		p.pace(time.Since(start))
		if done += piece; done < n {
			if err := p.add(piece); err != nil {
				return err
			}
		}
	}
	return nil
}

// copyPieces copies an array to a part of f, of the same shape, by pieces.
func (p *progress) copyPieces(f *File, dst, src Array) error {
	return p.pieces(dst, src, func(dst, src Array) error { return p.copyPiece(f, dst, src) })
}

// pieces calls do with pieces of two arrays of one shape. They are what lies together in both, as far as that goes: a
// piece is half of a larger one, cut at an axis that has the largest strides of one of them.
func (p *progress) pieces(dst, src Array, do func(dst, src Array) error) error {
	if dst.NBytes() <= p.piece || dst.Size() == 1 {
		start := time.Now()
		if err := do(dst, src); err != nil {
			return err
		}
		p.pace(time.Since(start))
		return p.add(dst.NBytes())
	}
	for _, h := range halves(dst, src) {
		if err := p.pieces(h[0], h[1], do); err != nil {
			return err
		}
	}
	return nil
}

// pace makes pieces smaller, or larger again, after one that took that time.
func (p *progress) pace(took time.Duration) {
	p.most = max(p.most, p.piece)
	p.piece = strided.Paced(p.piece, min(p.most, strided.PartBytes), p.most, took)
}

// halves returns the halves of two arrays of one shape, cut at [strided.HalvedAxis].
func halves(dst, src Array) (h [2][2]Array) {
	axis := strided.HalvedAxis(dst.Layout(), src.Layout(), dst.ItemSize(), src.ItemSize())
	half := dst.Len(axis) / 2
	sel := make([]index.Selector, axis+1) // colons, and last the half
	for k, r := range [...]index.Selector{index.Range(0, half), index.Range(half, index.Omit)} {
		sel[axis] = r
		h[k] = [2]Array{nd.Must(dst.Select(sel...)), nd.Must(src.Select(sel...))}
	}
	return h
}

// copyPiece is Copy to a part of f, which is to be stored soon, unless it may be later. What has the same
// bytes in memory is written by system calls: a page fault for every page of a new file takes
// longer.
func (p *progress) copyPiece(f *File, dst, src Array) error {
	n := dst.NBytes()
	together := dst.Contiguous(index.C) || dst.Contiguous(index.F)
	same := together && src.view.Store.Mem.File != f.m && dst.DType().Equal(src.DType()) &&
		(dst.Contiguous(index.C) && src.Contiguous(index.C) || dst.Contiguous(index.F) && src.Contiguous(index.F))
	err := mmap.Guard(func() error {
		for done := 0; same && done < n; {
			b := strided.Slice[byte](src.view.P, n)[done:min(done+writeBytes, n)]
			_, err := f.m.WriteAt(b, int64(dst.view.Store.Mem.Offset+dst.view.Offset()+done))
			switch done += len(b); {
			case errors.Is(err, stable.BadAddress):
				same = false // a page fault says what is wrong with src
			case err != nil:
				return err
			}
		}
		if same {
			return nil
		}
		return Copy(dst, src)
	})
	if err == nil && together && n > 0 && !p.later {
		err = f.m.Advise(dst.view.Store.Mem.Offset+dst.view.Offset(), n, mmap.Written)
	}
	return err
}

// copyTiles is Copy to a part of f from a file on a disk, by way of memory of the process, from where it is written:
// pages of f that were mapped for it would take the memory that the pages of src need.
func (p *progress) copyTiles(f *File, dst, src Array) error {
	c, err := nd.Assignment(dst.view.Store, src.view.Store)
	if err != nil {
		return err
	}
	var buf []byte
	return mmap.Guard(func() error {
		return strided.Tiles(dst.view.Piece(), src.view.Piece(), func(d, s strided.Piece) error {
			lay, err := d.Layout.Compact(d.ItemSize, index.K)
			if err != nil {
				return err
			}
			n := lay.Size() * d.ItemSize
			if len(buf) < n {
				buf = strided.Alloc(n)
			}
			tile, err := nd.OnBytes(buf[:n], dst.DType(), lay)
			if err != nil {
				return err
			}
			done := 0
			half := func(n int) error { // of n bytes that are copied, and of n that are written
				done += n
				return p.add(done/2 - (done-n)/2)
			}
			if err = strided.CopyPieces(tile.Piece(), s, &c, half); err != nil {
				return err
			}
			b, written := buf, 0
			d.Runs(func(off, n int) bool {
				for ; n > 0 && err == nil; n, off = n-written, off+written {
					written = min(n, strided.PartBytes)
					if _, err = f.m.WriteAt(b[:written], int64(off)); err == nil {
						err = half(written)
					}
					b = b[written:]
				}
				return err == nil
			})
			return err
		})
	})
}

// isCold reports whether src is on a disk in another order than dst, or in pieces.
func isCold(dst, src Array) bool {
	return !dst.view.Store.IsJoined() && !src.view.Store.IsJoined() && strided.IsCold(dst.view.Piece(), src.view.Piece())
}

// writeBytes is how much one system call writes.
const writeBytes = 256 << 10

// Copy is the function [Copy] with cfg.Progress, in bytes of dst: after an error of it dst may be partly written. Where
// the two share memory and are not the same elements, src is copied to Go's memory first, and counts, too.
func (cfg Config) Copy(dst, src Array) error {
	if err := cfg.checkMemory("Copy"); err != nil || cfg.Progress == nil {
		if err != nil {
			return err
		}
		return Copy(dst, src)
	}
	s, err := src.view.ForWriting(dst.view)
	if err == nil {
		_, err = nd.Assignment(dst.view.Store, s.Store)
	}
	if err != nil {
		return err
	}
	total := dst.NBytes()
	p := cfg.progress()
	overlap := total > 0 && !dst.view.IsSame(&s) && dst.view.MayOverlap(&s)
	if overlap {
		p.Total = int64(s.NBytes())
	}
	p.Total += int64(total)
	if err := p.Begin(); err != nil || total == 0 {
		return err
	}
	if overlap {
		c, err := s.Compact(index.K)
		if err == nil {
			err = p.copy(c, s)
		}
		if err != nil {
			return err
		}
		s = c
	}
	if err := p.copy(dst.view, s); err != nil {
		return err
	}
	return p.End()
}

// Clone is [Array.Clone] with cfg.Progress, in bytes of the copy.
func (cfg Config) Clone(a Array, order index.Order) (Array, error) {
	if err := cfg.checkMemory("Clone"); err != nil || cfg.Progress == nil {
		if err != nil {
			return Array{}, err
		}
		return a.Clone(order)
	}
	p := cfg.progress()
	p.Total = int64(a.NBytes())
	if err := p.Begin(); err != nil { // before the memory, which takes time, too
		return Array{}, err
	}
	c, err := a.view.Compact(order)
	if err == nil && p.Total > 0 {
		err = p.copy(c, a.view)
	}
	if err == nil {
		err = p.End()
	}
	if err != nil {
		return Array{}, err
	}
	return Array{shaped{c}}, nil
}

// checkMemory is check of a method that works in memory.
func (cfg *Config) checkMemory(method string) error {
	if err := cfg.check(method); err != nil {
		return fmt.Errorf("array: %w", err)
	}
	return nil
}

func (cfg *Config) progress() *progress {
	return newProgress(cfg.Progress, 0, nd.ScanReportBytes)
}

// copy copies src to dst, which are of one shape, and share no memory but that of the same elements, by pieces.
func (p *progress) copy(dst, src nd.View) error {
	if dst.IsPlain() && src.IsPlain() && dst.P != src.P {
		c, err := nd.Assignment(dst.Store, src.Store)
		if err != nil {
			return err
		}
		if cold, err := strided.CopyCold(dst.Piece(), src.Piece(), &c, p.add); cold {
			return err
		}
	}
	return p.pieces(Array{shaped{dst}}, Array{shaped{src}}, Copy)
}

// reals returns a as real numbers of Go, and what reports to cfg.Progress: nil if there is none.
func (cfg *Config) reals(a Array, method string) (nd.View, *progress, error) {
	c := a.view
	if err := cfg.checkMemory(method); err != nil {
		return c, nil, err
	}
	d := c.MustBeSet().DType
	if !d.IsNumber() || d.Kind() == dtype.KindComplex {
		return c, nil, nd.OfKind(fmt.Errorf("%s%s of real numbers: have dtype %v", nd.Prefix(c.Store.Mem.Path), method, d),
			ErrDType)
	}
	c, err := c.Retype(func(c nd.View) (nd.View, error) {
		return c.WithAccess(min(c.Store.Size, strided.Alignof[uint64]())), nil
	})
	if cfg.Progress == nil {
		return c, nil, err
	}
	return c, cfg.progress(), err
}

// begin reports that nothing is done of so many passes through c. Nil reports nothing.
func (p *progress) begin(c nd.View, passes int) error {
	if p == nil {
		return nil
	}
	p.Total = int64(passes * c.NBytes())
	return p.Begin()
}

// end reports that all is done. Nil reports nothing.
func (p *progress) end() error {
	if p == nil {
		return nil
	}
	return p.End()
}

// adder returns add, nil for nil.
func (p *progress) adder() func(n int) error {
	if p == nil {
		return nil
	}
	return p.add
}
