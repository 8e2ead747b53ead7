package index

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestChains applies random operations, each to the result of the previous one, and compares each
// result with the slow reference.
func TestChains(t *testing.T) {
	r := oracle.Rand(t, 0)
	for range oracle.Cases(t, 2500) {
		itemsize := []int{1, 2, 4, 8, 12}[r.IntN(5)]
		l, start := randomLayout(r, itemsize), 0
		slow := slowOf(l, 0)
		history := l.String()
		for range 1 + r.IntN(6) {
			var op string
			var next Layout
			var off int
			var want slowView
			var ok bool
			op, next, off, want, ok = randomStep(t, r, l, slow, itemsize)
			history += "\n" + op
			if t.Failed() {
				t.Fatal(history)
			}
			if !ok {
				continue
			}
			l, start, slow = next, start+off, want
			if msg := differs(l, start, slow, itemsize); msg != "" {
				t.Fatalf("%s\ngives %v at %d: %s", history, l, start, msg)
			}
		}
	}
}

// randomStep applies one operation to a layout and to slow, its reference. ok is false if the operation was refused, as
// the reference requires.
func randomStep(t *testing.T, r *rand.Rand, l Layout, slow slowView, itemsize int) (op string, next Layout, off int,
	want slowView, ok bool) {
	var err error
	n := l.NDim()
	switch r.IntN(11) {
	case 0, 1, 2:
		sel := randomSelectors(r, slow.shape)
		op = fmt.Sprint("Select ", sel)
		next, off, err = l.Select(sel...)
		want, ok = slow.sel(sel)
	case 3:
		perm := r.Perm(n)
		axes := slices.Clone(perm)
		for k := range axes {
			axes[k] -= n * r.IntN(2)
		}
		op = fmt.Sprint("Transpose ", axes)
		next, err = l.Transpose(axes...)
		if n == 0 {
			perm = nil
		}
		want, ok = slow.permute(perm), true
	case 4, 5:
		shape, ask := randomReshape(r, slow)
		op = fmt.Sprint("Reshape ", ask)
		next, err = l.Reshape(ask, itemsize)
		want, ok = slow.reshape(shape), true
		if !want.strided() {
			ok = false
			if !errors.Is(err, ErrCopy) {
				t.Errorf("error %v, want ErrCopy", err)
			}
		}
	case 6:
		shape := slices.Clone(slow.shape)
		for k, n := range shape {
			if n == 1 {
				shape[k] = r.IntN(4)
			}
		}
		for len(shape) < 6 && r.IntN(3) == 0 {
			shape = append([]int{r.IntN(3)}, shape...)
		}
		if size := slowSize(shape); size > 2000 {
			return "", l, 0, slow, true
		}
		op = fmt.Sprint("Broadcast ", shape)
		next, err = l.Broadcast(shape...)
		want, ok = slow.broadcast(shape), true
	case 7:
		var shape, axes []int
		for k, n := range slow.shape {
			if n != 1 || r.IntN(3) == 0 {
				shape = append(shape, n)
			} else {
				axes = append(axes, k-len(slow.shape)*r.IntN(2))
			}
		}
		if len(axes) == 0 {
			shape = slices.DeleteFunc(slices.Clone(slow.shape), func(n int) bool { return n == 1 })
		}
		op = fmt.Sprint("Squeeze ", axes)
		next, err = l.Squeeze(axes...)
		want, ok = slow.reshape(shape), true
	case 8:
		k := r.IntN(n + 1)
		axis := k - (n+1)*r.IntN(2)
		op = fmt.Sprint("ExpandDims ", axis)
		next, err = l.ExpandDims(axis)
		want, ok = slow.reshape(slices.Insert(slices.Clone(slow.shape), k, 1)), true
	case 9:
		if n == 0 {
			return "", l, 0, slow, true
		}
		src, dst := r.IntN(n), r.IntN(n)
		op = fmt.Sprint("MoveAxis ", src, dst-n)
		next, err = l.MoveAxis(src, dst-n)
		perm := slices.Delete(slowIndex(n), src, src+1)
		want, ok = slow.permute(slices.Insert(perm, dst, src)), true
	default:
		if n < 2 {
			return "", l, 0, slow, true
		}
		axes := r.Perm(n)
		offset := r.IntN(9) - 4
		op = fmt.Sprint("Diagonal ", offset, axes[0], axes[1]-n)
		next, off, err = l.Diagonal(offset, axes[0], axes[1]-n)
		want, ok = slow.diagonal(offset, axes[0], axes[1]), true
	}
	if (err == nil) != ok {
		t.Errorf("error %v, but the slow reference succeeds: %v", err, ok)
	}
	return op, next, off, want, ok
}

