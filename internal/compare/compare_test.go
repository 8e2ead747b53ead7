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
		{"|S3", "<U3", "cannot compare elements of these dtypes"},
		{"|S3", "<i4", "cannot compare elements of these dtypes"},
		{"<M8[s]", "<m8[s]", "cannot compare elements of these dtypes"},
		{"<M8[s]", "<i8", "cannot compare elements of these dtypes"},
		{"<M8[s]", "<M8[ms]", "cannot compare times in different units; compare their counts with Reinterpret"},
		{"<M8[s]", "<M8[2s]", "cannot compare times in different units; compare their counts with Reinterpret"},
		{"|V3", "|V4", "cannot compare raw bytes of different lengths"},
		{"<f16", "<f16", "cannot compare long doubles; AsType(dtype.Float64, index.C) converts them"},
		{"[('a', '<i4')]", "<i4", "cannot compare elements of these dtypes"},
		{"[('a', '<i4')]", "[('a', '<i4'), ('b', '<i4')]", "cannot compare a structure of 1 fields with one of 2"},
		{"[('a', '<i4')]", "[('b', '<i4')]",
			`field 0 is "a" in one and "b" in the other; reorder them with Fields`},
		{"[('a', '<i4', (2,))]", "[('a', '<i4', (3,))]",
			`field "a", ('<i4', (2,)) and ('<i4', (3,)): cannot compare sub-arrays of different shapes`},
		{"[('a', [('x', '|S1')])]", "[('a', [('x', '<i4')])]",
			`field "a", [('x', '|S1')] and [('x', '<i4')]: field "x", |S1 and <i4: cannot compare elements of these dtypes`},
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
		{intDistance(1<<62, 1<<62+1), 1},
		{intDistance(-1<<63, 1<<63-1), 1 << 64},
		{uintDistance(1<<64-1, 0), 1 << 64},
		{intUintDistance(-1, 1<<64-1), 1 << 64},
		{intUintDistance(1<<62, 1<<62+1), 1},
		{uintIntDistance(1<<63, -1<<63), 1 << 64},
		{complexDistance(3+4i, 0), 5},
		{timeDistance(5, 3), 2},
	} {
		if tt.got.d != tt.want {
			t.Errorf("distance %v, want %v", tt.got, tt.want)
		}
	}
	if d := timeDistance(-1<<63, -1<<63); d.d == d.d || !d.both {
		t.Errorf("distance of NaT and NaT = %+v", d)
	}
}
