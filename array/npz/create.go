package npz

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/zipfile"
)

// A Writer makes an archive. It writes to a temporary file in the same folder, which gets its
// path at [Writer.Close], so that at every moment, and after a crash, path is the file that was
// there, or the whole archive: see [array.Save]. Discard, or Close, must be called.
type Writer struct {
	cfg       Config
	file      *atomicfile.File // nil once closed
	at        int64            // where the next member goes
	entries   []zipfile.Entry
	directory int // bytes of their records
	names     map[string]bool
	err       error // the first one of Add

	deflater deflater
}

// Create begins an archive at path. A file that is there is left untouched, and the error
// wraps [fs.ErrExist].
func Create(path string) (*Writer, error) { return Config{}.Create(path) }

// Create begins an archive at path as the function [Create] does, with the fields of cfg. With
// Config.Replace a file that is there is replaced at Close.
func (cfg Config) Create(path string) (*Writer, error) {
	err := cfg.check("Create")
	if err == nil && cfg.Compress && cfg.Format != Aligned {
		err = fmt.Errorf("%w: no archive that is compressed is byte for byte NumPy's; leave Config.Format, or Config.Compress, zero", fs.ErrInvalid)
	}
	if err == nil && !cfg.Replace { // only to fail early; Close decides
		if _, e := os.Lstat(path); e == nil {
			err = syscall.EEXIST
		}
	}
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	file, err := atomicfile.New(path, cfg.Replace)
	if err != nil {
		return nil, err
	}
	file.NoSync = cfg.NoSync
	return &Writer{cfg: cfg, file: file, names: map[string]bool{}}, nil
}

// Save writes an archive of the arrays, by their names and in the order of these, to path. A
// file that is there is replaced, as [array.Save] does it, and stays as it is after an error.
// It takes no memory in proportion to the arrays. The errors are those of [Writer.Add], and of
// the system a *[fs.PathError].
func Save(path string, arrays map[string]array.Array) error { return Config{}.Save(path, arrays) }

// Save writes an archive to path as the function [Save] does, with the fields of cfg. It
// replaces a file whatever cfg.Replace is.
func (cfg Config) Save(path string, arrays map[string]array.Array) error {
	cfg.Replace = true
	w, err := cfg.Create(path)
	if err != nil {
		return err
	}
	defer w.Discard() // also when reading an array panics
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		if err := w.Add(name, arrays[name]); err != nil {
			return err
		}
	}
	return w.Close()
}

// Add writes a as the member name, with .npy at its end as numpy.savez has it: its file
// is the one that [array.Write] writes. It takes no memory in proportion to a. A name that is
// there already is an error that wraps [fs.ErrExist]. One that is not UTF-8, has a NUL or
// more than 65,531 bytes is one that wraps [fs.ErrInvalid], and so is a member with which the archive
// would have more of them, or a larger directory, than Open takes: 1,048,576, and 256 MiB. After
// another error, no more can be added, and Close returns that error. A page fault in a is a panic, as
// elsewhere.
func (w *Writer) Add(name string, a array.Array) error {
	if w.file == nil {
		return fmt.Errorf("npz: Add: %w", fs.ErrClosed)
	}
	if w.err != nil {
		return w.err
	}
	whole := name + ".npy"
	var err error
	switch {
	case !utf8.ValidString(name):
		err = fmt.Errorf("%w: the name of a member is UTF-8", fs.ErrInvalid)
	case strings.IndexByte(name, 0) >= 0:
		err = fmt.Errorf("%w: the name of a member has no NUL", fs.ErrInvalid)
	case len(whole) > 0xFFFF:
		err = fmt.Errorf("%w: the name of a member has at most 65531 bytes", fs.ErrInvalid)
	case w.names[whole]:
		err = fmt.Errorf("%w: the archive has this member already", fs.ErrExist)
	}
	// What array.Write is going to write.
	var h npy.Header
	if err == nil {
		order := index.C
		if a.Contiguous(index.F) && !a.Contiguous(index.C) {
			order = index.F
		}
		h, _, err = npy.New(a.DType(), order, a.Shape())
	}
	size := int64(h.DataOffset) + int64(h.NBytes)
	if err == nil {
		err = w.room(&zipfile.Entry{Name: whole, Size: size, Compressed: w.most(size), Offset: w.at})
	}
	if err != nil {
		return fmt.Errorf("%s: member %s: %w", w.file.Path, zipfile.Quote(name), err)
	}
	w.err = errors.New("the member before was not written to its end") // if reading a panics
	w.err = w.file.Error(w.add(whole, a, size))
	return w.err
}

