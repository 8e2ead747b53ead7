package safetensors

import (
	"os"

	"github.com/ndmap/ndmap/mmap"
)

// An OpenConfig holds the options for opening files. The zero OpenConfig maps them [array.ReadOnly].
type OpenConfig struct {
	// Mode determines whether arrays can be written, and whether writes reach the file: see [Open].
	Mode mmap.Mode

	// Lock makes Open lock the file until Close: see [mmap.Config].
	Lock bool

	// File, if not nil, is the file that Open maps instead of opening path: see [mmap.Config]. Open closes File, even
	// if it returns an error.
	File *os.File
}

// A SaveConfig holds the options for writing files. With the zero SaveConfig, existing files are not replaced.
type SaveConfig struct {
	// Replace lets the methods replace a file. Without it, if path exists, the error wraps [fs.ErrExist].
	Replace bool

	// NoSync makes the methods and [File.Commit] return once the file is at its path, without waiting for the disk: see
	// [array.SaveConfig].
	NoSync bool

	// Progress, if not nil, is called in the goroutine of the caller: by Save, and by Create, Make and [File.Commit]
	// while they wait for the disk. It is called first with done 0, then repeatedly, and finally with done equal to
	// total, the number of bytes of all tensors. If it returns an error, the method stops and returns that error, and
	// path is unchanged. To stop when a context is done:
	//
	//	Progress: func(_, _ int64) error { return context.Cause(ctx) }
	Progress func(done, total int64) error
}
