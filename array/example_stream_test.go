package array_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"testing/fstest"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// Read a stream of any length, such as a pipe, in parts: here two rows at a time, converted to float64.
func ExampleReader() {
	stream := numbersFile(">i2", 5, 3)
	r, err := array.NewReader(stream)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.DType(), r.Shape())
	rows := make([]float64, 2*3)
	part, err := array.FromSlice(rows, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	for {
		n, err := r.Read(part.Array())
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rows[:n*3])
	}
	// Output:
	// >i2 [5 3]
	// [0 1 2 3 4 5]
	// [6 7 8 9 10 11]
	// [12 13 14]
}

// Skip rows in a stream of several arrays.
func ExampleReader_Skip() {
	stream := io.MultiReader(numbersFile("<i4", 1000, 3), numbersFile("<f8", 2))
	r, err := array.NewReader(stream)
	if err != nil {
		log.Fatal(err)
	}
	if err := r.Skip(999); err != nil {
		log.Fatal(err)
	}
	last, err := array.FromSlice(make([]int32, 3), 1, 3)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := r.Read(last.Array()); err != nil {
		log.Fatal(err)
	}
	next, err := array.Read(stream)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(last, next)
	// Output: [[2997 2998 2999]] [0. 1.]
}

// Write rows to a stream one by one.
func ExampleNewWriter() {
	var stream bytes.Buffer // a response, or a pipe
	w, err := array.NewWriter(&stream, dtype.MustParse("<f4"), index.C, 3, 2)
	if err != nil {
		log.Fatal(err)
	}
	for i := range 3 {
		row, err := array.FromSlice([]int{10 * i, 10*i + 1}, 1, 2)
		if err == nil {
			err = w.Write(row.Array()) // converts to float32
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil { // an error if rows are missing
		log.Fatal(err)
	}
	a, err := array.Read(&stream)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", a)
	// Output:
	// dtype <f4, shape (3, 2), order C
	// [[ 0.  1.]
	//  [10. 11.]
	//  [20. 21.]]
}

// Open a file that is in memory, for example by go:embed, without copying it.
func ExampleOpenBytes() {
	table := numbersFile("<u2", 2, 2).Bytes() // var table []byte, with //go:embed table.npy
	a, err := array.OpenBytes(table, mmap.ReadOnly)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a)
	// Output:
	// [[0 1]
	//  [2 3]]
}

// Open a file of a folder, of embedded files or of an archive.
func ExampleOpenFS() {
	fsys := fstest.MapFS{"data/w.npy": {Data: numbersFile("<f8", 3).Bytes()}} // os.DirFS, embed.FS, zip.Reader, …
	f, err := array.OpenFS(fsys, "data/w.npy")
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	fmt.Printf("%+v\n", f)
	// Output:
	// data/w.npy: dtype <f8, shape (3,), order C
	// [0. 1. 2.]
}

func ExampleView_Collect() {
	a, err := array.Read(numbersFile(">i4", 2, 3))
	if err != nil {
		log.Fatal(err)
	}
	v, err := array.Cast[float64](a.T())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.Collect())
	// Output: [0 3 1 4 2 5]
}

// Reuse the memory of one batch for the next.
func ExampleView_AppendTo() {
	a, err := array.Read(numbersFile(">i4", 4, 2))
	if err != nil {
		log.Fatal(err)
	}
	v, err := array.As[int32](a)
	if err != nil {
		log.Fatal(err)
	}
	var batch []int32
	for lo := 0; lo < 4; lo += 2 {
		rows, err := v.Select(index.Range(lo, lo+2))
		if err != nil {
			log.Fatal(err)
		}
		batch = rows.AppendTo(batch[:0])
		fmt.Println(batch)
	}
	// Output:
	// [0 1 2 3]
	// [4 5 6 7]
}

func ExampleArray_AsType() {
	a, err := array.Read(numbersFile("<f8", 2, 3))
	if err != nil {
		log.Fatal(err)
	}
	b, err := a.AsType(dtype.Uint8, index.F)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", b)
	// Output:
	// dtype |u1, shape (2, 3), order F
	// [[0 1 2]
	//  [3 4 5]]
}

// numbersFile returns a .npy file of the numbers 0, 1, 2, …
func numbersFile(d string, shape ...int) *bytes.Buffer {
	n := 1
	for _, length := range shape {
		n *= length
	}
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	var b bytes.Buffer
	a := check(check(array.FromSlice(s, shape...)).Array().AsType(dtype.MustParse(d), index.C))
	if err := array.Write(&b, a); err != nil {
		panic(err)
	}
	return &b
}

// Marshal a small array as a JSON value, and write a large one to a stream.
func ExampleWriteJSON() {
	v, err := array.FromSlice([]float64{1, 2.5, math.NaN(), 4}, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	b, err := json.Marshal(map[string]any{"w": v})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(b))
	if err := array.WriteJSON(os.Stdout, v.T().Array()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"w":[[1.0,2.5],["NaN",4.0]]}
	// [[1.0,"NaN"],[2.5,4.0]]
}
