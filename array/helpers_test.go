package array

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
)

// must returns v, and panics if err is not nil.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// sink keeps the compiler from removing computations.
var sink float64

// sequence returns an array whose element k, counted in order, is first+k.
func sequence(d string, order index.Order, first int, shape ...int) Array {
	f := must(New(dtype.MustParse(d), order, shape...))
	src := make([]int64, f.Size())
	for k := range src {
		src[k] = int64(first + k)
	}
	if order == index.F {
		slices.Reverse(shape)
	}
	v := must(FromSlice(src, shape...)).Array()
	if order == index.F {
		v = v.T()
	}
	if err := Copy(f.Array, v); err != nil {
		panic(err)
	}
	return f.Array
}

// createFrom creates a file with the elements of a.
func createFrom(t *testing.T, cfg SaveConfig, a Array, order index.Order) *File {
	t.Helper()
	f := must(cfg.Create(tempPath(t), a.DType(), order, a.Shape()...))
	if err := Copy(f.Array, a); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// writtenBytes returns a as a .npy file, written by Write.
func writtenBytes(t *testing.T, a Array) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, a); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// randomPart returns a random selection of v, with at most as many elements as v.
func randomPart[T any](r *rand.Rand, v View[T]) View[T] {
	for range r.IntN(4) {
		switch r.IntN(3) {
		case 0:
			v = v.T()
		default:
			sel := make([]index.Selector, v.NDim())
			for axis := range sel {
				n := v.Len(axis)
				lo := r.IntN(n + 1)
				hi := lo + r.IntN(n+1-lo)
				step := []int{1, 1, 1, 2, 3}[r.IntN(5)]
				if sel[axis] = index.Range(lo, hi).Every(step); r.IntN(3) == 0 {
					sel[axis] = index.Range(hi-1, lo-1).Every(-step)
					if lo == 0 {
						sel[axis] = index.From(hi - 1).Every(-step)
					}
					if hi == 0 {
						sel[axis] = index.Range(0, 0)
					}
				}
			}
			v = must(v.Select(sel...))
		}
	}
	return v
}

var numbers = []dtype.DType{dtype.Bool, dtype.Int8, dtype.Int16, dtype.Int32, dtype.Int64, dtype.Uint8, dtype.Uint16,
	dtype.Uint32, dtype.Uint64,
	dtype.Float16, dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Complex128}

// countingView returns a view of float64 whose element k in C order is k.
func countingView(order index.Order, shape ...int) View[float64] {
	v := must(As[float64](must(New(dtype.MustParse("<f8"), order, shape...)).Array))
	k := 0.0
	for b := range v.Update(index.C) {
		for i := range b {
			b[i] = k
			k++
		}
	}
	return v
}

// fileNames returns the names of the entries of dir.
func fileNames(t *testing.T, dir string) []string {
	t.Helper()
	var s []string
	for _, e := range must(os.ReadDir(dir)) {
		s = append(s, e.Name())
	}
	return s
}

func second[T any](_ T, err error) error { return err }

func collect[T any](v View[T]) []T {
	s := []T{}
	for x := range v.Values() {
		s = append(s, x)
	}
	return s
}

// isEmulated reports whether the tests run under an emulator that does not report fault addresses.
func isEmulated() bool { return os.Getenv("NDMAP_QEMU") != "" && runtime.GOARCH != "riscv64" }

