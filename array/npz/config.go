package npz

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// Config says how to open, create or save an archive. Its methods do what the functions of
// the same name do. The zero Config is what [Create] and [Save] use, and [Open] with
// [mmap.ReadOnly]. A field that is set and that a method has no use for is an error there
// that wraps [fs.ErrInvalid].
type Config struct {
	// Mode is how Open maps the archive.
	Mode mmap.Mode

	// MaxMember is how many bytes a compressed member may have once it is inflated, which
	// takes as much memory; 0 stands for 4 GiB. One that claims more is refused before
	// anything is allocated for it. Members that are not compressed take no memory, and
	// have no limit. It is for Open, OpenBytes and NewReader.
	MaxMember int64

	// MaxHeader is how many bytes the text of the header of a member may have; see
	// [array.Config]. It is for Open, OpenBytes and NewReader.
	MaxHeader int

	// Lock makes Open take a lock on the archive until Close; see [mmap.Config].
	Lock bool

	// LockTimeout is how long Append, and Close of its [Writer], wait for the lock; then the error wraps
	// [mmap.ErrLocked]. 0 stands for 10 seconds; if it is negative they do not wait.
	LockTimeout time.Duration

	// Compress makes Create, Save, Append and NewWriter deflate the members, on all cores, as
	// numpy.savez_compressed does. Arrays of compressed members cannot be mapped.
	Compress bool

	// Format is how Create, Save, Append and NewWriter write members.
	Format Format

	// Replace lets Create replace a file, as Save always does.
	Replace bool

	// NoSync makes Save, and Close of a [Writer] of Create or Append, return when the archive has its path,
	// without waiting for the disk; see [array.Config].
	NoSync bool

	// Progress, if it is not nil, is called by Add and Save, in the goroutine that called
	// them: with done 0 for each member, and then after every MiB or so of it, or every 2 MiB
	// for each core where they are compressed; total is the size of the member. If it
	// returns an error, Add returns that: a way to cancel.
	Progress func(done, total int64) error

	// File, if it is not nil, is what Open maps in place of a file that it opens; see
	// [array.Config]. Open closes it also where it returns an error.
	File *os.File
}

// A Format is a way to write archives. All readers take each.
type Format uint8

const (
	// Aligned archives have their data at multiples of 64 bytes, so that all elements are
	// aligned where they are mapped.
	Aligned Format = iota

	// Savez archives are byte for byte what numpy.savez writes under Python 3.11.4 and
	// newer. In them the data starts anywhere.
	Savez

	// OldSavez archives are byte for byte what numpy.savez writes under older Pythons.
	OldSavez
)

func (f Format) zip() zipfile.Format {
	return [...]zipfile.Format{zipfile.Aligned, zipfile.Savez, zipfile.OldSavez}[f]
}

// defaultMaxMember is what MaxMember 0 stands for.
const defaultMaxMember = 4 << 30

// maxMember is how large a member may get, which fits an int.
func (cfg *Config) maxMember() int64 {
	n := cfg.MaxMember
	if n == 0 {
		n = defaultMaxMember
	}
	return min(n, math.MaxInt)
}

// check refuses a Config that asks for what a method does not do.
func (cfg *Config) check(method string) error {
	streamed := method == "NewReader" || method == "OpenBytes"
	open := method == "Open" || streamed
	field := ""
	switch {
	case !open && cfg.Mode != mmap.ReadOnly && cfg.Mode != mmap.ReadWrite:
		field = "Mode " + cfg.Mode.String()
	case streamed && cfg.Mode != mmap.ReadOnly:
		field = "Mode " + cfg.Mode.String()
	case !open && cfg.MaxMember != 0:
		field = "MaxMember"
	case !open && cfg.MaxHeader != 0:
		field = "MaxHeader"
	case method != "Open" && cfg.File != nil:
		field = "File"
	case method != "Open" && cfg.Lock:
		field = "Lock"
	case method != "Append" && cfg.LockTimeout != 0:
		field = "LockTimeout"
	case open && cfg.Compress:
		field = "Compress"
	case open && cfg.Format != Aligned:
		field = "Format"
	case (open || method == "Append" || method == "NewWriter") && cfg.Replace:
		field = "Replace"
	case (open || method == "NewWriter") && cfg.NoSync:
		field = "NoSync"
	case open && cfg.Progress != nil:
		field = "Progress"
	case cfg.MaxMember < 0:
		return fmt.Errorf("%w: Config.MaxMember is negative", fs.ErrInvalid)
	case cfg.Format > OldSavez:
		return fmt.Errorf("%w: Config.Format %d is unknown", fs.ErrInvalid, cfg.Format)
	default:
		return nil
	}
	return fmt.Errorf("%w: %s has no use for Config.%s", fs.ErrInvalid, method, field)
}
