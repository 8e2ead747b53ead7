package compare

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// TestLongLeaves compares elements with more values than are compared at a time, of the same dtype and of different
// dtypes. One value differs, or is NaN.
func TestLongLeaves(t *testing.T) {
	const n = 3
	for _, dtypes := range [][2]string{
		{"<f8", "<f8"}, {"<f8", ">f4"}, {">i2", "<f4"}, {"<f4", "<i4"}, {"<i8", "<u8"},
		{"|S9001", "|S9001"}, {"|S3", "|S9001"},
	} {
		perHalf := 5000 // values in each half of an element, after one byte
		if dtypes[1] == "|S9001" {
			perHalf = 5
		}
		var d [2]dtype.DType
		var mem [2][]byte
		for side, base := range dtypes {
			half := fmt.Sprintf("[('v', '%s', (%d,))]", base, perHalf)
			d[side] = dtype.MustParse("[('a', '|i1'), ('b', " + half + ", (2,)), ('c', '|i1')]")
			mem[side] = strided.Alloc(n * d[side].ItemSize())
		}
		p, err := New(d[0], d[1], Rule{})
		if err != nil {
			t.Fatal(err)
		}
		a, b := strided.Start(mem[0]), strided.Start(mem[1])
		value := func(i, half, j int) []byte { // in b
			size := (d[1].ItemSize() - 2) / (2 * perHalf)
			return mem[1][i*d[1].ItemSize()+1+(half*perHalf+j)*size:][:size]
		}
		diff := func() (s Stats, at []int) {
			p.Diff(a, b, n, &s, func(i int) bool { at = append(at, i); return true })
			return s, at
		}
		if s, at := diff(); !p.Equal(a, b, n) || s.Count != 0 || at != nil {
			t.Errorf("%v: zeros are not equal: %+v, %v", dtypes, s, at)
		}
		one := strided.Alloc(d[1].FieldAt(1).Type.Base().FieldAt(0).Type.Base().ItemSize())
		if base := dtype.MustParse(dtypes[1]); base.IsVariable() {
			one[len(one)-1] = 1
		} else if c, err := elem.New(base, dtype.Int64); err != nil {
			t.Fatal(err)
		} else {
			x := strided.Alloc(8)
			binary.NativeEndian.PutUint64(x, 1)
			c.One(strided.Start(one), strided.Start(x))
		}
		for _, at := range [][3]int{{0, 0, 0}, {0, 1, 1}, {1, 0, perHalf / 4}, {1, 1, perHalf / 3}, {2, 0, perHalf / 2},
			{2, 1, perHalf - 1}} {
			v := value(at[0], at[1], at[2])
			copy(v, one)
			s, found := diff()
			if p.Equal(a, b, n) || s.Count != 1 || len(found) != 1 || found[0] != at[0] {
				t.Errorf("%v: value %v differs, and found is %+v, %v", dtypes, at, s, found)
			}
			clear(v)
		}
		if dtypes[1] != "<f8" {
			continue
		}
		for side := range mem { // NaN, and the same bytes
			at := n*d[side].ItemSize() - 1 - 8*77
			binary.LittleEndian.PutUint64(mem[side][at:], math.Float64bits(math.NaN()))
		}
		if s, found := diff(); p.Equal(a, b, n) || s.Count != 1 || len(found) != 1 || found[0] != n-1 {
			t.Errorf("%v: NaN is not found: %+v, %v", dtypes, s, found)
		}
		p.EqualNaN = true
		if s, found := diff(); !p.Equal(a, b, n) || s.Count != 0 || found != nil {
			t.Errorf("%v: NaN is not equal to itself: %+v, %v", dtypes, s, found)
		}
	}
}

// TestManyElements compares more elements than are compared at a time, with several values each, with and without gaps
// between them, of the same dtype and of different dtypes. One element differs.
func TestManyElements(t *testing.T) {
	const n = 3*runValues + 5
	all := [][2]string{{"<f8", "<f8"}, {"<f8", ">f4"}, {">i2", "<f4"}, {"<i8", "<u8"}, {"|S3", "|S5"}, {"|V3", "|V3"}}
	for k := range 3 * len(all) {
		dtypes, gaps, parts := all[k/3], k%3%2, k%3/2
		var d [2]dtype.DType
		var mem [2][]byte
		for side, base := range dtypes {
			switch d[side] = dtype.MustParse(base); {
			case gaps > 0:
				d[side] = dtype.MustParse("[('a', '|i1'), ('b', '" + base + "'), ('c', '|i1')]")
			case parts > 0:
				d[side] = dtype.MustParse("[('a', '" + base + "', (7,))]")
			}
			mem[side] = strided.Alloc(n * d[side].ItemSize())
		}
		p, err := New(d[0], d[1], Rule{})
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{0, 1, runValues - 1, runValues, 2*runValues + 1, n - 1} {
			for side := range mem {
				size := d[side].ItemSize()
				for k := gaps; k < size-gaps; k++ { // a number, or text, that is not 0
					mem[side][at*size+k] = 'A'
				}
				var s Stats
				var found []int
				a, b := strided.Start(mem[0]), strided.Start(mem[1])
				p.Diff(a, b, n, &s, func(i int) bool { found = append(found, i); return true })
				if p.Equal(a, b, n) || s.Count != 1 || len(found) != 1 || found[0] != at {
					t.Errorf("%v, gaps %d: element %d of side %d differs, and found is %+v, %v", dtypes, gaps, at, side, s, found)
				}
				clear(mem[side])
			}
		}
	}
}
