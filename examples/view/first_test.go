package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// A kindOfArray is an array and its first view, as a user of ImageJ, napari, h5web and matplotlib wants it:
//
//	image Y X; SCALE              the axes of the rows and columns
//	lines X [over K]; SCALE       the axis of a line, and the axis with a line for each index
//	lines X of F against G; SCALE fields of records
//	table
//
// SCALE is numbers, integers (with ticks at integers), categories (with a colour and a count for each integer), or
// colours (the elements themselves).
type kindOfArray struct {
	name string
	make string // NumPy expression; i and j are the indices of the rows and columns of 120 × 160 elements
	want string
}

var kindsOfArrays = []kindOfArray{
	// One dimension.
	{"series", "np.sin(np.arange(3000) / 99)", "lines 0; numbers"},
	{"few numbers", "np.array([3.5, 1, 2])", "lines 0; numbers"},
	{"counts", "r.poisson(40, 1000)", "lines 0; integers"},
	{"gate", "np.arange(400) % 90 > 40", "lines 0; integers"},
	{"classes of samples", "r.integers(0, 10, 5000)", "lines 0; integers"},
	{"wave", "np.exp(1j * np.arange(600) / 50)", "lines 0; numbers"},
	{"row vector", "r.normal(size=(1, 5000))", "lines 1; numbers"},
	{"column vector", "r.normal(size=(5000, 1)).astype('f4')", "lines 0; numbers"},
	{"one long axis", "r.normal(size=(1, 1, 300))", "lines 2; numbers"},
	{"one element", "np.array([2.5])", "table"},
	{"scalar", "np.array(2.5)", "table"},
	{"dates", "np.datetime64('2024-01-01') + np.arange(100)", "table"},
	{"strings", "np.array(['a', 'bc'] * 25)", "table"},

	// An axis of up to 8 elements next to an axis of more than 500.
	{"eight channels", "np.cumsum(r.normal(size=(20000, 8)), 0)", "lines 0 over 1; numbers"},
	{"eight sensors", "np.cumsum(r.normal(size=(8, 20000)), 1)", "lines 1 over 0; numbers"},
	{"nine sensors", "r.normal(size=(9, 20000))", "image 0 1; numbers"},
	{"five hundred samples", "r.normal(size=(8, 500))", "image 0 1; numbers"},
	{"pairs", "r.normal(size=(501, 2))", "lines 0 over 1; numbers"},
	{"three counters", "r.integers(0, 900, (3, 10000)).astype('i2')", "lines 1 over 0; integers"},
	{"six gates", "np.arange(6000).reshape(6, 1000) % 77 > 40", "image 0 1; categories"},
	{"two waves", "np.exp(1j * np.arange(6000).reshape(2, 3000) / 50)", "lines 1 over 0; numbers"},
	{"axis of one between", "r.normal(size=(8, 1, 2000))", "lines 2 over 0; numbers"},
	{"trials", "r.normal(size=(40, 5000, 3))", "lines 1 over 2; numbers"},
	{"poses", "r.normal(size=(10000, 4, 4))", "lines 0 over 2; numbers"},
	{"recordings", "r.normal(size=(4, 64, 20000)).astype('f4')", "image 1 2; numbers"},
	{"stereo spectrograms", "r.normal(size=(2, 513, 5000)).astype('f4')", "image 1 2; numbers"},

	// Images.
	{"noise", "r.normal(size=(300, 400))", "image 0 1; numbers"},
	{"NaN at the border", "np.pad(r.normal(3, 2, (100, 140)), 10, constant_values=np.nan)", "image 0 1; numbers"},
	{"NaN around a scan", "np.where((i - 60)**2 + (j - 80)**2 < 900, 5 + r.random((120, 160)), np.nan).astype('f4')",
		"image 0 1; numbers"},
	{"infinities", "np.where((i + j) % 50 == 0, np.inf, r.normal(size=(120, 160)))", "image 0 1; numbers"},
	{"only NaN", "np.full((120, 160), np.nan)", "image 0 1; numbers"},
	{"constant", "np.full((120, 160), 7.25)", "image 0 1; numbers"},
	{"three by three", "r.normal(size=(3, 3))", "image 0 1; numbers"},
	{"Fortran order", "np.asfortranarray(r.normal(size=(300, 200)))", "image 0 1; numbers"},
	{"field of waves", "np.exp(1j * (i + j) / 20)", "image 0 1; numbers"},
	{"stack", "r.normal(size=(31, 60, 70)).astype('f4')", "image 1 2; numbers"},
	{"stacks of channels", "r.normal(size=(3, 5, 40, 50)).astype('f4')", "image 2 3; numbers"},
	{"colours", "r.integers(0, 256, (60, 80, 3)).astype('u1')", "image 0 1; colours"},
	{"colours and opacity", "r.integers(0, 65536, (60, 80, 4)).astype('u2')", "image 0 1; colours"},
	{"colours from 0 to 1", "r.random((60, 80, 3)).astype('f4')", "image 0 1; colours"},
	{"film", "r.integers(0, 256, (10, 60, 80, 3)).astype('u1')", "image 1 2; colours"},
	{"planes of colours", "r.integers(0, 256, (3, 60, 80)).astype('u1')", "image 1 2; colours"},
	{"four planes of colours", "r.integers(0, 256, (4, 60, 80)).astype('u1')", "image 1 2; colours"},
	{"batch of planes", "r.random((8, 3, 60, 80)).astype('f4')", "image 2 3; colours"},
	{"three frames", "r.integers(0, 4096, (3, 60, 80)).astype('u2')", "image 1 2; integers"},
	{"three frames of labels", "r.integers(0, 7, (3, 60, 80)).astype('u1')", "image 1 2; categories"},
	{"four probabilities", "r.random((4, 60, 80)).astype('f4')", "image 1 2; numbers"},
	{"normals", "r.normal(size=(60, 80, 3)).astype('f4')", "image 0 1; numbers"},
	{"five bands", "r.normal(size=(480, 640, 5))", "image 0 1; numbers"},
	{"weights", "r.normal(size=(64, 32, 3, 3)).astype('f4')", "image 0 1; numbers"},

	// Integers.
	{"photo", "r.integers(0, 256, (120, 160)).astype('u1')", "image 0 1; integers"},
	{"dark photo", "r.poisson(15, (120, 160)).astype('u1')", "image 0 1; integers"},
	{"photons", "r.poisson(3, (120, 160))", "image 0 1; integers"},
	{"ramp", "np.tile(np.linspace(0, 255, 640).astype('u1'), (64, 1))", "image 0 1; integers"},
	{"nanoseconds", "1700000000000000000 + np.arange(12000).reshape(100, 120)", "image 0 1; integers"},
	{"three by four", "np.arange(12).reshape(3, 4)", "image 0 1; integers"},
	{"mask", "(i - 60)**2 + (j - 80)**2 < 900", "image 0 1; categories"},
	{"masks", "r.random((10, 50, 100)) > 0.7", "image 1 2; categories"},
	{"mask of bytes", "np.where((i - 60)**2 + (j - 80)**2 < 900, 255, 0).astype('u1')", "image 0 1; categories"},
	{"codes", "np.array([0, 7, 11, -3, 200])[(i + j) % 5].astype('>i2')", "image 0 1; categories"},
	{"thirty classes", "r.integers(0, 30, (120, 160))", "image 0 1; categories"},
	{"three hundred cells", "1 + i // 6 * 20 + j // 8", "image 0 1; categories"},
	{"cells", "np.where((i % 12 < 9) & (j % 16 < 12), 1 + i // 12 * 10 + j // 16, 0).astype('u2')",
		"image 0 1; categories"},

	// Records.
	{"records by date", "records([('t', 'M8[D]'), ('x', 'f4')], t=np.datetime64('1999-12-01') + np.arange(500))",
		"lines 0 of x against t; numbers"},
	{"records by time", "records([('time', '>f8'), ('name', 'S3'), ('n', 'i4')], time=np.arange(500) // 2 / 7)",
		"lines 0 of n against time; integers"},
	{"records in no order", "records([('t', 'f8'), ('x', 'f4')], t=r.random(500))", "table"},
	{"people", "records([('name', 'U8'), ('age', 'u1')], age=np.arange(500) // 4)", "table"},
}

