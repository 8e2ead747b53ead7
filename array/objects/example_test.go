package objects_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/objects"
)

// params is the file that numpy.save("params.npy", {"lr": 0.1, "layers": [64, 32], "name": "base"}) writes.
var params = strings.NewReader("" +
	"\x93NUMPY\x01\x00v\x00" + fmt.Sprintf("%-117s\n", "{'descr': '|O', 'fortran_order': False, 'shape': (), }") +
	"\x80\x03cnumpy.core.multiarray\n_reconstruct\nq\x00cnumpy\nndarray\nq\x01K\x00\x85q\x02C\x01bq\x03\x87q\x04Rq\x05" +
	"(K\x01)cnumpy\ndtype\nq\x06X\x02\x00\x00\x00O8q\a\x89\x88\x87q\bRq\t(K\x03X\x01\x00\x00\x00|q\nNNNJ\xff\xff\xff\xff" +
	"J\xff\xff\xff\xffK?tq\x0bb\x89]q\x0c}q\r(X\x02\x00\x00\x00lrq\x0eG?\xb9\x99\x99\x99\x99\x99\x9aX\x06\x00\x00\x00" +
	"layersq\x0f]q\x10(K@K eX\x04\x00\x00\x00nameq\x11X\x04\x00\x00\x00baseq\x12uatq\x13b.")

// This program reads a dict that was saved by NumPy.
func Example() {
	a, err := objects.Read(params)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(a)
	d := a.Values[0].(objects.Dict)
	if lr, ok := d.Get("lr"); ok {
		fmt.Println(lr.(float64) * 2)
	}
	b, err := json.Marshal(d)
	fmt.Println(string(b), err)

	// Output:
	// {'lr': 0.1, 'layers': [64, 32], 'name': 'base'}
	// 0.2
	// {"lr":0.1,"layers":[64,32],"name":"base"} <nil>
}

// A program that handles files from others distinguishes a pickle that Python would run from a damaged one.
func ExampleNameError() {
	header := "\x93NUMPY\x01\x00\x46\x00{'descr': '|O', 'fortran_order': False, 'shape': (), }               \n"
	_, err := objects.Read(strings.NewReader(header + "cos\nsystem\n(Vrm -r .\ntR."))
	if e, ok := errors.AsType[*objects.NameError](err); ok {
		fmt.Println(e.Name)
	}
	fmt.Println(err)

	// Output:
	// os.system
	// stream: pickle at byte 80: "os.system" is neither a plain value nor an array, and ndmap runs no code from a file; save the array from Python without it
}

// This program prints all members of an archive, including members of Python objects.
func ExampleReadMember() {
	a, err := npz.OpenBytes(must(os.ReadFile("testdata/mixed.npz")))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	for _, name := range a.Names() {
		h, err := a.Header(name)
		switch {
		case err != nil:
			fmt.Println(err)
		case h.DType.HasObject():
			v, err := objects.ReadMember(a, name)
			fmt.Println(name, v, err)
		default:
			v, err := a.Array(name)
			fmt.Println(name, v, err)
		}
	}

	// Output:
	// w [1. 2. 3.] <nil>
	// meta {'epoch': 3, 'tags': ('a', None)} <nil>
	// names ['x' 'longer'] <nil>
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
