package mmap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/ndmap/ndmap/internal/atomicfile"
)

// ErrReplaced is wrapped by the errors of [Map.CheckPath], [Map.Unchanged], [Map.Stat] and
// [Map.Refresh] that say that the path is another file now, or none. Opening the path again gives
// the file that it is now.
var ErrReplaced = errors.New("the path is another file now")

// Refresh makes Bytes as long as the file is now, and reports whether there are more than
// there were: another process, or another Map, made the file longer. What was handed out
// stays where it is, as after [Map.Grow]. Where the file is shorter, Bytes is shorter too,
// and using what was handed out past its end may be a page fault.
//
// Files that are mapped [ReadWrite] or [ReadOnly] can be refreshed. A ReadOnly mapping has no
// descriptor of the file, so it opens path once more if it is longer, and the error wraps
// ErrReplaced if that is another file. A [CopyOnWrite] mapping that is not as long as its
// file is an error that wraps [errors.ErrUnsupported]: what was written to it is nowhere
// else. For anonymous memory Refresh does nothing. Errors are *[fs.PathError].
func (m *Map) Refresh() (grew bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	have := len(m.data)
	switch {
	case m.data == nil:
		err = fs.ErrClosed
	case m.path != "":
		err = m.refresh()
	}
	if err != nil {
		return false, m.failed("refresh", err)
	}
	return len(m.data) > have, nil
}

func (m *Map) refresh() error {
	fi, err := m.stat()
	if err != nil {
		return err
	}
	f := m.file
	if f == nil && fi.Size() != int64(len(m.data)) {
		if f, err = openFile(m.where(), os.O_RDONLY); err != nil {
			return bare(err)
		}
		defer f.Close()
		if fi, err = f.Stat(); err != nil {
			return bare(err)
		}
		if !sameFile(fi, m.id) {
			return ErrReplaced
		}
	}
	switch err := checkSize(fi.Size()); {
	case err != nil:
		return err
	case fi.Size() == int64(len(m.data)):
		return nil
	case m.mode == CopyOnWrite:
		return fmt.Errorf("%w: the file has %d bytes and had %d, and a mapping that is %v does not change its length; open it again", errors.ErrUnsupported, fi.Size(), len(m.data), m.mode)
	}
	if err := m.remap(f, int(fi.Size())); err != nil {
		return err
	}
	m.release() // nothing was written through it, and from here on the mapping keeps the file
	return nil
}

// Stat returns what the system says of the file that is mapped, as [os.File.Stat] does, now: its
// size, which is not that of Bytes where somebody has changed it since, its permissions, and when it
// was last changed. Of what was written to Bytes the system may take that time when it stores it.
//
// A mapping that is not [ReadWrite] nor locked has no descriptor of the file, so Stat looks at the
// path, and the error wraps [ErrReplaced] if that is another file by now, or none. A relative
// path means what it does for [Map.CheckPath]. For anonymous memory the error wraps
// [errors.ErrUnsupported]. Errors are *[fs.PathError].
func (m *Map) Stat() (fs.FileInfo, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var fi fs.FileInfo
	var err error
	switch {
	case m.data == nil:
		err = fs.ErrClosed
	case m.path == "":
		err = fmt.Errorf("%w: it is no file", errors.ErrUnsupported)
	default:
		fi, err = m.stat()
	}
	if err != nil {
		return nil, m.failed("stat", err)
	}
	return fi, nil
}

func (m *Map) stat() (fs.FileInfo, error) {
	if m.file != nil {
		fi, err := m.file.Stat()
		return fi, bare(err)
	}
	fi, err := os.Stat(m.where())
	switch {
	case missing(err):
		return nil, fmt.Errorf("%w: there is none", ErrReplaced)
	case err != nil:
		return nil, bare(err)
	case !sameFile(fi, m.id):
		return nil, ErrReplaced
	}
	return fi, nil
}

// CheckPath returns nil if the path of m stands for the file that is mapped. Else the
// error wraps [ErrReplaced]: another process has put another file there, removed it, or
// moved it, and what is written to m cannot be found by that path. Windows does not let that
// happen to mapped files, and for memory there is nothing to check; a system that does not map
// files does not tell, and the error wraps [errors.ErrUnsupported]. A relative path
// means what it meant when a [ReadWrite] mapping was made; for others it is looked up
// from the current folder. A call costs about as much as an os.Stat. The error is a *[fs.PathError].
func (m *Map) CheckPath() error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var err error
	switch {
	case m.data == nil:
		err = fs.ErrClosed
	case m.path != "":
		err = named(m.file, m.id, m.where())
	}
	if err != nil {
		return m.failed("check", err)
	}
	return nil
}

// identify notes which file m is of, and what Unchanged compares. fi is what f.Stat returned, and
// now a time before that call.
func (m *Map) identify(f *os.File, fi fs.FileInfo, now time.Time) {
	m.id = fi
	m.ctime = changeTime(f, fi)
	m.racy = racy(m.ctime, now)
	if m.mode == ReadWrite {
		m.abs = atomicfile.Absolute(m.path)
	}
}

func (m *Map) where() string {
	if m.abs != "" {
		return m.abs
	}
	return m.path
}

// Truncate shortens the file of a [ReadWrite] mapping, and Bytes, to size bytes, as to take
// back a Grow. Using what was handed out past that may be a page fault from then on. A size
// that is negative or more than Bytes has is an error, and so are another mode and anonymous
// memory. Windows does not shorten a file that is mapped, which is an error, too. Errors are
// *[fs.PathError].
func (m *Map) Truncate(size int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	switch have := int64(len(m.data)); {
	case m.data == nil:
		err = fs.ErrClosed
	case m.path == "" || m.mode != ReadWrite:
		err = errors.New("not a file that is mapped ReadWrite")
	case size < 0 || size > have:
		err = fmt.Errorf("%d bytes are not within the mapping, which has %d", size, have)
	default:
		if err = bare(m.file.Truncate(size)); err == nil {
			m.data = m.data[:size:size]
		}
	}
	if err != nil {
		return m.failed("truncate", err)
	}
	return nil
}
