package oracle

import (
	"fmt"
	"path/filepath"
)

// Variants returns files that NumPy reads, but that current versions of numpy.save do not write: versions 2 and 3 of
// the format, data at unaligned offsets, and other spellings of the header. A reader must accept all of them.
func Variants() []File {
	var files []File
	add := func(name, dtype string, order byte, offset int, major byte, shape ...int) {
		files = append(files, File{
			Name:    name,
			Path:    filepath.Join(Testdata(), "variants", name+".npy"),
			DType:   dtype,
			Order:   order,
			Fortran: order == 'F',
			Shape:   append([]int{}, shape...),
			Offset:  offset,
			Version: [2]byte{major, 0},
		})
	}

	for _, major := range []byte{2, 3} {
		v := func(dtype string, order byte, shape ...int) {
			name := fmt.Sprintf("v%d-%s-%c-%s", major, dtypeName(dtype), order, shapeName(shape))
			add(name, dtype, order, 128, major, shape...)
		}
		v("<f8", 'C', 2, 3)
		v(">f8", 'F', 2, 3)
		v(">c16", 'F', 2, 3, 5)
		v("<i2", 'C')
		v("|b1", 'C', 2, 0, 3)
	}

	for _, dtype := range GoldenTypes {
		for _, offset := range []int{76, 78, 80, 98} {
			add(fmt.Sprintf("offset%d-%s", offset, dtypeName(dtype)), dtype, 'F', offset, 1, 2, 3)
		}
	}

	add("long", "<f8", 'C', 72, 1, 3, 2) // Python 2: (3L, 2L)
	add("long-unaligned", ">f4", 'F', 68, 1, 3, 2)
	add("double-quotes", "<f8", 'C', 70, 1, 3, 2)
	add("mixed-quotes", ">f4", 'F', 69, 1, 3, 2)
	add("unicode-prefix", "<f8", 'C', 74, 1, 3, 2) // Python 2: u'descr'
	add("shape-first", ">f4", 'F', 69, 1, 3, 2)
	add("order-first", "<f8", 'C', 68, 1, 3, 2)
	add("no-newline", "<f8", 'C', 69, 1, 3, 2)
	add("no-newline-padded", "<f8", 'C', 128, 1, 3, 2)
	add("no-spaces", "<f8", 'C', 61, 1, 3, 2)
	add("many-spaces", ">f4", 'F', 79, 1, 3, 2) // and a tab
	add("many-lines", "<f8", 'C', 71, 1, 3, 2)
	add("no-trailing-comma", "<f8", 'C', 68, 1, 3, 2)
	add("trailing-comma-in-shape", ">f4", 'F', 70, 1, 3, 2)
	add("long-padding", "<f8", 'C', 4011, 1, 3, 2)
	add("one-axis-no-space", ">f4", 'F', 60, 1, 3)
	add("scalar-fortran", "<i4", 'F', 65, 1) // fortran_order True, although both orders are the same
	add("scalar-space", "<i4", 'C', 67, 1)
	add("not-applicable-order", "|u1", 'F', 69, 1, 3, 2) // '<u1' in the header, which NumPy reads as '|u1'
	add("long-v2", "<f8", 'C', 74, 2, 3, 2)
	add("no-newline-v3", ">f4", 'F', 68, 3, 3, 2)
	add("trailing-bytes", "<f8", 'C', 70, 1, 3, 2) // with four bytes after the data, which NumPy ignores
	return files
}
