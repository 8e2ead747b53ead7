package array_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"sync"
	"unsafe"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// Edit a file in place, check every error, and store the changes on the disk.
func ExampleOpen() {
	path, remove := tempFile("t.npy")
	defer remove()
	v, _ := array.FromSlice([]float64{0, 1, 2, 3, 4, 5}, 2, 3)
	if err := array.Save(path, v.Array()); err != nil {
		log.Fatal(err)
	}

	err := func() error {
		f, err := array.Open(path, array.ReadWrite)
		if err != nil {
			return err
		}
		defer f.Close() // v and row must not be used after that
		v, err := array.As[float64](f.Array)
		if err != nil {
			return err // the file has another dtype
		}
		row := v.Index(1)
		row.SetAt(row.At(0)+0.5, 0) // changes the file
		fmt.Println(v)
		return f.Sync()
	}()
	fmt.Println(err)

	_, err = array.Open(path+".gz", array.ReadOnly)
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// [[0.  1.  2. ]
	//  [3.5 4.  5. ]]
	// <nil>
	// true
}

// Write a file in another order and byte order. Like Save, Convert writes a complete file or none.
func ExampleConvert() {
	path, remove := tempFile("t.npy")
	defer remove()
	v := check(array.FromSlice([]int16{1, 2, 3, 4}, 2, 2))
	fmt.Println(array.Convert(path, v.Array(), dtype.MustParse(">f8"), index.F))
	f := check(array.Open(path, array.ReadOnly))
	defer f.Close()
	fmt.Println(f.DType(), f.Order(), check(array.As[float64](f.Array)))
	err := array.Convert(path, v.Array(), dtype.Int16, index.C)
	fmt.Println(errors.Is(err, fs.ErrExist)) // SaveConfig.Replace would replace it
	// Output:
	// <nil>
	// >f8 F [[1. 2.]
	//  [3. 4.]]
	// true
}

// Allocate memory that takes no space until it is touched: here one or two pages of 80 MB.
func ExampleNew() {
	f := check(array.New(dtype.Float64, index.C, 1000, 1000, 10))
	defer f.Close() // returns the memory to the system
	v := check(array.As[float64](f.Array))
	v.SetAt(1.5, 999, 999, 9)
	fmt.Println(v.At(0, 0, 0), v.At(999, 999, 9))
	// Output: 0 1.5
}

// Only copies stay valid after Close.
func ExampleFile_Close() {
	path, remove := tempFile("t.npy")
	defer remove()
	f := check(array.Create(path, dtype.Int16, index.C, 3))
	v := check(array.As[int16](f.Array))
	v.Fill(7)
	copied := check(v.Clone(index.C)) // in memory allocated by Go
	first := v.At(0)
	fmt.Println(f.Close())

	fmt.Println(copied, first)
	// v.At(0) would be a page fault now, and so would v.Data()[0]. A second Close is harmless.
	err := f.Close()
	fmt.Println(err.(*fs.PathError).Err)
	// Output:
	// <nil>
	// [7 7 7] 7
	// file already closed
}

// Read and write a file of any numeric dtype, here 2-byte big-endian integers, as float64.
func ExampleCast() {
	path, remove := tempFile("t.npy")
	defer remove()
	f := check(array.Create(path, dtype.MustParse(">i2"), index.C, 2, 2))
	defer f.Close()
	_, err := array.As[float64](f.Array)
	fmt.Println(err != nil) // float64 is not the type of the elements

	v := check(array.Cast[float64](f.Array))
	v.SetAt(2.75, 0, 1) // with the same conversion as Copy
	for x := range v.Values() {
		fmt.Print(x, " ")
	}
	fmt.Println(f)
	// Output:
	// true
	// 0 2 0 0 [[0 2]
	//  [0 0]]
}

// Loop over a file of any size, layout and byte order in slices that stay in the cache. Reduce does the same on all
// cores.
func ExampleView_Blocks() {
	path, remove := tempFile("t.npy")
	defer remove()
	f := check(array.Create(path, dtype.MustParse(">f4"), index.F, 1000, 300)) // or larger than memory
	defer f.Close()
	v := check(array.As[float32](f.Array))
	v.Fill(0.5)

	n, sum := 0, 0.0
	err := mmap.Guard(func() error { // a truncated file is an error
		for block := range v.Blocks(index.K) { // in the order of the file
			n += len(block)
			for _, x := range block {
				sum += float64(x)
			}
		}
		return nil
	})
	fmt.Println(n, sum, err)
	// Output: 300000 150000 <nil>
}

// Append rows to a file. NumPy and other processes see only complete rows.
func ExampleFile_Append() {
	path, remove := tempFile("log.npy")
	defer remove()
	f := check(array.Create(path, dtype.Float64, index.C, 0, 2))
	defer f.Close()
	rows := check(array.FromSlice([]float64{1, 1.5, 2, 2.5}, 2, 2))
	if err := f.Append(rows.Array(), rows.Array()); err != nil {
		log.Fatal(err)
	}
	v := check(array.As[float64](f.Array)) // taken after Append, which changes f.Array
	fmt.Println(v.Shape(), v.At(3, 1))
	// Output: [4 2] 2.5
}

// Collect many small records and append them together.
func ExampleAppender() {
	path, remove := tempFile("trades.npy")
	defer remove()
	f := check(array.Create(path, check(dtype.Of[Trade]()), index.C, 0))
	defer f.Close()
	a := check(array.NewAppender[Trade](f))
	for i := range 1000 {
		if err := a.Append(Trade{Time: int64(i), Price: float64(i) / 2}); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(f.Len(0), a.Buffered())
	if err := a.Close(); err != nil { // or Flush, every second
		log.Fatal(err)
	}
	trades := check(array.As[Trade](f.Array))
	fmt.Println(f.Len(0), trades.At(999))
	// Output:
	// 0 1000
	// 1000 {999 499.5}
}

// Goroutines need no lock if each writes to a part of its own.
func ExampleView_Split() {
	v := check(array.FromSlice(make([]int32, 12), 6, 2))
	var wg sync.WaitGroup
	for i, part := range v.Split(3) {
		wg.Go(func() { part.Fill(int32(i)) })
	}
	wg.Wait()
	fmt.Println(v.T())
	// Output:
	// [[0 0 1 1 2 2]
	//  [0 0 1 1 2 2]]
}

// Use memory that Go did not allocate as an array until Close frees it. Here, a mapping stands in for C.malloc;
// examples/cgo calls C.malloc, and passes a mapped file to C.
func ExampleFromPointer() {
	m := check(mmap.Anonymous(48))
	p := unsafe.Pointer(unsafe.SliceData(m.Bytes()))
	layout := check(index.NewLayout([]int{2, 3}, 8, index.F))
	a := check(array.FromPointer(p, dtype.Float64, layout, func() { m.Close() }))
	v := check(array.As[float64](a.Array))
	v.SetAt(1.5, 1, 0)
	fmt.Println(v)
	fmt.Println(a.Close(), m.Len())
	// Output:
	// [[0.  0.  0. ]
	//  [1.5 0.  0. ]]
	// <nil> 0
}
