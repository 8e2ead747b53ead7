package array

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestNumPyLive tests that NumPy and ndmap see each other's writes to a mapped file at once, without a sync or a close.
// NumPy maps a file created here with mmap_mode='r+', and both edit it in turn.
func TestNumPyLive(t *testing.T) {
	p := oracle.Start(t)
	for _, d := range []dtype.DType{dtype.Float64.WithByteOrder(dtype.LittleEndian),
		dtype.Float64.WithByteOrder(dtype.BigEndian)} {
		for _, order := range []index.Order{index.C, index.F} {
			for _, shape := range [][]int{{3, 4, 5}, {7}, {}} {
				name := fmt.Sprintf("%v %v %v", d, order, shape)
				path := p.Temp()
				f := must(Create(path, d, order, shape...))
				v := must(As[float64](f.Array))
				ask := func(code string, in, out any) {
					t.Helper()
					if err := p.Run(code, in, out); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
				}
				var got struct {
					Shape []int
					Descr string
					F     bool
					Sum   float64
				}
				ask(`m = np.load(x, mmap_mode="r+")
assert isinstance(m, np.memmap)
out = {"Shape": m.shape, "Descr": m.dtype.str, "F": m.flags.f_contiguous, "Sum": m.sum()}`, path, &got)
				if got.Descr != d.String() || !cmp.Equal(got.Shape, append([]int{}, shape...)) || got.F != v.Contiguous(index.F) ||
					got.Sum != 0 {
					t.Errorf("%s: NumPy has %+v", name, got)
				}

				// NumPy sees the writes of SetAt.
				k := 0.0
				for idx := range index.All(shape, index.C) {
					k++
					v.SetAt(k, idx...)
					var seen float64
					ask("out = m[tuple(x)].item()", append([]int{}, idx...), &seen)
					if seen != k {
						t.Fatalf("%s: at %v NumPy sees %v, want %v", name, idx, seen, k)
					}
				}
				// At sees the writes of NumPy.
				for idx := range index.All(shape, index.C) {
					k--
					ask("m[tuple(x[0])] = x[1]", []any{append([]int{}, idx...), k}, nil)
					if seen := v.At(idx...); seen != k {
						t.Fatalf("%s: at %v %v, want %v", name, idx, seen, k)
					}
				}
				// NumPy and ndmap write through selections.
				if len(shape) == 3 {
					if err := pick(v, "::-1, 1::2").CopyFrom(must(must(FromSlice([]float64{0, 1, 2, 3, 4})).Broadcast(3, 2,
						5))); err != nil {
						t.Fatal(err)
					}
					ask("assert (m[:, 1::2] == np.arange(5)).all(); m.T[1:3] = -2.5", nil, nil)
					for x := range pick(v, "..., 1:3").Values() {
						if x != -2.5 {
							t.Fatalf("%s: %v, want -2.5", name, x)
						}
					}
				}
				v.Fill(6.25)
				ask("assert (m == 6.25).all()", nil, nil)

				// The last writes of NumPy have reached the file.
				ask("m[...] = 0.125; m.flush(); del m", nil, nil)
				f.Close()
				g := must(Open(path, mmap.ReadOnly))
				for x := range must(As[float64](g.Array)).Values() {
					if x != 0.125 {
						t.Fatalf("%s: %v, want 0.125", name, x)
					}
				}
				g.Close()
			}
		}
	}
}

// TestNumPyLiveCreatedThere tests a file that NumPy creates and keeps open.
func TestNumPyLiveCreatedThere(t *testing.T) {
	p := oracle.Start(t)
	path := p.Temp()
	if err := p.Run(`m = np.lib.format.open_memmap(x, "w+", ">i4", (4, 6), fortran_order=True)
m[...] = np.arange(24).reshape(4, 6)`, path, nil); err != nil {
		t.Fatal(err)
	}
	f := must(Open(path, mmap.ReadWrite))
	defer f.Close()
	r := must(Open(path, mmap.ReadOnly))
	defer r.Close()
	c := must(Open(path, mmap.CopyOnWrite))
	defer c.Close()
	v, ro, private := must(As[int32](f.Array)), must(As[int32](r.Array)), must(As[int32](c.Array))
	want, _ := arange[int32](4, 6)
	if d := cmp.Diff(collect(want), collect(v)); d != "" {
		t.Fatal(d)
	}
	private.SetAt(-1, 0, 0)
	v.SetAt(99, 3, 5)
	if err := p.Run("assert m[3, 5] == 99 and m[0, 0] == 0; m[2, 2] = -5", nil, nil); err != nil {
		t.Fatal(err)
	}
	if a, b, c := v.At(2, 2), ro.At(2, 2), ro.At(3, 5); a != -5 || b != -5 || c != 99 {
		t.Errorf("%d, %d, %d; want -5, -5, 99", a, b, c)
	}
}
