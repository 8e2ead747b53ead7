package npz

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// An OpenConfig has the options for opening archives. The zero OpenConfig maps them [array.ReadOnly].
type OpenConfig struct {
	// Mode is how Open maps the archive: see [Open].
	Mode mmap.Mode

	// Lock makes Open take a lock on the archive and hold it until Close: see [mmap.Config].
	Lock bool

	// File, if not nil, is the file that Open maps instead of opening path: see [mmap.Config]. Open closes it, also when
	// it returns an error.
	File *os.File
}

// A SaveConfig has the options for writing archives. The zero SaveConfig refuses to replace files.
type SaveConfig struct {
	// Replace lets Create, Make and Save replace a file. Without it, if path exists, the error wraps [fs.ErrExist].
	Replace bool

	// Compress, Format, NoSync and Progress are options of the [Writer], which documents them.
	Compress bool
	Format   Format
	NoSync   bool
	Progress func(done, total int64) error
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

// check returns an error if no archive with this Format exists.
func (f Format) check(compress bool) error {
	switch {
	case f > OldSavez:
		return fmt.Errorf("%w: Format %d is unknown", fs.ErrInvalid, f)
	case f != Aligned && compress:
		return fmt.Errorf("%w: Compress needs the Format Aligned: NumPy compresses to other bytes", fs.ErrInvalid)
	}
	return nil
}
