package array_test

import (
	"errors"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// check returns x. If err is not nil, it ends the program.
func check[T any](x T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return x
}

func tempFile(name string) (path string, remove func()) {
	dir := check(os.MkdirTemp("", "ndmap"))
	return filepath.Join(dir, name), func() { os.RemoveAll(dir) }
}

// Create a file, edit it in place, and read it. The byte order of the file does not matter.
func Example() {
	path, remove := tempFile("t.npy")
	defer remove()
	f := check(array.Create(path, dtype.MustParse(">f8"), index.F, 2, 3))
	v := check(array.As[float64](f.Array))
	v.SetAt(1.5, 1, 2)
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}

	f = check(array.Open(path, array.ReadOnly))
	defer f.Close()
	v = check(array.As[float64](f.Array))
	for idx, x := range v.All(index.C) {
		fmt.Println(idx, x)
	}
	// Output:
	// [0 0] 0
	// [0 1] 0
	// [0 2] 0
	// [1 0] 0
	// [1 1] 0
	// [1 2] 1.5
}

type Star struct {
	ID  int32      `npy:"id"`
	Pos [2]float32 `npy:"pos"`
	_   [4]byte
	Mag float64 `npy:"mag"`
}

// Access the records of a file in place as Go structs.
func ExampleAs_records() {
	path, remove := tempFile("stars.npy")
	defer remove()
	f := check(array.Create(path, check(dtype.Of[Star]()), index.C, 3))
	defer f.Close()
	stars := check(check(array.As[Star](f.Array)).Data()) // []Star, no copy
	stars[1] = Star{ID: 7, Pos: [2]float32{1, 2}, Mag: -1.5}
	fmt.Println(check(array.As[Star](f.Array)).At(1).Mag)
	fmt.Println(f.DType().WithByteOrder(dtype.LittleEndian))
	// Output:
	// -1.5
	// [('id', '<i4'), ('pos', '<f4', (2,)), ('', '|V4'), ('mag', '<f8')]
}

type Trade struct {
	Time  int64   `npy:"time,M8[ns]"`
	Price float64 `npy:"price"`
}

// As matches the fields of a Go struct and of the records by name, even if the records are packed, as NumPy does
// without align=True. The struct may omit fields.
func ExampleAs_packed() {
	packed := dtype.MustParse("[('symbol', 'S4'), ('price', '>f8'), ('time', '<M8[ns]'), ('size', '<u2')]")
	a := check(array.New(packed, index.C, 3))
	defer a.Close()
	trades := check(array.As[Trade](a.Array))
	trades.SetAt(Trade{Time: 1_000, Price: 2.5}, 1) // symbol and size stay as they are
	for t := range trades.Values() {
		fmt.Println(t.Time, t.Price)
	}
	_, err := trades.Data()
	fmt.Println(err)
	// Output:
	// 0 0
	// 1000 2.5
	// 0 0
	// array: elements are not directly accessible: field "time" is at offset 12 in the file and 0 in Go
}

// Copy some fields of all records. The remaining fields stay as they are.
func ExampleFields() {
	d := dtype.MustParse("[('x', '<f4'), ('y', '<f4'), ('id', '<i4')]")
	a, b := check(array.New(d, index.C, 2)), check(array.New(d, index.C, 2))
	defer a.Close()
	defer b.Close()
	check(array.As[int32](check(a.Field("id")))).Fill(7)
	check(array.As[float32](check(b.Field("y")))).Fill(1.5)
	fmt.Println(array.Copy(check(array.Fields(a.Array, "x", "y")), check(array.Fields(b.Array, "x", "y"))))
	fmt.Println(a)
	// Output:
	// <nil>
	// [(0., 1.5, 7) (0., 1.5, 7)]
}

// A field of all records is an array that shares their memory.
func ExampleArray_Field() {
	f := check(array.New(check(dtype.Of[Star]()), index.C, 3))
	defer f.Close()
	pos := check(array.As[float32](check(f.Field("pos"))))
	fmt.Println(pos.Shape(), pos.Strides())
	pos.SetAt(2.5, 1, 0)
	fmt.Println(check(array.As[Star](f.Array)).At(1).Pos)
	// Output:
	// [3 2] [24 4]
	// [2.5 0]
}

// Read a field of records as float64. Its dtype may be different in each file.
func ExampleCast_field() {
	for _, d := range []string{"[('id', '<i4'), ('price', '<f4')]", "[('price', '>i2'), ('name', 'S8')]"} {
		f := check(array.New(dtype.MustParse(d), index.C, 3))
		defer f.Close()
		prices := check(array.Cast[float64](check(f.Field("price"))))
		prices.SetAt(2.5, 1)
		fmt.Println(prices.DType(), array.Sum[float64](prices))
	}
	// Output:
	// <f4 2.5
	// >i2 2
}

