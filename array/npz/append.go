package npz

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// Append begins to add members to the archive at path. It copies the archive to a temporary file, to which [Writer.Add]
// writes more, and which replaces the old one at [Writer.Close]: at every moment, and after a crash, path is the old
// archive or the whole new one, and who has the old one open keeps it. Where the file system lets files share their
// blocks (btrfs, XFS), the copy takes neither time nor space. Members that are there stay as they are; a name that is
// there is an error of Add.
//
// The archive is checked as [Open] checks it, with the same errors; where there is none the error wraps
// [fs.ErrNotExist]. If it is replaced or changed by others before Close, the error of Close wraps [mmap.ErrReplaced] or
// [mmap.ErrChanged], and it stays as it is. Have one writer at a time: a change in the very instant of the rename goes
// unnoticed.
func Append(path string) (*Writer, error) { return Config{}.Append(path) }

// Append begins to add members to the archive at path as the function [Append] does, with the fields of cfg, Compress,
// Format, NoSync and Progress.
func (cfg Config) Append(path string) (*Writer, error) {
	if err := cfg.checkWriter("Append"); err != nil {
		return nil, &fs.PathError{Op: "append", Path: path, Err: err}
	}
	w := &Writer{cfg: cfg, path: path, names: map[string]bool{}}
	err := w.before.read(w, path)
	if err == nil {
		w.file, err = atomicfile.New(path, true)
	}
	if err != nil {
		return nil, err
	}
	w.file.NoSync, w.out = cfg.NoSync, w.file.File
	if err := w.before.copyTo(w.file.File, path); err != nil {
		err = w.file.Error(err)
		w.Discard()
		return nil, err
	}
	return w, nil
}

// before is what an archive has that members are added to.
type before struct {
	id      fs.FileInfo // nil for a new one
	path    string      // of the file, wherever the program goes
	start   int64       // of the directory
	prefix  int64       // bytes before the archive
	records []byte      // of the directory
	count   int         // of these
	comment []byte
}

// read reads the directory of the archive at path.
func (o *before) read(w *Writer, path string) error {
	m, err := mmap.Open(path, mmap.ReadOnly)
	if err != nil {
		return err
	}
	defer m.Close()
	o.path = atomicfile.Absolute(path)
	if o.id, err = m.Stat(); err != nil {
		return err
	}
	err = mmap.Guard(func() error {
		b := m.Bytes()
		s, err := zipfile.NewSource(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return err
		}
		d, err := zipfile.ParseSource(s)
		if err != nil {
			return err
		}
		o.start, o.prefix, o.count = int64(d.Start), int64(d.Prefix), len(d.Members)
		o.records = bytes.Clone(b[d.Start:d.Stop])
		o.comment = bytes.Clone(b[d.End+zipfile.EndLen:])
		o.comment = o.comment[:min(len(o.comment), d.Comment)]
		for _, m := range d.Members {
			w.names[m.Name] = true
		}
		return nil
	})
	w.at, w.directory = o.start-o.prefix, len(o.records)
	return (&Archive{path: path}).formatError(err)
}

// copyTo copies what is before the directory of the archive at path: os.File.ReadFrom has the system do it, where it
// can.
func (o *before) copyTo(to *os.File, path string) error {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	now, err := from.Stat()
	if err == nil {
		err = o.same(now)
	}
	if err != nil {
		return err
	}
	n, err := io.Copy(to, io.LimitReader(from, o.start))
	if err == nil && n < o.start {
		err = fmt.Errorf("%w: it ends at byte %d", mmap.ErrChanged, n)
	}
	if err != nil {
		return &fs.PathError{Op: "append", Path: path, Err: err}
	}
	return nil
}

// unchanged is an error if the file at path is not the one that was copied, as it was then.
func (o *before) unchanged(path string) error {
	if o.id == nil {
		return nil
	}
	now, err := os.Stat(o.path)
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	if err == nil {
		err = o.same(now)
	}
	if err != nil {
		return &fs.PathError{Op: "append", Path: path, Err: fmt.Errorf("%w: nothing was added to it", err)}
	}
	return nil
}

func (o *before) same(now fs.FileInfo) error {
	switch {
	case !os.SameFile(o.id, now):
		return mmap.ErrReplaced
	case now.Size() != o.id.Size() || !now.ModTime().Equal(o.id.ModTime()):
		return mmap.ErrChanged
	}
	return nil
}
