package main

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/render"
)

// parts returns the real and the imaginary part of an element. A nil part means NaN.
func parts(d dtype.DType, b []byte) [2]*big.Float {
	real := func(x float64) *big.Float {
		if x != x {
			return nil
		}
		return big.NewFloat(x)
	}
	switch d.Kind() {
	case dtype.KindBool, dtype.KindUint:
		return [2]*big.Float{new(big.Float).SetUint64(render.Uint(d, b)), new(big.Float)}
	case dtype.KindInt, dtype.KindTimedelta:
		return [2]*big.Float{new(big.Float).SetInt64(render.Int(d, b)), new(big.Float)}
	case dtype.KindComplex:
		re, im := render.Complex(d, b)
		return [2]*big.Float{real(re), real(im)}
	}
	return [2]*big.Float{real(render.Real(d, b)), new(big.Float)}
}

// fitsSlow reports whether the element a of dtype from became the same value b of dtype d, except for rounding to a
// float.
func fitsSlow(from dtype.DType, a []byte, d dtype.DType, b []byte) bool {
	before, after := parts(from, a), parts(d, b)
	isFloat := d.Kind() != dtype.KindBool && d.Kind() != dtype.KindInt && d.Kind() != dtype.KindUint &&
		d.Kind() != dtype.KindTimedelta
	for k := range before {
		x, y := before[k], after[k]
		isReal := k == 1 && d.Kind() != dtype.KindComplex
		switch {
		case x == nil && y == nil:
		case x == nil && isTime(d) && k == 0: // NaT
		case x == nil || y == nil:
			return false
		case x.Cmp(y) == 0:
		case !isFloat || isReal || y.IsInf() || x.IsInf():
			return false
		}
	}
	return true
}

// TestMisfits tests that misfits counts exactly the elements that conversion changes.
func TestMisfits(t *testing.T) {
	inf := math.Inf(1)
	values := []float64{0, math.Copysign(0, -1), 1, -1, 2, 0.5, -0.5, 1.5, 127, 128, -128, -129, 255, 256, 32767, 32768,
		-32769, 65535, 65536,
		1<<31 - 1, 1 << 31, -1 << 31, -1<<31 - 1, 1<<32 - 1, 1 << 32, 1 << 53, 1<<53 + 2, 1<<63 - 1024, 1 << 63, -1 << 63,
		-1<<63 - 2048,
		1<<64 - 2048, 1 << 64, math.NaN(), inf, -inf, 448, 463, 464, 465, 480, 57344, 61439, 61440, 65504, 65519.9, 65520,
		1e-50, 1e300,
		math.MaxFloat32, math.Nextafter(0x1.ffffffp127, 0), 0x1.ffffffp127, 0x1.fefffffp127, 0x1.ffp127, math.MaxFloat64,
		5e-324}
	v, err := array.FromSlice(values, len(values))
	check(t, err)
	halves, err := array.FromSlice(values[len(values)/2:], len(values)-len(values)/2)
	check(t, err)
	dtypes := strings.Fields("|b1 |i1 |u1 <i2 >u2 <i4 >u4 >i8 <u8 <f2 >f4 <f8 <c8 >c16 bfloat16 float8_e4m3fn float8_e5m2 <m8[s]")
	for _, name := range dtypes {
		from := dtype.MustParse(name)
		f, err := array.New(from, index.C, len(values)+2)
		check(t, err)
		defer f.Close()
		part, err := f.Array.Select(index.Range(0, len(values)))
		check(t, err)
		check(t, array.Copy(part, v.Array()))
		if from.Kind() == dtype.KindUint || from.Kind() == dtype.KindInt || isTime(from) { // all 64 bits
			last, err := array.FromSlice([]uint64{math.MaxUint64, math.MaxUint64/2 - 1}, 2)
			check(t, err)
			end, err := f.Array.Select(index.Range(len(values), len(values)+2))
			check(t, err)
			check(t, array.Copy(end, last.Array()))
		}
		if from.Kind() == dtype.KindComplex {
			imag, err := f.Array.Reinterpret(dtype.MustParse(map[int]string{8: "<f4", 16: ">f8"}[from.ItemSize()]))
			check(t, err)
			imag, err = imag.Select(index.Range(1, 2*len(halves.Collect())).Every(2))
			check(t, err)
			check(t, array.Copy(imag, halves.Array()))
		}
		for _, to := range dtypes {
			d := dtype.MustParse(to)
			b, err := f.Array.AsType(d, index.C)
			check(t, err)
			before, err := gatherAs(f.Array, from, nil)
			check(t, err)
			after, err := gatherAs(b, d, nil)
			check(t, err)
			want := 0
			for i := range b.Size() {
				if !fitsSlow(from, before[i*from.ItemSize():][:from.ItemSize()], d, after[i*d.ItemSize():][:d.ItemSize()]) {
					want++
				}
			}
			got, err := misfits(&sweepProgress{bar: new(term.Bar)}, f.Array, d)
			if got != want || err != nil {
				t.Errorf("%s to %s: %d elements do not fit, want %d; %v", name, to, got, want, err)
			}
		}
	}
}

// TestMisfitsOfText tests that text that is cut does not fit, and that records with such a value do not fit.
func TestMisfitsOfText(t *testing.T) {
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "[('s', '<U4', (2,)), ('n', [('x', '<f8'), ('b', '|S3')])]", "-shape", "3", "r.npy")
	for _, args := range [][]string{{"-select", "0", "-field", "s", "-select", "1", "r.npy", "abc"}, {"-select", "1",
		"-field", "s", "-select", "0", "r.npy", "ab"},
		{"-select", "2", "-field", "n.x", "r.npy", "1.5"}, {"-select", "2", "-field", "n.b", "r.npy", "xyz"}} {
		if _, stderr, status := runTool(append([]string{"set"}, args...)...); status != 0 {
			t.Fatal(stderr)
		}
	}
	for to, want := range map[string]int{
		"[('s', '>U4', (2,)), ('n', [('x', '<f8'), ('b', '|S3')])]": 0,
		"[('s', '>U2', (2,)), ('n', [('x', '<f8'), ('b', '|S3')])]": 1,
		"[('s', '>U1', (2,)), ('n', [('x', '<i8'), ('b', '|S2')])]": 4,
		"[('s', '>U4', (2,)), ('n', [('x', '<i8'), ('b', '|S4')])]": 1,
		"[('s', '>U4', (2,))]": 0, // a different error
	} {
		t.Run(to, func(t *testing.T) {
			f, err := array.Open("r.npy", array.ReadOnly)
			check(t, err)
			got, err := misfits(&sweepProgress{bar: new(term.Bar)}, f.Array, dtype.MustParse(to))
			if got != want || err != nil {
				t.Errorf("%s: %d values do not fit, want %d; %v", to, got, want, err)
			}
			check(t, f.Close())
		})
	}
}
