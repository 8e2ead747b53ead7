package dtype

import (
	"encoding/binary"
	"math"
	"testing"
)

// TestLongDouble tests the numbers around the limits of float64. TestLongNumPy in package array compares random ones
// with NumPy.
func TestLongDouble(t *testing.T) {
	const one = 1 << 63
	for _, tt := range []struct {
		name        string
		significand uint64
		top         uint16
		want        uint64
	}{
		{"0", 0, 0, 0},
		{"-0", 0, 0x8000, 1 << 63},
		{"1", one, 0x3FFF, 0x3FF0000000000000},
		{"-2.5", 5 << 61, 0xC000, 0xC004000000000000},
		{"a tie, to even below", one | 1<<10, 0x3FFF, 0x3FF0000000000000},
		{"above the tie", one | 1<<10 | 1, 0x3FFF, 0x3FF0000000000001},
		{"below the tie", one | 1<<10 - 1, 0x3FFF, 0x3FF0000000000000},
		{"a tie, to even above", one | 3<<10, 0x3FFF, 0x3FF0000000000002},
		{"a carry to the exponent", 1<<64 - 1, 0x3FFF, 0x4000000000000000},
		{"the greatest float64", 0xFFFFFFFFFFFFF800, 0x43FE, 0x7FEFFFFFFFFFFFFF},
		{"below the tie to infinity", 0xFFFFFFFFFFFFFBFF, 0x43FE, 0x7FEFFFFFFFFFFFFF},
		{"the tie to infinity", 0xFFFFFFFFFFFFFC00, 0xC3FE, 0xFFF0000000000000},
		{"2**1024", one, 0x43FF, 0x7FF0000000000000},
		{"the greatest long double", 1<<64 - 1, 0x7FFE, 0x7FF0000000000000},
		{"the least normal float64", one, 0x3C01, 0x0010000000000000},
		{"the greatest subnormal float64", 0xFFFFFFFFFFFFF000, 0x3C00, 0x000FFFFFFFFFFFFF},
		{"a carry to the normal float64", 1<<64 - 1, 0x3C00, 0x0010000000000000},
		{"the least subnormal float64", one, 0x3BCD, 1},
		{"half of it, a tie", one, 0xBBCC, 1 << 63},
		{"above half of it", one | 1, 0x3BCC, 1},
		{"3/2 of it, a tie", 3 << 62, 0x3BCD, 2},
		{"a quarter of it", 1<<64 - 1, 0x3BCB, 0},
		{"the least normal long double", one, 0x8001, 1 << 63},
		{"subnormal", 1<<63 - 1, 0x8000, 1 << 63},
		{"pseudo-denormal", 1<<64 - 1, 0, 0},
		{"infinity", one, 0x7FFF, 0x7FF0000000000000},
		{"-infinity", one, 0xFFFF, 0xFFF0000000000000},
		{"quiet NaN with a payload", 3<<62 | 0xABC<<11, 0x7FFF, 0x7FF8000000000ABC},
		{"signaling NaN", one | 1, 0xFFFF, 0xFFF8000000000000},
		{"pseudo-infinity", 0, 0x7FFF, 0xFFF8000000000000},
		{"pseudo-NaN", 1, 0x7FFF, 0xFFF8000000000000},
		{"unnormal", 1 << 62, 0x3FFF, 0xFFF8000000000000},
		{"unnormal zero", 0, 0x4000, 0xFFF8000000000000},
		{"tiny unnormal", 1 << 62, 1, 0xFFF8000000000000},
	} {
		x := LongDouble{10: 0xff, 15: 0x80} // the unused bytes
		binary.LittleEndian.PutUint64(x[:], tt.significand)
		binary.LittleEndian.PutUint16(x[8:], tt.top)
		if got := math.Float64bits(x.Float64()); got != tt.want {
			t.Errorf("%s: %#04x %#016x: got %#016x, want %#016x", tt.name, tt.top, tt.significand, got, tt.want)
		}
	}
}
