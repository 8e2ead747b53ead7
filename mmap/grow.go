package mmap

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
)

// reserveMin is the least that a mapping made by Grow is longer than its file.
const reserveMin = 1 << 20

// Grow makes the file of a [ReadWrite] mapping, and Bytes, longer by n bytes. The
// new bytes are zero, and their disk space is reserved as by [Create], unless the
// [Config] says Sparse: a full disk is an error here, and leaves the file as long as
// it was, with all that is in it. For n 0 the file stays as it is.
//
// The bytes that were handed out stay where they are, as valid as before: they and the start
// of the new ones are the same memory, or two mappings of the same file, which show each
// other's writes. So take Bytes again after Grow, and go on using the old ones or not. Close
// ends all of them. To be able to grow in place, a mapping takes more addresses than its file
// has bytes, about as many again; when they are used up there is a second, twice as large.
// However often a file grows, it has few mappings. In a program that is short of addresses
// Grow may fail, and Close and Open give back the older ones. Advice is not carried over:
// call [Map.Advise] again.
//
// The length of the file is on stable storage after Sync or SyncRange. A negative n is an
// error: mappings do not shrink. So is a file whose length another process changed (Refresh
// first), a mapping of another mode, and anonymous memory, which does not grow
// ([errors.ErrUnsupported]). Errors are *[fs.PathError].
func (m *Map) Grow(n int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.grow(int64(n)); err != nil {
		return m.failed("grow", err)
	}
	return nil
}

func (m *Map) grow(n int64) error {
	have := int64(len(m.data))
	switch {
	case m.data == nil:
		return fs.ErrClosed
	case m.path == "":
		return fmt.Errorf("%w: only files grow; Create one", errors.ErrUnsupported)
	case m.mode != ReadWrite:
		return fmt.Errorf("the mapping is %v; open the file ReadWrite", m.mode)
	case n < 0:
		return fmt.Errorf("negative number of bytes %d; mappings do not shrink", n)
	case n > math.MaxInt64-have:
		return fmt.Errorf("%d bytes more than %d overflow int64", n, have)
	}
	size := have + n
	if err := checkSize(size); err != nil {
		return err
	}
	fi, err := m.file.Stat()
	if err != nil {
		return bare(err)
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
			err = fmt.Errorf("%w; the file was left longer: %w", err, bare(left))
		}
	}
	return err
}

// remap makes data the first size bytes of the file f, which has as many.
func (m *Map) remap(f *os.File, size int) error {
	if n := len(m.regions); n > 0 && size <= len(m.regions[n-1].mem) {
		m.data = m.regions[n-1].mem[:size:size]
		return nil
	}
	// As much again, so that n bytes by small steps take log n regions.
	// Addresses cost nothing, where they are not counted.
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

// extend makes f, which has from bytes, to bytes long; holes is the Sparse of the
// Config. After an error f may be longer than it was.
func extend(f *os.File, from, to int64, holes bool) error {
	err := errors.ErrUnsupported
	if !holes {
		err = allocate(f, from, to)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		err = f.Truncate(to)
	}
	return bare(err)
}

// bare is the cause of an error of the system.
func bare(err error) error {
	if inner, ok := err.(*fs.PathError); ok {
		return inner.Err
	}
	return err
}

// WriteAt writes b to the file of a [ReadWrite] mapping, from byte off. It is what
// copy(m.Bytes()[off:], b) does, by a system call: where the disk is full or
// broken that is an error and not a fault, and a program that is killed has
// written all of b or nothing, if b lies within one page. It is not on stable
// storage before Sync.
//
// The error, a *[fs.PathError], is for a range that is not within Bytes, another mode,
// anonymous memory, and a system call that fails; n is then 0. Where another process has truncated
// the file to less than the range it wraps [ErrChanged], and the file stays as it is. Windows and
// OpenBSD have no such system call for mapped bytes; there the error may be a *[FaultError].
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
		err = fmt.Errorf("%d bytes from byte %d are not within the mapping, which has %d", len(b), off, len(m.data))
	default:
		err = Guard(func() error { return patch(m.file, m.data, b, off) })
		if _, ok := err.(*FaultError); ok {
			return 0, err
		}
	}
	if err != nil {
		return 0, m.failed("write", bare(err))
	}
	return len(b), nil
}
