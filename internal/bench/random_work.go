package main

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// fixed lists works on ten elements, and works that used to be slower than in NumPy.
var fixed = []string{
	"copy f8 C 10 to f8 C",
	"copy i4 C 10 to f8 C",
	"fill f8 C 10",
	"sum f8 C 10",
	"minmax f8 C 10",

	"copy i1 F 2,3,256,8 to u2 C",
	"copy f8 C 3,155344,3,3 T2,3,1,0 to u4 C",
	"copy f2 F 1024,4096 to f8 F",
	"copy f2 F 1024,4096 to f8 C",
	"copy i4 F 16,16384,2,8 to b1 C",
	"copy f4 C 341,16,3 T2,1,0 to i1 C",
	"copy i1 C 16,128,8 T2,0,1 to i2 C",
	"copy b1 C 16384 to i2 C",
	"copy b1 C 4194304 to i2 C",
	"copy f4 C 16384 to b1 C",
	"copy f4 C 16384 to u4 C",
	"copy i1 F 256,128 [::2,:] to i1 C",
	"copy i8 F 256,128 [::2,:] to i1 C",
	"copy >u8 C 128,128 T1,0 to u8 C",
	"copy u1 F 524288,8 to u1 C",
	"copy u2 C 2048,2048 to u4 F",
	"sum i1 C 2048,4096 [:,::2]",
	"sum i1 C 8192,4 [:,::2]",
	"sum u2 C 1048576,8 [:,:4]",
	"sum u2 C 8192,3 [:,:2]",
	"copy u1 C 16384 to u1 C 32768 [::2]",
	"copy f4 C 780,21 [::-1,:] to i1 C",
	"copy c8 C 64,256 to b1 C 192,256 [::3,:]",
	"copy u1 C 5,24,32,16 [:,:,::2,::2] to i8 C 5,8,32,24 [:,:,::2,:] T0,3,2,1",
	"copy u8 C 15,8,44,3 to b1 F 45,8,44,3 [::3,:,:,:]",
	"copy >f4 F 16,2,512,2 [::-2,:,:,:] to >f4 C 24,2,512,2 [::3,:,:,:]",
	"copy b1 F 8,16,24,4096 [:,:,::3,:] to b1 F 8,24,4096,16 [:,::3,:,::-1] T1,3,0,2",
	"copy u1 F 4194304 to u1 C 12582912 [::3]",
	"copy f8 C 16384 to i8 C 16384",
	"copy i1 F 31,132,4 [::-1,:,:] to c16 F 62,4,264 [::2,:,::2] T0,2,1",
	"copy f4 C 24,2048 [::3,::-1] to i8 C 8,4096 [::-1,::2]",
	"copy c16 F 16384 to i4 C 32768 [::-2]",
	"copy u2 C 2048,8 T1,0 to i8 C 8,2048",
	"copy f8 C 69888 to i4 C 69888",
	"copy >c8 F 2,1024,8 [:,::-1,:] to c8 C 2,1024,8",
	"copy >f8 C 8192,2 to >f8 F 8192,2",
	"copy >i4 C 4,16,8,59 [::-2,:,:,:] to >i4 F 2,16,8,59 [:,:,::-1,:]",
	"copy u1 C 2048,3,170,8 to u1 F 2048,3,170,8",
	"copy b1 F 16384,128,2 T2,1,0 to b1 F 2,128,16384",
	"copy f2 C 16384,8,2,16 [:,:,:,::-1] to f2 C 16384,8,2,16 [:,::-1,:,:]",
	"copy i2 C 8,22,2978,8 to f4 F 2978,8,44,8 [::-1,:,::2,:] T1,2,0,3",
	"copy c16 F 19418,27,8 to c16 C 8,19418,27 T1,2,0",
	"fill f8 F 49152 [::3]",
	"sum i8 C 16384",
	"minmax i8 C 16384",
}

// A side describes the source or the destination of a work.
type side struct {
	dtype           string
	order           index.Order
	shape           []int
	stacked         bool
	selection, axes string // a selection and the axes of a transpose in Python's syntax, or ""
	wide            []int  // the shape to broadcast to, or nil
}

// parse parses the text of a work:
//
//	copy >f8 F 6,100,3 [::2,:,::-1] T2,0,1 to u4 C
//	fill i2 C 1000,8 [:,::2]
//	sum u2 C 4096,4
//	minmax f4 F 128,128
//	nanmean@0,2 f4 C 128,128 B3,128,128
//	save >f8 F 1000,100 to f4 C
//
// An array consists of a dtype (native if it has no byte order), an order and a shape. A selection from the array, axes
// for a transpose of the selection, and a shape to broadcast to may follow. A destination may omit the shape; then its
// shape is nil and denotes the shape of the copied elements.
func parse(text string) (op string, src, dst side, err error) {
	op, arrays, _ := strings.Cut(text, " ")
	before, after, both := strings.Cut(arrays, " to ")
	_, ok := parseReduction(op)
	if !ok && !slices.Contains([]string{"copy", "fill", "sum", "minmax", "save"}, op) ||
		both != (op == "copy" || op == "save") {
		return op, src, dst, fmt.Errorf("bench: unknown workload %q", text)
	}
	if op == "fill" {
		before, after = "", before
	}
	if before != "" {
		src, err = parseSide(before)
	}
	if after != "" && err == nil {
		dst, err = parseSide(after)
	}
	return op, src, dst, err
}

