package dtype_test

import (
	"fmt"
	"time"

	"github.com/ndmap/ndmap/dtype"
)

func ExampleParse() {
	d, err := dtype.Parse("[('pos', '<f4', (3,)), ('tag', '|S8')]")
	if err != nil {
		panic(err)
	}
	for f := range d.Fields() {
		fmt.Println(f.Offset, f.Name, f.Type.Base(), f.Type.SubShape())
	}
	// Output:
	// 0 pos <f4 [3]
	// 12 tag |S8 []
}

func ExampleParse_error() {
	_, err := dtype.Parse("[('x', '<f4'), ('x', '<f8')]")
	fmt.Println(err)
	// Output: dtype: "[('x', '<f4'), ('x', '<f8')]" at byte 16: field "x" has the name or title of another field
}

func ExampleOf() {
	type particle struct {
		ID   uint8
		Pos  [3]float32 `npy:"pos"`
		Mass float32    `npy:"mass"`
	}
	d, err := dtype.Of[particle]()
	if err != nil {
		panic(err)
	}
	fmt.Println(d.WithByteOrder(dtype.LittleEndian)) // three bytes before pos are padding
	// Output: [('ID', '|u1'), ('', '|V3'), ('pos', '<f4', (3,)), ('mass', '<f4')]
}

func ExampleStruct() {
	i4 := dtype.MustParse("<i4")
	d, err := dtype.Struct(12, dtype.Field{Name: "a", Type: i4, Offset: 1}, dtype.Field{Name: "b", Type: i4, Offset: 6})
	if err != nil {
		panic(err)
	}
	descr, err := d.Descr()
	fmt.Println(descr, err)
	// Output: [('', '|V1'), ('a', '<i4'), ('', '|V1'), ('b', '<i4'), ('', '|V2')] <nil>
}

func ExampleDType_Time() {
	d := dtype.MustParse("<M8[25s]")
	t, ok := d.Time(4)
	fmt.Println(t, ok)
	v, err := d.FromTime(time.Date(1970, 1, 1, 0, 2, 4, 0, time.UTC)) // the tick before
	fmt.Println(v, err)
	_, ok = d.Time(dtype.NaT)
	fmt.Println(ok)
	// Output:
	// 1970-01-01 00:01:40 +0000 UTC true
	// 4 <nil>
	// false
}

func ExampleHalf() {
	x := dtype.HalfFrom64(0.1)
	fmt.Printf("%#04x %v\n", uint16(x), x.Float64())
	// Output: 0x2e66 0.0999755859375
}

func ExampleDType_IsVariable() {
	for _, d := range []dtype.DType{dtype.MustParse("S12"), dtype.MustParse("<U3"), dtype.MustParse("<f8")} {
		fmt.Println(d, d.IsVariable(), d.ItemSize())
	}
	// Output:
	// |S12 true 12
	// <U3 true 12
	// <f8 false 8
}

func ExampleBF16() {
	x := dtype.BF16From32(0.1)
	fmt.Printf("%#04x %v\n", uint16(x), x.Float32())
	// Output: 0x3dcd 0.100097656
}

func ExampleF8E4M3FN() {
	for _, x := range []float64{0.1, 448, 464, 465} {
		f := dtype.F8E4M3FNFrom64(x)
		fmt.Printf("%#02x %v\n", uint8(f), f.Float64())
	}
	// Output:
	// 0x1d 0.1015625
	// 0x7e 448
	// 0x7e 448
	// 0x7f NaN
}

func ExampleF8E5M2() {
	for _, x := range []float64{0.1, 57344, 61440} {
		f := dtype.F8E5M2From64(x)
		fmt.Printf("%#02x %v\n", uint8(f), f.Float64())
	}
	// Output:
	// 0x2e 0.09375
	// 0x7b 57344
	// 0x7c +Inf
}
