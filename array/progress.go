package array

import (
	"errors"
	"sync"
	"time"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/report"
	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// A progress counts the bytes that are done, and reports them to a Progress function.
type progress struct {
	report.Counter
	pacer  strided.Pacer
	noSync bool // do not wait until the bytes are on stable storage
}

// newProgress returns a progress that calls callback at least every maxUnreported bytes. total is the number of bytes
// of all work.
func newProgress(callback func(done, total int64) error, total int64, maxUnreported int) *progress {
	p := &progress{Counter: report.Counter{Report: callback, Total: total}}
	p.pacer = strided.Pacer{Size: maxUnreported / 4, Max: maxUnreported, Report: p.add}
	return p
}

func (p *progress) add(n int) error { return p.Add(int64(n)) }

// fill copies src to a new file. Unless NoSync is set, it returns when the bytes are on stable storage. The system
// stores one piece while fill copies the next one.
func (cfg SaveConfig) fill(f *File, src Array) error {
	n := f.NBytes()
	p := newProgress(cfg.Progress, int64(n), nd.MaxReportBytes)
	if p.noSync = cfg.NoSync; !p.noSync {
		p.Total *= 2
	}
	err := p.Begin()
	if err == nil {
		err = p.copyToFile(f, f.Array, src)
	}
	if err == nil && !cfg.NoSync {
		err = p.syncFile(f)
	}
	if err == nil {
		err = p.End()
	}
	return err
}

// syncAll brings f to stable storage, and reports that to cfg.Progress. With NoSync it stores nothing, and reports a
// total of 0 bytes.
func (cfg SaveConfig) syncAll(f *File) error {
	p := newProgress(cfg.Progress, 0, nd.MaxReportBytes)
	if !cfg.NoSync {
		p.Total = int64(f.NBytes())
	}
	err := p.Begin()
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

// copyToFile copies src to dst, a selection of f that has the same shape.
func (p *progress) copyToFile(f *File, dst, src Array) error {
	joined := func(d, s nd.View) error { return mmap.Guard(func() error { return p.copyJoined(f, d, s) }) }
	return p.eachPiece(nd.Part{Views: []nd.View{dst.view, src.view}}, joined, func(d, s nd.Array) error {
		c, err := nd.Assignment(d.Store, s.Store)
		if err != nil {
			return err
		}
		if d.Layout.Size()*d.ItemSize > nd.MaxReportBytes && strided.IsCold(d.Piece, s.Piece) {
			return mmap.Guard(func() error { return p.copyTiles(f, d.Piece, s.Piece, &c) })
		}
		isSame := d.Store.DType.Equal(s.Store.DType) && s.Mem.File != f.m
		return mmap.Guard(func() error { return p.copyBlocks(f, d.Piece, s.Piece, isSame, &c) })
	})
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

// copyJoined copies src, which has elements in several members, to dst, a piece of f. It asks the system to store the
// bytes as write does.
func (p *progress) copyJoined(f *File, dst, src nd.View) error {
	n := dst.NBytes()
	err := nd.Copy(dst, src)
	if err == nil && n > 0 && !p.noSync && (dst.Contiguous(index.C) || dst.Contiguous(index.F)) {
		err = f.m.Advise(dst.Store.Mem.Offset+dst.Offset(), n, mmap.Written)
	}
	return err
}

// write writes b to f at byte off by a system call, which is faster than a page fault for each page of a new file.
// Then it asks the system to begin to store the bytes, unless noSync is set.
func (p *progress) write(f *File, b []byte, off int) error {
	if _, err := f.m.WriteAt(b, int64(off)); err != nil || p.noSync {
		return err
	}
	return f.m.Advise(off, len(b), mmap.Written)
}

// copyTiles copies src, in a file that is not in memory, to dst, a selection of f. It copies each tile to a buffer, and
// writes the buffer to f. Mapped pages of f would take the memory that the pages of src need.
func (p *progress) copyTiles(f *File, dst, src strided.Piece, c *elem.Codec) error {
	var buf []byte
	return strided.Tiles(dst, src, func(d, s strided.Piece) error {
		lay, err := d.Layout.Compact(d.ItemSize, index.K)
		if err != nil {
			return err
		}
		n := lay.Size() * d.ItemSize
		if len(buf) < n {
			buf = strided.Alloc(n)
		}
		done := 0
		halfPacer := p.pacer
		halfPacer.Report = func(n int) error { // called for each byte twice: when it is copied, and when it is written
			done += n
			return p.add(done/2 - (done-n)/2)
		}
		if err = strided.CopyTilePaced(strided.PieceOn(buf[:n], lay, d.ItemSize), s, c, &halfPacer); err != nil {
			return err
		}
		b, written := buf, 0
		d.Runs(func(off, n int) bool {
			for ; n > 0 && err == nil; n, off = n-written, off+written {
				written = min(n, strided.PartBytes)
				if _, err = f.m.WriteAt(b[:written], int64(off)); err == nil {
					err = halfPacer.Report(written)
				}
				b = b[written:]
			}
			return err == nil
		})
		return err
	})
}

// copyBlocks copies src to dst, a selection of f, by system calls: these are faster than a page fault for each page
// of a new file. isSame says that elements of both have the same bytes: blocks that are contiguous on both sides are
// then written from the memory of src. Goroutines convert the other blocks to buffers.
func (p *progress) copyBlocks(f *File, dst, src strided.Piece, isSame bool, c *elem.Codec) error {
	codec := *c
	var buffers sync.Pool
	report := p.add
	if p.Report == nil {
		report = nil
	}
	return strided.Blocks(dst, src, p.pacer.Size, report, func(d, s strided.Piece) error {
		n := d.Layout.Size() * d.ItemSize
		if isSame && sameOrder(d, s) {
			err := p.write(f, strided.Slice[byte](s.P, n), d.Mem.Offset+strided.Distance(d.P, d.Mem.Base))
			if !errors.Is(err, stable.BadAddress) { // else the page fault below says why s cannot be read
				return err
			}
		}
		lay, err := d.Layout.Compact(d.ItemSize, index.K)
		if err != nil {
			return err
		}
		buf, _ := buffers.Get().(*[]byte)
		if buf == nil || len(*buf) < n {
			b := strided.Alloc(n)
			buf = &b
		}
		strided.CopyTile(strided.PieceOn((*buf)[:n], lay, d.ItemSize), s, &codec)
		b := *buf
		d.Runs(func(off, n int) bool {
			err = p.write(f, b[:n], off)
			b = b[n:]
			return err == nil
		})
		buffers.Put(buf)
		return err
	})
}

// sameOrder reports whether p and q, which have the same shape, are contiguous in the same order.
func sameOrder(p, q strided.Piece) bool {
	return p.Layout.Contiguous(index.C, p.ItemSize) && q.Layout.Contiguous(index.C, q.ItemSize) ||
		p.Layout.Contiguous(index.F, p.ItemSize) && q.Layout.Contiguous(index.F, q.ItemSize)
}
