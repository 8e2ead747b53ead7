package safetensors

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/ndmap/ndmap/mmap"
)

// A Config has the options for opening, creating and saving files. Its methods do the same as the functions of the
// same name. The zero Config has the options of [Create] and [Save], and of [Open] with [array.ReadOnly].
//
// If a field is set that a method does not use, the method returns an error that wraps [fs.ErrInvalid]. The exceptions
// are a Mode of [array.ReadWrite], and Replace in Save.
type Config struct {
	// Mode is the mode in which Open maps the file. Create always maps it [array.ReadWrite].
	Mode mmap.Mode

	// Lock makes Open and Create take a lock on the file and hold it until Close; see [mmap.Config].
	Lock bool

	// Replace lets Create and Make replace a file, as Save always does.
	Replace bool

	// Pending makes Create return a file that gets its path when [File.Commit] is called. If the File is closed without
	// Commit, or the process dies, path stays as it was.
	Pending bool

	// NoSync makes Save, Create, Make and Commit return once the file has its path, without waiting for the disk; see
	// [array.Config].
	NoSync bool

	// Progress, if not nil, is called by Save in the goroutine of its caller: with done 0, then about every MiB, and at
	// the end with done equal to total, the number of bytes of all tensors. If it returns an error, Save returns that
	// error and leaves no new file: a way to cancel.
	Progress func(done, total int64) error

	// File, if not nil, is the file that Open maps instead of opening path; see [array.Config]. Open closes it even if it
	// returns an error.
	File *os.File
}

// check returns an error if cfg sets a field that method does not use.
func (cfg *Config) check(method string) error {
	open := method == "Open"
	field := ""
	switch {
	case !open && cfg.Mode != mmap.ReadOnly && cfg.Mode != mmap.ReadWrite:
		field = "Mode " + cfg.Mode.String()
	case !open && cfg.File != nil:
		field = "File"
	case (method == "Save" || method == "Make") && cfg.Lock:
		field = "Lock"
	case open && cfg.Replace:
		field = "Replace"
	case method != "Create" && cfg.Pending:
		field = "Pending"
	case open && cfg.NoSync:
		field = "NoSync"
	case method != "Save" && cfg.Progress != nil:
		field = "Progress"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s has no use for Config.%s", fs.ErrInvalid, method, field)
}
