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

// errNotRegular is the cause when a path names a device, a pipe or a socket.
var errNotRegular = errors.New("not a regular file")

// Config says how to open or create a file. The zero Config is what [Create]
// uses, and [Open] with [ReadOnly].
type Config struct {
	// Mode is how Open maps the file. What Create makes is ReadWrite, and
	// CopyOnWrite an error there.
	Mode Mode

	// Sparse makes Create and Grow reserve no disk space. The file takes space
	// only where something is written, so it may be larger than the disk; a write
	// that finds the disk full is a page fault (see Guard). It may also be lost
	// without one when the disk is full by the time the system stores it, and
	// then Sync returns the error. Open uses Sparse for later calls of Grow.
	Sparse bool

	// Lock takes a lock on the file until Close: an exclusive one for a
	// ReadWrite mapping, and so for Create, else a shared one. So there is one
	// writer, or any number of readers, among the processes that ask for a lock. Where
	// others are in the way, Open and Create do not wait: the error wraps
	// ErrLocked and says whether they read or write.
	//
	// The lock is advisory: it excludes only others that ask for a lock. NumPy does not.
	// It belongs to this open of the file: a second one excludes it in the same process,
	// too. The system ends it when the process dies, and processes that this one starts do
	// not inherit it. It is on the file and not on its name: when a rename puts another file
	// there, the lock stays with the old one. On Unix it is flock(2), which other machines
	// see on a network file system only if that passes it on (nfs(5) does, on Linux); on
	// Windows it is LockFileEx, of a byte far past the end.
	Lock bool

	// Head is where Open puts the first bytes of the file, or those from HeadOffset on, as
	// many as it has or has room for; the rest of Head stays as it is. They are read by a
	// system call before the file is mapped. A program that only looks at a header so saves
	// the page fault, and Close has no page to unmap, which together are a third of the
	// time. The size of the file is read after that: where a writer writes the data first
	// and then the header that counts it, all of that data is mapped. Head is read until it is
	// twice the same, so that of a write that is going on within one page of the file it does
	// not have a half. A write of several pages may stand still between two of them, and Head then has half
	// of it. What is not the same 1000 times is an error that wraps [ErrChanged]. Head is an error of
	// Create, whose file has no bytes to read yet.
	Head []byte

	// HeadOffset is the byte of the file that Head starts with, not negative.
	HeadOffset int64

	// File, if it is not nil, is what Open maps, and what Create makes longer, in place of a
	// file that they open; path is then for messages, for Refresh, CheckPath and Unchanged. File
	// must be open for what the mode does, and for Create have no bytes. The Map owns it
	// from then on, and closes it. After an error it is still the caller's, and Create has
	// removed nothing.
	File *os.File
}

// Open maps the whole of the file at path, as many bytes as it has now. A file without bytes
// gives a Map without bytes. Bytes are read when they are first used, except those of
// [Config].Head.
//
// Errors of the system are *[fs.PathError]; so is the error for a device or a pipe, and,
// in 32-bit programs, for a file that is larger than their address space. Open does not wait
// for the other end of a named pipe. The descriptor of the file is closed again when Open
// returns; only a [ReadWrite] mapping, and a locked one, keep it until Close, and
// one of a file without bytes for as long as it has none.
func Open(path string, mode Mode) (*Map, error) { return Config{Mode: mode}.Open(path) }

// Open maps the file at path as the function [Open] does, with the fields of cfg.
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

// mapWhole maps the file f, opened by the name path. The Map keeps f if its
// mode is ReadWrite, it is locked or f has no bytes, else f may be closed.
func (cfg Config) mapWhole(f *os.File, path string) (*Map, error) {
	if cfg.Lock { // before the size is read: who has the lock may change it
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
		err = mappable(f, fi)
	}
	size := fi.Size()
	if err == nil && len(cfg.Head) > 0 && cfg.HeadOffset < size { // some systems refuse offsets far past the end
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
		try < 10; try++ { // Windows maps no more than there is, and the file may have been cut meanwhile
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

// readHead reads the bytes of f from byte off on, while others may write them.
func readHead(f io.ReaderAt, head []byte, off int64) error {
	_, ok, err := stable.Read(head, func(b []byte) (int, error) { return f.ReadAt(b, off) })
	if !ok {
		return fmt.Errorf("%w each time that its %d bytes from byte %d on were read; another process keeps writing them",
			ErrChanged, len(head), off)
	}
	return err
}

// Create makes a new file of size zero bytes at path and maps it [ReadWrite].
// A file that exists is left untouched, and the error wraps [fs.ErrExist]. The
// permissions are 0666 less the umask, as with [os.Create].
//
// On Linux and macOS the disk space is reserved: a full disk is an error here,
// not a page fault later. Where the file system cannot reserve (NFS before
// version 4.2, for example), and on the BSDs, Create does what
// [Config].Sparse says. File systems that never write in place (btrfs and ZFS,
// for example) may run out of space even so.
//
// Errors of the system are *[fs.PathError] or wrap one; the file that Create
// began is then removed, unless another file has got its name: then the error says
// that it was left. That the name of the file is on stable storage takes
// a sync of its directory, which is up to the caller.
func Create(path string, size int64) (*Map, error) { return Config{}.Create(path, size) }

// Create makes a file at path as the function [Create] does, with the fields of cfg.
func (cfg Config) Create(path string, size int64) (*Map, error) {
	err := checkSize(size)
	switch {
	case cfg.Mode != ReadOnly && cfg.Mode != ReadWrite:
		err = fmt.Errorf("%w: Create has no use for Config.Mode %v; a new file is ReadWrite", fs.ErrInvalid, cfg.Mode)
	case cfg.Head != nil:
		err = fmt.Errorf("%w: Create has no use for Config.Head; a new file is of zeros", fs.ErrInvalid)
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
			return nil, err // someone was faster
		}
	}
	now := time.Now()
	fi, err := f.Stat()
	if err == nil {
		err = mappable(f, fi)
	}
	if err == nil {
		if cfg.Sparse {
			sparse(f)
		}
		err = extend(f, 0, size, cfg.Sparse)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: bare(err)}
	}
	m, err := newMap(f, path, int(size), ReadWrite)
	if err != nil {
		return nil, err
	}
	m.lock, m.sparse = cfg.Lock, cfg.Sparse
	m.identify(f, fi, now)
	return m, nil
}

// Anonymous maps size bytes of zeros that belong to no file. Its pages take
// memory once they are touched, and Close gives them back to the system. For
// size 0 the Map has no bytes. The error, for a negative size or when the system
// has no such memory, is a *[fs.PathError].
func Anonymous(size int) (*Map, error) {
	if err := checkSize(int64(size)); err != nil {
		return nil, &fs.PathError{Op: "mmap", Path: name(""), Err: err}
	}
	return newMap(nil, "", size, ReadWrite)
}

// newMap maps the first size bytes of f, or anonymous memory if f is nil.
func newMap(f *os.File, path string, size int, mode Mode) (*Map, error) {
	mem, err := mapPages(f, size, mode)
	if err != nil {
		return nil, &fs.PathError{Op: "mmap", Path: name(path), Err: err}
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

// checkSize refuses a size that is negative, or more than an int can count
// once it is rounded up to whole pages.
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
