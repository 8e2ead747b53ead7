package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
)

// TestPrintEdges tests which arrays are summarized: arrays of more than 1000 elements, on axes longer than 6, as NumPy
// 1.24 printed them.
func TestPrintEdges(t *testing.T) {
	for _, tt := range []struct {
		shape []int
		want  string // "" if the output shows all elements
	}{
		{[]int{1000}, ""},
		{[]int{1001}, "[0 1 2 ... 8 9 0]\n"},
		{[]int{167, 6}, `
[[0 1 2 3 4 5]
 [6 7 8 9 0 1]
 [2 3 4 5 6 7]
 ...
 [4 5 6 7 8 9]
 [0 1 2 3 4 5]
 [6 7 8 9 0 1]]
`},
		{[]int{6, 167}, `
[[0 1 2 ... 4 5 6]
 [7 8 9 ... 1 2 3]
 [4 5 6 ... 8 9 0]
 [1 2 3 ... 5 6 7]
 [8 9 0 ... 2 3 4]
 [5 6 7 ... 9 0 1]]
`},
		{[]int{7, 143}, `
[[0 1 2 ... 0 1 2]
 [3 4 5 ... 3 4 5]
 [6 7 8 ... 6 7 8]
 ...
 [2 3 4 ... 2 3 4]
 [5 6 7 ... 5 6 7]
 [8 9 0 ... 8 9 0]]
`},
		{[]int{143, 7}, `
[[0 1 2 ... 4 5 6]
 [7 8 9 ... 1 2 3]
 [4 5 6 ... 8 9 0]
 ...
 [0 1 2 ... 4 5 6]
 [7 8 9 ... 1 2 3]
 [4 5 6 ... 8 9 0]]
`},
	} {
		n := 1
		for _, k := range tt.shape {
			n *= k
		}
		s := make([]uint8, n)
		for i := range s {
			s[i] = uint8(i % 10)
		}
		v, err := array.FromSlice(s, tt.shape...)
		path := filepath.Join(t.TempDir(), "a.npy")
		if err == nil {
			err = array.Save(path, v.Array())
		}
		if err != nil {
			t.Fatal(err)
		}
		got, stderr, status := runTool("print", path)
		if status != 0 {
			t.Fatal(stderr)
		}
		if tt.want == "" {
			if strings.Contains(got, "...") {
				t.Errorf("%v: got %q, want every element", tt.shape, got)
			}
		} else if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), got); diff != "" {
			t.Errorf("%v: want -, got +\n%s", tt.shape, diff)
		}
	}
}
