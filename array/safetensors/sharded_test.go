package safetensors

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/tensors"
	"github.com/ndmap/ndmap/mmap"
)

const indexName = "model.safetensors.index.json"

// floats returns an array of float32.
func floats(x ...float32) array.Array { return must(array.FromSlice(x)).Array() }

// writeIndex writes an index to the folder dir and returns its path. A negative size is omitted.
func writeIndex(t testing.TB, dir string, size int, shards map[string]string) string {
	t.Helper()
	index := map[string]any{"weight_map": shards}
	if size >= 0 {
		index["metadata"] = map[string]any{"total_size": size}
	}
	path := filepath.Join(dir, indexName)
	check(t, os.WriteFile(path, must(json.Marshal(index)), 0o666))
	return path
}

// writeModel writes a model of three shards with five tensors, of 52 bytes, to a new folder. It returns the path of the
// index.
func writeModel(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	cfg := SaveConfig{NoSync: true}
	check(t, cfg.Save(filepath.Join(dir, "2.safetensors"),
		map[string]array.Array{"b": floats(1, 2, 3), "a": must(array.FromSlice([]float64{4})).Array()},
		map[string]string{"format": "np", "n": "2"}))
	check(t, cfg.Save(filepath.Join(dir, "1.safetensors"), map[string]array.Array{"z": floats(5, 6)},
		map[string]string{"format": "np", "n": "1"}))
	check(t, cfg.Save(filepath.Join(dir, "3.safetensors"), map[string]array.Array{"empty": floats(), "c": floats(7, 8, 9,
		10, 11),
		"unlisted": floats(1)}, map[string]string{"format": "np"}))
	return writeIndex(t, dir, 12+8+8+20, map[string]string{"a": "2.safetensors", "b": "2.safetensors",
		"z":     "1.safetensors",
		"empty": "3.safetensors", "c": "3.safetensors"})
}

