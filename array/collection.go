package array

import "github.com/ndmap/ndmap/mmap"

// A Collection contains named arrays: a *npz.Archive, a *safetensors.File or a *safetensors.Sharded. All arrays are
// valid until Close. Names may include members of an archive that are not arrays. If no array has the name, the error
// of Array wraps fs.ErrNotExist. Maps returns the mappings of the files: one for an archive or a file, one for each
// shard of a model, and none for bytes in memory or a reader. They belong to the Collection: do not close them.
type Collection interface {
	Names() []string
	Array(name string) (Array, error)
	Maps() []*mmap.Map
	Close() error
}
