package array_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
)

// Read a column of an array that lies behind an io.ReaderAt, such as a file on a web server: see package httpat. Only
// its elements are requested.
func ExampleOpenReaderAt() {
	file := numbersFile(">i2", 5, 3)
	far, err := array.OpenReaderAt(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	column, err := far.Select(index.Colon, index.At(1))
	if err != nil {
		log.Fatal(err)
	}
	column.Gap = -1 // not even short gaps
	n, size := column.Requests()
	fmt.Println(column.DType(), column.Shape(), n, "requests of", size, "bytes")
	a, err := column.Read(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a)
	sum, err := array.Reduction{Op: array.OpSum}.OfRemote(context.Background(), far)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum)
	// Output:
	// >i2 [5] 5 requests of 10 bytes
	// [ 1  4  7 10 13]
	// 105
}
