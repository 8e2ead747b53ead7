package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A result holds the times of a work.
type result struct {
	text, class   string
	numpy, ndmap  float64 // seconds
	first, second float64 // numpy ÷ ndmap in the first and the second timing; 0 without a second timing
}

// ratio returns numpy ÷ ndmap for the timing with the most rounds.
func (r *result) ratio() float64 { return cmp.Or(r.second, r.first) }

// isBelow reports whether the ratios of all timings are below the limit.
func (r *result) isBelow(limit float64) bool { return r.first < limit && r.ratio() < limit }

// runRandom times the fixed works that match, n matching random works, n matching random reductions, and n/2 matching
// random saves. If named
// contains works, it times only these. It times works that are slower than in NumPy again, with more rounds. If svg
// is not empty, runRandom writes a plot of the random works to that path.
func runRandom(dir string, py *numpy, n int, seed uint64, rounds int, match *regexp.Regexp, named []string, svg,
	title string) error {
	texts := named
	if len(named) == 0 {
		if texts = slices.DeleteFunc(fixed, func(text string) bool { return !match.MatchString(text) }); seed == 0 {
			seed = uint64(rand.Uint32())
		}
		fmt.Printf("%d works of -seed %d, and as many reductions\n\n", n, seed)
	}
	results, err := timeWorks(dir, py, texts, rounds)
	if err != nil {
		return err
	}
	printTable("named", results)
	if len(named) > 0 {
		return nil
	}
	var drawn [len(kinds)][]result
	for stream, texts := range drawWorks(n, seed, match) {
		if results, err = timeWorks(dir, py, texts, rounds); err != nil {
			return err
		}
		slices.SortStableFunc(results, func(a, b result) int { return cmp.Compare(a.ratio(), b.ratio()) })
		drawn[stream] = results
		if len(results) > 0 {
			printTable([]string{"slowest of the drawn", "slowest of the reductions"}[stream], results[:min(20, len(results))])
			printCounts(results)
			fmt.Println()
		}
	}
	if results, err = timeWorks(dir, py, drawSaves(n/2, seed, match), rounds); err != nil {
		return err
	}
	slices.SortStableFunc(results, func(a, b result) int { return cmp.Compare(a.ratio(), b.ratio()) })
	printTable("slowest of the saves", results[:min(20, len(results))])
	printCounts(results)
	if svg != "" {
		return writePicture(svg, fmt.Sprintf("%d random works each, seed %d: %s", n, seed, title), drawn)
	}
	return nil
}

// kinds lists the titles of the two streams of random works.
var kinds = [...]string{"copies, fills and whole reductions", "reductions along axes"}

// timeWorks times works. It times works that are slower than in NumPy a second time.
func timeWorks(dir string, py *numpy, texts []string, rounds int) (results []result, err error) {
	for _, text := range texts {
		r, err := timeWork(dir, py, text, rounds)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	for k := range results {
		if r := &results[k]; r.first < 1 {
			again, err := timeWork(dir, py, r.text, 3*rounds)
			if err != nil {
				return nil, err
			}
			r.second, r.numpy, r.ndmap = again.first, again.numpy, again.ndmap
		}
	}
	return results, nil
}

func printTable(title string, results []result) {
	fmt.Printf("| %s | ndmap | NumPy | ratio | timed again |\n|---|---|---|---|---|\n", title)
	for _, r := range results {
		again := ""
		if r.second > 0 {
			again = fmt.Sprintf("%.2f ×", r.second)
		}
		fmt.Printf("| %s | %s | %s | %.2f × | %s |\n", r.text, formatTime(r.ndmap, 0), formatTime(r.numpy, 0), r.first, again)
	}
	fmt.Println()
}

// printCounts prints the number of results that are slower than in NumPy, for each class and for all works.
func printCounts(results []result) {
	classes := map[string][]result{}
	for _, r := range results {
		classes[r.class] = append(classes[r.class], r)
		classes["all"] = append(classes["all"], r)
	}
	fmt.Println("| class | works | below 0.95 in both timings | below 0.8 | median |\n|---|---|---|---|---|")
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		var below95, below80 int
		var ratios []float64
		for _, r := range classes[name] {
			ratios = append(ratios, r.ratio())
			if r.isBelow(0.95) {
				below95++
			}
			if r.isBelow(0.8) {
				below80++
			}
		}
		fmt.Printf("| %s | %d | %d | %d | %.2f × |\n", name, len(ratios), below95, below80, median(ratios))
	}
}