func ExampleText() {
	f := check(array.New(dtype.MustParse("<U6"), index.C, 2))
	defer f.Close()
	names := check(array.Text(f.Array))
	fmt.Println(names.SetAt("Mizar", 0), names.SetAt("Betelgeuse", 1))
	for s, err := range names.Values() {
		fmt.Printf("%q %v\n", s, err)
	}
	// Output:
	// <nil> array: text "Betelgeuse" has 10 characters; dtype <U6 has room for 6
	// "Mizar" <nil>
	// "" <nil>
}

// Times are counts of the unit in the dtype.
func ExampleAs_times() {
	f := check(array.New(dtype.MustParse("<M8[ms]"), index.C, 2))
	defer f.Close()
	v := check(array.As[int64](f.Array))
	v.SetAt(1_700_000_000_123, 0)
	v.SetAt(dtype.NaT, 1)
	for x := range v.Values() {
		t, ok := f.DType().Time(x)
		fmt.Println(t.UTC(), ok)
	}
	// Output:
	// 2023-11-14 22:13:20.123 +0000 UTC true
	// 0001-01-01 00:00:00 +0000 UTC false
}

// A selection shares the memory of its array, as in NumPy.
func ExampleView_Select() {
	v := check(array.FromSlice([]int{0, 1, 2, 3, 4, 5}, 2, 3))
	w := check(v.Select(index.Colon, index.Every(-2))) // v[:, ::-2]
	for i, row := range w.Axis(0) {
		fmt.Println(i, row.At(0), row.At(1))
	}
	w.Fill(-1)
	fmt.Println(check(v.Data()))
	// Output:
	// 0 2 0
	// 1 5 3
	// [-1 1 -1 -1 4 -1]
}

// Read a directory of shards as one array.
func ExampleStack() {
	var shards []array.Array
	for k := range 3 {
		v := check(array.FromSlice([]float64{float64(k), 10, 20}))
		shards = append(shards, v.Array())
	}
	v := check(array.As[float64](check(array.Stack(shards...))))
	fmt.Println(v.Shape(), v.At(2, 0), v.At(2, 2))
	// Output: [3 3] 2 20
}

// Read shards of any length as one array, or copy them into one.
func ExampleJoin() {
	a, b := check(array.FromSlice([]float64{1, 2})), check(array.FromSlice([]float64{3, 4, 5}))
	fmt.Println(check(array.Join(a.Array(), b.Array())))
	dst := check(array.FromSlice(make([]float32, 5)))
	if err := array.Concatenate(dst.Array(), 0, b.Array(), a.Array()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(dst)
	// Output:
	// [1. 2. 3. 4. 5.]
	// [3. 4. 5. 1. 2.]
}

func ExampleComparison() {
	a, b := check(array.FromSlice([]float64{1, 2, math.NaN()})), check(array.FromSlice([]float64{1, 2.5, math.NaN()}))
	c := array.Comparison{RTol: 1e-5, EqualNaN: true}
	d := check(c.Diff(a.Array(), b.Array()))
	fmt.Println(check(array.Equal(a.Array(), a.Array())), d.Count, d.First, d.MaxAbs, d.MaxRel)
	// Output: false 1 [[1]] 0.5 0.2
}

// Take columns by their indices, or by a mask.
func ExampleArray_Take() {
	a := check(array.FromSlice([]int32{1, 2, 3, 4, 5, 6}, 2, 3)).Array()
	fmt.Println(check(a.Take(1, []int{2, 0})))
	fmt.Println(check(a.Compress(1, []bool{true, true, false})))
	// Output:
	// [[3 1]
	//  [6 4]]
	// [[1 2]
	//  [4 5]]
}

// Two processes append to one file, and a third one reads it. Here, they are three Files.
func ExampleFile_Refresh() {
	path, remove := tempFile("log.npy")
	defer remove()
	one := check(array.Create(path, dtype.Int64, index.C, 0))
	defer one.Close()
	two := check(array.Open(path, array.ReadWrite))
	defer two.Close()
	reader := check(array.Open(path, array.ReadOnly))
	defer reader.Close()

	x := check(array.FromSlice([]int64{1, 2}))
	y := check(array.FromSlice([]int64{3}))
	if err := errors.Join(one.Append(x.Array()), two.Append(y.Array())); err != nil {
		log.Fatal(err)
	}
	grew := check(reader.Refresh())
	v := check(array.As[int64](reader.Array))
	fmt.Println(grew, slices.Collect(v.Values()))
	// Output: true [1 2 3]
}