// makeKinds is a Python program that saves the arrays of x[1], pairs of a name and an expression, in the folder x[0].
const makeKinds = `
import os
os.chdir(x[0])
i, j = np.mgrid[0:120, 0:160]
r = np.random.default_rng(63)
def records(fields, **values):
    a = np.zeros(500, fields)
    for name, v in values.items():
        a[name] = v
    return a
for name, made in x[1]:
    np.save(name + ".npy", eval(made))
`

// scaleOf is a Python function that returns the colours of an array a that opens as want: the integers and the number
// of each, or the percentiles 1 and 99 of the finite numbers, relative to base.
const scaleOf = `
def scale(name, want, base):
    a = np.load(name + ".npy")
    if want == "categories":
        return [x.astype("f8").tolist() for x in np.unique(a, return_counts=True)]
    if a.dtype.kind == "c":
        a = np.abs(a)
    a = (a - a.dtype.type(int(base)))[np.isfinite(a)]
    return [np.percentile(a, [1, 99]).tolist() if a.size else []]
out = scale(*x)
`

// TestFirstViews tests which view of each kind of array the server proposes, and the colours of images.
func TestFirstViews(t *testing.T) {
	t.Parallel()
	if len(kindsOfArrays) != 67 {
		t.Errorf("there are %d kinds of arrays, want 67", len(kindsOfArrays))
	}
	numpy := oracle.Start(t)
	dir := t.TempDir()
	var made [][2]string
	for _, k := range kindsOfArrays {
		made = append(made, [2]string{k.name, k.make})
	}
	if err := numpy.Run(makeKinds, []any{dir, made}, nil); err != nil {
		t.Fatal(err)
	}
	s := enter(t, dir)
	for _, k := range kindsOfArrays {
		t.Run(k.name, func(t *testing.T) {
			path := "/api/array/" + s.id(filepath.Base(dir), k.name+".npy")
			var i info
			s.getJSON(&i, path)
			if field := i.First.Field; field != "" {
				i = info{}
				s.getJSON(&i, path+"?field="+field)
				i.First.Field = field
			}
			if got := i.firstView(); got != k.want {
				t.Fatalf("%s, want %s", got, k.want)
			}
			view, what, _ := strings.Cut(k.want, "; ")
			if !strings.HasPrefix(view, "image") || what == "colours" {
				return
			}
			var want, got [][]float64
			if err := numpy.Run(scaleOf, []string{k.name, what, i.Base}, &want); err != nil {
				t.Fatal(err)
			}
			if what == "categories" {
				var v struct{ Values, Counts []float64 }
				s.getJSON(&v, path+"/values?all=1&exact=1")
				got = [][]float64{v.Values, v.Counts}
			} else {
				var r struct{ Lo, Hi *float64 }
				part := map[bool]string{true: "&part=abs"}[i.Kind == "complex"]
				s.getJSON(&r, path+"/range?all=1&exact=1&base="+i.Base+part)
				got = [][]float64{{}}
				if r.Lo != nil {
					got = [][]float64{{*r.Lo, *r.Hi}}
				}
			}
			close := func(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }
			if !slices.EqualFunc(got, want, func(a, b []float64) bool { return slices.EqualFunc(a, b, close) }) {
				t.Errorf("the colours are of %v, want %v", got, want)
			}
		})
	}
}

// firstView returns the first view in the form of a kindOfArray.
func (i info) firstView() string {
	f, scale := i.First, "numbers"
	switch {
	case f.Mode == "table":
		return "table"
	case f.Mode == "image" && i.RGB:
		scale = "colours"
	case f.Mode == "image" && f.Categories:
		scale = "categories"
	case i.Kind == "int" || i.Kind == "uint" || i.Kind == "bool":
		scale = "integers"
	}
	if f.Mode == "image" {
		return fmt.Sprintf("image %d %d; %s", f.Y, f.X, scale)
	}
	view := fmt.Sprintf("lines %d", f.Line)
	for _, k := range slices.Backward(f.Few) {
		if k != f.Line {
			view += fmt.Sprintf(" over %d", k)
			break
		}
	}
	if f.Against != "" {
		view += " of " + f.Field + " against " + f.Against
	}
	return view + "; " + scale
}
