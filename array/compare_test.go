package array

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestCompareLarge compares arrays that are divided into many parts, in the same order and transposed, with one to four
// goroutines.
func TestCompareLarge(t *testing.T) {
	oracle.AnyProcessor(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	a := must(FromBytes(make([]byte, 4*1500*1100), dtype.Float32, index.C, 1500, 1100))
	v := must(As[float32](a))
	goroutines := []int{1, 2, 3, 4}
	if oracle.Race {
		goroutines = goroutines[3:]
	}
	for _, order := range []index.Order{index.C, index.F} {
		b := must(a.Clone(order))
		w := must(As[float32](b))
		for _, n := range goroutines {
			runtime.GOMAXPROCS(n)
			if is, err := Equal(a, b); !is || err != nil {
				t.Fatalf("%v: %v %v", order, is, err)
			}
			at := [][]int{{0, 1099}, {700, 3}, {1499, 0}, {1499, 1099}}
			for k, idx := range at {
				w.SetAt(float32(k)-0.5, idx...)
			}
			if is, err := Equal(a, b); is || err != nil {
				t.Fatalf("%v: %v %v", order, is, err)
			}
			if is, err := AllClose(a, b, 0, 2.5); !is || err != nil {
				t.Fatalf("%v: close %v %v", order, is, err)
			}
			d, err := Comparison{}.Diff(a, b)
			if diff := cmp.Diff(Difference{Count: 4, First: at, MaxAbs: 2.5, MaxRel: 1}, d); diff != "" || err != nil {
				t.Fatalf("%v: %s %v", order, diff, err)
			}
			for _, idx := range at {
				w.SetAt(0, idx...)
			}
		}
		v.Fill(1)
		d, err := Comparison{}.Diff(b, a) // every element differs; First lists the first ones in C order
		if err != nil || d.Count != a.Size() || len(d.First) != mostFirst || !cmp.Equal(d.First[9], []int{0, 9}) {
			t.Fatalf("%v: %+v %v", order, d, err)
		}
		v.Fill(0)
	}
}

// TestCompareProgress tests that Progress is called with increasing numbers of bytes, and that its error stops Diff.
func TestCompareProgress(t *testing.T) {
	a := must(FromSlice(make([]float64, 3<<20))).Array()
	var seen []int64
	stop := errors.New("stop")
	c := Comparison{Progress: func(done, total int64) error {
		seen = append(seen, done)
		if total != 2*int64(a.NBytes()) {
			return fmt.Errorf("total %d", total)
		}
		return nil
	}}
	if is, err := c.Equal(a, a); !is || err != nil {
		t.Error(is, err)
	}
	for k := range seen[1:] {
		if seen[k] > seen[k+1] {
			t.Error(seen)
		}
	}
	if seen[0] != 0 || seen[len(seen)-1] != 2*int64(a.NBytes()) {
		t.Error(seen)
	}
	c.Progress = func(done, _ int64) error {
		if done > 0 {
			return stop
		}
		return nil
	}
	if _, err := c.Diff(a, a); err != stop {
		t.Error(err)
	}
}

// TestAllCloseOverflow tests distances and tolerances that overflow float64, where AllClose agrees with NumPy.
// Even with an infinite tolerance, an infinity is close only to an equal infinity.
func TestAllCloseOverflow(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		a, b       complex128
		rtol, atol float64
		want       bool
	}{
		{1e308, -1e308, 2.5, 0, true},
		{-1e308, 1e308, 0, inf, true},
		{1e308, -1e308, 1, 0, false},
		{1e308, -1e308, 0, math.MaxFloat64, false},
		{1e308 + 1.7e308i, -1e308 - 1.7e308i, 2.5, 0, true},
		{complex(inf, 0), 1, 1, inf, false},
		{1, complex(inf, 0), 1, inf, false},
		{complex(inf, 0), complex(-inf, 0), 1, inf, false},
		{complex(inf, 0), complex(inf, 0), 0, 0, true},
		{1, 2, 0, inf, true},
		{complex(1, inf), complex(2, inf), 1, inf, false},
	} {
		a, b := must(FromSlice([]complex128{tt.a})).Array(), must(FromSlice([]complex128{tt.b})).Array()
		pairs := [][2]Array{{a, b}}
		if imag(tt.a) == 0 && imag(tt.b) == 0 {
			pairs = append(pairs, [2]Array{must(FromSlice([]float64{real(tt.a)})).Array(),
				must(FromSlice([]float64{real(tt.b)})).Array()})
		}
		for _, p := range pairs {
			got, err := AllClose(p[0], p[1], tt.rtol, tt.atol)
			d, derr := Comparison{RTol: tt.rtol, ATol: tt.atol}.Diff(p[0], p[1])
			if got != tt.want || err != nil || (d.Count == 0) != tt.want || derr != nil {
				t.Errorf("%v and %v, rtol %v, atol %v: %v, %v, %d differ, %v", p[0], p[1], tt.rtol, tt.atol, got, err, d.Count,
					derr)
			}
		}
	}
}

