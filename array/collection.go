package array

import (
	"io"

	"github.com/ndmap/ndmap/mmap"
)

// A Collection contains named arrays. It is a *npz.Archive, a *safetensors.File or a *safetensors.Sharded, and lets a
// function take any of them.
type Collection interface {
	// Names returns the names of the arrays in a new slice. The names of an archive may include members that are not
	// arrays.
	Names() []string

	// Array returns an array, which is valid until Close. If no such array exists, the error wraps fs.ErrNotExist.
	Array(name string) (Array, error)

	// Maps returns the mappings of the files in a new slice: one for an archive or a file, one for each shard of a model,
	// and none for bytes in memory or a reader. They belong to the Collection: do not close them.
	Maps() []*mmap.Map

	// Close closes the files. All arrays become invalid.
	io.Closer
}