func TestSharded(t *testing.T) {
	path := writeModel(t)
	dir := filepath.Dir(path)
	s := must(OpenSharded(path, mmap.ReadOnly))
	defer s.Close()
	if got := s.Names(); !slices.Equal(got, []string{"z", "a", "b", "c", "empty"}) && !slices.Equal(got, []string{"z", "a",
		"b",
		"empty", "c"}) {
		t.Errorf("names %q", got)
	}
	text := ""
	for _, name := range []string{"a", "b", "c", "empty", "z"} {
		text += fmt.Sprintln(name, must(s.Array(name)))
	}
	if want := "a [4.]\nb [1. 2. 3.]\nc [ 7.  8.  9. 10. 11.]\nempty []\nz [5. 6.]\n"; text != want {
		t.Errorf("got  %q\nwant %q", text, want)
	}
	var paths []string
	for i, f := range s.Shards() {
		paths = append(paths, f.Path())
		if s.Maps()[i] != f.Map() {
			t.Errorf("map %d is not the map of %s", i, f.Path())
		}
	}
	if want := []string{filepath.Join(dir, "1.safetensors"), filepath.Join(dir, "2.safetensors"), filepath.Join(dir,
		"3.safetensors")}; !slices.Equal(paths, want) || len(s.Maps()) != 3 {
		t.Errorf("shards %q, %d maps", paths, len(s.Maps()))
	}
	f := must(s.Shard("b"))
	if got, want := must(s.Tensor("b")), must(f.Tensor("b")); f != s.Shards()[1] || !cmp.Equal(got, want,
		cmp.Comparer(func(a, b Tensor) bool { return fmt.Sprint(a) == fmt.Sprint(b) })) {
		t.Errorf("tensor %v of %s, want %v", got, f.Path(), want)
	}
	if got := s.Metadata(); !cmp.Equal(got, map[string]string{"format": "np"}) || s.Path() != path {
		t.Errorf("metadata %v of %s", got, s.Path())
	}
	_, err1 := s.Array("unlisted")
	_, err2 := s.Tensor("unlisted")
	_, err3 := s.Shard("unlisted")
	for _, err := range []error{err1, err2, err3} {
		if want := path + `: no such tensor: "unlisted": file does not exist`; fmt.Sprint(err) != want ||
			!errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	check(t, s.Close())
	if err := s.Close(); !errors.Is(err, fs.ErrClosed) || !strings.Contains(err.Error(), path) {
		t.Errorf("the second Close: %v", err)
	}
	if _, err := s.Array("a"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Array after Close: %v", err)
	}
}

// TestShardedCollection tests that one function can read all collections.
func TestShardedCollection(t *testing.T) {
	path := writeModel(t)
	sum := func(c array.Collection) (sum float64) {
		defer c.Close()
		for _, name := range c.Names() {
			sum += array.Sum[float64](must(array.Cast[float64](must(c.Array(name)))))
		}
		return sum
	}
	for _, tt := range []struct {
		c    array.Collection
		sum  float64
		maps int
	}{
		{must(OpenSharded(path, mmap.ReadOnly)), 66, 3},
		{must(Open(filepath.Join(filepath.Dir(path), "1.safetensors"), mmap.ReadOnly)), 11, 1},
		{must(OpenBytes(must(os.ReadFile(filepath.Join(filepath.Dir(path), "1.safetensors"))))), 11, 0},
	} {
		if n := len(tt.c.Maps()); n != tt.maps {
			t.Errorf("%T has %d maps, want %d", tt.c, n, tt.maps)
		}
		if got := sum(tt.c); got != tt.sum {
			t.Errorf("%T: sum %v, want %v", tt.c, got, tt.sum)
		}
	}
}

// TestShardedModes tests the options of OpenConfig.
func TestShardedModes(t *testing.T) {
	for mode, want := range map[mmap.Mode]float32{mmap.ReadOnly: 2, mmap.CopyOnWrite: 2, mmap.ReadWrite: 42} {
		t.Run(mode.String(), func(t *testing.T) {
			path := writeModel(t)
			s := must(OpenConfig{Mode: mode, Lock: true}.OpenSharded(path))
			v := must(array.As[float32](must(s.Array("b"))))
			func() {
				defer func() {
					if err := recover(); (err != nil) != (mode == mmap.ReadOnly) {
						t.Errorf("SetAt panics with %v", err)
					}
				}()
				v.SetAt(42, 1)
			}()
			check(t, s.Sync())
			locked, err := OpenConfig{Mode: mmap.ReadWrite, Lock: true}.Open(filepath.Join(filepath.Dir(path), "3.safetensors"))
			if err == nil {
				locked.Close()
			}
			if !errors.Is(err, mmap.ErrLocked) && !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("Open of a locked shard: %v", err)
			}
			check(t, s.Close())
			s = must(OpenSharded(path, mmap.ReadOnly))
			defer s.Close()
			if got := must(array.As[float32](must(s.Array("b")))).At(1); got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
	file := must(os.Open(os.DevNull))
	if _, err := (OpenConfig{File: file}).OpenSharded("x"); !errors.Is(err, fs.ErrInvalid) || file.Close() == nil {
		t.Errorf("OpenSharded with a File: %v, or it did not close it", err)
	}
}

func TestShardedErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		index string            // replaces the index
		size  int               // total_size if index is ""
		move  map[string]string // tensors in other shards than in writeModel
		do    func(dir string) error
		want  string // DIR is the folder, INDEX the path of the index
		is    error
	}{
		{name: "not JSON", index: `{"weight_map":}`,
			want: `INDEX: index at byte 14: "}" where an object of tensors and their shards should be`, is: array.ErrFormat},
		{name: "the index is a shard", do: func(dir string) error {
			return os.Rename(filepath.Join(dir, "1.safetensors"), filepath.Join(dir, indexName))
		}, want: `INDEX: a .safetensors file, not a JSON index of .safetensors files; use safetensors.Open`,
			is: array.ErrFormat},
		{name: "missing index", do: func(dir string) error { return os.Remove(filepath.Join(dir, indexName)) },
			want: "open INDEX: no such file or directory", is: fs.ErrNotExist},
		{name: "outside", index: `{"weight_map":{"t":"../1.safetensors"}}`,
			want: `INDEX: index at byte 19: tensor "t": the shard "../1.safetensors" is not the name of a file in the folder of the index`,
			is:   array.ErrFormat},
		{name: "missing shard", do: func(dir string) error { return os.Remove(filepath.Join(dir, "2.safetensors")) },
			size: 48,
			want: `INDEX: index at byte 44: missing shard "2.safetensors", of tensor "a": open DIR/2.safetensors: no such file or directory; copy all shards to the folder of the index`,
			is:   fs.ErrNotExist},
		{name: "missing shards", move: map[string]string{"a": "9", "b": "8", "c": "7", "d": "6", "e": "5", "f": "4"},
			size: 48,
			want: `INDEX: index at byte 108: missing shard "4", "5", "6", "7" and 2 more, of tensor "f": open DIR/4: no such file or directory; copy all shards to the folder of the index`,
			is:   fs.ErrNotExist},
		{name: "truncated shard", do: func(dir string) error { return os.Truncate(filepath.Join(dir, "1.safetensors"), 5) },
			size: 48,
			want: `INDEX: shard "1.safetensors" of tensor "z": DIR/1.safetensors: header at byte 5: the file ends inside the length of the header`,
			is:   array.ErrFormat},
		{name: "missing tensors", move: map[string]string{"x": "1.safetensors", "y": "1.safetensors", "q": "1.safetensors"},
			size: 48,
			want: `INDEX: index at byte 128: shard "1.safetensors" has no tensor "q", "x", "y"; the index and the shard are of different models`,
			is:   array.ErrFormat},
		{name: "wrong shard", move: map[string]string{"b": "3.safetensors"}, size: 48,
			want: `INDEX: index at byte 64: tensor "b" is in shard "2.safetensors", and the index says "3.safetensors"`,
			is:   array.ErrFormat},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := writeModel(t)
			dir := filepath.Dir(path)
			if tt.index != "" {
				check(t, os.WriteFile(path, []byte(tt.index), 0o666))
			} else {
				shards := map[string]string{"a": "2.safetensors", "b": "2.safetensors", "z": "1.safetensors",
					"empty": "3.safetensors", "c": "3.safetensors"}
				for name, shard := range tt.move {
					shards[name] = shard
				}
				writeIndex(t, dir, tt.size, shards)
			}
			if tt.do != nil {
				check(t, tt.do(dir))
			}
			s, err := OpenSharded(path, mmap.ReadOnly)
			if err == nil {
				s.Close()
				t.Fatal("no error")
			}
			_, absent := os.Stat(filepath.Join(dir, "absent"))
			got := strings.NewReplacer(path, "INDEX", dir+string(filepath.Separator), "DIR/",
				errors.Unwrap(absent).Error(), "no such file or directory").Replace(err.Error())
			if got != tt.want || !errors.Is(err, tt.is) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestShardedLimit tests that an index over the limit is refused before it is read. The file is sparse.
func TestShardedLimit(t *testing.T) {
	path := writeModel(t)
	check(t, os.Truncate(path, tensors.MaxIndex+1))
	_, err := OpenSharded(path, mmap.ReadOnly)
	if want := path + ": index at byte 0: the file has 100000001 bytes, more than the limit of 100000000"; fmt.Sprint(err) != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestShardedUnlisted tests a shard whose tensor of the same name belongs to another shard.
func TestShardedUnlisted(t *testing.T) {
	dir := t.TempDir()
	cfg := SaveConfig{NoSync: true}
	check(t, cfg.Save(filepath.Join(dir, "1"), map[string]array.Array{"a": floats(1), "b": floats(2)}, nil))
	check(t, cfg.Save(filepath.Join(dir, "2"), map[string]array.Array{"a": floats(3), "c": floats(4)}, nil))
	s := must(OpenSharded(writeIndex(t, dir, -1, map[string]string{"b": "1", "a": "2"}), mmap.ReadOnly))
	defer s.Close()
	if got := fmt.Sprint(s.Names(), must(s.Array("a")), must(s.Array("b")), s.Metadata() == nil); got !=
		"[b a] [3.] [2.] true" {
		t.Error(got)
	}
}

func TestUseSharded(t *testing.T) {
	path := writeModel(t)
	stop := errors.New("stop")
	if err := UseSharded(path, func(*Sharded) error { return stop }); err != stop {
		t.Errorf("the error of the function is returned as %v", err)
	}
	sum := 0.0
	check(t, UseSharded(path, func(s *Sharded) error {
		sum = array.Sum[float64](must(array.As[float32](must(s.Array("c")))))
		return nil
	}))
	if sum != 45 {
		t.Errorf("sum %v, want 45", sum)
	}
	shard := filepath.Join(filepath.Dir(path), "3.safetensors")
	err := UseSharded(path, func(*Sharded) error {
		f := must(OpenSharded(path, mmap.ReadWrite))
		must(array.As[float32](must(f.Array("c")))).SetAt(1, 0)
		return errors.Join(f.Sync(), f.Close())
	})
	if !errors.Is(err, mmap.ErrChanged) || !strings.Contains(err.Error(), shard) {
		t.Errorf("a shard is written to: %v", err)
	}
}

// shardsCode is a Python program that writes a random model in shards with json and NumPy.
const shardsCode = `
import os
def shards(seed, path):
    r = random.Random(seed)
    n, weight_map, all, total = r.randrange(1, 5), {}, {}, 0
    for k in range(n):
        shard = "model-%05d-of-%05d.safetensors" % (k + 1, n)
        metadata, arrays = write(r.random(), os.path.join(os.path.dirname(path), shard))
        for name, (code, shape, data) in arrays.items():
            if name not in all or r.random() < .5:
                total += len(data) - (len(all[name][2]) if name in all else 0)
                weight_map[name], all[name] = shard, [code, shape, data]
    index = {"metadata": {"total_size": r.choice([total, float(total)]), "total_parameters": 1, "note": [None, {"é": "x"}]},
        "weight_map": weight_map}
    if r.random() < .2:
        index["metadata"] = {}
    with open(path, "w", encoding="utf-8") as f:
        f.write(json.dumps(index, ensure_ascii=r.random() < .5, indent=r.choice([None, 2])) + r.choice(["", "\n"]))
    return None, all
`

// TestShardedNumPy tests that OpenSharded reads models that Python has written.
func TestShardedNumPy(t *testing.T) {
	python := oracle.Start(t)
	check(t, python.Run(reader+shardsCode, nil, nil))
	r := oracle.Rand(t, 9)
	path := filepath.Join(t.TempDir(), indexName)
	for range oracle.Cases(t, 100) {
		model := evaluate(t, python, fmt.Sprintf("shards(%d, x)", r.Uint32()), path)
		s, err := OpenSharded(path, mmap.ReadOnly)
		if err != nil {
			t.Fatalf("%v: %s", err, must(os.ReadFile(path)))
		}
		if len(s.Names()) != len(model.arrays) {
			t.Fatalf("names %q, want those of %v", s.Names(), model.arrays)
		}
		for name, want := range model.arrays {
			a := must(s.Array(name))
			if got := elements(t, a); string(got) != string(want.data) || fmt.Sprint(a.Shape()) != fmt.Sprint(want.shape) {
				t.Fatalf("%q: got %v %x, want %v %x", name, a.Shape(), got, want.shape, want.data)
			}
		}
		check(t, s.Close())
	}
}
