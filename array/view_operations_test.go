package array

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// The tests in this file are the examples of the chapter "Typed Memoryviews" of Cython's user guide, in its order and
// with its numbers (https://cython.readthedocs.io/en/latest/src/userguide/memoryviews.html). Cython's int is int32
// here, and its double is float64. The global interpreter lock and the old buffer syntax have no test.

// linspace returns n evenly spaced numbers from lo to hi.
func linspace(lo, hi float64, n int) View[float64] {
	s := make([]float64, n)
	for i := range s {
		s[i] = lo + (hi-lo)*float64(i)/float64(n-1)
	}
	return must(FromSlice(s))
}

// sum3d is the function of the guide's quickstart.
func sum3d(v View[int32]) int32 {
	total := int32(0)
	for i := range v.Len(0) {
		for j := range v.Len(1) {
			for k := range v.Len(2) {
				total += v.At(i, j, k)
			}
		}
	}
	return total
}

func sum[T int32 | float64](s []T) (total T) {
	for _, x := range s {
		total += x
	}
	return total
}

// Quickstart: an array of NumPy (here in a file), of C (here a Go array), and of Cython (here in anonymous memory).
func TestCythonQuickstart(t *testing.T) {
	ramp, _ := arange[int32](3, 3, 3)
	path := tempPath(t)
	if err := Save(path, ramp.Array()); err != nil {
		t.Fatal(err)
	}
	nfile := must(Open(path, mmap.ReadWrite))
	defer nfile.Close()
	narr := must(As[int32](nfile.Array))

	var cmem [3 * 3 * 3]int32
	carr := must(FromSlice(cmem[:], 3, 3, 3))

	cyfile := must(New(dtype.Int32, index.C, 3, 3, 3))
	defer cyfile.Close()
	cyarr := must(As[int32](cyfile.Array))

	before := sum(must(narr.Data()))
	if err := errors.Join(pick(carr, "...").CopyFrom(narr), pick(cyarr, ":").CopyFrom(narr)); err != nil {
		t.Fatal(err)
	}
	pick(narr, ":, :, :").Fill(3)
	carr.SetAt(100, 0, 0, 0)
	cyarr.SetAt(1000, 0, 0, 0)

	got := []int32{before, sum(must(narr.Data())), sum3d(narr), sum(cmem[:]), sum3d(carr), sum3d(cyarr)}
	if want := []int32{351, 81, 81, 451, 451, 1351}; !slices.Equal(got, want) {
		t.Errorf("sums %v, want %v", got, want)
	}
	// The assigned elements are in the file.
	again := must(Open(path, mmap.ReadOnly))
	defer again.Close()
	if got := sum3d(must(As[int32](again.Array))); got != 81 {
		t.Errorf("sum in the file %d, want 81", got)
	}
}

// Syntax: int[1:102:2, :] selects every second one of the 101 rows that start with row 1.
func TestCythonPartial(t *testing.T) {
	v, _ := arange[int32](200, 7)
	part := pick(v, "1:102:2, :")
	if d := cmp.Diff([]int{51, 7}, part.Shape()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int{2 * 7 * 4, 4}, part.Strides()); d != "" {
		t.Error(d)
	}
	for idx, x := range part.All(index.C) {
		if want := int32((1+2*idx[0])*7 + idx[1]); x != want {
			t.Fatalf("at %v %d, want %d", idx, x, want)
		}
	}
	if first, last := part.At(0, 0), part.At(50, 6); first != 7 || last != 101*7+6 {
		t.Errorf("first %d, last %d", first, last)
	}
	// With one dimension and a shorter array, the bound is clipped.
	line, _ := arange[int32](10)
	if d := cmp.Diff([]int32{1, 3, 5, 7, 9}, collect(pick(line, "1:102:2"))); d != "" {
		t.Error(d)
	}
}

