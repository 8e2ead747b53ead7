package safetensors

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/ndmap/ndmap/mmap"
)

// Config says how to open, create or save a file. Its methods do what the functions of the same name do.
// The zero Config is what [Create] and [Save] use, and [Open] with [mmap.ReadOnly]. A field that a method has
// no use for is an error there that wraps [fs.ErrInvalid], except a Mode of ReadWrite.
type Config struct {
	// Mode is how Open maps the file. Create maps it [mmap.ReadWrite].
	Mode mmap.Mode

	// Lock makes Open and Create take a lock on the file until Close; see [mmap.Config].
	Lock bool

	// Replace lets Create replace a file, as Save always does.
	Replace bool

	// Pending makes a file of Create that has its path once [File.Commit] is called. Close without it, and the
	// death of the process, leave what was there.
	Pending bool

	// NoSync makes Save, Create and Commit return when the file has its path, without waiting for the disk; see
	// [array.Config].
	NoSync bool

	// Progress, if it is not nil, is called by Save, in the goroutine that called it: with done 0, and then
	// after every MiB or so. total is how many bytes all tensors have. If it returns an error, Save returns
	// that, and leaves no new file: a way to cancel.
	Progress func(done, total int64) error

	// File, if it is not nil, is what Open maps in place of a file that it opens; see [array.Config]. Open
	// closes it also where it returns an error.
	File *os.File
}

// check refuses a Config that asks for what a method does not do.
func (cfg *Config) check(method string) error {
	open := method == "Open"
	field := ""
	switch {
	case !open && cfg.Mode != mmap.ReadOnly && cfg.Mode != mmap.ReadWrite:
		field = "Mode " + cfg.Mode.String()
	case !open && cfg.File != nil:
		field = "File"
	case method == "Save" && cfg.Lock:
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
