package main

import (
	"math"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestPlotASCII tests the characters of a plot in a locale without UTF-8.
func TestPlotASCII(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("LC_ALL", "C")
	if stdout, stderr, _ := runTool("new", "-dtype", "i4", "-shape", "40", "a.npy"); stdout+stderr != "" {
		t.Fatal(stdout, stderr)
	}
	runTool("set", "-select", "20:", "a.npy", "7")
	stdout, stderr, status := runTool("plot", "a.npy")
	if stderr != "" || status != 0 {
		t.Fatal(stderr, status)
	}
	lines := strings.Split(stdout, "\n")
	blank := strings.Repeat(" ", 38)
	for k, want := range []string{"7 +" + blank + ":" + strings.Repeat("'", 37), "  |" + blank + ":"} {
		if lines[k] != want {
			t.Errorf("line %d is %q, want %q", k, lines[k], want)
		}
	}
	if want := "0 +" + strings.Repeat(".", 36) + ":"; lines[plotRows-1] != want {
		t.Errorf("the last row is %q, want %q", lines[plotRows-1], want)
	}
	if want := "  +" + strings.Repeat("-", 76); lines[plotRows] != want {
		t.Errorf("the axis is %q, want %q", lines[plotRows], want)
	}
	if want := "   0" + strings.Repeat(" ", 73) + "39"; lines[plotRows+1] != want {
		t.Errorf("the labels are %q, want %q", lines[plotRows+1], want)
	}
}

// isLit reports whether a dot of c is drawn. Row 0 is the lowest one.
func isLit(c *canvas, x, y int) bool {
	y = c.height*c.rows - 1 - y
	return c.cells[y/c.rows*c.width+x/c.columns]&c.bit(x%c.columns, y%c.rows) != 0
}

// TestPlotDraws tests on random elements that every finite element has its dot, that lines are drawn between neighbours
// without gaps, and that NaN and infinite elements are counted.
func TestPlotDraws(t *testing.T) {
	t.Chdir(t.TempDir())
	r := oracle.Rand(t, 0)
	for range 200 {
		n := 1 + r.IntN(300)
		s := make([]float64, n)
		finite, nan, inf := 0, 0, 0
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range s {
			switch s[i] = math.Round(100 * r.NormFloat64()); r.IntN(20) {
			case 0:
				s[i] = math.NaN()
				nan++
				continue
			case 1:
				s[i] = math.Inf(1 - 2*r.IntN(2))
				inf++
				continue
			}
			finite++
			lo, hi = min(lo, s[i]), max(hi, s[i])
		}
		a, err := array.FromSlice(s)
		check(t, err)
		m := 1 + r.IntN(n)
		buckets, err := bucketsOf[float64](new(env), a.Array(), m)
		check(t, err)
		var all bucket[float64]
		for k, b := range buckets {
			part := s[start(k, m, n):start(k+1, m, n)]
			if same := func(e element[float64], x float64) bool {
				return e.isDrawn == (x-x == 0) && (!e.isDrawn || e.x == x)
			}; !same(b.first, part[0]) || !same(b.last, part[len(part)-1]) || b.n+b.nan+b.inf != len(part) {
				t.Fatalf("bucket %d of %v: %+v", k, part, b)
			}
			all = all.merge(b)
		}
		if all.n != finite || all.nan != nan || all.inf != inf || finite > 0 && (all.lo != lo || all.hi != hi) {
			t.Fatalf("%v: %+v", s, all)
		}
		if finite == 0 {
			continue
		}
		c := newCanvas([]*glyphs{asciiGlyphs, brailleGlyphs}[r.IntN(2)], 8+r.IntN(60), 1+r.IntN(20))
		draw(c, buckets, lo, hi)
		top, right := c.height*c.rows-1, c.width*c.columns-1
		row := func(x float64) int {
			if lo == hi {
				return top / 2
			}
			return int(math.Round((x - lo) / (hi - lo) * float64(top)))
		}
		for k := range m {
			x := position(k, m, right)
			for _, v := range s[start(k, m, n):start(k+1, m, n)] {
				if v-v == 0 && !isLit(c, x, row(v)) {
					t.Fatalf("%v in bucket %d of %d has no dot at (%d, %d)", v, k, m, x, row(v))
				}
			}
			if k == 0 || !buckets[k].first.isDrawn || !buckets[k-1].last.isDrawn {
				continue
			}
			for x := position(k-1, m, right); x < position(k, m, right); x++ {
				touches := false
				for y := range top + 1 {
					touches = touches || isLit(c, x, y) && (isLit(c, x+1, y) || isLit(c, x+1, max(y-1, 0)) ||
						isLit(c, x+1, min(y+1, top)))
				}
				if !touches {
					t.Fatalf("the line has a gap after column %d", x)
				}
			}
		}
	}
}

// TestPlotGap tests that nothing is drawn where elements are NaN.
func TestPlotGap(t *testing.T) {
	s := []float64{1, 2, math.NaN(), math.NaN(), 2, 1}
	a, err := array.FromSlice(s)
	check(t, err)
	buckets, err := bucketsOf[float64](new(env), a.Array(), len(s))
	check(t, err)
	c := newCanvas(brailleGlyphs, 11, 2) // 22 columns of dots
	draw(c, buckets, 1, 2)
	for x := range 22 {
		lit := false
		for y := range 8 {
			lit = lit || isLit(c, x, y)
		}
		if want := x <= position(1, 6, 21) || x >= position(4, 6, 21); lit != want {
			t.Errorf("column %d: %v, want %v", x, lit, want)
		}
	}
}

// TestPlotIntegers tests that integers and times of 64 bits are compared and placed exactly.
func TestPlotIntegers(t *testing.T) {
	const least = math.MinInt64
	for _, x := range []int64{least, least + 1, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64} {
		if !isDrawn(x, false) || isDrawn(x, true) != (x != least) {
			t.Errorf("isDrawn(%d) is wrong", x)
		}
	}
	if !isDrawn[uint64](1<<63, false) || !isDrawn[uint64](math.MaxUint64, false) {
		t.Error("a uint64 is not drawn")
	}
	b := bucketOf([]int64{least, 1<<53 + 1, 1 << 53, math.MaxInt64}, true)
	if b.n != 3 || b.nan != 1 || b.lo != 1<<53 || b.hi != math.MaxInt64 {
		t.Errorf("%+v", b)
	}
	if got := fraction[int64](0, least, math.MaxInt64); got != 0.5 {
		t.Errorf("0 is at %v of all int64", got)
	}
	if got := fraction[uint64](1<<63, 0, math.MaxUint64); got != 0.5 {
		t.Errorf("1<<63 is at %v of all uint64", got)
	}
	if got := fraction(0, -math.MaxFloat64, math.MaxFloat64); got != 0.5 {
		t.Errorf("0 is at %v of all floats", got)
	}
	for _, n := range []int{1, 7, 160, 1 << 30, math.MaxInt} {
		if start(0, 7, n) != 0 || start(7, 7, n) != n {
			t.Errorf("7 parts of %d are from %d to %d", n, start(0, 7, n), start(7, 7, n))
		}
	}
}

// TestPlotDTypes tests that elements of any dtype of numbers are drawn alike.
func TestPlotDTypes(t *testing.T) {
	t.Chdir(t.TempDir())
	a, err := array.FromSlice([]float64{0, 1, 3, 2, 7, 7, 0, 5})
	check(t, err)
	for _, dtypes := range []string{"i1 >i2 i4 >i8 u1 u2 >u4 u8", "f8 f2 >f4 bfloat16 float8_e4m3fn float8_e5m2"} {
		want := ""
		for k, name := range strings.Fields(dtypes) {
			d, err := dtype.Parse(name)
			check(t, err)
			check(t, array.SaveConfig{Replace: true}.Convert("a.npy", a.Array(), d, index.C))
			stdout, stderr, status := runTool("plot", "-as", name, "a.npy")
			if status != 0 || stderr != "" {
				t.Fatal(name, stderr)
			}
			if k == 0 {
				want = stdout
			}
			if stdout != want {
				t.Errorf("%s:\n%s\nwant\n%s", name, stdout, want)
			}
		}
	}
}
