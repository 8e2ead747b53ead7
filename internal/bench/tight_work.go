package main

import (
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A work is an operation on parts of the base file. Examples of its text:
//
//	sum f8 C 1000,20000 [:,::7]
//	mean:0,1 f8 C 100,10,20000
//	save:F f8 C 1000,20000 T1,0
//	copy f8 C 1000,20000 to u4 F
//	mean:1 f8 C 10,20000 S
//
// With S the source is a joined array: a stack of its subarrays along the first axis.
//
// The base file has at least as many elements as each source. The destination of a copy is a new file.
type work struct {
	op, arg  string // arg contains the axes or the order after the colon
	src, dst side
	fresh    string // the path of a new file
}

// parseCold parses the text of a work.
func parseCold(text string) (w work, err error) {
	op, sides, _ := strings.Cut(text, " ")
	w.op, w.arg, _ = strings.Cut(op, ":")
	before, after, _ := strings.Cut(sides, " to ")
	if w.src, err = parseSide(before); err == nil && after != "" {
		w.dst, err = parseSide(after)
	}
	return w, err
}

// writes reports whether w changes the base file.
func (w work) writes() bool {
	return slices.Contains([]string{"fill", "update", "assign", "exchange"}, w.op)
}

// rows returns the indices of the rows that the operation take copies from n rows.
func (w work) rows(n, rowBytes int) []int {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	rows := make([]int, max(1, min(100_000, 8<<20/max(1, rowBytes))))
	for k := range rows {
		rows[k] = r.IntN(n)
	}
	return rows
}

// neededBytes returns the number of bytes in the pages of the elements that w reads.
func (w work) neededBytes() int {
	d := must(dtype.Parse(w.src.dtype))
	lay, off, err := must(index.NewLayout(w.src.shape, d.ItemSize(),
		w.src.order)).Select(must(index.Parse(w.src.selection))...)
	must(0, err)
	if w.src.axes != "" {
		lay = must(lay.Transpose(must(ints(w.src.axes))...))
	}
	pages := make([]bool, baseBytes>>12+1)
	var mark func(lay index.Layout, off int)
	mark = func(lay index.Layout, off int) {
		if lay.NDim() > 0 {
			for i := range lay.Len(0) {
				next, more := lay.Index(i)
				mark(next, off+more)
			}
			return
		}
		for p := off >> 12; p <= (off+d.ItemSize()-1)>>12; p++ {
			pages[p] = true
		}
	}
	each := func(sel ...index.Selector) {
		part, more, err := lay.Select(sel...)
		must(0, err)
		mark(part, baseStart+off+more)
	}
	switch {
	case w.op == "take":
		for _, i := range w.rows(lay.Len(0), lay.Size()/lay.Len(0)*d.ItemSize()) {
			each(index.At(i))
		}
	case w.op == "print" && lay.Size() > 1000: // NumPy's summary
		corners := [][]index.Selector{nil}
		for k := range lay.NDim() {
			var next [][]index.Selector
			for _, c := range corners {
				if n := lay.Len(k); n > 6 {
					next = append(next, append(slices.Clone(c), index.Range(0, 3)), append(slices.Clone(c), index.Range(n-3, n)))
				} else {
					next = append(next, append(slices.Clone(c), index.Range(0, n)))
				}
			}
			corners = next
		}
		for _, c := range corners {
			each(c...)
		}
	default:
		each()
	}
	n := 0
	for _, is := range pages {
		if is {
			n += 4096
		}
	}
	if w.op == "quantile" {
		n *= 2 // Quantile reads the elements at least twice; see its documentation
	}
	return n
}

// parts returns how often a loop across the order of the file may read a page with mib MiB of memory: see the
// documentation of Blocks and Write.
func (w work) parts(mib, needs int) int {
	order := index.C
	switch {
	case w.op == "blocks":
		order = orders[w.arg]
	case w.op == "write" && w.src.selection == "" && w.src.axes == "": // written in the order of the file
		return 1
	case w.op != "values" && w.op != "all" && w.op != "write":
		return 1
	}
	d := must(dtype.Parse(w.src.dtype))
	lay, _, err := must(index.NewLayout(w.src.shape, d.ItemSize(),
		w.src.order)).Select(must(index.Parse(w.src.selection))...)
	must(0, err)
	if w.src.axes != "" {
		lay = must(lay.Transpose(must(ints(w.src.axes))...))
	}
	if order == index.F {
		lay = must(lay.Transpose())
	}
	last := 0
	for axis := lay.NDim() - 1; axis >= 0; axis-- {
		if lay.Len(axis) > 1 && max(lay.Stride(axis), -lay.Stride(axis)) < last && needs > 32<<20 {
			return 1 + lay.Size()*d.ItemSize()/min(mib<<20/4, 128<<20)
		}
		last = max(last, lay.Stride(axis), -lay.Stride(axis))
	}
	return 1
}

// resultBytes returns the approximate size of the result of w in memory.
func (w work) resultBytes() int {
	d := must(dtype.Parse(w.src.dtype))
	lay, _, err := must(index.NewLayout(w.src.shape, d.ItemSize(),
		w.src.order)).Select(must(index.Parse(w.src.selection))...)
	must(0, err)
	if w.src.axes != "" {
		lay = must(lay.Transpose(must(ints(w.src.axes))...))
	}
	switch w.op {
	case "clone":
		return lay.Size() * d.ItemSize()
	case "take":
		return lay.Size() / max(1, lay.Len(0)) * d.ItemSize()
	case "mean", "std", "argmax":
		if w.arg == "" {
			return 0
		}
		n := 8 * lay.Size()
		for _, axis := range must(ints(w.arg)) {
			n /= max(1, lay.Len(axis))
		}
		return n * 2
	}
	return 0
}

// runColdWork runs a work and prints a checksum of its result. The checksum includes neither the base file nor a new
// file.
func runColdWork(text, dir string) error {
	w, err := parseCold(text)
	if err != nil {
		return err
	}
	mode := mmap.ReadOnly
	if w.writes() {
		mode = mmap.ReadWrite
	}
	f, err := array.OpenRaw(pathIn(dir, "base"), mode, baseStart, must(dtype.Parse(w.src.dtype)), w.src.order,
		w.src.shape...)
	if err != nil {
		return err
	}
	defer f.Close()
	file := f.Array
	if w.src.stacked {
		parts := make([]array.Array, file.Len(0))
		for i := range parts {
			parts[i] = file.Index(i)
		}
		file = must(array.Stack(parts...))
	}
	a := w.src.part(file)
	h := crc32.NewIEEE()
	w.fresh = pathIn(dir, "fresh.npy")
	switch w.op {
	case "copy":
		d, err := array.Create(w.fresh, must(dtype.Parse(w.dst.dtype)), w.dst.order, a.Shape()...)
		if err == nil {
			defer d.Close()
			err = array.Copy(d.Array, a)
		}
		if err != nil {
			return err
		}
	case "save":
		if err := array.Convert(w.fresh, a, a.DType(), orders[w.arg]); err != nil {
			return err
		}
	case "write":
		if err := array.Write(h, a); err != nil {
			return err
		}
	case "print":
		fmt.Fprint(h, a)
	case "exchange":
		if err := array.Copy(a, a.T()); err != nil {
			return err
		}
	case "clone":
		c, err := a.Clone(orders[w.arg])
		if err != nil {
			return err
		}
		array.Write(h, c)
	default:
		if err := typed[native(w.src.dtype)](w, a, h); err != nil {
			return err
		}
	}
	fmt.Printf("%x\n", h.Sum32())
	return nil
}

var orders = map[string]index.Order{"C": index.C, "F": index.F}

// baseStart is the offset of the elements in the base file.
const baseStart = 128

var typed = map[string]func(w work, a array.Array, out io.Writer) error{
	"i1": doTyped[int8], "i2": doTyped[int16], "i4": doTyped[int32], "i8": doTyped[int64],
	"u1": doTyped[uint8], "u2": doTyped[uint16], "u4": doTyped[uint32], "u8": doTyped[uint64],
	"f4": doTyped[float32], "f8": doTyped[float64],
}

// doTyped runs a work on elements of type T, and writes the result to out.
func doTyped[T number](w work, a array.Array, out io.Writer) error {
	v, err := array.As[T](a)
	if err != nil {
		return err
	}
	switch w.op {
	case "sum":
		fmt.Fprint(out, array.Sum[float64](v))
	case "minmax":
		lo, hi := array.MinMax(v)
		fmt.Fprint(out, lo, hi)
	case "mean", "std", "argmax":
		r := array.Reduction{Op: map[string]array.Op{"mean": array.OpMean, "std": array.OpStd,
			"argmax": array.OpArgMax}[w.op]}
		if w.arg != "" {
			r.Axes = must(ints(w.arg))
		}
		d, err := r.DType(a)
		if err != nil {
			return err
		}
		into, err := array.New(d, index.C, must(r.Shape(a))...)
		if err != nil {
			return err
		}
		if err := r.Into(into.Array, a); err != nil {
			return err
		}
		return array.Write(out, into.Array)
	case "quantile":
		q, err := array.Quantile(v, 0.1, 0.5)
		fmt.Fprint(out, q)
		return err
	case "histogram":
		n, err := array.Histogram(v, []float64{0, 1e-3, 0.1, 10, 1000, 1e6})
		fmt.Fprint(out, n)
		return err
	case "take":
		taken, err := v.AppendRows(nil, w.rows(v.Len(0), a.NBytes()/v.Len(0)))
		for _, x := range taken {
			fmt.Fprint(out, x, " ")
		}
		return err
	case "values":
		var sum T
		for x := range v.Values() {
			sum = sum*3 + x
		}
		fmt.Fprint(out, sum)
	case "all":
		var sum T
		k := 0
		for at, x := range v.All(index.C) {
			sum = sum*3 + x
			k += at[len(at)-1]
		}
		fmt.Fprint(out, sum, k)
	case "blocks":
		var sum T
		for b := range v.Blocks(orders[w.arg]) {
			for _, x := range b {
				sum = sum*3 + x
			}
		}
		fmt.Fprint(out, sum)
	case "map":
		f, err := array.Create(w.fresh, must(dtype.Of[T]()), orders[w.arg], v.Shape()...)
		if err != nil {
			return err
		}
		defer f.Close()
		return array.Map(must(array.As[T](f.Array)), v, func(d, s []T) error {
			for k := range d {
				d[k] = s[k] + 1
			}
			return nil
		})
	case "reduce":
		n, err := array.Reduce(v, func(b []T) (int, error) {
			n := 0
			for _, x := range b {
				if x > 1 {
					n++
				}
			}
			return n, nil
		}, func(a, b int) int { return a + b })
		fmt.Fprint(out, n)
		return err
	case "fill":
		v.Fill(3)
	case "update":
		for b := range v.Update(index.K) {
			for k := range b {
				b[k] += 2
			}
		}
	case "assign":
		one, err := array.FromSlice([]T{5})
		if err != nil {
			return err
		}
		src, err := one.Array().Broadcast(a.Shape()...)
		if err != nil {
			return err
		}
		return array.Copy(a, src)
	default:
		return fmt.Errorf("bench: unknown operation %q", w.op)
	}
	return nil
}

// drawCold returns the text of a random cold work.
func drawCold(r *rand.Rand) string {
	ops := strings.Fields("sum minmax mean mean std argmax quantile histogram take take values all blocks map reduce " +
		"fill update assign exchange copy copy copy save save save write print clone")
	op := pick(r, ops)
	d := pick(r, reals)
	if slices.Contains([]string{"copy", "save", "write", "print", "clone"}, op) {
		d = pick(r, all)
	}
	size := must(dtype.Parse(d)).ItemSize()
	elements := (64 << 20) * (1 + r.IntN(4)) / size // before the selection
	shape := make([]int, 1+r.IntN(4))
	rest := elements
	for k := range shape {
		n := rest
		if k < len(shape)-1 {
			n = pick(r, []int{2, 3, 8, 1 + r.IntN(64), 1 << r.IntN(21), 1 + r.IntN(5000)})
		}
		shape[k] = max(1, min(n, rest))
		rest /= shape[k]
	}
	if op == "exchange" {
		n := 1 + r.IntN(3)
		side := isqrt(elements / n)
		return fmt.Sprintf("exchange %s %s %d,%d,%d", d, pick(r, []string{"C", "F"}), side, n, side)
	}
	r.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
	text := drawColdSide(r, d, shape)
	switch op {
	case "mean", "std":
		var axes []int
		for k := range shape {
			if r.IntN(2) == 0 {
				axes = append(axes, k)
			}
		}
		if len(axes) > 0 {
			op += ":" + joinInts(axes)
		}
	case "argmax":
		op += ":" + strconv.Itoa(r.IntN(len(shape)))
	case "blocks", "save", "clone", "map":
		op += ":" + pick(r, []string{"C", "F"})
	case "copy":
		text += " to " + pick(r, all) + " " + pick(r, []string{"C", "F"}) + " 1"
	}
	return op + " " + text
}

// drawColdSide returns the text of a side with the given shape and a random selection.
func drawColdSide(r *rand.Rand, d string, shape []int) string {
	if !strings.HasSuffix(d, "1") && r.IntN(4) == 0 {
		d = ">" + d
	}
	text := d + " " + pick(r, []string{"C", "F"}) + " " + joinInts(shape)
	steps := make([]string, len(shape))
	for k, n := range shape {
		steps[k] = ":"
		if r.IntN(2) == 0 {
			continue
		}
		lo := r.IntN(n)
		hi := lo + 1 + r.IntN(n-lo)
		step := pick(r, []int{1, 1, 1, 2, 3, 1 + r.IntN(100), 1 << r.IntN(12)})
		if r.IntN(4) == 0 { // backward
			steps[k] = fmt.Sprintf("::%d", -step)
			continue
		}
		steps[k] = fmt.Sprintf("%d:%d:%d", lo, hi, step)
	}
	text += " [" + strings.Join(steps, ",") + "]"
	// In order F, all arrays of the stack would be on all pages.
	if strings.Contains(text, " C ") && shape[0] > 1 && shape[0] <= 64 && r.IntN(4) == 0 {
		text += " S"
	}
	if axes := r.Perm(len(shape)); r.IntN(3) == 0 {
		text += " T" + joinInts(axes)
	}
	return text
}