// randomReshape returns a shape with the same number of elements, and the same shape with one length possibly replaced
// by -1.
func randomReshape(r *rand.Rand, v slowView) (shape, ask []int) {
	switch left := len(v.offs); {
	case left == 0:
		shape = append(randomShape(r), 0)
		r.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
	case r.IntN(3) == 0: // split one axis or merge two, so that it often works
		shape = slices.Clone(v.shape)
		if k := r.IntN(len(shape) + 1); k+1 < len(shape) {
			shape[k] *= shape[k+1]
			shape = slices.Delete(shape, k+1, k+2)
		} else if k > 0 && shape[k-1]%2 == 0 {
			shape[k-1] /= 2
			shape = slices.Insert(shape, k, 2)
		}
	default:
		for left > 1 {
			n := 1 + r.IntN(left)
			if left%n == 0 {
				shape = append(shape, n)
				left /= n
			}
		}
		for len(shape) < 6 && r.IntN(3) == 0 {
			shape = slices.Insert(shape, r.IntN(len(shape)+1), 1)
		}
	}
	ask = slices.Clone(shape)
	if len(ask) > 0 && r.IntN(3) == 0 {
		k := r.IntN(len(ask))
		if ask[k] = 1; slowSize(ask) > 0 {
			ask[k] = -1
		} else {
			ask[k] = shape[k]
		}
	}
	return shape, ask
}

func slowSize(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

func slowIndex(n int) []int {
	list := make([]int, n)
	for k := range list {
		list[k] = k
	}
	return list
}

// differs compares all properties of a layout with the slow reference, and describes the first difference.
func differs(l Layout, start int, slow slowView, itemsize int) string {
	if !slices.Equal(l.Shape(), slow.shape) {
		return fmt.Sprintf("shape %v, want %v", l.Shape(), slow.shape)
	}
	if l.Size() != len(slow.offs) {
		return fmt.Sprintf("size %d, want %d", l.Size(), len(slow.offs))
	}
	for i, idx := range slowIndices(slow.shape) {
		if got := start + l.Offset(idx...); got != slow.offs[i] {
			return fmt.Sprintf("offset of %v is %d, want %d", idx, got, slow.offs[i])
		}
	}
	lo, hi := l.Bounds(itemsize)
	if wantLo, wantHi := slow.bounds(itemsize); lo != wantLo || hi != wantHi {
		return fmt.Sprintf("bounds [%d, %d), want [%d, %d)", lo, hi, wantLo, wantHi)
	}
	for _, order := range []Order{C, F, K} {
		if got, want := l.Contiguous(order, itemsize), slow.contiguous(order, itemsize); got != want {
			return fmt.Sprintf("%v contiguous is %v, want %v", order, got, want)
		}
	}
	merged := slowOf(l.Coalesce(), start)
	if !slices.Equal(merged.offs, slow.offs) {
		return fmt.Sprintf("coalesced to %v", l.Coalesce())
	}
	if l.NDim() > 0 && l.Len(0) > 0 {
		i := l.Len(0) / 2
		sub, off := l.Index(i)
		want, _ := slow.sel([]Selector{At(i)})
		if got := slowOf(sub, start+off); !slices.Equal(got.shape, want.shape) || !slices.Equal(got.offs, want.offs) {
			return fmt.Sprintf("Index(%d) gives %v at %d", i, sub, start+off)
		}
	}
	return ""
}