// None: an optional parameter is the zero View.
func TestCythonNone(t *testing.T) {
	process := func(in, out View[int32]) View[int32] {
		if out.IsZero() {
			out = must(As[int32](must(in.Array().Clone(index.K))))
		}
		for idx, x := range in.All(index.C) {
			out.SetAt(x+1, idx...)
		}
		return out
	}
	in, _ := arange[int32](2, 3)
	if d := cmp.Diff([]int32{1, 2, 3, 4, 5, 6}, collect(process(in, View[int32]{}))); d != "" {
		t.Error(d)
	}
	out := must(FromSlice(make([]int32, 6), 2, 3))
	process(in, out)
	if d := cmp.Diff([]int32{1, 2, 3, 4, 5, 6}, collect(out)); d != "" {
		t.Error(d)
	}
	wantPanic(t, "array: use of the zero Array or View (see IsZero)", nil,
		func() { process(View[int32]{}, out) })
}

// Indexing: buf[1, 2], and buf[-1, -2] from the end. At takes indices like a Go slice, which do not count from the end;
// selections do.
func TestCythonIndexing(t *testing.T) {
	v, _ := arange[int32](10, 20)
	if got := v.At(1, 2); got != 22 {
		t.Errorf("[1, 2] is %d", got)
	}
	if got := pick(v, "-1, -2").At(); got != 198 {
		t.Errorf("[-1, -2] is %d", got)
	}
}

func TestCythonAddOne(t *testing.T) {
	path := tempPath(t)
	f := must(Create(path, dtype.Int32, index.C, 10, 20))
	v := must(As[int32](f.Array))
	for x := range v.Len(0) {
		for y := range v.Len(1) {
			v.SetAt(v.At(x, y)+1, x, y)
		}
	}
	f.Close()
	g := must(Open(path, mmap.ReadOnly))
	defer g.Close()
	w := must(As[int32](g.Array))
	n := 0
	for x := range w.Values() {
		if x != 1 {
			t.Fatalf("an element is %d, want 1", x)
		}
		n++
	}
	if n != 200 {
		t.Errorf("%d elements, want 200", n)
	}
}

// Slicing: a[10], a[10, :, :] and a[10, ...] are the same view.
func TestCythonSlicing(t *testing.T) {
	a, s := arange[int32](15, 10, 20)
	want := s[10*200 : 11*200]
	for name, v := range map[string]View[int32]{
		"Index(10)": a.Index(10), "10": pick(a, "10"), "10, :, :": pick(a, "10, :, :"), "10, ...": pick(a, "10, ..."),
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff([]int{10, 20}, v.Shape()); d != "" {
				t.Errorf("%s: %s", name, d)
			}
			if d := cmp.Diff([]int{80, 4}, v.Strides()); d != "" {
				t.Errorf("%s: %s", name, d)
			}
			data := must(v.Data())
			if !slices.Equal(data, want) || &data[0] != &want[0] {
				t.Errorf("%s: Data is not the slice of elements that starts at 2000", name)
			}
		})
	}
}

func TestCythonCopy(t *testing.T) {
	from := must(FromSlice(make([]int32, 20*15*30), 20, 15, 30))
	from.Fill(1)
	for _, sel := range []string{"...", ":", ":, :, :"} {
		to := must(FromSlice(make([]int32, 20*15*30), 20, 15, 30))
		if err := pick(to, sel).CopyFrom(from); err != nil {
			t.Fatal(err)
		}
		if got := sum3d(to); got != 20*15*30 {
			t.Errorf("[%s]: sum %d, want %d", sel, got, 20*15*30)
		}
	}
}

// Transposing: a C-contiguous view becomes F-contiguous.
func TestCythonTranspose(t *testing.T) {
	c, _ := arange[int32](2, 10)
	f := c.T()
	if !c.Contiguous(index.C) || c.Contiguous(index.F) || f.Contiguous(index.C) || !f.Contiguous(index.F) {
		t.Error("contiguity is wrong")
	}
	if d := cmp.Diff([][]int{{10, 2}, {4, 40}}, [][]int{f.Shape(), f.Strides()}); d != "" {
		t.Error(d)
	}
	f.SetAt(-7, 9, 1)
	if c.At(1, 9) != -7 || f.At(3, 0) != 3 || f.At(3, 1) != 13 {
		t.Error("the transpose has wrong elements")
	}
}

