package strided

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
)

const (
	// TakeBytes is the number of bytes that one goroutine takes at a time.
	TakeBytes = 256 << 10

	// wholeRowBytes is the minimum number of bytes in a row that are copied as a whole. Shorter rows are copied for all
	// indices at one position along the outer axes before the next position.
	wholeRowBytes = 256
)

// Take copies the row of src at each of the given indices of its first axis to the next row of dst, with the codec c.
// dst has len(indices) rows, which have the shape of the rows of src. dst and src must not overlap. Goroutines share
// the work if it is large.
func Take(dst, src Piece, indices []int, c *elem.Codec) {
	if dst.Layout.Size() == 0 {
		return
	}
	// In the memory of src, each further axis lies within the rows, or is an outer axis with rows at each of its indices.
	// outer is the outermost axis, and rowBytes is the size of a row at one index of the outer axes.
	outer, rowBytes, step := -1, src.ItemSize, abs(src.Layout.Stride(0))
	for axis := 1; axis < src.Layout.NDim(); axis++ {
		switch d := src.Layout.Dim(axis); {
		case d.Len == 1:
		case abs(d.Stride) <= step:
			rowBytes *= d.Len
		case outer < 0 || abs(d.Stride) > abs(src.Layout.Stride(outer)):
			outer = axis
		}
	}
	length, rows := 1, len(indices)
	if outer >= 0 {
		length = src.Layout.Len(outer)
	}
	// A part has up to outerStep indices along outer and up to rowStep rows.
	bytes := max(1, dst.Layout.Size()/rows/length*max(src.ItemSize, dst.ItemSize)) // of one row at one index along outer
	outerStep := max(1, TakeBytes/bytes/rows)
	rowStep := max(1, TakeBytes/bytes/outerStep)
	outerParts, rowParts := ceilDiv(length, outerStep), ceilDiv(rows, rowStep)
	codec := *c
	(&Pass{Parts: outerParts * rowParts}).Run(func(k int, _ *Failure) error {
		i, j := k/rowParts, k%rowParts
		lo, hi := j*rowStep, min((j+1)*rowStep, rows)
		d, s := dst, src
		if rowParts > 1 {
			d = d.selectAlong(0, index.Range(lo, hi))
		}
		if outerParts > 1 {
			sel := index.Range(i*outerStep, min((i+1)*outerStep, length))
			d, s = d.selectAlong(outer, sel), s.selectAlong(outer, sel)
		}
		if rowBytes < wholeRowBytes {
			gather(d, s, indices[lo:hi], &codec)
		} else {
			takeRows(d, s, indices[lo:hi], &codec)
		}
		return nil
	})
}

// rowAxes returns the axes of a row of dst and src, as pairAxes does, and the addresses of the first elements.
func rowAxes(dst, src Piece) (axes []axis, d, s Pointer) {
	to, _ := dst.Layout.Index(0)
	from, _ := src.Layout.Index(0)
	axes, doff, soff := pairAxes(nil, to, from)
	return axes, Add(dst.P, doff), Add(src.P, soff)
}

// takeRows copies one row after another.
func takeRows(dst, src Piece, indices []int, c *elem.Codec) {
	axes, d, s := rowAxes(dst, src)
	to, from := dst.Layout.Stride(0), src.Layout.Stride(0)
	n := axes[0].N * dst.ItemSize
	isRun := c.IsPlain() && !c.HasPadding() && len(axes) == 1 &&
		(axes[0].N == 1 || axes[0].DS == dst.ItemSize && axes[0].SS == dst.ItemSize)
	for k, i := range indices {
		if isRun {
			kernel.Copy(Slice[byte](Add(d, k*to), n), Slice[byte](Add(s, i*from), n))
			continue
		}
		c.Walk(axes, Add(d, k*to), Add(s, i*from))
	}
}

// gather copies the rows in short runs: one run of each row, then the next run of each row. If elements must be
// converted, it gathers them first and converts them afterwards.
func gather(dst, src Piece, indices []int, c *elem.Codec) {
	if !c.IsPlain() || c.HasPadding() {
		tmp, err := Piece{Layout: dst.Layout, ItemSize: src.ItemSize}.newLike()
		if err != nil {
			panic(fmt.Errorf("array: bug: %w", err))
		}
		same := elem.Repeat(src.ItemSize)
		gather(tmp, src, indices, &same)
		CopyTile(dst, tmp, c)
		return
	}
	axes, d, s := rowAxes(dst, src)
	size := src.ItemSize
	if last := axes[len(axes)-1]; last.N == 1 || last.DS == size && last.SS == size {
		size *= last.N
		axes = axes[:len(axes)-1]
	}
	gatherAlong(axes, d, s, dst.Layout.Stride(0), src.Layout.Stride(0), indices, size)
}

// gatherAlong copies a run of size bytes of each row at each index of the axes. d and s are the addresses of the first
// elements of dst and src, and to and from are the strides of their rows.
func gatherAlong(axes []axis, d, s Pointer, to, from int, indices []int, size int) {
	if len(axes) > 0 {
		for i := range axes[0].N {
			gatherAlong(axes[1:], Add(d, i*axes[0].DS), Add(s, i*axes[0].SS), to, from, indices, size)
		}
		return
	}
	align := min(size, 8)
	if size > 0 && (Address(d)|Address(s)|uintptr(to)|uintptr(from))&uintptr(align-1) == 0 {
		switch size {
		case 1:
			gatherItems[uint8](d, s, to, from, indices)
			return
		case 2:
			gatherItems[uint16](d, s, to, from, indices)
			return
		case 4:
			gatherItems[uint32](d, s, to, from, indices)
			return
		case 8:
			gatherItems[uint64](d, s, to, from, indices)
			return
		case 16:
			gatherItems[[2]uint64](d, s, to, from, indices)
			return
		}
	}
	for k, i := range indices {
		kernel.Copy(Slice[byte](Add(d, k*to), size), Slice[byte](Add(s, i*from), size))
	}
}

// gatherItems copies one aligned T of each row from s to d. to and from are the strides of the rows.
func gatherItems[T any](d, s Pointer, to, from int, indices []int) {
	for k, i := range indices {
		Store(d, k*to, Load[T](s, i*from))
	}
}
