package strided

import (
	"errors"
	"slices"
	"sync"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/stable"
)

// writes reports whether system calls copy elements to p faster than stores: p is part of a new file, its runs are long
// enough, and c writes all bytes of them, except for padding that need not be kept if isNew is true. Buffers are
// written in the order of the axes, so no stride may be negative.
func (p Piece) writes(axes []axis, c *elem.Codec, isNew bool) bool {
	if p.Mem.Write == nil || c.HasPadding() && !isNew || !isNested(axes, p.ItemSize) {
		return false
	}
	for axis := range p.Layout.NDim() {
		if p.Layout.Len(axis) > 1 && p.Layout.Stride(axis) < 0 {
			return false
		}
	}
	return p.spansWith(1, 0).run >= minWrittenBytes
}

// write copies src to dst, for which writes returns true, by system calls. They share no memory.
func write(dst, src Piece, c *elem.Codec, pacer *Pacer) error {
	codec := *c
	if dst.Layout.Size()*dst.ItemSize > readaheadBytes && IsCold(dst, src) {
		return writeTiles(dst, src, &codec, pacer)
	}
	return writeBlocks(dst, src, &codec, pacer)
}

// writeTiles is write for a source that is not in memory. It copies each tile to a buffer, because mapped pages of dst
// would take the memory that the pages of src need.
func writeTiles(dst, src Piece, c *elem.Codec, pacer *Pacer) error {
	var buf []byte
	tileBytes := func() int { return min(TileBytes()/3*4, maxTileBytes) }
	return eachTile(dst, src, false, true, tileBytes, func(d, s Piece) error {
		n := d.Layout.Size() * d.ItemSize
		if len(buf) < n {
			buf = Alloc(n)
		}
		done := 0
		halfPacer := *pacer
		halfPacer.Report = func(n int) error { // called for each byte twice: when it is copied, and when it is written
			done += n
			return pacer.report(done/2 - (done-n)/2)
		}
		gathered, err := d.gathered(buf)
		if err == nil {
			err = copyTilePaced(gathered, s, c, &halfPacer)
		}
		if err == nil {
			err = d.writeRuns(buf, PartBytes, halfPacer.Report)
		}
		return err
	})
}

// writeBuffers has the buffers of writeBlocks, each a *[]byte.
var writeBuffers sync.Pool

// writeBlocks is write for a source in memory. Goroutines write blocks that are contiguous on both sides and need no
// conversion from the memory of src, and convert other blocks to buffers.
func writeBlocks(dst, src Piece, c *elem.Codec, pacer *Pacer) error {
	isSame := c.IsPlain() && dst.Mem.File != src.Mem.File
	return blocks(dst, src, pacer.Size, pacer.Report, func(d, s Piece) error {
		n := d.Layout.Size() * d.ItemSize
		if isSame && sameOrder(d, s) {
			err := d.Mem.Write(Slice[byte](s.P, n), d.Mem.Offset+Distance(d.P, d.Mem.Base))
			if !errors.Is(err, stable.BadAddress) { // else the page fault below says why s cannot be read
				return err
			}
		}
		buf, _ := writeBuffers.Get().(*[]byte)
		if buf == nil || len(*buf) < n {
			b := Alloc(n)
			buf = &b
		} else if c.HasPadding() {
			clear((*buf)[:n])
		}
		gathered, err := d.gathered(*buf)
		if err == nil {
			CopyTile(gathered, s, c)
			err = d.writeRuns(*buf, n, nil)
		}
		writeBuffers.Put(buf)
		return err
	})
}

// gathered returns a piece in buf with the shape of p, and its elements in the order of the memory of p.
func (p Piece) gathered(buf []byte) (Piece, error) {
	lay, err := p.Layout.Compact(p.ItemSize, index.K)
	return PieceOn(buf[:p.Layout.Size()*p.ItemSize], lay, p.ItemSize), err
}

// writeRuns writes the bytes of buf to the runs of p, up to most at a time. If report is not nil, writeRuns calls it
// after each write with the number of bytes.
func (p Piece) writeRuns(buf []byte, most int, report func(n int) error) (err error) {
	p.Runs(func(off, n int) bool {
		for written := 0; n > 0 && err == nil; n, off = n-written, off+written {
			written = min(n, most)
			if err = p.Mem.Write(buf[:written], off); err == nil && report != nil {
				err = report(written)
			}
			buf = buf[written:]
		}
		return err == nil
	})
	return err
}

// sameOrder reports whether p and q, which have the same shape, are contiguous in the same order.
func sameOrder(p, q Piece) bool {
	return p.Layout.Contiguous(index.C, p.ItemSize) && q.Layout.Contiguous(index.C, q.ItemSize) ||
		p.Layout.Contiguous(index.F, p.ItemSize) && q.Layout.Contiguous(index.F, q.ItemSize)
}

// blocks cuts dst and src, which have the same shape, into blocks of up to most bytes of dst, but not larger than
// fits in the cache, and calls f with each block. Goroutines share the blocks. blocks returns the error of the first
// block, in the order of dst, for which f returns one. In dst a block is one run of bytes, or several runs if src
// lies in another
// order.
//
// If report is not nil, blocks calls it between blocks with the number of bytes of dst since the last call. An error of
// report ends the work.
func blocks(dst, src Piece, most int, report func(bytes int) error, f func(dst, src Piece) error) error {
	size := dst.Layout.Size() * dst.ItemSize
	if size == 0 {
		return nil
	}
	g := newGrid(dst.Layout, blockShape(dst, src, most), AxesByStride(dst.Layout))
	p := Pass{Parts: g.tiles, MaxUnreported: max(1, most/ceilDiv(size, g.tiles))}
	p.ReportBytes(size, report)
	return p.Run(func(k int, _ *Failure) error {
		at := g.position(k)
		return f(g.tile(dst, at), g.tile(src, at))
	})
}

// blockShape returns the shape of the blocks of dst and src. It shortens the axes of dst, beginning with the slowest,
// but if src lies in another order it leaves turnedBytes along the fastest axis of src.
func blockShape(dst, src Piece, most int) []int {
	shape, size := dst.Layout.Shape(), dst.Layout.Size()*dst.ItemSize
	axes := AxesByStride(dst.Layout)
	moves := func(axis int) bool { return shape[axis] > 1 && src.Layout.Stride(axis) != 0 }
	bySource := slices.DeleteFunc(AxesByStride(src.Layout), func(axis int) bool { return !moves(axis) })
	byDst := slices.DeleteFunc(slices.Clone(axes), func(axis int) bool { return !moves(axis) })
	kept := -1 // the fastest axis of src, if src lies in another order
	if !slices.Equal(byDst, bySource) {
		kept = bySource[len(bySource)-1]
	}
	most = min(most, blockBytes)
	for _, axis := range axes {
		entry := size / shape[axis]
		n := max(1, most/entry)
		if axis == kept {
			n = max(n, min(ceilDiv(turnedBytes, max(1, src.ItemSize)), most/dst.ItemSize))
		}
		shape[axis] = min(shape[axis], n)
		size = entry * shape[axis]
	}
	return shape
}