func TestCythonNewAxis(t *testing.T) {
	v := linspace(0, 10, 50)
	for _, tt := range []struct {
		sel   string
		shape []int
		first int // the elements are first, first+step, … of v
		step  int
	}{
		{"None", []int{1, 50}, 0, 1},
		{"None, :", []int{1, 50}, 0, 1},
		{":, None", []int{50, 1}, 0, 1},
		{"None, 10:-20:2, None", []int{1, 10, 1}, 10, 2},
	} {
		w := pick(v, tt.sel)
		if d := cmp.Diff(tt.shape, w.Shape()); d != "" {
			t.Errorf("[%s]: %s", tt.sel, d)
		}
		k := 0
		for x := range w.Values() {
			if want := v.At(tt.first + tt.step*k); x != want {
				t.Errorf("[%s]: element %d is %v, want %v", tt.sel, k, x, want)
			}
			k++
		}
		if k != elementCount(tt.shape) {
			t.Errorf("[%s]: %d elements", tt.sel, k)
		}
	}
	if first, last := v.At(0), v.At(49); first != 0 || last != 10 {
		t.Errorf("from %v to %v", first, last)
	}
}

// Read-only views, const double[:]: reading works on any array. Writing is refused if the array is read-only, also
// through a selection of it.
func TestCythonReadOnly(t *testing.T) {
	path := tempPath(t)
	if err := Save(path, linspace(0, 10, 50).Array()); err != nil {
		t.Fatal(err)
	}
	f := must(Open(path, mmap.ReadOnly))
	defer f.Close()
	v := must(As[float64](f.Array))
	if got := sum(collect(v)); got < 249.999 || got > 250.001 {
		t.Errorf("sum %v, want 250", got)
	}
	msg := path + ": write through a read-only view; open the file with array.ReadWrite or array.CopyOnWrite"
	for name, part := range map[string]View[float64]{
		"itself": v, "slice": pick(v, "1::2"), "transpose": v.T(), "newaxis": pick(v, "None"), "element": v.Index(0),
		"reshape": must(v.Reshape(5, 10)), "diagonal": must(must(v.Reshape(5, 10)).Diagonal(0, 0, 1)),
		"split": v.Split(3)[1], "again": must(As[float64](v.Array())), "none of it": pick(v, ":0"),
	} {
		t.Run(name, func(t *testing.T) {
			if !part.ReadOnly() || !part.Array().ReadOnly() {
				t.Errorf("%s: not read-only", name)
			}
			wantPanic(t, msg, ErrReadOnly, func() { part.Fill(1) })
			if err := part.CopyFrom(part); !errors.Is(err, ErrReadOnly) || err.Error() != path+": array is read-only" {
				t.Errorf("%s: CopyFrom: %v", name, err)
			}
			if idx := make([]int, part.NDim()); part.Size() > 0 {
				wantPanic(t, msg, ErrReadOnly, func() { part.SetAt(1, idx...) })
			}
		})
	}

	// const unsigned char[:] on a string.
	isYIn := func(s string) bool {
		for c := range must(FromSlice([]byte(s))).Values() {
			if c == 'y' {
				return true
			}
		}
		return false
	}
	if isYIn("hello world") || !isYIn("hello Cython") {
		t.Error("found y in hello world, or not in hello Cython")
	}
}

