package pick

import (
	"encoding/hex"
	"math"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestLong tests the decoding and formatting of long doubles: the x86 format as NumPy 1.24 writes and prints it, and
// the 128-bit IEEE format, in both byte orders.
func TestLong(t *testing.T) {
	for _, tt := range []struct {
		bytes, dtype string
		extended     bool
		text         string
		want         float64
	}{
		{"00000000000000c0ff3f000000000000", "<f16", true, "1.5", 1.5},
		{"000000000000009000c0000000000000", "<f16", true, "-2.25", -2.25},
		{"abaaaaaaaaaaaaaafd3f000000000000", "<f16", true, "0.33333333333333333334", 1.0 / 3},
		{"0000000000000080ff7f000000000000", "<f16", true, "inf", math.Inf(1)},
		{"00000000000000c0ff7f000000000000", "<f16", true, "nan", math.NaN()},
		{"00000000000000c0ff3f7f0102030405", "<f16", true, "1.5", 1.5}, // the unused bits may have any value
		{"00000000000000000000000000000000", "<f16", true, "0.0", 0},
		{"0000000000000000000000000080ff3f", "<f16", false, "1.5", 1.5},
		{"3fff8000000000000000000000000000", ">f16", false, "1.5", 1.5},
		{"c0002000000000000000000000000000", ">f16", false, "-2.25", -2.25},
		{"3ffd5555555555555555555555555555", ">f16", false, "0.3333333333333333333333333333333333", 1.0 / 3},
		{"ffff0000000000000000000000000000", ">f16", false, "-inf", math.Inf(-1)},
		{"7fff8000000000000000000000000000", ">f16", false, "nan", math.NaN()},
		{"7ffeffffffffffffffffffffffffffff", ">f16", false, "1.189731495357231765085759326628007e+4932", math.Inf(1)},
	} {
		b, err := hex.DecodeString(tt.bytes)
		if err != nil {
			t.Fatal(err)
		}
		a, err := array.FromBytes(b, dtype.MustParse(tt.dtype), index.C)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi, err := halves(a)
		if err != nil {
			t.Fatal(err)
		}
		if got := text(lo[0], hi[0], tt.extended); got != tt.text {
			t.Errorf("%s %s: %q, want %q", tt.dtype, tt.bytes, got, tt.text)
		}
		if got := value(lo[0], hi[0], tt.extended); got != tt.want && !(got != got && tt.want != tt.want) {
			t.Errorf("%s %s: %v, want %v", tt.dtype, tt.bytes, got, tt.want)
		}
	}
}
