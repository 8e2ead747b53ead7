package array

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// numpyRaw opens a file with numpy.memmap and applies a chain of operations to it. For shape (-1,) it also passes the
// shape None to NumPy. It returns None for a file that NumPy refuses.
const numpyRaw = `
import os

def raw(c):
    order, shape = c["Order"], tuple(c["Shape"] or ())
    refused = False
    if shape == (-1,):
        try:
            a = np.memmap(c["Path"], c["Descr"], c["Mode"], c["Offset"], None, order)
        except ValueError as e:
            refused = "multiple of the data-type size" in str(e)
            if not refused:
                return None
    if -1 in shape:
        step = np.dtype(c["Descr"]).itemsize
        for n in shape:
            step *= abs(n)
        n = (os.path.getsize(c["Path"]) - c["Offset"]) // step
        if shape == (-1,) and not refused and a.shape != (n,):
            raise AssertionError(a.shape)
        shape = tuple(n if k < 0 else k for k in shape)
    try:
        a = np.memmap(c["Path"], c["Descr"], c["Mode"], c["Offset"], shape, order)
    except ValueError:
        return None
    if c["Copy"]:
        b = np.memmap(c["Copy"], c["Descr"], "w+", c["Offset"], shape, order)
        b[...] = a
        b.flush()
    view = chain(a.view(np.ndarray), a.__array_interface__["data"][0] - c["Offset"], c)
    view["Left"] = refused
    return view
`

// TestNumPyRaw compares files without a header with numpy.memmap: both orders and byte orders, any offset, every mode,
// random views, and files that are longer than the array, equally long, or shorter. CreateRaw and Copy must write the
// same bytes as NumPy's mode w+.
func TestNumPyRaw(t *testing.T) {
	p := oracle.Start(t)
	if err := p.Run(numpyChains+numpyRaw, nil, nil); err != nil {
		t.Fatal(err)
	}
	seed, dir := oracle.Seed(t), t.TempDir()
	total := oracle.Cases(t, 250)
	var elements, refused, counted, leftOver, copied, unaligned int
	for n := range total {
		r := rand.New(rand.NewPCG(seed, uint64(n)))
		b := randomBase(r)
		d := dtype.MustParse(b.descr)
		offset := among(r, b.off, b.off, r.IntN(9000), 4096*r.IntN(3))
		_, size, err := index.Size(b.shape, d.ItemSize())
		if err != nil {
			t.Fatal(err)
		}
		shape := slices.Clone(b.shape)
		if oneIn(r, 8) {
			shape = []int{r.IntN(60)}
			size = shape[0] * d.ItemSize()
		}
		full := slices.Clone(shape)
		length := offset + size + among(r, 0, r.IntN(2*d.ItemSize()), r.IntN(200))
		free := -1
		if len(shape) > 0 && oneIn(r, 2) && !slices.Contains(shape, 0) {
			free = r.IntN(len(shape))
			shape[free] = -1
			length = offset + size + among(r, 0, r.IntN(d.ItemSize()), r.IntN(size/full[free]))
		}
		mode := among(r, mmap.ReadOnly, mmap.CopyOnWrite, mmap.ReadWrite)
		if free < 0 && size > 0 && mode != mmap.ReadWrite && oneIn(r, 6) { // in mode r+, NumPy extends the file
			length = offset + r.IntN(size)
		}
		path := filepath.Join(dir, fmt.Sprint(n))
		if err := os.WriteFile(path, randomMemory(seed+uint64(n), length), 0o666); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("case %d of NDMAP_SEED=%d: np.memmap(%d bytes, %q, %v, %d, %v, %v)", n, seed, length, b.descr,
			mode, offset, shape, b.order)
		var c struct {
			Path, Copy, Descr, Mode, Order string
			Offset                         int
			Shape                          []int
			Ops                            []string
		}
		c.Path, c.Descr, c.Order, c.Offset, c.Shape, c.Ops = path, b.descr, b.order.String(), offset, shape, []string{}
		c.Mode = map[mmap.Mode]string{mmap.ReadOnly: "r", mmap.CopyOnWrite: "c", mmap.ReadWrite: "r+"}[mode]
		f, err := OpenRaw(path, mode, int64(offset), d, b.order, shape...)
		var v untypedView
		var notDone []int
		if err == nil {
			v = must(b.on(f.Array))
			if f.Size() > 0 && d.Kind() != dtype.KindBool && oneIn(r, 4) {
				c.Copy = path + ".numpy"
			}
			now := f.Shape()
			for i := range r.IntN(5) {
				o := randomOp(r, now)
				c.Ops = append(c.Ops, o.String())
				if w, err := v.apply(o); err != nil {
					notDone = append(notDone, i)
				} else {
					v, now = w, w.viewCore().Shape()
				}
			}
		}
		var want *struct {
			numpyView
			Left bool
		}
		if perr := p.Eval("raw(x)", c, &want); perr != nil {
			t.Fatalf("%s: %v", name, perr)
		}
		switch {
		case err != nil && want == nil:
			if refused++; !errors.Is(err, ErrShape) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		case err != nil:
			t.Errorf("%s: %v", name, err)
			continue
		case want == nil && f.Size() > 0: // NumPy refuses some arrays without elements
			t.Errorf("%s: refused by NumPy", name)
			continue
		case want == nil:
			f.Close()
			continue
		}
		if free >= 0 {
			counted++
			if f.Len(free) != full[free] {
				t.Errorf("%s: shape %v, want %v", name, f.Shape(), full)
			}
		}
		if want.Left {
			leftOver++
		}
		if offset%d.ItemSize() != 0 {
			unaligned++
		}
		if err := want.compare(v, notDone); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, strings.Join(c.Ops, "\n"))
		}
		if core := v.viewCore(); core.Size() > 0 && core.Offset()+offset != want.Start {
			t.Errorf("%s: the first element is at byte %d, want %d", name, core.Offset()+offset, want.Start)
		}
		elements += want.Size
		if c.Copy != "" {
			copied++
			g := must(CreateRaw(path+".go", int64(offset), d, b.order, f.Shape()...))
			if err := errors.Join(Copy(g.Array, f.Array), g.Close()); err != nil {
				t.Error(err)
			}
			if !bytes.Equal(must(os.ReadFile(path+".go")), must(os.ReadFile(c.Copy))) {
				t.Errorf("%s: CreateRaw and Copy do not write what NumPy writes", name)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d files, views of %d elements; %d with a length of -1 (NumPy refuses %d, for bytes left over); %d not at a multiple of the item size; %d refused by both as too short; %d written",
		total, elements, counted, leftOver, unaligned, refused, copied)
}
