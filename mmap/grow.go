package mmap

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
)

// reserveMin is the minimum number of bytes by which a mapping made by Grow is longer than its
// file.
const reserveMin = 1 << 20

// Grow makes the file of a [ReadWrite] mapping, and [Map.Bytes], longer by n bytes.
//
// The new bytes are zero. Their disk space is reserved as in [Create], unless [Config].Sparse is
// set: if the disk is full, Grow returns an error and leaves the length and the contents of the
// file unchanged. The length of the file is on stable storage after [Map.Sync] or [Map.SyncRange].
// If n is 0, the file does not change.
//
// # Aliasing
//
// Call Bytes again after Grow to get the new bytes. A slice of the old bytes stays valid until
// Close, at the same address. It shares memory with the new Bytes, or is another mapping of the
// same file; in both cases each slice shows writes made through the other.
//
// # Errors
//
// Errors are *[fs.PathError]. It is an error if n is negative; if another process changed the
// length of the file (call [Map.Refresh] first); and if the mapping has another mode. For anonymous
// memory, which does not grow, the error wraps [errors.ErrUnsupported].
//
// # Cost
//
// A mapping made by Grow reserves addresses beyond the end of its file, about the length of the
// file, so that it can grow in place. When they are used up, Grow makes another mapping, twice as
// large, so a Map has few mappings however often its file grows. Grow may fail in a program that is
// short of addresses. Closing the Map and opening the file again gives back the older mappings.
//
// Advice does not carry over: call [Map.Advise] again.
func (m *Map) Grow(n int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.grow(int64(n)); err != nil {
		return m.pathError("grow", err)
	}
	return nil
}

func (m *Map) grow(n int64) error {
	have := int64(len(m.data))
	switch {
	case m.data == nil:
		return fs.ErrClosed
	case m.path == "":
		return fmt.Errorf("%w: only files can grow; use Create", errors.ErrUnsupported)
	case m.mode != ReadWrite:
		return fmt.Errorf("the mapping is %v; open the file ReadWrite", m.mode)
	case n < 0:
		return fmt.Errorf("negative number of bytes %d; mappings cannot shrink", n)
	case n > math.MaxInt64-have:
		return fmt.Errorf("%d bytes more than %d overflow int64", n, have)
	}
	size := have + n
	if err := checkSize(size); err != nil {
		return err
	}
	fi, err := m.file.Stat()
	if err != nil {
		return unwrapPathError(err)
	}
	if fi.Size() != have {
		return fmt.Errorf("the file has %d bytes and had %d when it was mapped: another process changed it; open it again",
			fi.Size(), have)
	}
	if size == have {
		return nil
	}
	err = extend(m.file, have, size, m.sparse)
	if err == nil {
		err = m.remap(m.file, int(size))
	}
	if err != nil {
		if left := m.file.Truncate(have); left != nil {
			err = fmt.Errorf("%w; the file could not be truncated to its old size: %w", err, unwrapPathError(left))
		}
	}
	return err
}

// remap makes data the first size bytes of the file f, which has size bytes.
func (m *Map) remap(f *os.File, size int) error {
	if n := len(m.regions); n > 0 && size <= len(m.regions[n-1].mem) {
		m.data = m.regions[n-1].mem[:size:size]
		return nil
	}
	// Double the size, so that growing to n bytes in small steps takes log n regions.
	// Addresses cost nothing unless a limit counts them.
	reserve := min(uint64(max(size, reserveMin)), graveyardBound())
	err := checkSize(int64(size) + int64(reserve))
	var mem []byte
	if err == nil {
		mem, err = mapPages(f, size+int(reserve), m.mode)
	}
	if err != nil {
		if mem, err = mapPages(f, size, m.mode); err != nil {
			return err
		}
	}
	if len(mem) > 0 {
		m.regions = append(m.regions, register(mem, m.path, m.mode))
	}
	m.data = mem[:size:size]
	return nil
}

// extend makes f longer, from the length from to the length to. holes is Config.Sparse. After an
// error f may be longer than it was.
func extend(f *os.File, from, to int64, holes bool) error {
	err := errors.ErrUnsupported
	if !holes {
		err = allocate(f, from, to)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		err = f.Truncate(to)
	}
	return unwrapPathError(err)
}

// unwrapPathError returns the cause in a *fs.PathError, and any other error unchanged.
func unwrapPathError(err error) error {
	if inner, ok := err.(*fs.PathError); ok {
		return inner.Err
	}
	return err
}

// WriteAt writes b to the file of a [ReadWrite] mapping, starting at byte off, by a system call. It
// implements [io.WriterAt].
//
// WriteAt has the effect of copy(m.Bytes()[off:], b) with two differences. A full or broken disk
// causes an error, not a page fault. And if b lies within one page, a program that is killed has
// written either all of b or nothing. The bytes are on stable storage only after [Map.Sync].
//
// The error is a *[fs.PathError], and n is then 0. It is an error if the range is not within Bytes,
// if m is not a ReadWrite mapping of a file, or if the system call fails. The error wraps
// [ErrChanged], and the file does not change, if another process has truncated the file so that the
// range is not within it. Windows and OpenBSD have no such system call for mapped bytes; the error
// may be a *[FaultError] there.
func (m *Map) WriteAt(b []byte, off int64) (int, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var err error
	switch {
	case m.data == nil:
		err = fs.ErrClosed
	case m.path == "" || m.mode != ReadWrite:
		err = errors.New("not a file that is mapped ReadWrite")
	case off < 0 || off > int64(len(m.data)) || len(b) > len(m.data)-int(off):
		err = fmt.Errorf("%d bytes at byte %d are outside the mapping of %d bytes", len(b), off, len(m.data))
	default:
		err = Guard(func() error { return patch(m.file, m.data, b, off) })
		if _, ok := err.(*FaultError); ok {
			return 0, err
		}
	}
	if err != nil {
		return 0, m.pathError("write", unwrapPathError(err))
	}
	return len(b), nil
}
