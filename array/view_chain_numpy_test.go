package array

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// numpyChains applies a chain of operations in NumPy. It skips an operation that NumPy refuses, as the test does here.
// In some respects it makes NumPy behave like this package: a reshape that needs a copy is refused, a diagonal is
// writable, a new axis has stride 0 (np.expand_dims reshapes, which gives another stride), and every byte of a bool
// array except 0 is true.
const numpyChains = `
def remember(b):
    global mem, start
    mem = bytearray(b)
    start = np.frombuffer(mem, np.uint8).__array_interface__["data"][0]

def reshape(a, shape):
    b = a.reshape(shape)
    if b.size and not np.may_share_memory(a, b) or min(shape, default=0) < -1:
        raise ValueError("copy needed, or a negative length other than -1")
    return b

def diagonal(a, *args):
    b = np.diagonal(a, *args)
    if a.flags.writeable:
        b.flags.writeable = True
    return b

def expand(a, axis):
    axis = range(a.ndim + 1)[axis]
    return a[(slice(None),) * axis + (None, ...)]

names = {"np": np, "reshape": reshape, "diagonal": diagonal, "broadcast": np.broadcast_to, "expand": expand}

def run(c):
    return chain(np.ndarray(c["Shape"], c["Descr"], buffer=mem, offset=c["Off"], order=c["Order"]), start, c)

def chain(a, start, c):
    refused = []
    for k, code in enumerate(c["Ops"]):
        names["a"] = a
        try:
            a = eval(code, names)
        except (ValueError, IndexError, OverflowError):
            refused.append(k)
    raw = a.view(np.uint8) != 0 if a.dtype.kind == "b" else a
    return {"Shape": a.shape, "Strides": a.strides, "Start": a.__array_interface__["data"][0] - start if a.size else -1,
            "C": a.flags.c_contiguous, "F": a.flags.f_contiguous, "ReadOnly": not a.flags.writeable,
            "Size": a.size, "NBytes": a.nbytes, "Refused": refused, "Data": raw.tobytes("C")}
`

// A numpyView describes a view in NumPy.
type numpyView struct {
	Shape          []int
	Strides        []int64 // NumPy's machine may have a larger int
	Start          int     // offset of the first element in the memory, or -1 if there are no elements
	C, F, ReadOnly bool
	Size, NBytes   int
	Refused        []int  // numbers of the refused operations
	Data           []byte // elements in C order
}

// compare returns an error that says how v differs from NumPy's view.
func (want numpyView) compare(v untypedView, refused []int) error {
	c := v.viewCore()
	switch {
	case !slices.Equal(refused, want.Refused):
		return fmt.Errorf("refused %v, want %v", refused, want.Refused)
	case !slices.Equal(c.Shape(), want.Shape):
		return fmt.Errorf("shape %v, want %v", c.Shape(), want.Shape)
	case !slices.EqualFunc(c.Strides(), want.Strides, func(x int, y int64) bool { return x == int(y) }):
		return fmt.Errorf("strides %v, want %v", c.Strides(), want.Strides)
	case c.Contiguous(index.C) != want.C || c.Contiguous(index.F) != want.F:
		return fmt.Errorf("contiguous C %v F %v, want %v %v", c.Contiguous(index.C), c.Contiguous(index.F), want.C, want.F)
	case c.ReadOnly() != want.ReadOnly:
		return fmt.Errorf("read-only %v, want %v", c.ReadOnly(), want.ReadOnly)
	case c.Size() != want.Size || c.NBytes() != want.NBytes:
		return fmt.Errorf("size %d and %d bytes, want %d and %d", c.Size(), c.NBytes(), want.Size, want.NBytes)
	}
	n, rest := c.ItemSize(), want.Data
	for idx := range slowIndices(want.Shape) {
		if got := v.at(idx); !bytes.Equal(got, rest[:n]) {
			return fmt.Errorf("at %v %x, want %x", idx, got, rest[:n])
		}
		rest = rest[n:]
	}
	rest = want.Data
	for got := range v.values() {
		if len(rest) < n || !bytes.Equal(got, rest[:n]) {
			return fmt.Errorf("element %d of Values is %x", (len(want.Data)-len(rest))/n, got)
		}
		rest = rest[n:]
	}
	if len(rest) > 0 {
		return fmt.Errorf("Values is %d bytes short", len(rest))
	}
	return nil
}

// TestNumPyChains compares chains of operations with NumPy: shape, strides, offset of the first element, contiguity,
// refused operations, and every element.
func TestNumPyChains(t *testing.T) {
	oracle.OneGoroutine(t)
	p := oracle.Start(t)
	if err := p.Run(numpyChains, nil, nil); err != nil {
		t.Fatal(err)
	}
	seed := oracle.Seed(t)
	mem := randomMemory(seed, 64+2*maxElements*16)
	if err := p.Run("remember(b64(x))", mem, nil); err != nil {
		t.Fatal(err)
	}
	type chain struct {
		Descr, Order string
		Off          int
		Shape        []int
		Ops          []string

		v       untypedView
		start   int // as in numpyView
		refused []int
	}
	const batch = 500
	total := oracle.Cases(t, 2500)
	var elements, empty, refused, readOnly int
	for n := 0; n < total; n += batch {
		asked := make([]chain, batch)
		for k := range asked {
			r := rand.New(rand.NewPCG(seed, uint64(n+k)))
			b := randomBase(r)
			v, s := b.onMemory(mem)
			c := chain{Descr: b.descr, Order: b.order.String(), Off: b.off, Shape: b.shape, start: -1}
			for i := range 1 + r.IntN(6) {
				o := randomOp(r, s.shape)
				c.Ops = append(c.Ops, o.String())
				if w, err := v.apply(o); err != nil {
					c.refused = append(c.refused, i)
				} else {
					v, s.shape = w, w.viewCore().Shape()
				}
			}
			if c.v = v; v.viewCore().Size() > 0 {
				c.start = b.off + v.viewCore().Offset()
			}
			asked[k] = c
		}
		var answers []numpyView
		if err := p.Eval("[run(c) for c in x]", asked, &answers); err != nil {
			t.Fatal(err)
		}
		for k, want := range answers {
			c := asked[k]
			err := want.compare(c.v, c.refused)
			if err == nil && c.start != want.Start {
				err = fmt.Errorf("the first element is at byte %d, want %d", c.start, want.Start)
			}
			if err != nil {
				t.Fatalf("chain %d of NDMAP_SEED=%d: %v\na = np.ndarray(%v, '%s', buffer=mem, offset=%d, order='%s')\n%s", n+k,
					seed, err,
					c.Shape, c.Descr, c.Off, c.Order, strings.Join(c.Ops, "\n"))
			}
			elements += want.Size
			refused += len(c.refused)
			if want.Size == 0 {
				empty++
			}
			if want.ReadOnly {
				readOnly++
			}
		}
	}
	t.Logf("%d chains with %d elements; %d chains without elements, %d read-only; %d operations refused by both",
		total, elements, empty, readOnly, refused)
}
