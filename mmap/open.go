package mmap

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/stable"
)

// errNotRegular is the cause if a path names a device, a pipe or a socket.
var errNotRegular = errors.New("not a regular file")

// Config contains the options for opening or creating a file. [Create], and [Open] with [ReadOnly],
// use the zero Config.
type Config struct {
	// Mode is the mode of the mapping that Open makes. A created file is ReadWrite; Create returns an error if Mode is
	// CopyOnWrite.
	Mode Mode

	// Sparse makes Create and Grow reserve no disk space. The file takes space only for bytes that
	// were written, so it may be larger than the disk. A write that finds the disk full is a page
	// fault (see Guard). If the disk is full only when the system stores a write, the write is lost
	// without a fault, and Sync returns the error. Open uses Sparse for later calls of Grow.
	Sparse bool

	// Lock takes a lock on the file until Close: an exclusive lock for a ReadWrite mapping, and therefore for Create,
	// and a shared lock otherwise. At any time, the lock is held by one writer or by any number of readers. Open and
	// Create do not wait for other locks: the error wraps ErrLocked and says whether the holders read or write.
	//
	// The lock is advisory. It excludes only programs that ask for a lock, and NumPy does not. It
	// belongs to this open of the file, so a second open in the same process is excluded too. The
	// system releases it when the process dies, and child processes do not inherit it. The lock is on
	// the file and not on its name: after a rename puts another file there, the old file keeps the
	// lock.
	//
	// On Unix the lock is flock(2). Other machines see it on a network file system only if the file
	// system passes it on, as nfs(5) does on Linux. On Windows it is LockFileEx, of a byte far beyond
	// the end of the file.
	Lock bool

	// Head receives the first bytes of the file, or the bytes from HeadOffset on. If the file has
	// fewer bytes than Head, the rest of Head is unchanged. A system call reads them before the
	// file is mapped. A program that looks only at a header saves a page fault, and Close has no
	// page to unmap; together they are a third of the time. Create returns an error if Head is set,
	// because its file has no bytes to read yet.
	//
	// Open reads the size of the file after Head: if a writer writes the data first and then the
	// header that counts it, all of that data is mapped.
	//
	// Open reads Head until two reads are the same, so that Head does not contain half of a concurrent
	// write within one page of the file. A write of several pages may pause between two of them, and
	// Head then contains half of it. If the bytes differ 1000 times in a row, the error wraps [ErrChanged].
	Head []byte

	// HeadOffset is the offset in the file of the first byte of Head. It must not be negative.
	HeadOffset int64

	// File, if it is not nil, is the file that Open maps or Create makes longer. They do not open a file themselves,
	// and use path only for messages and for Refresh, Stat, CheckPath and Unchanged. File must be open for the access
	// that the mode requires, and must have no bytes for Create. The Map owns and closes it. After an error the caller
	// still owns it, and Create has not removed it.
	File *os.File
}

// Open maps the whole file at path, with its current size. For a file without bytes the Map has no
// bytes. The system reads bytes from the file when they are first used, except for [Config].Head.
//
// Errors of the system are *[fs.PathError]. So is the error for a device or a pipe, and the error
// in 32-bit programs for a file larger than the address space. Open does not wait for a writer of a
// named pipe.
//
// Open closes the descriptor of the file before it returns. Only a [ReadWrite] or locked mapping
// keeps it until Close, and a mapping without bytes keeps it while it is empty.
func Open(path string, mode Mode) (*Map, error) { return Config{Mode: mode}.Open(path) }

// Open is like the function [Open], configured by cfg.
func (cfg Config) Open(path string) (*Map, error) {
	flag := os.O_RDONLY
	switch cfg.Mode {
	case ReadOnly, CopyOnWrite:
	case ReadWrite:
		flag = os.O_RDWR
	default:
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("unknown mode " + cfg.Mode.String())}
	}
	f, err := cfg.File, error(nil)
	if f == nil {
		if f, err = openFile(path, flag); err != nil {
			return nil, err
		}
	}
	m, err := cfg.mapWhole(f, path)
	if err != nil && cfg.File == nil || err == nil && m.file == nil && m.empty == nil {
		f.Close() // nothing was written through f, so there is nothing to lose
	}
	return m, err
}

