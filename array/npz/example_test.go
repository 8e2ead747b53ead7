package npz_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path/filepath"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// Use returns an error if the archive was changed while it was read.
func ExampleUse() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.npz")
	w, _ := array.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	fmt.Println(npz.Save(path, map[string]array.Array{"w": w.Array()}))
	sum := 0.0
	err = npz.Use(path, func(a *npz.Archive) error {
		member, err := a.Array("w")
		if err != nil {
			return err
		}
		v, err := array.Cast[float64](member) // numbers of any dtype
		if err == nil {
			sum = array.Sum[float64](v)
		}
		return err
	})
	fmt.Println(sum, err)
	// Output:
	// <nil>
	// 21 <nil>
}

// The weights of a model are edited in place, in the archive.
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

// Members are added one at a time, so that they need not all be in memory. After an error no archive exists.
func ExampleSaveConfig_Make() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "steps.npz")
	err = npz.SaveConfig{Compress: true}.Make(path, func(w *npz.Writer) error {
		step, err := array.New(dtype.Int64, index.C, 500, 500)
		if err != nil {
			return err
		}
		defer step.Close()
		v, err := array.As[int64](step.Array)
		if err != nil {
			return err
		}
		for i := range 3 {
			v.Fill(int64(i))
			if err := w.Add(fmt.Sprint("step", i), step.Array); err != nil {
				return err
			}
		}
		return nil
	})
	fmt.Println(err)
	err = npz.Use(path, func(a *npz.Archive) error {
		for _, name := range a.Names() {
			m, err := a.Member(name)
			if err != nil {
				return err
			}
			fmt.Println(name, m.Size, m.CompressedSize < m.Size/100)
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// <nil>
	// step0 2000128 true
	// step1 2000128 true
	// step2 2000128 true
	// <nil>
}

// Equal CRCs show, with the certainty of 32 bits, that two members are the same. The members are not read.
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

// OpenBytes opens an archive in memory, for example one that go:embed has put there.
func ExampleOpenBytes() {
	var b bytes.Buffer
	w := npz.NewWriter(&b) // to a pipe, a response, a file
	for name, s := range map[string][]float32{"w": {1, 2, 3}} {
		v, err := array.FromSlice(s)
		if err == nil {
			err = w.Add(name, v.Array(), dtype.MustParse("<f8")) // as float64
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	a, err := npz.OpenBytes(b.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	x, err := a.Array("w")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%+v\n", x)
	// Output:
	// dtype <f8, shape (3,), order C
	// [1. 2. 3.]
}

// An Archive is an fs.FS.
func ExampleArchive_Open() {
	path, remove := someArchive()
	defer remove()
	a, err := npz.Open(path, array.ReadOnly)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	err = fs.WalkDir(a, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			fmt.Println(name)
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output: w.npy
}

// Append adds members to an existing archive. The file at path does not change before Close.
func ExampleAppend() {
	path, remove := someArchive()
	defer remove()
	w, err := npz.Append(path)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Discard()
	v, err := array.FromSlice([]int32{4, 5})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Add("more", v.Array()); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	a, err := npz.Open(path, array.ReadOnly)
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	fmt.Println(a.Names())
	// Output: [w more]
}

// someArchive returns the path of an archive with the member w, which has two elements.
func someArchive() (path string, remove func()) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	path = filepath.Join(dir, "t.npz")
	v, err := array.FromSlice([]int32{1, 2})
	if err == nil {
		err = npz.Save(path, map[string]array.Array{"w": v.Array()})
	}
	if err != nil {
		log.Fatal(err)
	}
	return path, func() { os.RemoveAll(dir) }
}
