package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// File describes a .npy file under testdata. NumPy wrote the file, or can read it if it is a variant. [Append] defines
// its elements.
type File struct {
	Name    string // the file name without extension: "f8-be-F-2x3x5"
	Path    string // the absolute path
	DType   string // the dtype, as in the header: ">f8"
	Order   byte   // 'C' or 'F': the order of the array in memory when it was saved
	Fortran bool   // fortran_order in the header: false for arrays that are contiguous in both orders
	Shape   []int  // the shape, never nil
	Offset  int    // the offset of the data in bytes
	Version [2]byte
}

// Elements returns the number of elements, the product of the shape.
func (f File) Elements() int {
	n := 1
	for _, d := range f.Shape {
		n *= d
	}
	return n
}

// Data returns the bytes of the elements, which start at Offset in the file. It is slow and simple: for each element in
// the order of the file, it computes the index in C order.
func (f File) Data() []byte {
	b := []byte{}
	n, nd := f.Elements(), len(f.Shape)
	for at := range n {
		k := at
		if f.Fortran {
			// at = i0 + d0*(i1 + d1*(i2 + ...)), and k = ((i0*d1 + i1)*d2 + i2)...
			k = 0
			stride, rest := n, at
			for axis := range nd {
				stride /= f.Shape[axis]
				k += rest % f.Shape[axis] * stride
				rest /= f.Shape[axis]
			}
		}
		b = Append(b, f.DType, k)
	}
	return b
}

// GoldenTypes lists the dtypes of the golden files, spelled as in headers: 14 types, in each of their byte orders.
var GoldenTypes = []string{
	"|b1", "|i1", "|u1",
	"<i2", ">i2", "<i4", ">i4", "<i8", ">i8",
	"<u2", ">u2", "<u4", ">u4", "<u8", ">u8",
	"<f2", ">f2", "<f4", ">f4", "<f8", ">f8",
	"<c8", ">c8", "<c16", ">c16",
}

// GoldenShapes lists the shapes of the golden files.
var GoldenShapes = [][]int{{}, {0}, {3}, {2, 3}, {2, 0, 3}, {2, 3, 5}, {2, 3, 5, 7}, {1, 2, 1, 3, 2}}

// Golden returns the files that numpy.save wrote, one for each combination of [GoldenTypes], [GoldenShapes], and C or F
// order. A writer must produce the same bytes for the same array.
func Golden() []File {
	var files []File
	for _, d := range GoldenTypes {
		for _, order := range []byte{'C', 'F'} {
			for _, shape := range GoldenShapes {
				files = append(files, goldenFile(d, order, shape))
			}
		}
	}
	return files
}

func goldenFile(dtype string, order byte, shape []int) File {
	name := fmt.Sprintf("%s-%c-%s", dtypeName(dtype), order, shapeName(shape))
	return File{
		Name:    name,
		Path:    filepath.Join(Testdata(), "golden", name+".npy"),
		DType:   dtype,
		Order:   order,
		Fortran: order == 'F' && !bothOrders(shape),
		Shape:   slices.Clone(shape),
		Offset:  128, // magic, version, length, about 60 bytes of header, room to grow; aligned to 64
		Version: [2]byte{1, 0},
	}
}

// dtypeName returns the spelling of a dtype in file names: "f8-be" for ">f8", and "u1-na" (not applicable) for "|u1".
func dtypeName(dtype string) string {
	return dtype[1:] + map[byte]string{'<': "-le", '>': "-be", '|': "-na"}[dtype[0]]
}

func shapeName(shape []int) string {
	if len(shape) == 0 {
		return "scalar"
	}
	s := make([]string, len(shape))
	for i, d := range shape {
		s[i] = strconv.Itoa(d)
	}
	return strings.Join(s, "x")
}

// bothOrders reports whether C and F order are the same for arrays of the given shape.
func bothOrders(shape []int) bool {
	long := 0
	for _, d := range shape {
		if d == 0 {
			return true
		}
		if d > 1 {
			long++
		}
	}
	return long < 2
}

// Testdata returns the absolute path of the testdata folder of this package. Its folder demo contains a few small files
// for examples. The path is determined once, by searching upwards from the working directory, so that tests may change
// the working directory.
func Testdata() string { return testdata }

var testdata = func() string {
	dir, err := os.Getwd()
	if err != nil {
		return "testdata"
	}
	for {
		td := filepath.Join(dir, "internal", "oracle", "testdata")
		if fi, err := os.Stat(td); err == nil && fi.IsDir() {
			return td
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "testdata"
		}
		dir = up
	}
}()
