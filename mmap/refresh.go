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
// [Map.Refresh] if the path now names another file, or none. Open the path again to get its current
// file.
var ErrReplaced = errors.New("the path no longer names this file")

// Refresh updates [Map.Bytes] to the current length of the file, after another process or another
// Map changed it. It reports whether Bytes became longer.
//
// Slices of the old bytes stay valid at the same address, as after [Map.Grow]. If the file became
// shorter, using old bytes beyond its end may be a page fault.
//
// [ReadWrite] and [ReadOnly] mappings can be refreshed. For anonymous memory Refresh does nothing.
// A [CopyOnWrite] mapping holds the only copy of its writes: if the file has another length, the
// error wraps [errors.ErrUnsupported].
//
// A mapping that is neither ReadWrite nor locked has no descriptor of the file. Refresh then looks
// up the path, and opens it if the length has changed; the error wraps [ErrReplaced] if the path
// names another file, or none. Errors are *[fs.PathError].
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
		return false, m.pathError("refresh", err)
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
		if f, err = openFile(m.lookupPath(), os.O_RDONLY); err != nil {
			return unwrapPathError(err)
		}
		defer f.Close()
		if fi, err = f.Stat(); err != nil {
			return unwrapPathError(err)
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
		return fmt.Errorf("%w: the file has %d bytes and had %d, but a %v mapping cannot change its length; open it again",
			errors.ErrUnsupported, fi.Size(), len(m.data), m.mode)
	}
	if err := m.remap(f, int(fi.Size())); err != nil {
		return err
	}
	m.release() // nothing was written through it, and now the mapping keeps the file
	return nil
}

// Stat returns the current [fs.FileInfo] of the mapped file, as [os.File.Stat] does: its size, its
// permissions and the time of its last change.
//
// The size differs from the length of Bytes if another process has changed it. For a write to Bytes
// the system may set the time when it stores the write.
//
// A mapping that is neither [ReadWrite] nor locked has no descriptor of the file. Stat then looks
// up the path, and the error wraps [ErrReplaced] if the path names another file, or none. A
// relative path is interpreted as by [Map.CheckPath]. For anonymous memory the error wraps
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
		err = fmt.Errorf("%w: anonymous memory is not a file", errors.ErrUnsupported)
	default:
		fi, err = m.stat()
	}
	if err != nil {
		return nil, m.pathError("stat", err)
	}
	return fi, nil
}

func (m *Map) stat() (fs.FileInfo, error) {
	if m.file != nil {
		fi, err := m.file.Stat()
		return fi, unwrapPathError(err)
	}
	fi, err := os.Stat(m.lookupPath())
	switch {
	case isMissing(err):
		return nil, fmt.Errorf("%w: no such file", ErrReplaced)
	case err != nil:
		return nil, unwrapPathError(err)
	case !sameFile(fi, m.id):
		return nil, ErrReplaced
	}
	return fi, nil
}

// CheckPath returns nil if the path of m still names the mapped file. Otherwise the error wraps
// [ErrReplaced]: another process has replaced, removed or moved the file, and writes to m do not
// reach a file at that path.
//
// A relative path of a [ReadWrite] mapping is relative to the directory that was current at Open or
// Create. For other mappings it is relative to the current directory.
//
// Windows does not replace mapped files, and anonymous memory has no path, so CheckPath returns
// nil. On systems that do not map files the error wraps [errors.ErrUnsupported]. Errors are
// *[fs.PathError]. A call costs about as much as an os.Stat.
func (m *Map) CheckPath() error {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var err error
	switch {
	case m.data == nil:
		err = fs.ErrClosed
	case m.path != "":
		err = checkNamed(m.file, m.id, m.lookupPath())
	}
	if err != nil {
		return m.pathError("check", err)
	}
	return nil
}

// identify records the identity of the file of m, and the values that Unchanged compares. fi is the
// result of f.Stat, and now is a time before that call.
func (m *Map) identify(f *os.File, fi fs.FileInfo, now time.Time) {
	m.id = fi
	m.ctime = changeTime(f, fi)
	m.racy = isRacy(m.ctime, now)
	if m.mode == ReadWrite {
		m.abs = atomicfile.Absolute(m.path)
	}
}

// lookupPath returns the path to look up: absolute for a ReadWrite mapping, otherwise as the caller gave it.
func (m *Map) lookupPath() string {
	if m.abs != "" {
		return m.abs
	}
	return m.path
}

// Truncate shortens the file of a [ReadWrite] mapping, and [Map.Bytes], to size bytes, for example
// to undo a Grow.
//
// Using old bytes beyond size may be a page fault afterwards. It is an error if size is negative or
// more than the length of Bytes, if m is not a ReadWrite mapping of a file, and on Windows, which
// does not shorten mapped files. Errors are *[fs.PathError].
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
		if err = unwrapPathError(m.file.Truncate(size)); err == nil {
			m.data = m.data[:size:size]
		}
	}
	if err != nil {
		return m.pathError("truncate", err)
	}
	return nil
}
