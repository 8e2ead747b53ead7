package tree

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/objects"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/npy"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// objectType returns the dtype with the given form in the header of a .npy file.
func objectType(descr string) dtype.DType {
	text := "{'descr': " + descr + ", 'fortran_order': False, 'shape': ()}\n"
	h := must(npy.ParseObjects(append([]byte{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(text)), 0}, text...), 0))
	return h.DType
}

// of returns an array without dimensions that holds v.
func of(v any) objects.Array {
	return objects.Array{DType: objectType("'|O'"), Values: []any{v}}
}

// show formats the children of a value: label, type, text and number of children of each.
func show(a objects.Array, path []int, from, count int) string {
	p, err := Children(a, path, from, count)
	if err != nil {
		return err.Error()
	}
	lines := []string{fmt.Sprintf("%d of %d", p.From, p.Total)}
	for _, x := range p.Items {
		lines = append(lines, fmt.Sprintf("%s|%s|%s|%d", x.Label, x.Type, x.Text, x.Count))
	}
	return strings.Join(lines, "\n")
}

func TestChildren(t *testing.T) {
	numbers := must(array.FromSlice([]float64{1, 2.5, 3, 4, 5, 6}))
	grid := must(numbers.Array().Reshape(2, 3))
	cyclic := objects.List{nil}
	cyclic[0] = cyclic
	long := strings.Repeat("ä", 2000)
	all := objects.Dict{
		{Key: "lr", Value: 0.1}, {Key: int64(3), Value: nil}, {Key: objects.Tuple{"a", true}, Value: objects.Set{}},
		{Key: "text", Value: "<b>\u202e'\n"}, {Key: "bytes", Value: []byte("\x00\xff")}, {Key: "z", Value: 1 - 2i},
		{Key: "when", Value: time.Date(2024, 3, 1, 0, 0, 0, 0, objects.Date)}, {Key: "for", Value: time.Second},
		{Key: "grid", Value: grid}, {Key: "one", Value: grid.Index(1).Index(1)}, {Key: "list", Value: cyclic},
		{Key: "pair", Value: objects.Tuple{int64(1)}},
	}
	record := objects.Array{DType: objectType("[('name', '|O'), ('n', '<i4')]"), Shape: []int{1, 2},
		Values: []any{objects.Tuple{"x", int64(1)}, objects.Tuple{objects.List{"y"}, int64(2)}}}
	for _, c := range []struct {
		name        string
		a           objects.Array
		path        []int
		from, count int
		want        string
	}{
		{"only value", of(objects.List{int64(1), "a"}), nil, 0, 9, "0 of 1\nvalue|list|[1, 'a']|2"},
		{"dict", of(all), []int{0}, 0, 99, `0 of 12
'lr'|float|0.1|0
3|None|None|0
('a', True)|set|set()|0
'text'|str|"<b>\u202e'\n"|0
'bytes'|bytes|b'\x00\xff'|0
'z'|complex|(1-2j)|0
'when'|date|datetime.date(2024, 3, 1)|0
'for'|timedelta|datetime.timedelta(seconds=1)|0
'grid'|array <f8 [2 × 3]||6
'one'|<f8|5.0|0
'list'|list|[[[[[…]]]]]|1
'pair'|tuple|(1,)|1`},
		{"page", of(all), []int{0}, 10, 1, "10 of 12\n'list'|list|[[[[[…]]]]]|1"},
		{"after the end", of(all), []int{0}, 99, 1, "12 of 12"},
		{"array", of(all), []int{0, 8}, 4, 9, "4 of 6\n[1, 1]|<f8|5.0|0\n[1, 2]|<f8|6.0|0"},
		{"element of an array", of(all), []int{0, 8, 5}, 0, 9, "0 of 0"},
		{"records", record, nil, 1, 9, "1 of 2\n[0, 1]|record|(['y'], 2)|2"},
		{"record", record, []int{1}, 0, 9, "0 of 2\nname|list|['y']|1\nn|int|2|0"},
		{"long text", of(long), nil, 0, 9,
			"0 of 1\nvalue|str|'" + long[:998] + "… (4000 bytes of UTF-8)|0"},
		{"long list", of(make(objects.List, 5000)), nil, 0, 9,
			"0 of 1\nvalue|list|[" + strings.Repeat("None, ", 166) + "Non…|5000"},
		{"unknown child", of(all), []int{0, 12}, 0, 9, "path=12 at level 1: the value has 12 children"},
		{"child of a number", of(1.5), []int{0, 0}, 0, 9, "path=0 at level 1: the value has 0 children"},
		{"last level", of(cyclic), make([]int, MaxDepth-1), 0, 9, "0 of 1\n0|list|[[[[[…]]]]]|0"},
		{"too deep", of(cyclic), make([]int, MaxDepth), 0, 9, "path has 100 levels: at most 100 levels are shown"},
	} {
		if got := show(c.a, c.path, c.from, c.count); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestCost tests that a page of a value that has exponentially many shared elements, and huge texts, is short.
func TestCost(t *testing.T) {
	v := objects.List{strings.Repeat("x", 1<<22)}
	for range 60 {
		v = objects.List{v, v}
	}
	wide := objects.Dict{}
	huge := must(array.New(dtype.Float64, index.C, 1<<20))
	defer huge.Close()
	for k := range 1000 {
		wide = append(wide, objects.Pair{Key: int64(k), Value: objects.Tuple{v, strings.Repeat("y", 1<<10), huge.Array}})
	}
	var p *Page
	allocated := testing.AllocsPerRun(1, func() { p = must(Children(of(wide), []int{0}, 0, 1000)) })
	size := 0
	for _, x := range p.Items {
		size += len(x.Text) + len(x.Label)
	}
	if len(p.Items) != MaxCount || size > MaxCount*(maxText+100) || allocated > 1e6 {
		t.Errorf("%d values with %d bytes of text and %v allocations", len(p.Items), size, allocated)
	}
}
