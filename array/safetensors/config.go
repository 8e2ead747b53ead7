package safetensors

import (
	"os"

	"github.com/ndmap/ndmap/mmap"
)

// An OpenConfig has the options for opening files. The zero OpenConfig maps them [array.ReadOnly].
type OpenConfig struct {
	// Mode is how Open maps the file: see [Open].
	Mode mmap.Mode

	// Lock makes Open take a lock on the file and hold it until Close: see [mmap.Config].
	Lock bool

	// File, if not nil, is the file that Open maps instead of opening path: see [mmap.Config]. Open closes it, also when
	// it returns an error.
	File *os.File
}

// A SaveConfig has the options for writing files. The zero SaveConfig refuses to replace files.
type SaveConfig struct {
	// Replace lets the methods replace a file. Without it, if path exists, the error wraps [fs.ErrExist].
	Replace bool

	// NoSync makes the methods and [File.Commit] return once the file has its path, without waiting for the disk: see
	// [array.SaveConfig].
	NoSync bool

	// Progress, if not nil, is called in the goroutine of the caller: by Save, and by Create, Make and [File.Commit]
	// while they wait for the disk. It is called with done 0, then repeatedly, and at the end with done equal to total,
	// the number of bytes of all tensors. If it returns an error, the work stops, that error is returned, and path stays
	// as it was. To stop by a context:
	//
	//	Progress: func(_, _ int64) error { return context.Cause(ctx) }
	Progress func(done, total int64) error
}
