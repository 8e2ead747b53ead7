package safetensors

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

// TestShardedMaps tests that each of 50 shards with 20 tensors is mapped once, and that Close and errors leave no
// mapping and no open file.
func TestShardedMaps(t *testing.T) {
	dir := t.TempDir()
	shards := map[string]string{}
	for k := range 50 {
		name := fmt.Sprintf("model-%05d-of-00050.safetensors", k+1)
		arrays := map[string]array.Array{}
		for i := range 20 {
			tensor := fmt.Sprintf("layers.%d.%d", k, i)
			arrays[tensor] = floats(float32(20*k + i))
			shards[tensor] = name
		}
		check(t, SaveConfig{NoSync: true}.Save(filepath.Join(dir, name), arrays, nil))
	}
	path := writeIndex(t, dir, 4*50*20, shards)
	mapped := func() int { return bytes.Count(must(os.ReadFile("/proc/self/maps")), []byte(dir)) }
	files := func() int { return len(must(os.ReadDir("/proc/self/fd"))) }
	before := files()
	s := must(OpenSharded(path, mmap.ReadWrite))
	sum := 0.0
	for _, name := range s.Names() {
		sum += array.Sum[float64](must(array.As[float32](must(s.Array(name)))))
	}
	if n := mapped(); n != 50 || sum != 999*1000/2 || len(s.Names()) != 1000 {
		t.Errorf("%d mappings, %d tensors, sum %v; want 50, 1000 and %v", n, len(s.Names()), sum, 999*1000/2)
	}
	check(t, s.Close())
	if n := mapped(); n != 0 || files() != before {
		t.Errorf("after Close: %d mappings; %d files, before %d", n, files(), before)
	}
	for _, damage := range []func() error{
		func() error {
			shards["absent"] = shards["layers.0.0"]
			writeIndex(t, dir, 0, shards)
			return nil
		},
		func() error { return os.Truncate(filepath.Join(dir, "model-00049-of-00050.safetensors"), 20) },
		func() error { return os.Remove(filepath.Join(dir, "model-00048-of-00050.safetensors")) },
	} {
		check(t, damage())
		if _, err := OpenSharded(path, mmap.ReadWrite); err == nil {
			t.Error("no error")
		}
		if n := mapped(); n != 0 || files() != before {
			t.Errorf("after an error: %d mappings; %d files, before %d", n, files(), before)
		}
	}
}
