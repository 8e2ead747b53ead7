package npz

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// An OpenConfig holds the options for opening archives. The zero OpenConfig maps them [array.ReadOnly].
type OpenConfig struct {
	// Mode determines whether arrays can be written, and whether writes reach the file: see [Open].
	Mode mmap.Mode

	// Lock makes Open lock the archive until Close: see [mmap.Config].
	Lock bool

	// File, if not nil, is the file that Open maps instead of opening path: see [mmap.Config]. Open closes File, even
	// if it returns an error.
	File *os.File
}

// A SaveConfig holds the options for writing archives. With the zero SaveConfig, existing files are not replaced.
type SaveConfig struct {
	// Replace lets Create, Make and Save replace a file. Without it, if path exists, the error wraps [fs.ErrExist].
	Replace bool

	// Compress, Format, NoSync and Progress set the fields of the [Writer] with the same names.
	Compress bool
	Format   Format
	NoSync   bool
	Progress func(done, total int64) error
}

// A Format selects the zip headers and the alignment of archives to write. All zip readers accept every Format.
type Format uint8

const (
	// Aligned places the data of stored members at multiples of 64 bytes, so that all elements are aligned when the
	// archive is mapped.
	Aligned Format = iota

	// Savez writes the same bytes as numpy.savez under Python 3.11.4 and newer. The data is not aligned.
	Savez

	// OldSavez writes the same bytes as numpy.savez under older versions of Python.
	OldSavez
)

func (f Format) zipFormat() zipfile.Format {
	return [...]zipfile.Format{zipfile.Aligned, zipfile.Savez, zipfile.OldSavez}[f]
}

// check returns an error if f is unknown, or if f does not support compression and compress is true.
func (f Format) check(compress bool) error {
	switch {
	case f > OldSavez:
		return fmt.Errorf("%w: unknown Format %d", fs.ErrInvalid, f)
	case f != Aligned && compress:
		return fmt.Errorf("%w: Compress requires the format Aligned: NumPy's compressed bytes differ", fs.ErrInvalid)
	}
	return nil
}