// Brief recap on C, Fortran and strided memory layouts.
func TestCythonLayout(t *testing.T) {
	text := must(FromBytes([]byte("012345"), dtype.Bytes(1), index.C, 2, 3))
	c, _ := arange[int8](2, 3, 4)
	f := must(c.Clone(index.F))
	mixed := must(c.Transpose(1, 0, 2))
	sliced := pick(c, ":, 1, :")
	for _, tt := range []struct {
		name    string
		a       Array
		shape   []int
		strides []int
		c, f, k bool
	}{
		{"text", text, []int{2, 3}, []int{3, 1}, true, false, true},
		{"c_contig", c.Array(), []int{2, 3, 4}, []int{12, 4, 1}, true, false, true},
		{"f_contig", f.Array(), []int{2, 3, 4}, []int{1, 2, 6}, false, true, true},
		{"transpose((1, 0, 2))", mixed.Array(), []int{3, 2, 4}, []int{4, 12, 1}, false, false, true},
		{"[:, 1, :]", sliced.Array(), []int{2, 4}, []int{12, 1}, false, false, false},
		// int[:, ::view.contiguous] of c[::2]; only its last axis is contiguous
		{"[::2]", pick(c, ":, ::2").Array(), []int{2, 2, 4}, []int{12, 8, 1}, false, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff([][]int{tt.shape, tt.strides}, [][]int{tt.a.Shape(), tt.a.Strides()}); d != "" {
				t.Errorf("%s: %s", tt.name, d)
			}
			if c, f, k := tt.a.Contiguous(index.C), tt.a.Contiguous(index.F), tt.a.Contiguous(index.K); c != tt.c || f != tt.f ||
				k != tt.k {
				t.Errorf("%s: contiguous C %v F %v K %v, want %v %v %v", tt.name, c, f, k, tt.c, tt.f, tt.k)
			}
		})
	}
	if d := cmp.Diff(collect(c), collect(f)); d != "" {
		t.Errorf("np.all(f_contig == c_contig): %s", d)
	}
}

// copy() and copy_fortran() return new memory for any view.
func TestCythonClone(t *testing.T) {
	v, s := arange[int32](4, 6)
	for name, part := range map[string]View[int32]{
		"whole": v, "transpose": v.T(), "slice": pick(v, "::-1, 1::2"), "broadcast": must(v.Broadcast(2, 4, 6)),
		"0-d": pick(v, "1, 1"), "none": pick(v, "2:2"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, order := range []index.Order{index.C, index.F} {
				w := must(part.Clone(order))
				if !w.Contiguous(order) {
					t.Errorf("%s: the clone in order %v is not contiguous", name, order)
				}
				if !slices.Equal(part.Shape(), w.Shape()) || !slices.Equal(collect(part), collect(w)) {
					t.Errorf("%s: order %v: the clone differs", name, order)
				}
				if w.ReadOnly() {
					t.Errorf("%s: the clone is read-only", name)
				}
				w.Fill(-1)
			}
		})
	}
	if slices.Contains(s, -1) {
		t.Error("a clone shares memory")
	}
}

// shape, strides, ndim, size, itemsize, nbytes; and base, which is the File.
func TestCythonAttributes(t *testing.T) {
	f := must(New(dtype.Int32, index.C, 10))
	defer f.Close()
	ramp, _ := arange[int32](10)
	if err := Copy(f.Array, ramp.Array()); err != nil {
		t.Fatal(err)
	}
	a := pick(must(As[int32](f.Array)), "::2")
	if d := cmp.Diff([]int32{0, 2, 4, 6, 8}, collect(a)); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, collect(must(As[int32](f.Array)))); d != "" {
		t.Errorf("base: %s", d)
	}
	v := must(FromSlice(make([]float64, 3*4*5), 3, 4, 5))
	for _, tt := range []struct {
		name                         string
		v                            View[float64]
		shape, strides               []int
		ndim, size, itemsize, nbytes int
	}{
		{"whole", v, []int{3, 4, 5}, []int{160, 40, 8}, 3, 60, 8, 480},
		{"T", v.T(), []int{5, 4, 3}, []int{8, 40, 160}, 3, 60, 8, 480},
		{"[1, ::-2, None, 1:3]", pick(v, "1, ::-2, None, 1:3"), []int{2, 1, 2}, []int{-80, 0, 8}, 3, 4, 8, 32},
		{"[0, 0, 0]", pick(v, "0, 0, 0"), []int{}, []int{}, 0, 1, 8, 8},
		{"[3:]", pick(v, "3:"), []int{0, 4, 5}, []int{160, 40, 8}, 3, 0, 8, 0},
		{"broadcast", must(v.Broadcast(2, 3, 4, 5)), []int{2, 3, 4, 5}, []int{0, 160, 40, 8}, 4, 120, 8, 960},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff([][]int{tt.shape, tt.strides}, [][]int{tt.v.Shape(), tt.v.Strides()}); d != "" {
				t.Errorf("%s: %s", tt.name, d)
			}
			got := []int{tt.v.NDim(), tt.v.Size(), tt.v.DType().ItemSize(), tt.v.NBytes()}
			if want := []int{tt.ndim, tt.size, tt.itemsize, tt.nbytes}; !slices.Equal(got, want) {
				t.Errorf("%s: ndim, size, itemsize, nbytes %v, want %v", tt.name, got, want)
			}
		})
	}
}

