package reduce

import (
	"cmp"
	"slices"

	"github.com/ndmap/ndmap/index"
)

// An axis describes an axis of the source. The axes are in memory order.
type axis struct {
	n         int
	srcStride int // bytes from an element to the next one in the source, not negative
	stateStep int // distance between the accumulators of consecutive elements; 0 if the axis is reduced
	posStep   int // difference between the positions of consecutive elements
	dstStride int // bytes from a result to the next one in the destination
	kept      bool
}

// A box is a part of the source.
type box struct {
	p     pointer // the first element
	state int     // index of the accumulator of the first result
	pos   int     // position of the first element
	n     []int   // number of elements along each axis
}

// cut returns the part of b with indices lo to hi-1 along axis k.
func (e *engine) cut(b box, k, lo, hi int) box {
	a := &e.axes[k]
	c := box{add(b.p, lo*a.srcStride), b.state + lo*a.stateStep, b.pos + lo*a.posStep, slices.Clone(b.n)}
	c.n[k] = hi - lo
	return c
}

// bytes returns the number of bytes of all elements of b.
func (e *engine) bytes(b box) int {
	n := e.size
	for _, k := range b.n {
		n *= k
	}
	return n
}

// resultCount returns the number of results of b.
func (e *engine) resultCount(b box) int {
	n := 1
	for k, a := range e.axes {
		if a.kept {
			n *= b.n[k]
		}
	}
	return n
}

// outermostAxis returns the first axis along which b has more than one element, or -1 if no such axis exists.
func (b *box) outermostAxis() int { return slices.IndexFunc(b.n, func(n int) bool { return n > 1 }) }

// isIdempotent reports whether reducing a number twice has the same result as reducing it once.
func (op Op) isIdempotent() bool {
	return op == Min || op == Max || op == MinMax || op.isArg()
}

// setAxes sets the axes of e. It sorts the axes by stride, reverses axes with negative strides, and merges adjacent
// axes that can be described by one stride. The kept axes before the first reduced axis are merged only if one stride
// describes them in the destination, too. Reversing axes moves the first element by off bytes and pos positions, and
// the first result by doff bytes.
func (e *engine) setAxes(src index.Layout, reduced []bool, dst index.Layout, positions []int) (off, pos, doff int) {
	j := 0
	for k := range src.NDim() {
		d := src.Dim(k)
		a := axis{n: d.Len, srcStride: d.Stride, kept: !reduced[k], posStep: positions[k]}
		if a.kept {
			a.dstStride = dst.Stride(j)
			j++
		}
		again := a.srcStride == 0 && !a.kept && a.n > 0 // a broadcast axis; SkipNaN has to count every NaN
		if a.n == 1 || again && e.Op.isIdempotent() && !e.SkipNaN {
			continue
		}
		if a.srcStride < 0 {
			off += (a.n - 1) * a.srcStride
			pos += (a.n - 1) * a.posStep
			doff += (a.n - 1) * a.dstStride
			a.srcStride, a.posStep, a.dstStride = -a.srcStride, -a.posStep, -a.dstStride
		}
		e.axes = append(e.axes, a)
	}
	slices.SortStableFunc(e.axes, func(a, b axis) int { return cmp.Compare(b.srcStride, a.srcStride) })
	lead := true // whether all axes so far are kept
	sorted := e.axes
	e.axes = e.axes[:0] // reuses the memory
	for _, a := range sorted {
		if lead && !a.kept {
			lead, e.kept = false, append(e.kept, e.axes...)
		} else if !lead && a.kept {
			e.kept = append(e.kept, a)
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
	if lead {
		e.kept = append(e.kept, e.axes...)
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
