package safetensors_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/mmap"
)

// The weights of a model are read as float32, in any dtype, and edited in place, in the file.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	list := []safetensors.Tensor{{Name: "layers.0.weight", DType: dtype.BFloat16, Shape: []int{2, 3}}}
	f, err := safetensors.Create(path, list, map[string]string{"format": "pt"})
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	w, err := f.Array("layers.0.weight")
	if err != nil {
		log.Fatal(err)
	}
	v, err := array.Cast[float32](w)
	if err != nil {
		log.Fatal(err)
	}
	v.SetAt(0.1, 0, 1)
	v.SetAt(-2, 1, 2)
	if err := f.Sync(); err != nil {
		log.Fatal(err)
	}

	f, err = safetensors.Open(path, mmap.ReadOnly)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	fmt.Println(f.Names(), f.Metadata())
	w, err = f.Array("layers.0.weight")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.DType(), w.Shape())
	if v, err = array.Cast[float32](w); err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.At(0, 1), v.At(1, 2))
	// Output:
	// [layers.0.weight] map[format:pt]
	// <bfloat16 [2 3]
	// 0.100097656 -2
}

// A model is made from another one. After an error, or if the source has changed, no file is created.
func ExampleMake() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in.safetensors"), filepath.Join(dir, "out.safetensors")
	w, _ := array.FromSlice([]float32{0.1, 0.2, 0.3})
	fmt.Println(safetensors.Save(in, map[string]array.Array{"w": w.Array()}, nil))
	var list []safetensors.Tensor
	var metadata map[string]string
	err = safetensors.Use(in, func(f *safetensors.File) error {
		for _, name := range f.Names() {
			t, err := f.Tensor(name)
			if err != nil {
				return err
			}
			t.DType = dtype.BFloat16
			list = append(list, t)
		}
		metadata = f.Metadata()
		return nil
	})
	fmt.Println(err)
	err = safetensors.Make(out, list, metadata, func(g *safetensors.File) error {
		return safetensors.Use(in, func(f *safetensors.File) error {
			for _, t := range list {
				src, err := f.Array(t.Name)
				if err != nil {
					return err
				}
				dst, err := g.Array(t.Name)
				if err != nil {
					return err
				}
				if err := array.Copy(dst, src); err != nil {
					return err
				}
			}
			return nil
		})
	})
	fmt.Println(err)
	err = safetensors.Use(out, func(f *safetensors.File) error {
		t, err := f.Tensor("w")
		fmt.Println(t.Name, t.DType, t.Shape)
		return err
	})
	fmt.Println(err)
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// w <bfloat16 [3]
	// <nil>
}

// Tensors are saved with their names. The elements are converted from float32 to bfloat16.
func ExampleSave() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	w, _ := array.FromSlice([]float32{0.1, 0.2, 0.3})
	small, err := array.New(dtype.BFloat16, 0, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer small.Close()
	if err := array.Copy(small.Array, w.Array()); err != nil {
		log.Fatal(err)
	}
	if err := safetensors.Save(path, map[string]array.Array{"w": small.Array}, nil); err != nil {
		log.Fatal(err)
	}
	f, err := safetensors.Open(path, mmap.ReadOnly)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	t, err := f.Tensor("w")
	fmt.Println(t.Name, t.DType, t.Shape, t.Offset, err)
	// Output: w <bfloat16 [3] 64 <nil>
}

// Tensors are written one at a time, to any stream, so that they need not all be in memory.
func ExampleWriter() {
	var out bytes.Buffer
	w, err := safetensors.NewWriter(&out, []safetensors.Tensor{
		{Name: "a", DType: dtype.Float32, Shape: []int{2}},
		{Name: "b", DType: dtype.Int64, Shape: []int{1}},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	a, _ := array.FromSlice([]float32{1, 2})
	b, _ := array.FromSlice([]int64{3})
	for _, x := range []array.Array{a.Array(), b.Array()} {
		if err := w.Write(x); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	f, err := safetensors.OpenBytes(out.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	x, err := f.Array("b")
	fmt.Println(f.Names(), x, err)
	// Output: [a b] [3] <nil>
}

// NewReader reads tensors on demand, from a section of another file or an object on a server.
func ExampleNewReader() {
	w, _ := array.FromSlice([]float32{1, 2, 3})
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model.safetensors")
	if err := safetensors.Save(path, map[string]array.Array{"w": w.Array()}, nil); err != nil {
		log.Fatal(err)
	}
	r, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	info, err := r.Stat()
	if err != nil {
		log.Fatal(err)
	}
	f, err := safetensors.NewReader(r, info.Size())
	if err != nil {
		log.Fatal(err)
	}
	a, err := f.Array("w")
	fmt.Println(a, err)
	// Output: [1. 2. 3.] <nil>
}

// The tensors of a model in two shards are listed by its index.
func ExampleUseSharded() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	v, err := array.FromSlice([]float32{0.1, 0.2, 0.3})
	if err != nil {
		log.Fatal(err)
	}
	for shard, tensor := range map[string]string{"model-00001-of-00002.safetensors": "embed",
		"model-00002-of-00002.safetensors": "head"} {
		if err := safetensors.Save(filepath.Join(dir, shard), map[string]array.Array{tensor: v.Array()}, nil); err != nil {
			log.Fatal(err)
		}
	}
	index := filepath.Join(dir, "model.safetensors.index.json")
	text := `{"weight_map": {"embed": "model-00001-of-00002.safetensors", "head": "model-00002-of-00002.safetensors"}}`
	if err := os.WriteFile(index, []byte(text), 0o666); err != nil {
		log.Fatal(err)
	}
	err = safetensors.UseSharded(index, func(s *safetensors.Sharded) error {
		for _, name := range s.Names() {
			t, err := s.Tensor(name)
			if err != nil {
				return err
			}
			fmt.Println(name, t.DType, t.Shape)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// embed <f4 [3]
	// head <f4 [3]
}