// Cython arrays: view.array(shape=(10, 2)) in modes c and fortran. A Go array replaces the C array, and a slice
// replaces array.array('i', [1, 2, 3]).
func TestCythonArrays(t *testing.T) {
	for _, order := range []index.Order{index.C, index.F} {
		f := must(New(dtype.Int32, order, 10, 2))
		v := must(As[int32](f.Array))
		if !v.Contiguous(order) {
			t.Errorf("a new array in order %v is not contiguous", order)
		}
		v.Fill(1)
		if got := sum(collect(v)); got != 20 {
			t.Errorf("order %v: sum %d, want 20", order, got)
		}
		f.Close()
	}
	if got := sum(collect(must(FromSlice([]int32{1, 2, 3})))); got != 6 {
		t.Errorf("sum_array: %d, want 6", got)
	}
}

// Custom dtypes: packed structs, whose fields are not aligned.
func TestCythonCustomDType(t *testing.T) {
	f := must(New(dtype.MustParse("[('x', 'u1'), ('y', '<f4')]"), index.C, 100))
	defer f.Close()
	if f.ItemSize() != 5 {
		t.Fatalf("%d bytes for an element, want 5", f.ItemSize())
	}
	x, y := must(As[uint8](must(f.Field("x")))), must(As[float32](must(f.Field("y"))))
	for i := range 100 {
		x.SetAt(uint8(i), i)
		y.SetAt(float32(i)/2, i)
	}
	var sumX uint8 // overflows, as in the guide
	var sumY float32
	for i := range 100 {
		sumX += x.At(i)
		sumY += y.At(i)
	}
	if sumX != uint8(4950%256) || sumY != 2475 {
		t.Errorf("sums %d and %v", sumX, sumY)
	}
}

// Indirect dimensions: an array of pointers to rows.
func TestCythonIndirect(t *testing.T) {
	r0, r1, r2 := must(FromSlice([]int32{1, 2})), must(FromSlice([]int32{3, 4})), must(FromSlice([]int32{5, 6}))
	a := must(Stack(r2.Array(), r0.Array(), r1.Array()))
	v := must(As[int32](a))
	if d := cmp.Diff([]int32{5, 6, 1, 2, 3, 4}, collect(v)); d != "" {
		t.Error(d)
	}
	v.SetAt(-1, 1, 1)
	if r0.At(1) != -1 {
		t.Error("a write did not reach its row")
	}
	if d := cmp.Diff([]int32{4, 3}, collect(pick(v, "-1, ::-1"))); d != "" {
		t.Error(d)
	}
	// Cython cannot copy such arrays; here, Clone copies them like any array.
	if d := cmp.Diff([]int32{5, 6, 1, -1, 3, 4}, must(must(v.Clone(index.C)).Data())); d != "" {
		t.Error(d)
	}
}