// most returns how many bytes a content of size bytes takes at most.
func (w *Writer) most(size int64) int64 {
	if w.cfg.Compress {
		return size + size/1000 + 1<<20 // what cannot be compressed gets longer
	}
	return size
}

// room returns the error of a member that makes an archive that Open refuses.
func (w *Writer) room(e *zipfile.Entry) error {
	switch n := w.directory + w.cfg.Format.zip().RecordLen(e); {
	case len(w.entries) >= zipfile.MaxMembers:
		return fmt.Errorf("%w: the archive has %d members already, the most that Open takes", fs.ErrInvalid, len(w.entries))
	case n > zipfile.MaxDirectory:
		return fmt.Errorf("%w: the directory would have %d bytes, more than the %d that Open takes", fs.ErrInvalid, n,
			zipfile.MaxDirectory)
	}
	return nil
}

// add writes a member whose content has size bytes.
func (w *Writer) add(name string, a array.Array, size int64) error {
	f := w.cfg.Format.zip()
	e := zipfile.Entry{Name: name, Size: size, Compressed: size, Offset: w.at, Zip64: f.NeedsZip64(w.most(size))}
	if w.cfg.Compress {
		e.Method = zipfile.Deflated
	}
	report := func(done int64) error {
		if w.cfg.Progress == nil {
			return nil
		}
		return w.cfg.Progress(done, size)
	}
	if err := report(0); err != nil {
		return err
	}
	head := f.AppendLocal(nil, &e)
	if _, err := w.file.Write(head); err != nil {
		return err
	}
	if w.cfg.Compress {
		d := &w.deflater
		d.reset(w.file.File, report)
		err := array.Write(d, a)
		if err == nil {
			err = d.Close()
		}
		if err != nil {
			return err
		}
		e.Size, e.Compressed, e.CRC = d.size, d.compressed, d.crc
	} else {
		s := &summer{w: w.file.File, report: report}
		if err := array.Write(s, a); err != nil {
			return err
		}
		e.Size, e.CRC = s.size, s.crc
	}
	if e.Size != size {
		return fmt.Errorf("npz: bug: %d bytes were written, not %d", e.Size, size)
	}
	if _, err := w.file.WriteAt(f.AppendLocal(nil, &e), e.Offset); err != nil { // of the same length
		return err
	}
	w.at += int64(len(head)) + e.Compressed
	w.names[name] = true
	w.entries = append(w.entries, e)
	w.directory += f.RecordLen(&e)
	return nil
}

// Close writes the directory, stores the archive and gives it its path. After an error of
// Add, or of its own, there is no archive, and what was at path is still there; only if the
// name may not be on stable storage the archive is in place, and the error says so. The second
// Close returns an error that wraps [fs.ErrClosed].
func (w *Writer) Close() error {
	if w.file == nil {
		return fmt.Errorf("npz: Close: %w", fs.ErrClosed)
	}
	defer w.Discard()
	if w.err != nil {
		return w.err
	}
	_, err := w.file.Write(w.cfg.Format.zip().AppendDirectory(nil, w.entries, w.at))
	if err == nil && !w.cfg.NoSync {
		err = w.file.Sync()
	}
	if err != nil {
		return w.file.Error(err)
	}
	named, err := w.file.Commit()
	if named {
		w.file.Close()
		w.file = nil
	}
	return err
}

// Discard ends the work on an archive and removes what was written. After Close it does
// nothing, so that it can be deferred.
func (w *Writer) Discard() {
	if w.file != nil {
		w.file.Remove()
		w.file = nil
	}
}

// A summer counts and sums what it passes on, in parts that stay in the cache in between.
type summer struct {
	w      io.Writer
	report func(done int64) error
	size   int64
	crc    uint32
}

func (s *summer) Write(b []byte) (int, error) {
	done := 0
	for part := range slices.Chunk(b, block) {
		s.crc = crc32.Update(s.crc, crc32.IEEETable, part)
		n, err := s.w.Write(part)
		done += n
		s.size += int64(n)
		if err == nil && len(part) == block {
			err = s.report(s.size)
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
