package array

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestNumPyOrderK tests that order K means the same as in NumPy. A clone has the strides of a.copy(order="K"), All
// visits the indices in the order of np.nditer(a, order="K"), and Blocks visits the same elements. The indices are not
// compared if an axis is stretched, because nditer does not move such an axis.
func TestNumPyOrderK(t *testing.T) {
	type layout struct{ Shape, Strides []int }
	type order struct {
		Strides []int
		Indices [][]int
	}
	p := oracle.Start(t)
	r := oracle.Rand(t, 0)
	var asked []layout
	var views []View[int64]
	stretched := 0
	for range oracle.Cases(t, 500) {
		v := randomLayoutView(r)
		views = append(views, v)
		asked = append(asked, layout{v.Shape(), v.Strides()})
	}
	var answers []order
	if err := p.Run(`
mem = np.zeros(100000, np.int64)
def order(c):
    a = np.lib.stride_tricks.as_strided(mem[50000:], c["Shape"], c["Strides"])
    it = np.nditer(a, ["multi_index", "zerosize_ok"], order="K")
    return {"Strides": a.copy(order="K").strides, "Indices": [it.multi_index for _ in it]}
out = [order(c) for c in x]`, asked, &answers); err != nil {
		t.Fatal(err)
	}
	for k, v := range views {
		name := fmt.Sprintf("shape %v strides %v", v.Shape(), v.Strides())
		want := answers[k]
		c := must(v.Clone(index.K))
		for axis := range v.NDim() { // the strides of axes of length 1, and of empty views, do not matter
			if v.Size() > 0 && v.Len(axis) > 1 && c.Strides()[axis] != want.Strides[axis] {
				t.Fatalf("%s: the clone has strides %v, want %v", name, c.Strides(), want.Strides)
			}
		}
		if !slices.Equal(slices.Collect(c.Values()), slices.Collect(v.Values())) {
			t.Fatalf("%s: the clone has wrong elements", name)
		}
		var indices [][]int
		var walked, blocks []int64
		for idx, x := range v.All(index.K) {
			if y := v.At(idx...); x != y {
				t.Fatalf("%s: All has %d at %v, At %d", name, x, idx, y)
			}
			indices = append(indices, slices.Clone(idx))
			walked = append(walked, x)
		}
		for b := range v.Blocks(index.K) {
			blocks = append(blocks, b...)
		}
		if !slices.Equal(walked, blocks) {
			t.Fatalf("%s: All has %v, Blocks %v", name, walked, blocks)
		}
		if slices.Contains(v.Strides(), 0) {
			stretched++
			if len(indices) != v.Size() {
				t.Fatalf("%s: %d indices, want %d", name, len(indices), v.Size())
			}
			continue
		}
		if len(indices)+len(want.Indices) == 0 {
			continue
		}
		if diff := cmp.Diff(want.Indices, indices); diff != "" {
			t.Fatalf("%s: -want +got\n%s", name, diff)
		}
	}
	t.Logf("%d arrays, %d of them with a stretched axis", len(views), stretched)
}

// randomLayoutView returns an array of up to 4 dimensions, or 5 if one is stretched. Its axes have a random order and
// direction, gaps, and sometimes the length 1 or 0.
func randomLayoutView(r *rand.Rand) View[int64] {
	shape := make([]int, r.IntN(5))
	n := 1
	for k := range shape {
		shape[k] = 1 + r.IntN(4)
		if r.IntN(30) == 0 {
			shape[k] = 0
		}
		n *= shape[k]
	}
	mem := make([]int64, n)
	for k := range mem {
		mem[k] = int64(k)
	}
	v := must(FromSlice(mem, shape...))
	if len(shape) == 0 {
		v = must(FromSlice(make([]int64, 1), 1)).Index(0)
	}
	v = must(v.Transpose(r.Perm(v.NDim())...))
	sel := make([]index.Selector, v.NDim())
	for k := range sel {
		sel[k] = []index.Selector{index.Colon, index.Colon, index.Reverse(), index.Every(2)}[r.IntN(4)]
	}
	v = must(v.Select(sel...))
	if r.IntN(5) == 0 {
		v = must(v.Broadcast(append([]int{1 + r.IntN(3)}, v.Shape()...)...))
		v = must(v.MoveAxis(0, r.IntN(v.NDim())))
	}
	return v
}

// TestCloneKeepsAxes tests that Clone(K) keeps the order of the axes of a transposed array, a Cast and a joined array,
// and that loops refuse an invalid order.
func TestCloneKeepsAxes(t *testing.T) {
	v := must(FromSlice(make([]int16, 24), 2, 3, 4))
	w := must(v.Transpose(1, 0, 2))
	for _, tt := range []struct {
		name string
		got  []int
		want []int
	}{
		{"(1, 0, 2)", must(w.Clone(index.K)).Strides(), []int{8, 24, 2}},
		{"(1, 0, 2), C", must(w.Clone(index.C)).Strides(), []int{16, 8, 2}},
		{"(1, 0, 2), F", must(w.Clone(index.F)).Strides(), []int{2, 6, 12}},
		{"Array", must(w.Array().Clone(index.K)).Strides(), []int{8, 24, 2}},
		{"Cast", must(must(Cast[float64](w.Array())).Clone(index.K)).Strides(), []int{32, 96, 8}},
		{"Stack", must(must(must(Stack(w.Array(), w.Array())).Transpose(1, 2, 3, 0)).Clone(index.K)).Strides(),
			[]int{8, 24,
				2, 48}},
		{"descending", must(must(w.Select(index.Reverse())).Clone(index.K)).Strides(), []int{8,
			24,
			2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.got); diff != "" {
				t.Errorf("%s: -want +got\n%s", tt.name, diff)
			}
		})
	}
	if _, err := FromBytes(make([]byte, 8), dtype.Int64, index.K, 1); err == nil ||
		err.Error() != "array: order K requires strides; want C or F" {
		t.Errorf("FromBytes: %v", err)
	}
	for name, loop := range map[string]func(){
		"All": func() {
			for range v.All(7) {
			}
		},
		"Blocks": func() {
			for range v.Blocks(7) {
			}
		},
		"Update": func() {
			for range v.Update(7) {
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			func() {
				defer func() {
					if v := recover(); fmt.Sprint(v) != "array: invalid order Order(7); want C, F or K" {
						t.Errorf("%s: panic with %v", name, v)
					}
				}()
				loop()
			}()
		})
	}
}
