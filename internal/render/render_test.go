package render

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
)

// TestFloats tests that arrays of floats are formatted like str(np.array(a)) of NumPy 1.24, without the brackets.
func TestFloats(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		in   []float64
		size int
		want string
	}{
		{[]float64{1.5, -2, 0}, 8, " 1.5 -2.   0. "},
		{[]float64{1e10, 1, -1e-3}, 8, " 1.e+10  1.e+00 -1.e-03"},
		{[]float64{nan, inf, 1}, 8, "nan inf  1."},
		{[]float64{0.1, 0.25}, 8, "0.1  0.25"},
		{[]float64{float64(float32(0.1)), 0.25}, 4, "0.1  0.25"}, // 0.10000000149 as a float64
		{[]float64{1e-5, 1}, 8, "1.e-05 1.e+00"},
		{[]float64{math.Copysign(0, -1)}, 8, "-0."},
	} {
		format := Floats(tt.in, tt.size)
		var texts []string
		for _, x := range tt.in {
			texts = append(texts, format(x))
		}
		if got := strings.Join(texts, " "); got != tt.want {
			t.Errorf("%v of %d bytes: got %q, want %q", tt.in, tt.size, got, tt.want)
		}
	}
}

// TestFloat tests that floats are formatted like str(np.float64(x)) and str(np.float32(x)) of NumPy 1.24.
func TestFloat(t *testing.T) {
	for _, tt := range []struct {
		in     float64
		f8, f4 string
	}{
		{1, "1.0", "1.0"},
		{1e16, "1e+16", "1e+16"},
		{1e15, "1000000000000000.0", "1000000000000000.0"},
		{1e-5, "1e-05", "1e-05"},
		{1e-4, "0.0001", "1e-04"},
		{math.Copysign(0, -1), "-0.0", "-0.0"},
		{math.NaN(), "nan", "nan"},
		{math.Inf(-1), "-inf", "-inf"},
		{1. / 3, "0.3333333333333333", "0.33333334"},
	} {
		if got := Float(tt.in, 8); got != tt.f8 {
			t.Errorf("float64 %v: got %q, want %q", tt.in, got, tt.f8)
		}
		if got := Float(float64(float32(tt.in)), 4); got != tt.f4 {
			t.Errorf("float32 %v: got %q, want %q", tt.in, got, tt.f4)
		}
	}
}

// TestComplexScalar tests that complex numbers are formatted like str(np.complex128(z)) of NumPy 1.24.
func TestComplexScalar(t *testing.T) {
	for _, tt := range []struct {
		in   complex128
		want string
	}{
		{complex(1e-4, 1e-4), "(0.0001+0.0001j)"},
		{complex(9.9e-5, 1), "(9.9e-05+1j)"},
		{complex(0, 1e-4), "0.0001j"},
		{complex(1e16, 1e-4), "(1e+16+0.0001j)"},
	} {
		if got := complexScalar(real(tt.in), imag(tt.in), 8); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestTime tests the texts of datetimes, given as counts of units since 1970, against NumPy.
func TestTime(t *testing.T) {
	for _, tt := range []struct {
		dtype string
		count int64
		want  string
	}{
		{"<M8[s]", 0, "1970-01-01T00:00:00"},
		{"<M8[D]", -1, "1969-12-31"},
		{"<M8[ns]", 1, "1970-01-01T00:00:00.000000001"},
		{"<M8[us]", -1, "1969-12-31T23:59:59.999999"},
		{"<M8[Y]", 30, "2000"},
		{"<M8[10s]", 3, "1970-01-01T00:00:30"},
		{"<M8[s]", math.MinInt64, "NaT"},
	} {
		if got := Time(dtype.MustParse(tt.dtype), tt.count); got != tt.want {
			t.Errorf("%d of %s: got %q, want %q", tt.count, tt.dtype, got, tt.want)
		}
	}
}

// TestModelTexts tests that the texts of all floats of machine learning models read back to the same float, and that no
// text with one fewer digit reads back to it.
func TestModelTexts(t *testing.T) {
	for _, m := range []struct {
		d    dtype.DType
		n    int
		from func(x float64) int
	}{
		{dtype.BFloat16, 1 << 16, func(x float64) int { return int(dtype.BF16From64(x)) }},
		{dtype.Float8E4M3FN, 256, func(x float64) int { return int(dtype.F8E4M3FNFrom64(x)) }},
		{dtype.Float8E5M2, 256, func(x float64) int { return int(dtype.F8E5M2From64(x)) }},
	} {
		size, ok := FloatSize(m.d)
		if !ok {
			t.Fatalf("%v has no floats", m.d)
		}
		for i := range m.n {
			b := []byte{byte(i), byte(i >> 8)}[:m.d.ItemSize()]
			x := Real(m.d.WithByteOrder(dtype.LittleEndian), b)
			if math.IsNaN(x) || math.IsInf(x, 0) {
				continue
			}
			text := Float(x, size)
			y, err := strconv.ParseFloat(text, 64)
			if err != nil || m.from(y) != i {
				t.Fatalf("%v %#x is %s, which is %#x", m.d, i, text, m.from(y))
			}
			digits := strings.Trim(strings.NewReplacer(".", "", "-", "").Replace(strings.SplitN(text, "e", 2)[0]), "0")
			if len(digits) > 1 {
				shorter, _ := strconv.ParseFloat(strconv.FormatFloat(y, 'e', len(digits)-2, 64), 64)
				if m.from(shorter) == i {
					t.Errorf("%v %#x is %s, but %v is enough", m.d, i, text, shorter)
				}
			}
		}
	}
	size, _ := FloatSize(dtype.BFloat16)
	format := Floats([]float64{dtype.BF16From64(0.1).Float64(), 0.25}, size)
	if got := format(dtype.BF16From64(0.1).Float64()) + " " + format(0.25); got != "0.1  0.25" {
		t.Errorf("%q", got)
	}
}

// TestShown tests which axes are summarized.
func TestShown(t *testing.T) {
	for _, c := range []struct{ shape, want []int }{
		{nil, nil},
		{[]int{1000}, []int{1000}},
		{[]int{1001}, []int{6}},
		{[]int{6, 167}, []int{6, 6}},
		{[]int{7, 6, 24}, []int{6, 6, 6}},
		{[]int{1000, 0}, []int{1000, 0}},
		{[]int{2, math.MaxInt, 4}, []int{2, 6, 4}},
	} {
		if got := Shown(c.shape); !slices.Equal(got, c.want) {
			t.Errorf("shape %v: %v shown; want %v", c.shape, got, c.want)
		}
	}
}
