package array

import (
	"time"

	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/report"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// A progress counts the bytes that are done, and reports them to a Progress function.
type progress struct {
	report.Counter
	pacer strided.Pacer
}

// newProgress returns a progress that calls callback at least every maxUnreported bytes. total is the number of bytes
// of all work.
func newProgress(callback func(done, total int64) error, total int64, maxUnreported int) *progress {
	p := &progress{Counter: report.Counter{Report: callback, Total: total}}
	p.pacer = strided.Pacer{Size: maxUnreported / 4, Max: maxUnreported}
	if callback != nil {
		p.pacer.Report = p.add
	}
	return p
}

func (p *progress) add(n int) error { return p.Add(int64(n)) }

// finish calls write to set the elements of f, a new file, if write is not nil. Then it brings f to stable storage,
// unless NoSync is set. It reports the bytes of both to cfg.Progress. The system stores one piece while write writes
// the next one.
func (cfg SaveConfig) finish(f *File, write func(p *progress) error) error {
	p := newProgress(cfg.Progress, 0, nd.MaxReportBytes)
	if !cfg.NoSync {
		p.Total = int64(f.NBytes())
	}
	if write != nil {
		p.Total += int64(f.NBytes())
	}
	err := p.Begin()
	if err == nil && write != nil {
		err = write(p)
	}
	if err == nil && !cfg.NoSync {
		err = p.syncFile(f)
	}
	if err == nil {
		err = p.End()
	}
	return err
}

// syncFile brings f to stable storage, and reports all but the last piece of its elements.
func (p *progress) syncFile(f *File) error {
	if err := p.syncPieces(f, f.h.DataOffset, f.NBytes()); err != nil {
		return err
	}
	return f.Sync() // the rest: the header, and the metadata of the file
}

// syncPieces brings n bytes of f from byte off to stable storage, and reports all but the last piece. If p has no
// Report, it does nothing, because a Sync follows.
func (p *progress) syncPieces(f *File, off, n int) error {
	if p.Report == nil {
		return nil
	}
	for done := 0; done < n; {
		piece, start := min(p.pacer.Size, n-done), time.Now()
		if err := f.m.SyncRange(off+done, piece); err != nil {
			return err
		}
		p.pacer.Took(time.Since(start))
		if done += piece; done < n {
			if err := p.add(piece); err != nil {
				return err
			}
		}
	}
	return nil
}

// copy copies src to dst. They have the same shape, and share no memory unless they are the same elements.
func (p *progress) copy(dst, src nd.View) error {
	return p.eachPiece(nd.Part{Views: []nd.View{dst, src}}, nd.Copy, func(d, s nd.Array) error {
		c, err := nd.Assignment(d.Store, s.Store)
		if err != nil {
			return err
		}
		return strided.CopyPaced(d.Piece, s.Piece, &c, &p.pacer)
	})
}

// copyNew copies src to dst, new elements of a file.
func (p *progress) copyNew(dst, src Array) error {
	p.pacer.IsNew = true
	return mmap.Guard(func() error { return p.copy(dst.view, src.view) })
}

// writer returns a function that writes bytes to f, and then asks the system to begin to store them, unless noSync is
// set.
func (f *File) writer(noSync bool) func(b []byte, off int) error {
	return func(b []byte, off int) error {
		if _, err := f.m.WriteAt(b, int64(off)); err != nil || noSync {
			return err
		}
		return f.m.Advise(off, len(b), mmap.Written)
	}
}

// eachPiece splits two views of the same shape. It calls plain with pairs of arrays, and joined with pairs of views
// that have up to p.pacer.Size bytes in several members. Members may be small, so eachPiece reports once for each
// such pair.
func (p *progress) eachPiece(both nd.Part, joined func(d, s nd.View) error, plain func(d, s nd.Array) error) error {
	dst, src := both.Views[0], both.Views[1]
	d, dstIsPlain := dst.Plain()
	s, srcIsPlain := src.Plain()
	n := dst.NBytes()
	switch {
	case dstIsPlain && srcIsPlain:
		return plain(d, s)
	case n <= p.pacer.Size || dst.Size() < 2:
		start := time.Now()
		if err := joined(dst, src); err != nil {
			return err
		}
		p.pacer.Took(time.Since(start))
		return p.add(n)
	}
	for which := range 2 {
		if err := p.eachPiece(both.Half(which), joined, plain); err != nil {
			return err
		}
	}
	return nil
}
