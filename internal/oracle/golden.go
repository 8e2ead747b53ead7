package oracle

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// File is a .npy file under testdata, written by NumPy or, for a variant, accepted by it. Its elements are those that
// the rule of this package gives (see [Append]).
type File struct {
	Name    string // without folder and extension: "f8-be-F-2x3x5"
	Path    string // absolute
	DType   string // as in the header: ">f8"
	Order   byte   // 'C' or 'F': how the array lay in memory when it was saved
	Fortran bool   // fortran_order in the header: false also for F arrays that are C-contiguous too
	Shape   []int  // not nil
	Offset  int    // where the data starts
	Version [2]byte
}

// Elements returns the product of the shape.
func (f File) Elements() int {
	n := 1
	for _, d := range f.Shape {
		n *= d
	}
	return n
}

// Data returns the bytes that must stand in the file from Offset on. It is slow and by definition: the loop counts
// through the elements as they lie in the file and asks for each one's index in C order.
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

// GoldenTypes are the dtypes of the golden files, as headers spell them: 14, in each byte order they have.
var GoldenTypes = []string{
	"|b1", "|i1", "|u1",
	"<i2", ">i2", "<i4", ">i4", "<i8", ">i8",
	"<u2", ">u2", "<u4", ">u4", "<u8", ">u8",
	"<f2", ">f2", "<f4", ">f4", "<f8", ">f8",
	"<c8", ">c8", "<c16", ">c16",
}

// GoldenShapes are the shapes of the golden files.
var GoldenShapes = [][]int{{}, {0}, {3}, {2, 3}, {2, 0, 3}, {2, 3, 5}, {2, 3, 5, 7}, {1, 2, 1, 3, 2}}

// Golden returns the files that numpy.save wrote: every one of [GoldenTypes] in C and F order in every one of
// [GoldenShapes]. A writer that is given the same array must make the same bytes.
func Golden() []File {
	var files []File
	for _, d := range GoldenTypes {
		for _, order := range []byte{'C', 'F'} {
			for _, shape := range GoldenShapes {
				files = append(files, golden(d, order, shape))
			}
		}
	}
	return files
}

func golden(dtype string, order byte, shape []int) File {
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

// dtypeName is "f8-be" for ">f8", and "na", not applicable, for single bytes.
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

// bothOrders tells whether an array of that shape lies in memory in the same way in C and in F order.
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

// Testdata returns the absolute path of this package's testdata folder; its folder demo has a few small files that are
// nice to look at. It is looked for from the working directory upwards, once, so that a test may change directory
// later.
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
