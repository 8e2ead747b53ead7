package array

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// numpyCopy assigns src to an array of another dtype. It returns which elements become NaN, whose bits are not
// compared, and which results NumPy defines. The result for a float outside the range of an integer type depends on the
// machine.
const numpyCopy = `
def assign(c):
    src = np.frombuffer(b64(c["Src"]), c["From"])
    dst = np.empty(len(src), c["To"])
    defined = np.ones(len(src), bool)
    with np.errstate(all="ignore"):
        dst[...] = src.real if src.dtype.kind == "c" and dst.dtype.kind not in "cb" else src
        if src.dtype.kind in "fc" and dst.dtype.kind in "iu":
            lo, hi = np.iinfo(dst.dtype).min, np.iinfo(dst.dtype).max
            truncated = np.trunc(src.real.astype(np.float64))
            defined = (truncated >= float(lo)) & (truncated < float(hi + 1))
        nan = np.isnan(dst) if dst.dtype.kind in "fc" else np.zeros(len(src), bool)
    return {"Dst": dst.tobytes(), "Defined": (defined & ~nan).tobytes(), "NaN": nan.tobytes()}
`

// TestNumPyCopy tests that Copy between any two numeric dtypes gives the same result as assignment in NumPy.
func TestNumPyCopy(t *testing.T) {
	p := oracle.Start(t)
	if err := p.Run(numpyCopy, nil, nil); err != nil {
		t.Fatal(err)
	}
	r := oracle.Rand(t, 0)
	const n = 300
	elements, undefined := 0, 0
	for _, from := range oracle.GoldenTypes {
		small := must(FromSlice(make([]float64, n)))
		for i := range n {
			small.SetAt(among(r, 1, 10, 0.3, 1e3, 1e6, 1e-7)*(r.Float64()-0.4), i)
			if i%3 == 0 { // near powers of two, where the ranges of types end
				k := among(r, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 129, 1023, -14, -24, -25, -126, -149, -150, -1022,
					-1074) - r.IntN(2)
				small.SetAt(among(r, 1.0, -1)*math.Ldexp(among(r, 1, 1+0x1p-52, 2-0x1p-52, 1.5, 2-0x1p-11, 1+0x1p-11,
					1+0x1p-11+0x1p-40), k), i)
			}
		}
		for _, to := range oracle.GoldenTypes {
			if strings.HasPrefix(from, ">") && r.IntN(3) > 0 || strings.HasPrefix(to, ">") && r.IntN(3) > 0 {
				continue // a few pairs are enough for the byte order
			}
			d, e := dtype.MustParse(from), dtype.MustParse(to)
			mem := randomMemory(r.Uint64(), n*d.ItemSize()) // any bits: infinities, subnormals, NaNs
			src := must(FromBytes(mem, d, index.C, n))
			switch {
			case d.Kind() == dtype.KindBool:
				for i := range mem {
					mem[i] &= 1 // for other values of a bool, the result is undefined in NumPy
				}
			case d.Kind() == dtype.KindFloat || d.Kind() == dtype.KindComplex: // half of them of ordinary size
				half := index.Range(0, n/2)
				if err := Copy(must(src.Select(half)), must(small.Array().Select(half))); err != nil {
					t.Fatal(err)
				}
			}
			var want struct{ Dst, Defined, NaN []byte }
			if err := p.Eval("assign(x)", struct {
				From, To string
				Src      []byte
			}{from, to, mem}, &want); err != nil {
				t.Fatal(err)
			}
			dst := must(FromBytes(make([]byte, n*e.ItemSize()), e, index.C, n))
			if err := Copy(dst, src); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				got, w := dst.view.ElementBytes(i*e.ItemSize()), want.Dst[i*e.ItemSize():][:e.ItemSize()]
				elements++
				switch {
				case want.NaN[i] != 0:
					if x := viewOf(t, dst.Index(i)); !isNaNElement(x) {
						t.Fatalf("%s to %s: % x becomes % x, want a NaN", from, to, src.view.ElementBytes(i*d.ItemSize()), got)
					}
				case want.Defined[i] == 0:
					undefined++
				case !bytes.Equal(got, w):
					t.Fatalf("%s to %s: % x becomes % x, want % x", from, to, src.view.ElementBytes(i*d.ItemSize()), got, w)
				}
			}
		}
	}
	t.Logf("%d elements, %d of them not defined by NumPy", elements, undefined)
}

// isNaNElement reports whether the only element of v is a NaN.
func isNaNElement(v untypedView) bool {
	switch v := v.goView.(type) {
	case *chainedView[dtype.Half]:
		return math.IsNaN(v.v.At().Float64())
	case *chainedView[float32]:
		return math.IsNaN(float64(v.v.At()))
	case *chainedView[float64]:
		return math.IsNaN(v.v.At())
	case *chainedView[complex64]:
		x := complex128(v.v.At()) // cmplx.IsNaN is false if either part is infinite
		return math.IsNaN(real(x)) || math.IsNaN(imag(x))
	case *chainedView[complex128]:
		x := v.v.At()
		return math.IsNaN(real(x)) || math.IsNaN(imag(x))
	}
	return false
}