// timeWork runs a work in NumPy and in ndmap, compares the results, and times both alternately. They read the same file
// and write to separate memory.
func timeWork(dir string, py *numpy, text string, rounds int) (r result, err error) {
	op, src, dst, err := parse(text)
	if err != nil {
		return r, err
	}
	var a, o array.Array // source and destination, with the same names as in Python
	var file *array.File
	if src.dtype != "" {
		arguments, part := src.python()
		py.run(1, "a = source"+arguments+part, "")
		f := must(array.Open(pathIn(dir, "a.npy"), mmap.ReadOnly))
		defer f.Close()
		a = src.part(f.Array)
	}
	if dst.dtype != "" && op != "save" {
		if dst.shape == nil {
			dst.shape = a.Shape()
		}
		arguments, part := dst.python()
		py.run(1, "w = destination"+arguments+"; o = w"+part, "")
		file = dst.make()
		defer file.Close()
		o = dst.part(file.Array)
	}
	defer py.run(1, "a = o = w = None", "")

	var python, made string
	var work func() [2]float64
	var reduced *array.File
	switch op {
	default: // a reduction
		r, _ := parseReduction(op)
		function, axes := pythonReduction(r)
		python, made = fmt.Sprintf("np.%s(a, axis=%s)", function, axes), fmt.Sprintf("exact(np.%s, a, %s)", function, axes)
		work, reduced = newReduction(r, a)
		defer reduced.Close()
	case "copy":
		python, made = "np.copyto(o, a, casting='unsafe')", "w"
		work = func() (none [2]float64) { must(0, array.Copy(o, a)); return none }
	case "save": // to a new file in the page cache
		python = fmt.Sprintf("np.save('saved.npy', np.asarray(a, '%s', '%s'))", dst.dtype, dst.order)
		made = "np.load('saved.npy')"
		d, cfg := must(dtype.Parse(dst.dtype)), array.SaveConfig{Replace: true, NoSync: true}
		work = func() (none [2]float64) { check(cfg.Convert(pathIn(dir, "s.npy"), a, d, dst.order)); return none }
	case "fill":
		python, made = "o.fill(1)", "w"
		work = fills[native(dst.dtype)](o)
	case "sum":
		python, made = "a.sum()", "np.array([total(a), 0], 'f8')"
		work = sums[native(src.dtype)](a)
	case "minmax":
		python, made = "a.min(); a.max()", "np.array([a.min(), a.max()], 'f8')"
		work = extremes[native(src.dtype)](a)
	}
	py.run(1, "", python)
	py.run(1, "np.save('o.npy', "+made+")", "")
	want := must(array.Open(pathIn(dir, "o.npy"), mmap.ReadOnly))
	defer want.Close()
	numbers := work()
	got := must(array.FromSlice(numbers[:])).Array()
	if file != nil {
		got = file.Array
	}
	same := false
	if op == "save" {
		same = bytes.Equal(must(os.ReadFile(pathIn(dir, "s.npy"))), must(os.ReadFile(pathIn(dir, "saved.npy"))))
	} else if reduced != nil {
		same = agree(reduced.Array, want.Array)
	} else {
		same = bytes.Equal(memory(got), memory(want.Array))
	}
	if !same {
		return r, fmt.Errorf("bench: %s: ndmap and NumPy do not agree", text)
	}
	medians := timeAlternately(map[string]func(times int) float64{
		"ndmap": func(times int) float64 { return averageTime(times, func() { work() }) },
		"numpy": func(times int) float64 { return py.run(times, "", python) },
	}, rounds)
	r = result{text: text, class: class(op, o, a), numpy: medians["numpy"], ndmap: medians["ndmap"]}
	r.first = r.numpy / r.ndmap
	return r, nil
}