// parseSide parses the text of an array.
func parseSide(text string) (s side, err error) {
	words := strings.Fields(text)
	if len(words) < 2 || words[1] != "C" && words[1] != "F" {
		return s, fmt.Errorf("bench: %q is not an array; want one like '>u2 F 8,3'", text)
	}
	s.dtype, s.order = words[0], index.C
	if words[1] == "F" {
		s.order = index.F
	}
	for _, word := range words[2:] {
		switch word[0] {
		case '[':
			s.selection = word
		case 'T':
			s.axes = word[1:]
		case 'S':
			s.stacked = true
		case 'B':
			if s.wide, err = ints(word[1:]); err != nil {
				return s, err
			}
		default:
			if s.shape, err = ints(word); err != nil {
				return s, err
			}
		}
	}
	_, err = dtype.Parse(s.dtype)
	return s, err
}

func ints(text string) (n []int, err error) {
	for word := range strings.SplitSeq(text, ",") {
		i, err := strconv.Atoi(word)
		if err != nil {
			return nil, err
		}
		n = append(n, i)
	}
	return n, nil
}

// python returns the arguments of a function of driver.py that creates the array, and Python code that selects,
// transposes and broadcasts it.
func (s side) python() (arguments, part string) {
	if part = s.selection; s.axes != "" {
		part += ".transpose(" + s.axes + ")"
	}
	if s.wide != nil {
		part += "; a = np.broadcast_to(a, (" + joinInts(s.wide) + "))"
	}
	return fmt.Sprintf("('%s', '%s', (%s,))", s.dtype, s.order, joinInts(s.shape)), part
}

// make creates the array in memory with huge pages, as NumPy does.
func (s side) make() *array.File {
	f := must(array.New(must(dtype.Parse(s.dtype)), s.order, s.shape...))
	f.Map().Advise(0, f.Map().Len(), mmap.HugePage)
	return f
}

// part selects, transposes and broadcasts a as described by s.
func (s side) part(a array.Array) array.Array {
	a = must(a.Select(must(index.Parse(s.selection))...))
	if s.axes != "" {
		a = must(a.Transpose(must(ints(s.axes))...))
	}
	if s.wide != nil {
		a = must(a.Broadcast(s.wide...))
	}
	return a
}

// joinInts returns the numbers separated by commas.
func joinInts(n []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(n), "[]"), " ", ",")
}

var (
	reals = strings.Fields("i1 i2 i4 i8 u1 u2 u4 u8 f4 f8")
	all   = append(strings.Fields("b1 f2 c8 c16"), reals...)
)

// drawWork returns the text of a random work.
func drawWork(r *rand.Rand) string {
	shape := drawShape(r, 16<<10<<(8*r.IntN(2)))
	d := pick(r, all)
	switch r.IntN(10) {
	case 0:
		return "fill " + drawSide(r, d, shape)
	case 1:
		return "sum " + drawSide(r, pick(r, reals), shape)
	case 2:
		return "minmax " + drawSide(r, pick(r, reals), shape)
	case 3, 4: // use the same dtype for both sides
		return "copy " + drawSide(r, d, shape) + " to " + drawSide(r, d, shape)
	}
	return "copy " + drawSide(r, d, shape) + " to " + drawSide(r, pick(r, all), shape)
}

// drawSave returns the text of a random save: of a large array that may have another order or dtype than the new file.
// For a small file, the system calls that make Save atomic take most of the time.
func drawSave(r *rand.Rand) string {
	d, shape := pick(r, all), drawShape(r, 4<<20)
	to := pick(r, []string{d, pick(r, all)})
	return "save " + drawSide(r, d, shape) + " to " + to + " " + pick(r, []string{"C", "F"})
}

// drawShape returns a shape of up to four axes, some of them short, with about the given number of elements.
func drawShape(r *rand.Rand, elements int) []int {
	shape := make([]int, 1+r.IntN(4))
	for k := range shape {
		n := elements
		if k < len(shape)-1 {
			n = pick(r, []int{2, 3, 8, 1 + r.IntN(64), 1 << r.IntN(bits.Len(uint(elements)))})
		}
		shape[k] = min(n, elements)
		elements /= shape[k]
	}
	r.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
	return shape
}

// drawSide returns the text of an array with a selection and a transpose whose result has the given shape.
func drawSide(r *rand.Rand, d string, shape []int) string {
	if !strings.HasSuffix(d, "1") && r.IntN(3) == 0 {
		d = map[dtype.ByteOrder]string{dtype.LittleEndian: ">", dtype.BigEndian: "<"}[dtype.Native] + d
	}
	axes := make([]int, len(shape))
	for k := range axes {
		axes[k] = k
	}
	if r.IntN(3) == 0 {
		axes = r.Perm(len(shape))
	}
	base, steps, room := make([]int, len(shape)), make([]string, len(shape)), 4
	for k, n := range shape {
		step := 1
		if r.IntN(4) == 0 {
			step = pick(r, []int{-1, 2, -2, 3})
		}
		if size := max(step, -step); size <= room {
			room /= size
			n *= size
		} else {
			step = 1
		}
		base[axes[k]] = n
		steps[axes[k]] = strings.Replace("::"+strconv.Itoa(step), "::1", ":", 1)
	}
	text := d + " " + pick(r, []string{"C", "F"}) + " " + joinInts(base)
	if strings.Trim(strings.Join(steps, ""), ":") != "" {
		text += " [" + strings.Join(steps, ",") + "]"
	}
	if !slices.IsSorted(axes) {
		text += " T" + joinInts(axes)
	}
	return text
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }
