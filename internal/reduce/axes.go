package reduce

import (
	"cmp"
	"slices"

	"github.com/ndmap/ndmap/index"
)

// An axis of the source, in the order of its memory.
type axis struct {
	n         int
	srcStride int // bytes from one element to the next, not negative
	stateStep int // states from one to the next; 0 where the axis is reduced
	posStep   int // positions from one to the next
	dstStride int // bytes in the destination from one to the next
	kept      bool
}

// A box is a part of the source: from the element at p on, so many along each axis. The
// first of its results is in state at.
type box struct {
	p   pointer
	at  int
	pos int
	n   []int
}

// cut returns the part of b from lo to hi along axis k.
func (e *engine) cut(b box, k, lo, hi int) box {
	a := &e.axes[k]
	c := box{add(b.p, lo*a.srcStride), b.at + lo*a.stateStep, b.pos + lo*a.posStep, slices.Clone(b.n)}
	c.n[k] = hi - lo
	return c
}

// bytes returns how many bytes the elements of b have.
func (e *engine) bytes(b box) int {
	n := e.size
	for _, k := range b.n {
		n *= k
	}
	return n
}

// states returns how many states b has.
func (e *engine) states(b box) int {
	n := 1
	for k, a := range e.axes {
		if a.kept {
			n *= b.n[k]
		}
	}
	return n
}

// outermost returns the first axis of b that has more than one element, -1 if there is none.
func (b *box) outermost() int { return slices.IndexFunc(b.n, func(n int) bool { return n > 1 }) }

// isIdempotent reports whether a number makes the same result when it is there again behind itself.
func (op Op) isIdempotent() bool {
	return op == Min || op == Max || op == MinMax || op.isArg()
}

// setAxes prepares the axes: in the order of the memory, upwards, and as few as there can be.
// The first element is then off bytes and pos positions from where it was, and the first
// result doff bytes. The first lead axes are kept, and are merged only where the destination
// is one there too. Rest has the other axes that are kept, before they were merged.
func (e *engine) setAxes(src index.Layout, reduced []bool, dst index.Layout, positions []int) (off, pos, doff int) {
	j := 0
	for k := range src.NDim() {
		d := src.Dim(k)
		a := axis{n: d.Len, srcStride: d.Stride, kept: !reduced[k], posStep: positions[k]}
		if a.kept {
			a.dstStride = dst.Stride(j)
			j++
		}
		again := a.srcStride == 0 && !a.kept && a.n > 0 // what is left out is counted
		if a.n == 1 || again && e.Op.isIdempotent() && !e.SkipNaN {
			continue
		}
		if a.srcStride < 0 {
			off += (a.n - 1) * a.srcStride
			pos += (a.n - 1) * a.posStep
			doff += (a.n - 1) * a.dstStride
			a.srcStride, a.posStep, a.dstStride = -a.srcStride, -a.posStep, -a.dstStride
		}
		e.sorted = append(e.sorted, a)
	}
	slices.SortStableFunc(e.sorted, func(a, b axis) int { return cmp.Compare(b.srcStride, a.srcStride) })
	lead := true
	for _, a := range e.sorted {
		lead = lead && a.kept
		if a.kept && !lead {
			e.rest = append(e.rest, a)
		}
		if n := len(e.axes); n > 0 {
			last := &e.axes[n-1]
			joined := last.kept == a.kept && last.srcStride == a.n*a.srcStride && last.posStep == a.n*a.posStep
			if joined && (!lead || last.dstStride == a.n*a.dstStride) {
				*last = axis{last.n * a.n, a.srcStride, 0, a.posStep, a.dstStride, a.kept}
				continue
			}
		}
		e.axes = append(e.axes, a)
	}
	if len(e.axes) == 0 {
		e.axes = append(e.axes, axis{n: 1})
	}
	states := 1
	for k := range slices.Backward(e.axes) {
		if a := &e.axes[k]; a.kept {
			a.stateStep = states
			states *= a.n
		}
	}
	return off, pos, doff
}
