package npz

import (
	"bytes"
	"compress/flate"
	"io"
	"runtime"
	"sync"

	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/internal/zipfile"
)

// block is the number of bytes that one goroutine compresses at a time. A block does not refer to earlier blocks,
// which costs less than 1 % of the space if the blocks are full.
const block = 1 << 20

// batch is the number of blocks per core that are compressed before they are written.
const batch = 2

// A deflater compresses its input as one stream, in blocks that all cores compress in parallel. Each block ends with a
// flush, at a byte boundary, so that the blocks can be concatenated. reset prepares a deflater for another stream and
// keeps its memory.
type deflater struct {
	w          io.Writer
	report     func(done int64) error
	size       int64 // bytes of input
	compressed int64 // bytes of output
	crc        uint32

	buf    []byte // input that is not yet compressed
	blocks []deflatedBlock
}

type deflatedBlock struct {
	out bytes.Buffer
	n   int
	crc uint32
}

func (d *deflater) reset(w io.Writer, report func(done int64) error) {
	if d.blocks == nil {
		d.blocks = make([]deflatedBlock, batch*runtime.GOMAXPROCS(0))
	}
	*d = deflater{w: w, report: report, buf: d.buf[:0], blocks: d.blocks}
}

func (d *deflater) Write(b []byte) (int, error) {
	full := len(d.blocks) * block
	done := 0
	for done < len(b) {
		n := min(len(b)-done, full-len(d.buf))
		d.buf = append(d.buf, b[done:done+n]...)
		done += n
		d.size += int64(n)
		if len(d.buf) == full {
			err := d.flush()
			if err == nil {
				err = d.report(d.size)
			}
			if err != nil {
				return done, err
			}
		}
	}
	return done, nil
}

// flush compresses and writes the buffer.
func (d *deflater) flush() error {
	n := (len(d.buf) + block - 1) / block
	strided.Share(n, func(k int) { d.blocks[k].deflate(d.buf[k*block : min(len(d.buf), (k+1)*block)]) })
	d.buf = d.buf[:0]
	for k := range n {
		p := &d.blocks[k]
		d.crc = zipfile.CombineCRC(d.crc, p.crc, int64(p.n))
		if err := d.write(p.out.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func (d *deflater) write(b []byte) error {
	n, err := d.w.Write(b)
	d.compressed += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// Close compresses the buffered input and ends the stream.
func (d *deflater) Close() error {
	if err := d.flush(); err != nil {
		return err
	}
	return d.write([]byte{3, 0}) // an empty block marked as the last
}

func (p *deflatedBlock) deflate(b []byte) {
	p.compress(b, p.level(b))
	p.n, p.crc = len(b), zipfile.Checksum(b)
}

// levels are the levels of flate that are tried, and writers are pools of their compressors, which take up to 1 MiB
// each. Level 6 compresses about as well as the default of zlib, which NumPy uses, at 8 to 60 MB/s. Level 4 compresses
// at 50 to 90 MB/s, and BestSpeed at 100 to 500 MB/s.
var (
	levels  = [...]int{6, 4, flate.BestSpeed}
	writers [len(levels)]sync.Pool
)

// sample is the number of bytes of a block that are compressed at every level to choose the level.
const sample = 32 << 10

// level returns the index of the fastest of levels that compresses a sample of b to at most 1/40 more bytes than
// levels[0]. On numbers, the slow levels often gain almost nothing.
func (p *deflatedBlock) level(b []byte) int {
	if len(b) <= sample {
		return 0
	}
	b = b[(len(b)-sample)/2:][:sample]
	p.compress(b, 0)
	best := p.out.Len()
	if best < sample/64 {
		return 1 // BestSpeed writes blocks of 64 KiB, whose overhead would exceed their content
	}
	for level := len(levels) - 1; level > 0; level-- {
		if p.compress(b, level); p.out.Len() <= best+best/40 {
			return level
		}
	}
	return 0
}

// compress writes b to p.out, compressed and flushed. Writing to a bytes.Buffer returns no errors.
func (p *deflatedBlock) compress(b []byte, level int) {
	p.out.Reset()
	w, ok := writers[level].Get().(*flate.Writer)
	if !ok {
		w, _ = flate.NewWriter(io.Discard, levels[level])
	}
	w.Reset(&p.out)
	w.Write(b)
	w.Flush()
	writers[level].Put(w)
}