// memory returns the bytes of a contiguous array.
func memory(a array.Array) []byte {
	if !a.Contiguous(index.C) {
		a = a.T()
	}
	return must(must(array.As[byte](must(must(a.Ravel()).Reinterpret(dtype.Uint8)))).Data())
}

// class returns the class of a work: its operation and, for copies, whether elements are converted and whether the
// order of the axes in memory changes.
func class(op string, o, a array.Array) string {
	if op, _, ok := strings.Cut(op, "@"); ok {
		return strings.TrimPrefix(op, "nan")
	}
	if op != "copy" {
		return op
	}
	switch d, s := o.DType(), a.DType(); {
	case d.Equal(s):
	case d.WithByteOrder(dtype.Native).Equal(s.WithByteOrder(dtype.Native)):
		op = "copy, swapped"
	default:
		op = "copy, converted"
	}
	d, s := o.Strides(), a.Strides()
	for j := range d {
		for k := range j {
			if o.Len(j) > 1 && o.Len(k) > 1 && (abs(d[j]) < abs(d[k])) != (abs(s[j]) < abs(s[k])) {
				return op + ", transposed"
			}
		}
	}
	return op
}

func abs(i int) int { return max(i, -i) }

func native(d string) string { return strings.TrimLeft(d, "<>") }

// The operations on elements of each type.
var (
	fills = map[string]operation{
		"b1": fill(true), "f2": fill(dtype.HalfFrom32(1)), "f4": fill(float32(1)), "f8": fill(1.0),
		"i1": fill(int8(1)), "i2": fill(int16(1)), "i4": fill(int32(1)), "i8": fill(int64(1)),
		"u1": fill(uint8(1)), "u2": fill(uint16(1)), "u4": fill(uint32(1)), "u8": fill(uint64(1)),
		"c8": fill(complex64(1)), "c16": fill(complex128(1)),
	}
	sums = map[string]operation{
		"i1": sum[int8], "i2": sum[int16], "i4": sum[int32], "i8": sum[int64],
		"u1": sum[uint8], "u2": sum[uint16], "u4": sum[uint32], "u8": sum[uint64],
		"f4": sum[float32], "f8": sum[float64],
	}
	extremes = map[string]operation{
		"i1": minMax[int8], "i2": minMax[int16], "i4": minMax[int32], "i8": minMax[int64],
		"u1": minMax[uint8], "u2": minMax[uint16], "u4": minMax[uint32], "u8": minMax[uint64],
		"f4": minMax[float32], "f8": minMax[float64],
	}
)

// An operation returns a function that performs an operation on a. The function returns up to two numbers as its
// result.
type operation func(a array.Array) func() [2]float64

func fill[T any](x T) operation {
	return func(a array.Array) func() [2]float64 {
		v := must(array.As[T](a))
		return func() (none [2]float64) { v.Fill(x); return none }
	}
}

// number is the set of Go's real number types.
type number interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// sum adds integers as int64 and floats as float64, and converts the sum to T. The function total in driver.py does the
// same.
func sum[T number](a array.Array) func() [2]float64 {
	v := must(array.As[T](a))
	return func() [2]float64 {
		if T(1)/2 != 0 {
			return [2]float64{float64(T(array.Sum[float64](v)))}
		}
		return [2]float64{float64(T(array.Sum[int64](v)))}
	}
}

func minMax[T number](a array.Array) func() [2]float64 {
	v := must(array.As[T](a))
	return func() [2]float64 {
		lo, hi := array.MinMax(v)
		return [2]float64{float64(lo), float64(hi)}
	}
}
