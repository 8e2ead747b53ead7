package npz_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// Weights of a model are edited where they lie in the archive.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.npz")
	w, _ := array.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	b, _ := array.FromSlice([]float32{0.5, 0.25})
	if err := npz.Save(path, map[string]array.Array{"layer1/w": w.Array(), "layer1/b": b.Array()}); err != nil {
		log.Fatal(err)
	}

	a, err := npz.Open(path, array.ReadWrite)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	fmt.Println(a.Names())
	member, err := a.Array("layer1/w")
	if err != nil {
		log.Fatal(err)
	}
	v, err := array.As[float32](member)
	if err != nil {
		log.Fatal(err)
	}
	v.SetAt(60, 1, 2)
	fmt.Println(a.Verify("layer1/w") == nil) // not yet
	if err := a.Sync(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Verify("layer1/w") == nil, v)
	// Output:
	// [layer1/b layer1/w]
	// false
	// true [[ 1.  2.  3.]
	//  [ 4.  5. 60.]]
}

// Members are added one at a time, so that they need not all be in memory.
func ExampleWriter() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "steps.npz")
	w, err := npz.Config{Compress: true}.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Discard() // if it is not closed
	step, err := array.New(dtype.Int64, index.C, 500, 500)
	if err != nil {
		log.Fatal(err)
	}
	defer step.Close()
	v, _ := array.As[int64](step.Array)
	for i := range 3 {
		v.Fill(int64(i))
		if err := w.Add(fmt.Sprint("step", i), step.Array); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	a, err := npz.Open(path, array.ReadOnly)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	for _, name := range a.Names() {
		m, _ := a.Member(name)
		fmt.Println(name, m.Size, m.CompressedSize < m.Size/100)
	}
	// Output:
	// step0 2000128 true
	// step1 2000128 true
	// step2 2000128 true
}

// The CRC says that two members are the same without reading them, as far as 32 bits do.
func ExampleArchive_Member() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "epochs.npz")
	w, _ := array.FromSlice([]float32{1, 2, 3})
	if err := npz.Save(path, map[string]array.Array{"epoch1": w.Array(), "epoch2": w.Array()}); err != nil {
		log.Fatal(err)
	}
	a, err := npz.Open(path, array.ReadOnly)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	x, _ := a.Member("epoch1")
	y, _ := a.Member("epoch2")
	fmt.Println(x.Name, x.Size, x.Compressed, x.CRC == y.CRC)
	// Output: epoch1.npy 140 false true
}
