package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestTensors tests the tensors of a .safetensors file. They are listed like the members of an archive. Elements have a
// text, a value and a position in the file, also for dtypes of models.
func TestTensors(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "model.safetensors")
	list := makeTensors(t, path)
	s := enter(t, dir)
	for k, x := range list {
		id := s.id(filepath.Base(dir), "model.safetensors", x.Name)
		var about info
		s.getJSON(&about, "/api/array/"+id)
		if about.DType != x.DType.WithByteOrder(dtype.LittleEndian).String() || !about.Numeric || k < 4 &&
			about.Kind != "float" || about.DataOffset == nil {
			t.Errorf("%s: %+v", x.Name, about)
			continue
		}
		var got struct {
			Text  string
			Byte  *int
			Value *float64
		}
		s.getJSON(&got, "/api/array/"+id+"/value?at=2,3")
		if got.Value == nil || *got.Value != 6 || got.Byte == nil {
			t.Errorf("%s: the value is %+v, want 6", x.Name, got)
			continue
		}
		there, err := array.OpenRaw(path, mmap.ReadOnly, int64(*got.Byte), x.DType.WithByteOrder(dtype.LittleEndian), index.C)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprint(there.Array); text != got.Text {
			t.Errorf("%s: the element at byte %d is %s, want %s", x.Name, *got.Byte, text, got.Text)
		}
		there.Close()
		var copied struct{ Go, NumPy string }
		s.getJSON(&copied, "/api/array/"+id+"/copy?y=0&x=1&at=0,0&y0=0&y1=2&x0=1&x1=3")
		checkGo(t, copied.Go)
	}
}

// makeTensors writes a file with one tensor of shape (3, 5) for each of several dtypes. The elements count up from -7.
func makeTensors(t *testing.T, path string) (list []safetensors.Tensor) {
	t.Helper()
	types := []dtype.DType{dtype.BFloat16, dtype.Float8E4M3FN, dtype.Float8E5M2, dtype.Float32, dtype.Int8}
	for k, d := range types {
		list = append(list, safetensors.Tensor{Name: fmt.Sprintf("layer.%d/w", k), DType: d, Shape: []int{3, 5}})
	}
	f, err := safetensors.Create(path, list, map[string]string{"format": "pt"})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range list {
		a, err := f.Array(x.Name)
		if err != nil {
			t.Fatal(err)
		}
		v, err := array.Cast[float64](a)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			for j := range 5 {
				v.SetAt(float64(i*5+j-7), i, j)
			}
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestPageTensors tests that the page shows tensors as images, and shows the right values.
func TestPageTensors(t *testing.T) {
	needPage(t)
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "model.safetensors")
	list := makeTensors(t, path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	start := 8 + int(binary.LittleEndian.Uint64(b))
	var header map[string]struct {
		Offsets []int `json:"data_offsets"`
	}
	var mixed map[string]json.RawMessage
	if err := json.Unmarshal(b[8:start], &mixed); err != nil {
		t.Fatal(err)
	}
	delete(mixed, "__metadata__")
	if b, err = json.Marshal(mixed); err == nil {
		err = json.Unmarshal(b, &header)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, dir)
	for k, x := range list {
		dot := ".0"
		if x.DType == dtype.Int8 {
			dot = ""
		}
		at := start + header[x.Name].Offsets[0]
		p.show(x.Name, "view=image")
		p.keepScreenshot(fmt.Sprintf("tensor-%d", k))
		p.checkCursor(2, 4, "[2, 4]", "7"+dot, fmt.Sprintf("byte %d", at+14*x.DType.ItemSize()))
		p.checkCursor(0, 1, "[0, 1]", "-6"+dot, fmt.Sprintf("byte %d", at+x.DType.ItemSize()))
	}
}

// TestShards tests the tensors of a model in shards. They are listed under the index, which replaces the shards in the
// listing of a folder. Missing shards and tensors, and errors in the index, are errors of the index.
func TestShards(t *testing.T) {
	dir := t.TempDir()
	const first, second, name = "m-00001-of-00002.safetensors", "m-00002-of-00002.safetensors",
		"m.safetensors.index.json"
	makeTensors(t, filepath.Join(dir, first))
	makeTensors(t, filepath.Join(dir, second))
	path := filepath.Join(dir, name)
	write := func(shards ...string) { // the shards of layer.0/w, layer.1/w, …
		t.Helper()
		weights := map[string]string{}
		for k, shard := range shards {
			weights[fmt.Sprintf("layer.%d/w", k)] = shard
		}
		b, err := json.Marshal(map[string]any{"metadata": map[string]int{"total_size": 1}, "weight_map": weights})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(first, second, first, second, second)
	list := func(s *session) []node {
		var list struct{ Sources []node }
		s.getJSON(&list, "/api/sources")
		return list.Sources
	}
	inFolder, alone := enter(t, dir), enter(t, path)
	names := []string{"layer.0/w", "layer.2/w", "layer.3/w", "layer.1/w", "layer.4/w"} // in the order of the files
	for what, nodes := range map[string][]node{"folder": list(inFolder)[0].Children, "file": list(alone)} {
		if len(nodes) != 1 || nodes[0].Name != name || nodes[0].Error != "" || len(nodes[0].Children) != len(names) {
			t.Fatalf("%s: %+v", what, nodes)
		}
		for k, child := range nodes[0].Children {
			if child.Name != names[k] || child.Size == 0 || !strings.HasSuffix(child.Summary, " · 3 × 5") {
				t.Errorf("%s: tensor %d is %+v, want %s", what, k, child, names[k])
			}
		}
	}
	s := inFolder
	var got struct{ Value *float64 }
	s.getJSON(&got, "/api/array/"+s.id(filepath.Base(dir), name, "layer.3/w")+"/value?at=2,3")
	if got.Value == nil || *got.Value != 6 {
		t.Errorf("the value is %v, want 6", got.Value)
	}

	write(first, "gone.safetensors")
	check := func(tensors int, want string) {
		t.Helper()
		n := list(alone)[0]
		if n.Error != want || len(n.Children) != tensors {
			t.Errorf("%d tensors and error %q, want %d and %q", len(n.Children), n.Error, tensors, want)
		}
	}
	check(1, "shard gone.safetensors: no such file or directory")
	write(first, first, first, first, first, second)
	check(5, "shard "+second+" lacks 1 of the tensors that the index says it has")
	if n := list(inFolder)[0].Children; len(n) != 1 {
		t.Errorf("the folder has %+v", n)
	}
	for text, want := range map[string]string{
		`{"weight_map": {"a": "../a.safetensors"}}`: `index at byte 21: tensor "a": the shard "../a.safetensors" is not ` +
			"the name of a file in the folder of the index",
		`{}`: "index at byte 0: no weight_map, which gives the shard of each tensor",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		check(0, want)
	}
	if n := list(inFolder)[0].Children; len(n) != 3 {
		t.Errorf("with a broken index, the folder has %+v", n)
	}
}