// TestCompareTruncated tests that comparing a truncated file under Guard returns an error, for either argument.
func TestCompareTruncated(t *testing.T) {
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	path := filepath.Join(t.TempDir(), "t.npy")
	f := must(Create(path, dtype.Float64, index.C, 4<<20))
	defer f.Close()
	a := must(New(dtype.Float64, index.C, 4<<20))
	defer a.Close()
	if err := os.Truncate(path, 1<<20); err != nil {
		t.Skip(err) // Windows does not truncate mapped files
	}
	for k, pair := range [][2]Array{{f.Array, a.Array}, {a.Array, f.Array}} {
		err := mmap.Guard(func() error { return second(Equal(pair[0], pair[1])) })
		if e, ok := errors.AsType[*mmap.FaultError](err); !ok || e.Path != path {
			t.Errorf("%d: %v", k, err)
		}
	}
}

func TestCompareErrors(t *testing.T) {
	f8, s2 := must(New(dtype.Float64, index.C, 2, 3)), must(New(dtype.Bytes(2), index.C, 2, 3))
	defer f8.Close()
	defer s2.Close()
	wide := must(f8.Select(index.Colon, index.Range(0, 2)))
	for _, tt := range []struct {
		name, want string
		err        error
		is         error
	}{
		{"dtypes", "array: cannot compare elements of these dtypes: have dtype |S2, want " + dtype.Float64.String(),
			second(Equal(f8.Array, s2.Array)), ErrDType},
		{"Diff", "array: shape mismatch: cannot compare shape (2, 2) with (2, 3)", second(Comparison{}.Diff(f8.Array, wide)),
			ErrShape},
		{"AllClose", "array: cannot broadcast (2, 2) to (2, 3): axis 1 has length 2, want 1 or 3",
			second(AllClose(f8.Array, wide, 0, 0)), ErrShape},
		{"a negative tolerance", "array: invalid argument: the tolerance RTol is -1; want 0 or more",
			second(AllClose(f8.Array, f8.Array, -1, 0)), fs.ErrInvalid},
		{"NaN", "array: invalid argument: the tolerance ATol is NaN; want 0 or more",
			second(Comparison{ATol: math.NaN()}.Diff(s2.Array, s2.Array)), fs.ErrInvalid},
		{"NaN, and other shapes", "array: invalid argument: the tolerance RTol is NaN; want 0 or more",
			second(Comparison{RTol: math.NaN()}.Equal(f8.Array, wide)), fs.ErrInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.err == nil || tt.err.Error() != tt.want || !errors.Is(tt.err, tt.is) {
				t.Errorf("%s: %v, want %s", tt.name, tt.err, tt.want)
			}
		})
	}
	if is, err := Equal(f8.Array, wide); is || err != nil {
		t.Error("Equal of different shapes:", is, err)
	}
	if is, err := AllClose(f8.Array, must(f8.Select(index.At(0), index.Range(0, 1))), 0, 0); !is || err != nil {
		t.Error("broadcast", is, err)
	}
	none := must(FromBytes(nil, dtype.Void(0), index.C, math.MaxInt/2))
	if is, err := Equal(none, none); !is || err != nil {
		t.Error("Equal of elements without bytes:", is, err)
	}
}

// TestCompareValues tests integers that float64 cannot tell apart, signed zeros, NaN, infinities and bools.
func TestCompareValues(t *testing.T) {
	i := must(FromSlice([]int64{1 << 62, -1})).Array()
	u := must(FromSlice([]uint64{1<<62 + 1, math.MaxUint64})).Array()
	d := must(Comparison{}.Diff(i, u))
	if want := (Difference{Count: 2, First: [][]int{{0}, {1}}, MaxAbs: 1 << 64, MaxRel: 1}); !cmp.Equal(d, want) {
		t.Errorf("%+v, want %+v", d, want)
	}
	x := must(FromSlice([]float64{0, math.NaN(), math.Inf(1)})).Array()
	y := must(FromSlice([]float64{math.Copysign(0, -1), math.NaN(), math.Inf(1)})).Array()
	if is := must(Equal(x, y)); is {
		t.Error("NaN equals NaN")
	}
	if is := must(Comparison{EqualNaN: true}.Equal(x, y)); !is {
		t.Error("EqualNaN: the arrays differ")
	}
	if is := must(Comparison{EqualNaN: true, RTol: math.Inf(1)}.Equal(x,
		must(x.Select(index.MustParse("::-1")...)))); is {
		t.Error("infinity is close to 0")
	}
	for _, s := range []string{"|b1", "[('s', '<i2'), ('y', '|b1', (3,))]"} { // every byte except 0 is true
		d := dtype.MustParse(s)
		mem := make([]byte, 2*d.ItemSize())
		mem[d.ItemSize()-1], mem[2*d.ItemSize()-1] = 1, 3
		a := must(FromBytes(mem, d, index.C, 2))
		diff, err := Comparison{}.Diff(a.Index(0), a.Index(1))
		if !must(Equal(a.Index(0), a.Index(1))) || diff.Count != 0 || err != nil {
			t.Errorf("two true values of %s differ: %+v, %v", s, diff, err)
		}
		mem[d.ItemSize()-1] = 0
		if diff := must(Comparison{}.Diff(a.Index(0), a.Index(1))); must(Equal(a.Index(0), a.Index(1))) ||
			diff.Count != 1 {
			t.Errorf("false and true of %s are equal: %+v", s, diff)
		}
	}
}
