package array_test

import (
	"archive/tar"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// Open a log of samples of 3 channels that follow a header of 16 bytes. The last row is incomplete.
func ExampleOpenRaw() {
	path, remove := tempFile("samples.bin")
	defer remove()
	b := []byte("made by a device")
	for i := range 11 {
		b = binary.BigEndian.AppendUint16(b, uint16(10*i))
	}
	if err := os.WriteFile(path, b, 0o666); err != nil {
		log.Fatal(err)
	}

	// like np.memmap(path, '>u2', 'r+', 16, (3, 3)), but OpenRaw computes the number of rows
	f := check(array.OpenRaw(path, array.ReadWrite, 16, dtype.MustParse(">u2"), index.C, -1, 3))
	defer f.Close()
	v := check(array.As[uint16](f.Array))
	v.SetAt(7, 0, 1) // writes to the file
	fmt.Println(v.Shape())
	fmt.Println(v)
	// Output:
	// [3 3]
	// [[ 0  7 20]
	//  [30 40 50]
	//  [60 70 80]]
}

// Open an array in a tar archive without unpacking it.
func ExampleOpenAt() {
	path, remove := tempFile("arrays.tar")
	defer remove()
	var npy bytes.Buffer
	v := check(array.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3))
	if err := array.Write(&npy, v.Array()); err != nil {
		log.Fatal(err)
	}
	file := check(os.Create(path))
	w := tar.NewWriter(file)
	if err := w.WriteHeader(&tar.Header{Name: "a.npy", Mode: 0o666, Size: int64(npy.Len())}); err != nil {
		log.Fatal(err)
	}
	check(w.Write(npy.Bytes()))
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	file.Close()

	file = check(os.Open(path))
	defer file.Close()
	member := check(tar.NewReader(file).Next()) // the data starts at the current offset of file
	offset := check(file.Seek(0, io.SeekCurrent))
	f := check(array.OpenAt(path, array.ReadOnly, offset))
	defer f.Close()
	fmt.Println(member.Name, f.Shape(), "from byte", f.DataOffset())
	fmt.Println(f.Array)
	// Output:
	// a.npy [2 3] from byte 640
	// [[1. 2. 3.]
	//  [4. 5. 6.]]
}
