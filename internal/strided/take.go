package strided

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
)

const (
	// TakeBytes is the number of bytes that one goroutine takes at a time.
	TakeBytes = 256 << 10

	// Parts of fewer bytes than mostGathered are taken next to one another, for each index of the axes around; others one
	// after the other, each as a whole.
	mostGathered = 256
)

// Take moves the parts of src at the given indices of its first axis to those of dst, which has as many, and else the
// same shape. The two must not overlap. Goroutines share what is large.
func Take(dst, src Piece, indices []int, c *elem.Codec) {
	if dst.Layout.Size() == 0 {
		return
	}
	// The memory of src has the other axes around the first one, or within a part.
	outer, chunk, step := -1, src.ItemSize, abs(src.Layout.Stride(0))
	for axis := 1; axis < src.Layout.NDim(); axis++ {
		switch d := src.Layout.Dim(axis); {
		case d.Len == 1:
		case abs(d.Stride) <= step:
			chunk *= d.Len
		case outer < 0 || abs(d.Stride) > abs(src.Layout.Stride(outer)):
			outer = axis
		}
	}
	gathered := chunk < mostGathered
	length, rows := 1, len(indices)
	if outer >= 0 {
		length = src.Layout.Len(outer)
	}
	each := max(1, dst.Layout.Size()/rows/length*max(src.ItemSize, dst.ItemSize)) // bytes, of one index along both
	perOuter := max(1, TakeBytes/each/rows)
	perRows := max(1, TakeBytes/each/perOuter)
	outers, parts := (length+perOuter-1)/perOuter, (rows+perRows-1)/perRows
	codec := *c
	(&Pass{Parts: outers * parts}).Run(func(k int, _ *Failure) error {
		lo, hi := k%parts*perRows, min((k%parts+1)*perRows, rows)
		d, s := dst, src
		if parts > 1 {
			d = d.along(0, index.Range(lo, hi))
		}
		if outers > 1 {
			sel := index.Range(k/parts*perOuter, min((k/parts+1)*perOuter, length))
			d, s = d.along(outer, sel), s.along(outer, sel)
		}
		if gathered {
			gather(d, s, indices[lo:hi], &codec)
		} else {
			takeEach(d, s, indices[lo:hi], &codec)
		}
		return nil
	})
}

// rowAxes returns the axes but for the first, as pair does.
func rowAxes(dst, src Piece) (axes []axis, d, s Pointer) {
	to, _ := dst.Layout.Index(0)
	from, _ := src.Layout.Index(0)
	axes, doff, soff := pair(nil, to, from)
	return axes, Add(dst.P, doff), Add(src.P, soff)
}

// takeEach is Take of one part after the other.
func takeEach(dst, src Piece, indices []int, c *elem.Codec) {
	axes, d, s := rowAxes(dst, src)
	to, from := dst.Layout.Stride(0), src.Layout.Stride(0)
	n := axes[0].N * dst.ItemSize
	plain := c.IsPlain() && !c.HasPadding() && len(axes) == 1 &&
		(axes[0].N == 1 || axes[0].DS == dst.ItemSize && axes[0].SS == dst.ItemSize)
	for k, i := range indices {
		if plain {
			kernel.Copy(Slice[byte](Add(d, k*to), n), Slice[byte](Add(s, i*from), n))
			continue
		}
		c.Walk(axes, Add(d, k*to), Add(s, i*from))
	}
}

// gather is Take of small parts that lie next to one another.
func gather(dst, src Piece, indices []int, c *elem.Codec) {
	if !c.IsPlain() || c.HasPadding() {
		tmp, err := Piece{Layout: dst.Layout, ItemSize: src.ItemSize}.newLike()
		if err != nil {
			panic("array: bug: " + err.Error())
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

// gatherAlong gathers parts of size bytes at each index of the axes.
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

func gatherItems[T any](d, s Pointer, to, from int, indices []int) {
	for k, i := range indices {
		Store(d, k*to, Load[T](s, i*from))
	}
}