// mapWhole maps the file f, opened as path. The Map keeps f if its mode is ReadWrite, it is locked
// or f has no bytes. Otherwise the caller may close f.
func (cfg Config) mapWhole(f *os.File, path string) (*Map, error) {
	if cfg.Lock { // before the size is read: the holder of the lock may change it
		if err := acquire(f, path, cfg.Mode); err != nil {
			return nil, err
		}
	}
	now := time.Now()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	switch {
	case fi.IsDir():
		err = syscall.EISDIR
	case !fi.Mode().IsRegular():
		err = errNotRegular
	default:
		err = checkMappable(f, fi)
	}
	size := fi.Size()
	if err == nil && len(cfg.Head) > 0 && cfg.HeadOffset < size { // some systems refuse offsets far beyond the end
		if err := readHead(f, cfg.Head, cfg.HeadOffset); errors.Is(err, ErrChanged) {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		} else if err != nil {
			return nil, err
		}
		if size, err = f.Seek(0, io.SeekEnd); err != nil { // allocates nothing
			return nil, err
		}
	}
	if err == nil {
		err = checkSize(size)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	m, err := newMap(f, path, int(size), cfg.Mode)
	for try := 0; err != nil &&
		try < 10; try++ { // Windows maps only existing bytes, and the file may have become shorter
		fi, statErr := f.Stat()
		if statErr != nil || fi.Size() == size || checkSize(fi.Size()) != nil {
			break
		}
		size = fi.Size()
		m, err = newMap(f, path, int(size), cfg.Mode)
	}
	if err != nil {
		return nil, err
	}
	if cfg.Lock {
		m.file, m.lock = f, true
	}
	if m.file == nil && len(m.data) == 0 {
		m.empty = f
	}
	m.sparse = cfg.Sparse
	m.identify(f, fi, now)
	return m, nil
}

// readHead reads the bytes of f from byte off on, which other processes may be writing.
func readHead(f io.ReaderAt, head []byte, off int64) error {
	_, ok, err := stable.Read(head, func(b []byte) (int, error) { return f.ReadAt(b, off) })
	if !ok {
		return fmt.Errorf("%w each time its %d bytes at offset %d were read; another process keeps writing them",
			ErrChanged, len(head), off)
	}
	return err
}

// Create creates a file at path with the given size in bytes, all zero, and maps it [ReadWrite].
// The permissions are 0666 less the umask, as with [os.Create]. An existing file is left untouched,
// and the error wraps [fs.ErrExist].
//
// On Linux and macOS the disk space is reserved: if the disk is full, Create returns an error, and
// there is no page fault later. Where the file system cannot reserve space, for example NFS before
// version 4.2, and on the BSDs, Create behaves as for [Config].Sparse. File systems that never
// write in place, such as btrfs and ZFS, may run out of space in spite of the reservation.
//
// Errors of the system are *[fs.PathError] or wrap one. After an error Create removes the file that
// it created. If the path names another file by then, Create leaves that file, and the error says
// so. Create does not sync the directory; the caller must do so if the name of the file must be on
// stable storage.
func Create(path string, size int64) (*Map, error) { return Config{}.Create(path, size) }

// Create is like the function [Create], configured by cfg.
func (cfg Config) Create(path string, size int64) (*Map, error) {
	err := checkSize(size)
	switch {
	case cfg.Mode != ReadOnly && cfg.Mode != ReadWrite:
		err = fmt.Errorf("%w: Create does not support Config.Mode %v; a new file is ReadWrite", fs.ErrInvalid, cfg.Mode)
	case cfg.Head != nil:
		err = fmt.Errorf("%w: Create does not support Config.Head; a new file contains zeros", fs.ErrInvalid)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	if cfg.File != nil {
		return cfg.mapNew(cfg.File, path, size)
	}
	f, err := openFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return nil, err
	}
	m, err := cfg.mapNew(f, path, size)
	if err != nil {
		id, _ := f.Stat()
		return nil, atomicfile.Discard(f, id, path, err)
	}
	return m, nil
}

// mapNew gives the empty file f its size and maps it.
func (cfg Config) mapNew(f *os.File, path string, size int64) (*Map, error) {
	if cfg.Lock {
		if err := acquire(f, path, ReadWrite); err != nil {
			return nil, err // another process locked f first
		}
	}
	now := time.Now()
	fi, err := f.Stat()
	if err == nil {
		err = checkMappable(f, fi)
	}
	if err == nil {
		if cfg.Sparse {
			markSparse(f)
		}
		err = extend(f, 0, size, cfg.Sparse)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: unwrapPathError(err)}
	}
	m, err := newMap(f, path, int(size), ReadWrite)
	if err != nil {
		return nil, err
	}
	m.lock, m.sparse = cfg.Lock, cfg.Sparse
	m.identify(f, fi, now)
	return m, nil
}

// Anonymous maps size bytes of zeros that belong to no file. With size 0 the Map has no bytes.
//
// Pages take memory when they are first touched, and Close gives them back to the system. The
// error, for a negative size or if the system has too little memory, is a *[fs.PathError].
func Anonymous(size int) (*Map, error) {
	if err := checkSize(int64(size)); err != nil {
		return nil, &fs.PathError{Op: "mmap", Path: displayName(""), Err: err}
	}
	return newMap(nil, "", size, ReadWrite)
}

// newMap maps the first size bytes of f, or anonymous memory if f is nil.
func newMap(f *os.File, path string, size int, mode Mode) (*Map, error) {
	mem, err := mapPages(f, size, mode)
	if err != nil {
		return nil, &fs.PathError{Op: "mmap", Path: displayName(path), Err: err}
	}
	m := &Map{path: path, mode: mode, data: mem[:size:size]}
	if mode == ReadWrite {
		m.file = f
	}
	if len(mem) > 0 {
		m.one[0] = register(mem, path, mode)
		m.regions = m.one[:]
	}
	return m, nil
}

// checkSize returns an error if size is negative, or if, rounded up to whole pages, it overflows
// int.
func checkSize(size int64) error {
	if size < 0 {
		return errors.New("negative size " + strconv.FormatInt(size, 10))
	}
	if size > int64(math.MaxInt-os.Getpagesize()+1) {
		return errors.New(strconv.FormatInt(size, 10) + " bytes do not fit the address space of a " +
			strconv.Itoa(strconv.IntSize) + "-bit program")
	}
	return nil
}