// truncate calls os.Truncate, and skips the test on systems that do not truncate mapped files.
func truncate(t *testing.T, path string, size int64) {
	t.Helper()
	err := os.Truncate(path, size)
	if runtime.GOOS == "windows" && err != nil {
		t.Skipf("Windows does not truncate mapped files: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func tempPath(t testing.TB) string { return filepath.Join(t.TempDir(), "a.npy") }

// wantPanic checks that f panics with an error whose message is msg and which wraps is.
func wantPanic(t *testing.T, msg string, is error, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		err, _ := recover().(error)
		if err == nil || err.Error() != msg || is != nil && !errors.Is(err, is) {
			t.Errorf("panic with %v, want %q", err, msg)
		}
	}()
	f()
}

func elementCount(shape []int) int {
	n := 1
	for _, m := range shape {
		n *= m
	}
	return n
}

// sameBytes returns an error unless a and b have the same dtype and shape, and elements with the same bytes.
func sameBytes(a, b Array) error {
	if !a.DType().Equal(b.DType()) || !slices.Equal(a.Shape(), b.Shape()) {
		return fmt.Errorf("dtype %v and shape %v, want %v and %v", b.DType(), b.Shape(), a.DType(), a.Shape())
	}
	for idx := range slowIndices(a.Shape()) {
		x, y := a.view.ElementBytes(a.Layout().Offset(idx...)), b.view.ElementBytes(b.Layout().Offset(idx...))
		if !bytes.Equal(x, y) {
			return fmt.Errorf("element %v is %x, want %x", idx, y, x)
		}
	}
	return nil
}

func product(shape []int) int {
	p := 1
	for _, n := range shape {
		p *= n
	}
	return p
}

// diskFolder returns a new directory on a disk, unless the system's temporary directory is not on one.
func diskFolder(t *testing.T) string {
	t.Helper()
	dir, err := oracle.TempIn(t, disk)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// rawFile creates a file with the contents b and returns its path.
func rawFile(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.raw")
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// oneIn returns true once in n times on average.
func oneIn(r chooser, n int) bool { return r.IntN(n) == 0 }

// among returns one of the choices.
func among[T any](r chooser, choices ...T) T { return choices[r.IntN(len(choices))] }

// randomShape returns a shape with up to 6 dimensions, some of length 0 or 1.
func randomShape(r chooser) []int {
	if oneIn(r, 12) {
		return []int{r.IntN(60)}
	}
	shape := make([]int, r.IntN(7))
	size := 1
	for axis := range shape {
		n := among(r, 1, 1, 2, 2, 2, 3, 3, 4, 5)
		if oneIn(r, 25) {
			n = 0
		}
		if size*n > maxElements {
			n = 1
		}
		shape[axis] = n
		size *= max(n, 1)
	}
	return shape
}

// randomOp returns an operation for a view of the given shape. About one in ten operations is invalid.
func randomOp(r chooser, shape []int) op {
	nd := len(shape)
	o := op{asArray: oneIn(r, 4)}
	wrong := oneIn(r, 15)
	axis := func() int { // a random axis, perhaps counted from the end
		if wrong && oneIn(r, 3) {
			return among(r, nd, nd+1, -nd-1, -nd-2, 1<<30, -1<<30) // NumPy's axes are C ints
		}
		return r.IntN(2*max(nd, 1)) - max(nd, 1)
	}
	o.name = among(r, "select", "select", "select", "index", "part", "transpose", "transpose", "reshape", "reshape",
		"broadcast", "squeeze", "diagonal", "moveaxis", "expanddims")
	if nd == 0 && (o.name == "index" || o.name == "part") || slices.Contains(shape, 0) && (o.name == "index" ||
		o.name == "part") {
		o.name = "select" // index and part would panic
	}
	switch o.name {
	case "select":
		o.items = randomItems(r, shape, wrong)
	case "index":
		o.args = []int{r.IntN(shape[0])}
	case "part":
		k := r.IntN(nd)
		o.args = []int{k, r.IntN(shape[k])}
	case "transpose":
		if oneIn(r, 3) {
			break
		}
		for k := range nd {
			o.args = slices.Insert(o.args, r.IntN(k+1), k)
		}
		for k := range o.args {
			if oneIn(r, 4) {
				o.args[k] -= nd
			}
			if wrong && oneIn(r, 4) {
				o.args[k] = axis()
			}
		}
		if wrong && nd > 0 && oneIn(r, 2) {
			o.args = o.args[:nd-1]
		}
	case "moveaxis":
		o.args = []int{axis(), axis()}
	case "expanddims":
		o.args = []int{axis()}
	case "squeeze":
		for k, n := range shape {
			if n == 1 && oneIn(r, 2) || wrong && oneIn(r, 4) {
				o.args = append(o.args, k-nd*r.IntN(2))
			}
		}
		if wrong && oneIn(r, 2) {
			o.args = append(o.args, axis())
		}
	case "diagonal":
		a := r.IntN(max(nd, 1))
		b := r.IntN(max(nd, 1))
		if a == b && !wrong {
			b = (a + 1) % max(nd, 1)
		}
		o.args = []int{r.IntN(7) - 3, a - nd*r.IntN(2), b - nd*r.IntN(2)}
		if oneIn(r, 20) {
			o.args[0] = among(r, 100, -100, 1<<30, -1<<30) // NumPy's offset is a C int
		}
		if nd < 2 && !wrong { // a diagonal needs two axes
			o = op{name: "expanddims", args: []int{axis()}}
		}
	case "broadcast":
		o.args = slices.Clone(shape)
		for oneIn(r, 3) {
			o.args = slices.Insert(o.args, 0, among(r, 1, 1, 2, 2, 3, 3, 0))
		}
		for k := range o.args {
			if o.args[k] == 1 && oneIn(r, 2) && slowSize(o.args) <= maxElements/4 {
				o.args[k] = among(r, 2, 2, 3, 3, 4, 4, 0)
			}
			if wrong && oneIn(r, 4) {
				o.args[k] = among(r, -1, 0, 1, 2, 5)
			}
		}
		if wrong && len(o.args) > 0 && oneIn(r, 3) {
			o.args = o.args[1:]
		}
		if slowSize(o.args) > 2*maxElements {
			o.args = slices.Clone(shape)
		}
	case "reshape":
		o.args = randomReshape(r, shape, wrong)
	}
	return o
}

// eachGOMAXPROCS runs f with GOMAXPROCS set to 1, 2 and 5.
func eachGOMAXPROCS(f func(procs int)) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 2, 5} {
		runtime.GOMAXPROCS(n)
		f(n)
	}
}

// checkNoGoroutineLeft fails t if goroutines that pass started are still running after it returns.
func checkNoGoroutineLeft(t *testing.T, pass func()) {
	t.Helper()
	before := runtime.NumGoroutine()
	pass()
	after := runtime.NumGoroutine()
	for range 1000 { // a finished goroutine may take a moment to end
		if after <= before {
			return
		}
		time.Sleep(time.Millisecond)
		after = runtime.NumGoroutine()
	}
	t.Errorf("%d goroutines, %d before", after, before)
}

// randomView returns a view of random elements with a random layout, byte order, alignment and dtype. Some views are
// stacks, and some convert their elements. The elements are whole numbers from 0 to 99.
func randomView(r *rand.Rand, size int) View[float64] {
	d := among(r, dtype.Float64, dtype.Float64, dtype.Int16, dtype.Float32, dtype.Uint8)
	d = d.WithByteOrder(among(r, dtype.LittleEndian, dtype.BigEndian))
	shape := []int{1 + r.IntN(size), 1 + r.IntN(size), 1 + r.IntN(size)}[:1+r.IntN(3)]
	n := 1
	for _, length := range shape {
		n *= length
	}
	arrays := make([]Array, among(r, 1, 1, 1, 2, 3))
	order := among(r, index.C, index.F)
	for k := range arrays {
		mem := make([]byte, d.ItemSize()*n+1)[r.IntN(2):]
		arrays[k] = must(FromBytes(mem, d, order, shape...))
		for block := range must(Cast[float64](arrays[k])).Update(index.C) {
			for i := range block {
				block[i] = float64(r.IntN(100))
			}
		}
	}
	a := arrays[0]
	if len(arrays) > 1 {
		a = must(Stack(arrays...))
		if r.IntN(2) == 0 {
			a = must(a.MoveAxis(0, -1))
		}
	}
	v := must(Cast[float64](a))
	if r.IntN(4) == 0 {
		return randomPart(r, v) // often small
	}
	sel := make([]index.Selector, v.NDim())
	for axis := range sel {
		sel[axis] = among(r, index.Colon, index.Reverse(), index.Every(2), index.From(1))
	}
	return must(must(v.Select(sel...)).Transpose(r.Perm(v.NDim())...))
}

// countingVector returns an array of n elements, each equal to its index.
func countingVector(n int) View[float64] {
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(i)
	}
	return must(FromSlice(s))
}

// longHeaderDType returns a dtype whose header reaches into the second sector of the file. Growing an array between the
// two shapes takes three edits of the header.
func longHeaderDType(t *testing.T, order index.Order, from, to []int) string {
	t.Helper()
	fields := strings.Repeat("('abcd%02d', '<f4'), ", 20)
	for k := range 20 {
		fields = strings.Replace(fields, "%02d", fmt.Sprintf("%02d", k), 1)
	}
	for k := range 100 {
		s := "[" + fields + "('" + strings.Repeat("x", 1+k) + "', '<f4')]"
		h, head, err := newHeader(dtype.MustParse(s), order, from)
		if err != nil {
			t.Fatal(err)
		}
		if _, edits, err := h.Grow(head, to[h.Axis()]); err == nil && len(edits) == 3 {
			return s
		}
	}
	t.Fatal("no header reaches into the second sector")
	return ""
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// memoryOf returns a copy of the memory that holds the elements of el.
func memoryOf(el *nd.Storage) []byte {
	return append([]byte{}, strided.Slice[byte](el.Mem.Base, el.Mem.Size)...)
}

// randomReduce returns the result of red in new memory, in C order and in the dtype of NumPy's result. It first
// reduces into an array with a random layout and byte order.
func randomReduce(r *rand.Rand, red Reduction, a Array) (Array, error) {
	shape, err := red.Shape(a)
	if err != nil {
		return Array{}, err
	}
	d, err := red.DType(a)
	if err != nil {
		return Array{}, err
	}
	to := d
	if d.IsNumber() && r.IntN(3) == 0 {
		to = d.WithByteOrder(among(r, dtype.LittleEndian, dtype.BigEndian))
	}
	larger := slices.Clone(shape)
	sel := make([]index.Selector, len(shape))
	for k, n := range shape {
		step := among(r, 1, 1, 2)
		larger[k] = n * step
		if sel[k] = index.From(0).Every(step); r.IntN(4) == 0 {
			sel[k] = index.Every(-step)
		}
	}
	f := must(New(to, among(r, index.C, index.F), larger...))
	defer f.Close()
	dst := must(f.Select(sel...))
	if err := red.Into(dst, a); err != nil {
		return Array{}, err
	}
	out := must(nd.OnBytes(make([]byte, d.ItemSize()*dst.Size()), d, must(dst.view.Layout.Compact(d.ItemSize(),
		index.C))))
	return Array{out}, Copy(Array{out}, dst)
}

// shardFiles creates n files of one shape, and returns their stack and an array with the same elements.
func shardFiles(t *testing.T, d dtype.DType, order index.Order, n int, shape ...int) (Array, View[int32]) {
	t.Helper()
	dir := t.TempDir()
	parts := make([]Array, n)
	joined := must(FromSlice(make([]int32, n*elementCount(shape)), append([]int{n}, shape...)...))
	for k := range parts {
		f := must(Create(filepath.Join(dir, strconv.Itoa(k)+".npy"), d, order, shape...))
		t.Cleanup(func() { f.Close() })
		for idx := range index.All(shape, index.C) {
			joined.Index(k).SetAt(int32(100*k+index.Ravel(idx, shape, index.C)), idx...)
		}
		if err := Copy(f.Array, joined.Index(k).Array()); err != nil {
			t.Fatal(err)
		}
		parts[k] = f.Array
	}
	return must(Stack(parts...)), joined
}

// An untypedView is a View without its element type. Its elements are the bytes in memory.
type untypedView struct{ goView }

// accessEveryWay reads all elements through blocks, slices, parts and the views of fixed rank, and writes them back
// unless the view is read-only.
func (c untypedView) accessEveryWay() error {
	core := c.viewCore()
	itemSize, readOnly := core.ItemSize(), core.ReadOnly()
	size := func(what string, n int) error {
		if n != core.Size() {
			return fmt.Errorf("%s: %d elements, want %d", what, n, core.Size())
		}
		return nil
	}
	write := func(b []byte) int {
		if !readOnly {
			copy(b, slices.Clone(b))
		}
		return len(slices.Clone(b)) / itemSize // Clone reads the elements
	}
	for _, order := range []index.Order{index.C, index.F, index.K} {
		all := slices.Concat(slices.Collect(func(yield func([]byte) bool) {
			for b := range c.blocks(order) {
				yield(slices.Clone(b)) // the loop reuses the memory of b
			}
		})...)
		if err := size("Blocks", len(all)/itemSize); err != nil {
			return err
		}
		k := 0
		for idx, x := range c.eachAt(order) {
			if b := all[k:][:itemSize]; order != index.K && !bytes.Equal(b, x) {
				return fmt.Errorf("Blocks(%v): element %v is %x, want %x", order, idx, b, x)
			}
			k += itemSize
		}
		if readOnly {
			continue
		}
		for b := range c.updates(order) {
			clear(b)
		}
		for idx, x := range c.eachAt(order) {
			if slices.ContainsFunc(x, func(b byte) bool { return b != 0 }) {
				return fmt.Errorf("Update(%v) leaves %x at %v", order, x, idx)
			}
		}
		k = 0
		for b := range c.updates(order) { // restore the elements for later checks
			k += copy(b, all[k:])
		}
		if err := size("Update", k/itemSize); err != nil {
			return err
		}
	}
	if err := size("Split", c.split(3)); err != nil {
		return err
	}
	if b, err := c.data(); err == nil {
		if err := size("Data", write(b)); err != nil {
			return err
		}
	}
	if access, n, err := c.vector(); err == nil {
		for i := range n {
			access(i)
		}
	}
	if access, row, dims, err := c.matrix(); err == nil {
		for i := range dims[0] {
			for j := range dims[1] {
				access(i, j)
			}
			b, ok := row(i)
			if ok {
				write(b)
			} else if core.Contiguous(index.C) {
				return fmt.Errorf("row %d of a contiguous matrix is not a slice", i)
			}
		}
	}
	if access, dims, err := c.cube(); err == nil {
		for i := range dims[0] {
			for j := range dims[1] {
				for k := range dims[2] {
					access(i, j, k)
				}
			}
		}
	}
	return nil
}

func (c untypedView) apply(o op) (untypedView, error) {
	w, err := c.applyOp(o)
	return untypedView{w}, err
}

func (c untypedView) at(idx []int) []byte { return fileBytes(c.viewCore().DType(), c.get(idx)) }

func (c untypedView) set(idx []int, b []byte) { c.put(fileBytes(c.viewCore().DType(), b), idx) }

func (c untypedView) values() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for x := range c.eachValue() {
			if !yield(fileBytes(c.viewCore().DType(), x)) {
				return
			}
		}
	}
}

