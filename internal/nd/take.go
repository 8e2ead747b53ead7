package nd

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// prefetchBytes is the number of bytes of the following rows that are loaded into the cache while a row is copied.
const prefetchBytes = 4 << 10

// Take assigns the given rows of src, indices of its first axis, to the rows of dst: row rows[k] of src to row k of
// dst. It converts elements as Copy does. The shapes of the rows must match, and the indices must be in range.
func Take(dst, src View, rows []int) error {
	if dst.Write == NoWrite {
		return fmt.Errorf("%s%w", Prefix(dst.Store.Mem.Path), ErrReadOnly)
	}
	c, err := Assignment(dst.Store, src.Store)
	if err != nil || dst.Layout.Size() == 0 {
		return err
	}
	if dst.MayOverlap(&src) {
		if src, err = src.Clone(index.K); err != nil {
			return err
		}
	}
	d, ok := dst.Plain()
	s, both := src.Plain()
	switch {
	case !ok || !both:
		for k, i := range rows {
			if err := Copy(dst.row(k), src.row(i)); err != nil {
				return err
			}
		}
	case src.rowsAreCold(rows):
		TakeCold(dst, src, rows, strided.TileBytes(), &c)
	default:
		strided.Take(d.Piece, s.Piece, rows, &c)
	}
	return nil
}

// TakeValues decodes the given rows of v, indices of its first axis, to Go values in buf, row after row, and each row
// in C order. v must have elements, and rows must not be empty.
func (v View) TakeValues(buf []byte, rows []int) {
	size := len(buf) / len(rows) // bytes of a row
	switch {
	case v.rowsAreCold(rows):
		v.takeColdValues(buf, rows)
	case len(buf) <= strided.TakeBytes:
		v.takeValues(buf, size, rows)
	default:
		v.takeInParallel(buf, size, rows)
	}
}

func (v View) takeColdValues(buf []byte, rows []int) {
	size := v.Store.Size
	shape := append([]int{len(rows)}, v.Layout.Shape()[1:]...)
	dst := Must(OnBytes(buf, dtype.Void(size), Must(index.NewLayout(shape, size, index.C))))
	TakeCold(dst, v, rows, strided.TileBytes(), &v.Store.Decode)
}

// takeInParallel does the work of TakeValues in several goroutines, for rows of size bytes.
func (v View) takeInParallel(buf []byte, size int, rows []int) {
	step := max(1, strided.TakeBytes/max(1, size))
	p := strided.Pass{Parts: (len(rows) + step - 1) / step}
	Must(0, p.Run(func(k int, _ *strided.Failure) error {
		lo, hi := k*step, min((k+1)*step, len(rows))
		v.takeValues(buf[lo*size:hi*size], size, rows[lo:hi])
		return nil
	}))
}

// takeValues does the work of TakeValues in the calling goroutine, for rows of size bytes.
func (v View) takeValues(buf []byte, size int, rows []int) {
	row, stride := v.row(rows[0]), v.Layout.Stride(0)
	apart, ahead := 0, min(size, prefetchBytes)
	_, isPlain := v.Plain()
	direct := isPlain && row.Contiguous(index.C)
	if direct && row.NBytes() > 0 {
		apart = max(1, prefetchBytes/row.NBytes())
	}
	direct = direct && row.Read == InPlace
	for k, i := range rows {
		out := buf[k*size : (k+1)*size]
		if apart > 0 && k+apart < len(rows) {
			kernel.Prefetch(strided.Add(v.P, rows[k+apart]*stride), ahead)
		}
		if direct {
			kernel.Copy(out, strided.Slice[byte](strided.Add(v.P, i*stride), size))
			continue
		}
		row = v
		row.Index(i, &row)
		row.Decode(out)
	}
}

// rowsAreCold reports whether some of the given rows of v are on disk and not in memory. It checks a few rows.
func (v *View) rowsAreCold(rows []int) bool {
	a, ok := v.Plain()
	if !ok || a.Mem.File == nil || len(rows) == 0 {
		return false
	}
	row := v.row(0)
	return row.piece().AreCold(v.Layout.Stride(0), rows)
}

// TakeCold copies the given rows of src, which are on disk, to the rows of dst: row rows[k] of src to row k of dst.
// Both views are plain. It reads the rows in the order of the file, so that a page that contains several rows is read
// once.
//
// If rows are interleaved, for example in F order, every page contains elements of all rows. In this case TakeCold cuts
// the rows into parts, and copies the same part of all rows before the next part. It prefetches about tile bytes at a
// time.
func TakeCold(dst, src View, rows []int, tile int, c *elem.Codec) {
	codec := *c
	sorted := make([]int, len(rows)) // positions in rows, in the order of the file
	for k := range sorted {
		sorted[k] = k
	}
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(rows[a], rows[b]) })
	row := src.row(0)
	pages := src.bytesOnPages()
	interleaved := len(rows)*row.bytesOnPages() > 2*pages
	if !interleaved {
		if pages = row.bytesOnPages(); pages > tile { // Copy cuts a row into tiles if dst has another order
			for _, i := range sorted {
				to, from := dst.row(i), src.row(rows[i])
				Must(0, strided.Copy(to.piece(), from.piece(), &codec))
			}
			return
		}
	}
	// A part of the pass consists of the same part of each row in a batch.
	cuts := min(1+pages/tile, row.Layout.Size())
	columns, batch := countParts(row.Layout, cuts), len(rows)
	if !interleaved {
		part := Part{Views: []View{row}}.cut(0, cuts)
		batch = max(1, tile/(part.bytesOnPages()+os.Getpagesize()))
	}
	batches := (len(rows) + batch - 1) / batch
	rowsOf := func(k int) []int { return sorted[k%batches*batch : min((k%batches+1)*batch, len(rows))] }
	p := strided.Pass{Parts: columns * batches, InTurn: true}
	all := Part{Views: []View{Must(src.Relayout(src.Layout.MoveAxis(0, -1)))}} // each part contains a part of every row
	p.PageByPart(func(k int, visit func(q strided.Piece, after strided.After)) {
		if interleaved {
			visit(all.cut(k, cuts).pieces()[0], strided.Keep)
			return
		}
		part := Part{Views: []View{row}}.cut(k/batches, cuts).pieces()[0]
		for _, i := range rowsOf(k) {
			q := part
			q.P = strided.Add(q.P, rows[i]*src.Layout.Stride(0))
			visit(q, strided.Keep)
		}
	}, src.piece())
	Must(0, p.Run(func(k int, _ *strided.Failure) error {
		rowsOf := rowsOf(k)
		bytes := len(rowsOf) * row.Layout.Size() / columns * dst.ItemSize()
		p := strided.Pass{Parts: min(len(rowsOf), 1+bytes/strided.TakeBytes)}
		return p.Run(func(j int, _ *strided.Failure) error {
			for _, i := range rowsOf[strided.Bound(len(rowsOf), j, p.Parts):strided.Bound(len(rowsOf), j+1, p.Parts)] {
				part := Part{Views: []View{dst.row(i), src.row(rows[i])}}.cut(k/batches, cuts).pieces()
				strided.CopyTile(part[0], part[1], &codec)
			}
			return nil
		})
	}))
}

// row returns row i of v, the selection at index i of the first axis.
func (v View) row(i int) View {
	v.Index(i, &v)
	return v
}
