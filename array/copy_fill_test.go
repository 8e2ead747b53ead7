package array

import (
	"bytes"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestFill tests that Fill has the effect of SetAt on every element and changes no other byte. It covers runs and
// single elements, all layouts, both byte orders, one goroutine and several.
func TestFill(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	for _, shape := range [][]int{{}, {1}, {0, 3}, {7}, {5, 9, 4}, {3000, 700}} {
		for _, d := range []string{"<f8", ">f8"} {
			for _, sel := range []string{"...", "..., ::2", "..., ::-1", "::-3", "..., 1:", "1:, ..., 1:-1"} {
				for _, transpose := range []bool{false, true} {
					if testing.Short() && len(shape) == 2 && shape[0] == 3000 && (transpose || d == "<f8") {
						continue
					}
					checkFill(t, d, shape, sel, transpose)
				}
			}
		}
	}
}

func checkFill(t *testing.T, d string, shape []int, selection string, transpose bool) {
	var mem [2][]byte
	for k := range mem {
		f := must(New(dtype.MustParse(d), index.C, shape...))
		defer f.Close()
		mem[k] = f.m.Bytes()
		v := must(As[float64](f.Array))
		v.Fill(1)
		if transpose {
			v = v.T()
		}
		v, err := v.Select(must(index.Parse(selection))...)
		if err != nil {
			return // the selection has more axes than the array
		}
		if k == 0 {
			v.Fill(-1.5)
			continue
		}
		for idx := range v.All(index.C) {
			v.SetAt(-1.5, idx...)
		}
	}
	if !bytes.Equal(mem[0], mem[1]) {
		t.Errorf("%s %v, transposed %v, [%s]: Fill and SetAt differ", d, shape, transpose, selection)
	}
}

// TestFillPadding tests that Fill does not change the padding between fields if elements are encoded. The bool requires
// encoding in either byte order.
func TestFillPadding(t *testing.T) {
	mem := []byte("0123456789abcdefghijklmn")
	v := must(As[flaggedRecord](must(FromBytes(mem, dtype.MustParse("[('a', '|b1'), ('', '|V3'), ('b', '<i4')]"), index.C,
		3))))
	v.Fill(flaggedRecord{A: true, B: 2})
	if want := "\x01123\x02\x00\x00\x00\x019ab\x02\x00\x00\x00\x01hij\x02\x00\x00\x00"; string(mem) != want {
		t.Errorf("%q, want %q", mem, want)
	}
}
