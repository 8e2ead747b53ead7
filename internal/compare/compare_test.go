package compare

import (
	"testing"

	"github.com/ndmap/ndmap/dtype"
)

// TestNew tests which dtypes New accepts, and its errors for others.
func TestNew(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{"<i4", ">f8", ""},
		{"|b1", "<c16", ""},
		{"<i8", "<u8", ""},
		{"|S3", "|S1", ""},
		{"<U3", ">U1", ""},
		{"<M8[s]", "<M8", ""},
		{"<m8", ">m8[D]", ""},
		{"|V3", "|V3", ""},
		{"[('a', '<i4'), ('b', '|S3', (2,))]", "[('a', '<f4'), ('b', '|S1', (2,))]", ""},
		{"|S3", "<U3", "elements of the two do not compare"},
		{"|S3", "<i4", "elements of the two do not compare"},
		{"<M8[s]", "<m8[s]", "elements of the two do not compare"},
		{"<M8[s]", "<i8", "elements of the two do not compare"},
		{"<M8[s]", "<M8[ms]", "times in different units do not compare; Reinterpret has their counts"},
		{"<M8[s]", "<M8[2s]", "times in different units do not compare; Reinterpret has their counts"},
		{"|V3", "|V4", "raw bytes of different lengths do not compare"},
		{"<f16", "<f16", "long doubles differ from machine to machine; save them from NumPy as float64"},
		{"[('a', '<i4')]", "<i4", "elements of the two do not compare"},
		{"[('a', '<i4')]", "[('a', '<i4'), ('b', '<i4')]", "a structure of 1 fields does not compare with one of 2"},
		{"[('a', '<i4')]", "[('b', '<i4')]",
			`field 0 is "a" in one and "b" in the other; Fields takes them in another order`},
		{"[('a', '<i4', (2,))]", "[('a', '<i4', (3,))]",
			`field "a", ('<i4', (2,)) and ('<i4', (3,)): sub-arrays of different shapes do not compare`},
		{"[('a', [('x', '|S1')])]", "[('a', [('x', '<i4')])]",
			`field "a", [('x', '|S1')] and [('x', '<i4')]: field "x", |S1 and <i4: elements of the two do not compare`},
	} {
		_, err := New(dtype.MustParse(tt.a), dtype.MustParse(tt.b), Rule{})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s and %s: %q, want %q", tt.a, tt.b, got, tt.want)
		}
	}
}

// TestDistances tests distances that float64 arithmetic, or ignoring the sign of an integer, would get wrong.
func TestDistances(t *testing.T) {
	for _, tt := range []struct {
		got  distance
		want float64
	}{
		{ofInts(1<<62, 1<<62+1), 1},
		{ofInts(-1<<63, 1<<63-1), 1 << 64},
		{ofUints(1<<64-1, 0), 1 << 64},
		{ofIntAndUint(-1, 1<<64-1), 1 << 64},
		{ofIntAndUint(1<<62, 1<<62+1), 1},
		{ofUintAndInt(1<<63, -1<<63), 1 << 64},
		{ofComplex(3+4i, 0), 5},
		{ofTimes(5, 3), 2},
	} {
		if tt.got.d != tt.want {
			t.Errorf("distance %v, want %v", tt.got, tt.want)
		}
	}
	if d := ofTimes(-1<<63, -1<<63); d.d == d.d || !d.both {
		t.Errorf("distance of NaT and NaT = %+v", d)
	}
}
