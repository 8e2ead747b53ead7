//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package safetensors

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/mmap"
)

// TestShardedLinks opens a model in the form of the cache of Hugging Face: the index and the shards are symbolic links
// to files in another folder. Windows lets only some users make links, and Wine does not follow them.
func TestShardedLinks(t *testing.T) {
	blobs := filepath.Dir(writeModel(t))
	dir := t.TempDir()
	for _, entry := range must(os.ReadDir(blobs)) {
		check(t, os.Symlink(filepath.Join(blobs, entry.Name()), filepath.Join(dir, entry.Name())))
	}
	s := must(OpenSharded(filepath.Join(dir, indexName), mmap.ReadOnly))
	defer s.Close()
	if got := fmt.Sprint(must(s.Array("z"))); got != "[5. 6.]" {
		t.Error(got)
	}
}
