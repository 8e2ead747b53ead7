package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// writeShards writes a model of two shards to the working directory, and its index, m.safetensors.index.json.
func writeShards(t *testing.T) {
	t.Helper()
	bools, err := array.FromBytes([]byte{1, 0, 1}, dtype.Bool, index.C, 3)
	check(t, err)
	floats, err := array.FromSlice([]float32{1, 2, 3, 4})
	check(t, err)
	bias, err := array.FromSlice([]float64{0.5})
	check(t, err)
	cfg := safetensors.SaveConfig{NoSync: true}
	metadata := map[string]string{"format": "np"}
	check(t, cfg.Save("m-1.safetensors", map[string]array.Array{"w": floats.Array()}, metadata))
	check(t, cfg.Save("m-2.safetensors", map[string]array.Array{"bias": bias.Array(), "mask": bools}, metadata))
	text, err := json.Marshal(map[string]any{"metadata": map[string]any{"total_size": 27},
		"weight_map": map[string]string{"w": "m-1.safetensors", "bias": "m-2.safetensors", "mask": "m-2.safetensors"}})
	check(t, err)
	check(t, os.WriteFile("m.safetensors.index.json", text, 0o666))
}

// TestShards tests the commands on the index of a model in shards.
func TestShards(t *testing.T) {
	t.Chdir(t.TempDir())
	writeShards(t)
	const session1 = `$ npy ls m.safetensors.index.json
name  dtype  shape  bytes
w     <f4    (4,)      16
bias  <f8    (1,)       8
mask  |b1    (3,)       3
$ npy ls
name                      dtype    shape      bytes
m-1.safetensors           tensors  1 member     144
m-2.safetensors           tensors  2 members    203
m.safetensors.index.json  tensors  3 members    347
$ npy info m.safetensors.index.json
file          m.safetensors.index.json
format        safetensors of 3 tensors in 2 shards
metadata      format: np
  w           <f4, shape (4,), order C; 16 bytes from byte 128 of m-1.safetensors
  bias        <f8, shape (1,), order C; 8 bytes from byte 192 of m-2.safetensors
  mask        |b1, shape (3,), order C; 3 bytes from byte 200 of m-2.safetensors
$ npy info -json m.safetensors.index.json:bias
{"path":"m.safetensors.index.json","member":"bias","compressed":false,"shard":"m-2.safetensors","version":null,"descr":"<f8","shape":[1],"fortran_order":false,"data_offset":192,"itemsize":8,"size":1,"nbytes":8}
$ npy print m.safetensors.index.json:w
[1. 2. 3. 4.]
$ npy head -n 1 m.safetensors.index.json:w
[1.]
$ npy reduce -op sum m.safetensors.index.json:w
10.0
$ npy check m.safetensors.index.json
m.safetensors.index.json:w: ok dtype <f4, shape (4,), order C
m.safetensors.index.json:bias: ok dtype <f8, shape (1,), order C
m.safetensors.index.json:mask: ok dtype |b1, shape (3,), order C
$ npy check m.safetensors.index.json:mask
m.safetensors.index.json:mask: ok dtype |b1, shape (3,), order C
$ npy convert m.safetensors.index.json one.safetensors
$ npy info one.safetensors
file          one.safetensors
format        safetensors of 3 tensors
metadata      format: np
  bias        <f8, shape (1,), order C; 8 bytes from byte 256
  w           <f4, shape (4,), order C; 16 bytes from byte 264
  mask        |b1, shape (3,), order C; 3 bytes from byte 280
$ npy diff one.safetensors m.safetensors.index.json
$ npy set -select 1 m.safetensors.index.json:w 7
$ npy print m-1.safetensors:w
[1. 7. 3. 4.]
$ npy diff one.safetensors m.safetensors.index.json
a             one.safetensors:w
b             m.safetensors.index.json:w
dtype         <f4
shape         (4,)
elements      1 of 4 differ
  (1,)        2.0, 7.0
max |a-b|     5.0
max |a-b|/|b| 0.7142857142857143
= 1
$ npy print m.safetensors.index.json
! npy: m.safetensors.index.json: the index of a model; name one of its tensors, as m.safetensors.index.json:w (npy info lists them)
= 1
$ npy print m.safetensors.index.json:v
! npy: m.safetensors.index.json: no such tensor: "v": file does not exist
= 1
$ npy convert -force m.safetensors.index.json m-2.safetensors
! npy: m-2.safetensors: input and output are the same file
= 1
$ npy pack -force m-1.safetensors m.safetensors.index.json:bias
! npy: m-1.safetensors: the output is also an input file
= 1
$ npy refs r.json m.safetensors.index.json:w
data          <f4, shape (4,), chunks of (4,)
`
	if got := session(t, session1); got != session1 {
		t.Errorf("got\n%s", got)
	}
	if text, err := os.ReadFile("r.json"); err != nil || !strings.Contains(string(text), `m-1.safetensors",128,16]`) {
		t.Errorf("references %s, %v", text, err)
	}
	if out, _, _ := runTool("stats", "-json", "m.safetensors.index.json"); strings.Count(out, "\n") != 3 ||
		!strings.Contains(out, `"m.safetensors.index.json:bias"`) {
		t.Errorf("stats of all tensors: %s", out)
	}
	// A bool that is neither 0 nor 1, and then a missing shard.
	b, err := os.ReadFile("m-2.safetensors")
	check(t, err)
	b[201] = 5
	check(t, os.WriteFile("m-2.safetensors", b, 0o666))
	const session2 = `$ npy check m.safetensors.index.json
m.safetensors.index.json:w: ok dtype <f4, shape (4,), order C
m.safetensors.index.json:bias: ok dtype <f8, shape (1,), order C
! npy: m.safetensors.index.json:mask: data of m-2.safetensors at byte 201: element (1,): the boolean is 5; want 0 or 1
= 1
`
	if got := session(t, session2); got != session2 {
		t.Errorf("got\n%s", got)
	}
	check(t, os.Remove("m-2.safetensors"))
	for _, command := range []string{"check", "ls", "info", "stats"} {
		_, errs, status := runTool(command, "m.safetensors.index.json")
		if !strings.HasPrefix(errs, `npy: m.safetensors.index.json: index at byte 44: missing shard "m-2.safetensors"`) ||
			status != 1 ||
			strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: %d, %s", command, status, errs)
		}
	}
}

func TestSplitName(t *testing.T) {
	for _, tt := range []struct {
		path, file, name string
		ok               bool
	}{
		{"a.npz:w", "a.npz", "w", true},
		{"a.npz:b.npz:w", "a.npz", "b.npz:w", true},
		{"a.safetensors:b.npz:w", "a.safetensors", "b.npz:w", true},
		{"a.safetensors.index.json:w:x", "a.safetensors.index.json", "w:x", true},
		{"d/a.safetensors.index.fp16.json:", "d/a.safetensors.index.fp16.json", "", true},
		{"C:a.npz:w", "C:a.npz", "w", true},
		{"a.safetensors.index.json", "", "", false},
		{"a.safetensors.index.d/b.json:w", "", "", false},
		{"a.index.json:w", "", "", false},
		{"a.npy:w", "", "", false},
	} {
		if file, name, ok := splitName(tt.path); file != tt.file || name != tt.name || ok != tt.ok {
			t.Errorf("%s: %q, %q, %t", tt.path, file, name, ok)
		}
	}
}
