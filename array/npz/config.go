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

// A Config has the options for opening, creating and saving archives. Its methods do the same as the functions of the
// same name. The zero Config has the options of [Create] and [Save], and of [Open] with [array.ReadOnly].
//
// If a field is set that a method does not use, the method returns an error that wraps [fs.ErrInvalid]. The exceptions
// are a Mode of [array.ReadWrite] in methods that write, and Replace in Save.
type Config struct {
	// Mode is how Open maps the archive.
	Mode mmap.Mode

	// MaxMember is the maximum size in bytes of a compressed member after inflation, which takes as much memory; 0 stands
	// for 4 GiB. A member that claims more is refused before anything is allocated for it. Stored members have no limit:
	// they take no memory, except behind NewReader. For Open, OpenBytes and NewReader.
	MaxMember int64

	// MaxHeader is the maximum number of bytes of the text of a member's header; see [array.Config]. For Open, OpenBytes
	// and NewReader.
	MaxHeader int

	// Lock makes Open take a lock on the archive and hold it until Close; see [mmap.Config].
	Lock bool

	// LockTimeout is the maximum time that Append, and Close of its [Writer], wait for the lock. After that the error
	// wraps [mmap.ErrLocked]. 0 stands for 10 seconds; if it is negative they do not wait.
	LockTimeout time.Duration

	// Compress makes Create, Save, Append and NewWriter deflate the members, as numpy.savez_compressed does, on all
	// cores. Arrays of compressed members cannot be mapped.
	Compress bool

	// Format is the way in which Create, Save, Append and NewWriter write members.
	Format Format

	// Replace lets Create and Make replace a file, as Save always does.
	Replace bool

	// NoSync makes Save, and Close of a [Writer] from Create or Append, return once the archive has its path, without
	// waiting for the disk; see [array.Config].
	NoSync bool

	// Progress, if not nil, is called by Add, Copy and Save in the goroutine of their caller. For each member it is
	// called with done 0, then about every MiB (every 2 MiB for each core if the member is compressed), and at the end
	// with done equal to total, the size of the member. If it returns an error, Add returns that error: a way to cancel.
	Progress func(done, total int64) error

	// File, if not nil, is the file that Open maps instead of opening path; see [array.Config]. Open closes it even if it
	// returns an error.
	File *os.File
}

// A Format is a way to write archives. All zip readers accept every Format.
type Format uint8

const (
	// Aligned archives have their stored data at multiples of 64 bytes, so that all elements are aligned when they are
	// mapped.
	Aligned Format = iota

	// Savez archives are byte for byte the archives that numpy.savez writes under Python 3.11.4 and newer. Their data is
	// not aligned.
	Savez

	// OldSavez archives are byte for byte the archives that numpy.savez writes under older Pythons.
	OldSavez
)

func (f Format) zip() zipfile.Format {
	return [...]zipfile.Format{zipfile.Aligned, zipfile.Savez, zipfile.OldSavez}[f]
}

// defaultMaxMember is the limit if MaxMember is 0.
const defaultMaxMember = 4 << 30

// maxMember returns the maximum size of a member. It fits an int.
func (cfg *Config) maxMember() int64 {
	n := cfg.MaxMember
	if n == 0 {
		n = defaultMaxMember
	}
	return min(n, math.MaxInt)
}

// check returns an error if cfg sets a field that method does not use.
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