func (c untypedView) all(order index.Order) iter.Seq2[[]int, []byte] {
	return func(yield func([]int, []byte) bool) {
		for idx, x := range c.eachAt(order) {
			if !yield(idx, fileBytes(c.viewCore().DType(), x)) {
				return
			}
		}
	}
}

func randomBase(r chooser) baseArray {
	t := chainTypes[r.IntN(len(chainTypes))]
	b := baseArray{t.descr, r.IntN(64), among(r, index.C, index.F), randomShape(r), t.on}
	if oneIn(r, 2) {
		b.descr = strings.Replace(b.descr, "<", ">", 1)
	}
	if oneIn(r, 2) {
		b.off &^= 15 // aligned
	}
	return b
}

func randomMemory(seed uint64, n int) []byte {
	mem := make([]byte, n)
	r := rand.New(rand.NewPCG(seed, 0))
	for k := range mem {
		mem[k] = byte(r.Uint32())
	}
	return mem
}

// arange returns an array of the given shape whose elements count up from 0, and the slice that holds them.
func arange[T int8 | int32 | int64 | float64](shape ...int) (View[T], []T) {
	s := make([]T, elementCount(shape))
	for i := range s {
		s[i] = T(i)
	}
	return must(FromSlice(s, shape...)), s
}

// pick selects from v with a selection in NumPy's syntax.
func pick[T any](v View[T], sel string) View[T] { return must(v.Select(index.MustParse(sel)...)) }
