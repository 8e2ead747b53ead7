package array

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// A File is an array in a mapped file, which is a .npy file, has one in it ([OpenAt]) or has no
// header ([OpenRaw]), in anonymous memory, or in memory that is not Go's ([FromPointer]); the
// zero File is a closed one. Its methods may be called from several goroutines, except that none
// may run during Append, Grow and Refresh, which change the embedded Array. Close invalidates
// every view: see the package's section on memory.
type File struct {
	Array
	m *mmap.Map // nil for memory of someone else's
	h npy.Header
	owner
	release  func() error // of memory of someone else's
	closed   uint32
	flag     *uint32 // closed, that of the File that was opened: append copies a File
	growth   growth  // how it gets longer
	temp     string  // where the file is until it has its path
	start    int64   // where in the file the header is
	inside   bool    // the file is another one, which has the .npy file in it
	name     string  // of memory that stands for a file, for messages
	readOnly bool    // also where the mapping is not
	counted  int     // of a headerless file: the axis that is as long as the file allows, or -1
}

// Mode is [mmap.Mode]: what may be done to the elements of a file that is opened, and who sees it.
type Mode = mmap.Mode

// The modes of package mmap, so that a program which opens files need not import it.
const (
	ReadOnly    = mmap.ReadOnly    // to write panics
	ReadWrite   = mmap.ReadWrite   // what is written reaches the file
	CopyOnWrite = mmap.CopyOnWrite // what is written stays in the memory of the File
)

// Config says how to open, create, convert, save or read a file. Its methods do what the
// functions of the same name do. The zero Config is what [Create], [Convert], [Save] and
// [Read] use, and [Open] with [mmap.ReadOnly]. What is said of Open here holds for [OpenAt] and
// [OpenRaw], too, and what is said of Create for [CreateRaw].
//
// Each field says which methods use it. A field that is set and that a method has no use for
// is an error there that wraps [fs.ErrInvalid], except where ignoring it misleads nobody:
// MaxHeader where a file is written or has no header, LockTimeout and Progress where no file
// grows, Sparse where it is opened to read, and a Mode of ReadWrite where it is made. Read
// refuses Progress.
type Config struct {
	// Mode is how Open maps the file. Create maps it [mmap.ReadWrite].
	Mode Mode

	// Name is what messages call the memory of an array by Config.FromMap; "" stands for the path of the mapping.
	Name string

	// MaxHeader is how many bytes the text of the header may have in Open and Read; 0
	// stands for 64 KiB in version 1 of the format and 1 MiB in versions 2 and 3. A
	// longer header is refused before anything is allocated for it.
	MaxHeader int

	// Sparse makes Create, Convert and Save, and later File.Append and File.Grow of what
	// Create or Open returned, reserve no disk space for the data: the file takes disk space
	// only where something is written, and a write may then find the disk full, which is a
	// page fault (see [mmap.Guard]).
	Sparse bool

	// Lock makes Open and Create take a lock on the file until Close, exclusive where it is
	// mapped for writing, else shared. Where others are in the way the error wraps
	// [mmap.ErrLocked]: see [mmap.Config]. With Replace, Create has the lock before the file
	// has its path. For Save and Convert Lock is an error: the file that they put in the
	// place of another is a new one, and a process that has the old one locked keeps the old
	// one.
	//
	// Without Lock, each Append and each Grow of a File takes the lock for that call, so
	// that several writers can share one file.
	Lock bool

	// LockTimeout is how long File.Append, File.Grow and the flushes of an [Appender], of a
	// File that Open or Create returned, wait for the lock of the file while another
	// process, or another File, has it; after that the error wraps [mmap.ErrLocked]. 0
	// stands for 10 seconds; if LockTimeout is negative they do not wait. Open and Create
	// never wait.
	LockTimeout time.Duration

	// Replace lets Create and Convert replace a file, as Save always does.
	Replace bool

	// NoSync makes Save, Convert and, with Replace, Create return when the new file has its
	// path, without waiting for the disk, which stores it later. For other processes nothing
	// is different: path is the old file or the whole new one. A power failure within the
	// next half minute or so may leave the new name and not all of what belongs to it: then
	// path is the old file, none if there was none, the new one, or a file of the new
	// length, or shorter, in which parts are zeros or what the disk had there. Open refuses
	// it if the header is not there, or the file is too short; elements that are missing go
	// unnoticed. So NoSync is for files that can be made again. To bring many such files to
	// stable storage, sync the file system once.
	NoSync bool

	// Progress, if it is not nil, is called by Convert and Save, and by File.Append of a
	// File that Open or Create returned, in the goroutine that called them: with done 0,
	// then after every 32 MiB or so, and when done is total. It counts the bytes of the new
	// elements, each twice: when it is written, and when it is on stable storage. If
	// Progress returns an error, Convert and Save stop, leave no new file, and return an
	// error that wraps that one: a way to cancel them. So does Append, unless done is total;
	// the file is then what it was.
	Progress func(done, total int64) error

	// File, if it is not nil, is what Open maps in place of a file that it opens: one that
	// [os.Root] has opened, say, which leads out of no folder, whatever others exchange
	// meanwhile. path is then for messages, and for the methods of File that look at it, as
	// Refresh does. File must be open for what Mode does. Open owns it from then on, and
	// closes it, also where it returns an error.
	File *os.File
}

// Open maps the .npy file at path. With [mmap.ReadOnly] writing through its views panics;
// with [mmap.ReadWrite] writes reach the file; with [mmap.CopyOnWrite] they stay in the
// memory of this File. Elements are read from the disk when they are first used.
//
// An error of the system is a *[fs.PathError], and that of a file that is not as the format
// says a *[FormatError]. It names what people take for .npy files: .npz and other archives, HDF5
// that starts at byte 0, MATLAB, NetCDF, Zarr, pickles, text, and a file that is empty. Trailing
// bytes after the data are ignored, as by NumPy.
func Open(path string, mode Mode) (*File, error) { return Config{Mode: mode}.Open(path) }

// Open maps the .npy file at path as the function [Open] does, with the fields of cfg.
func (cfg Config) Open(path string) (*File, error) { return cfg.open(path, 0, false) }

// open maps the .npy file that starts at a byte of the file at path. inside says that it need
// not be all of it.
func (cfg Config) open(path string, start int64, inside bool) (*File, error) {
	m := mmap.Config{Mode: cfg.Mode, Lock: cfg.Lock, Sparse: cfg.Sparse, File: cfg.File, HeadOffset: start}
	f, err := cfg.openMap(m, path, inside)
	if err != nil && cfg.File != nil {
		cfg.File.Close() // the second time, perhaps
	}
	return f, err
}

func (cfg Config) openMap(how mmap.Config, path string, inside bool) (*File, error) {
	if err := cfg.check(forOpen); err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	start, size := how.HeadOffset, headBytes
	if how.File != nil {
		size = headLen(how.File, start, cfg.MaxHeader) // it can be mapped once
	}
	for how.Head = make([]byte, size); ; {
		m, err := how.Open(path)
		switch {
		case err != nil && how.File != nil:
			return nil, err
		case err != nil:
			return nil, folderError(path, err)
		}
		f := &File{m: m, growth: cfg.growth(), start: start, inside: inside}
		long, err := f.open(how.Head, cfg.MaxHeader)
		if err == nil && long == 0 {
			return f, nil
		}
		m.Close()
		if err == nil && how.File != nil {
			err = &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%w: its header has become longer", mmap.ErrChanged)}
		}
		if err != nil {
			return nil, err
		}
		how.Head = make([]byte, long) // no more than the file has, and the limit allows
	}
}

// headLen returns how many bytes the header at byte start of the file has, no less than headBytes,
// and no more than the file has from there on. What is wrong with it Open finds.
func headLen(f *os.File, start int64, maxHeader int) int {
	head := make([]byte, headBytes)
	n, _ := f.ReadAt(head, start)
	_, _, end, err := npy.Span(head[:n], maxHeader)
	if err != nil || end <= headBytes {
		return headBytes
	}
	if fi, err := f.Stat(); err != nil || int64(end) > fi.Size()-start {
		return headBytes
	}
	return end
}

// folderError is the error of a path that did not open, which names the kind of a folder that
// has arrays in it.
func folderError(path string, err error) error {
	for _, name := range []string{".zarray", ".zgroup", "zarr.json"} { // of versions 2 and 3
		if _, serr := os.Stat(filepath.Join(path, name)); serr == nil {
			return &FormatError{Path: path, Msg: "a Zarr folder, not a .npy file; save the array from Python, with zarr and numpy.save"}
		}
	}
	return err
}

// headBytes is how long a header is that Open reads at first: those of numbers are of
// 128 bytes.
const headBytes = 256

// open reads the header, or returns how long it is where head is too short. It reads no
// mapped memory: the length of the file was looked at after head was read, and
// has at least what head promises, whoever appends to the file.
func (f *File) open(head []byte, maxHeader int) (long int, err error) {
	b := f.m.Bytes()
	if f.start > 0 && f.start >= int64(len(b)) {
		return 0, &FormatError{f.m.Path(), "header", f.start, fmt.Sprintf("the file ends at byte %d", len(b))}
	}
	left := len(b) - int(f.start)
	head = head[:min(len(head), left)]
	if _, _, end, err := npy.Span(head, maxHeader); err == nil && end > len(head) && end <= left {
		return end, nil
	}
	if f.h, err = f.parse(head, maxHeader); err == nil {
		err = formatError(f.m.Path(), f.h.Within(int64(len(b))))
	}
	if err != nil {
		return 0, err
	}
	return 0, f.overlay(f.m.Path(), b[f.h.DataOffset:f.h.DataOffset+f.h.NBytes])
}

// parse reads the header of f from its bytes. Offsets in it, and in the error, are counted
// from the start of the file that f is in.
func (f *File) parse(head []byte, maxHeader int) (npy.Header, error) {
	h, err := npy.Parse(head, maxHeader)
	if e, ok := errors.AsType[*npy.Error](err); ok {
		if f.start > 0 { // the kind is that of a part of the file
			e.Part = cmp.Or(e.Part, "header")
		}
		return h, &FormatError{f.m.Path(), e.Part, f.start + e.Offset, e.Msg}
	}
	h.DataOffset += int(f.start)
	return h, err
}

// overlay makes the array of f from its data and its header.
func (f *File) overlay(path string, data []byte) error {
	lay, err := index.NewLayout(f.h.Shape, f.h.DType.ItemSize(), f.h.Order)
	if err != nil {
		return fmt.Errorf("%s%w", prefix(path), err)
	}
	mem := strided.Memory{Path: path, Base: strided.Start(data), Size: len(data), ReadOnly: f.readOnly || f.m.Mode() == mmap.ReadOnly, Closed: f.closedFlag()}
	if f.m.Path() != "" {
		mem.File, mem.Offset = f.m, f.h.DataOffset
	}
	f.Array.view, err = f.set(mem, f.h.DType, 0, lay)
	return err
}

// closedFlag returns where Close says that the memory is gone.
func (f *File) closedFlag() *uint32 {
	if f.flag == nil {
		f.flag = &f.closed
	}
	return f.flag
}

// Create makes a new .npy file at path, with all elements zero, and maps it for reading and
// writing. A file that exists is left untouched, and the error wraps [fs.ErrExist]. The disk
// space of the file is reserved, so that a full disk is an error here and not a page fault
// later, if the file system can reserve: see [mmap.Create]. The error is a *[fs.PathError] or
// wraps one; it wraps [ErrShape] for a shape that cannot be, and for an order other than C
// and F.
//
// The header is what numpy.save writes. As there, an array that is contiguous in
// both orders is written as C: one with no elements, or with at most one axis longer
// than 1. So a file that is to grow in F order starts with two columns or more.
//
// After a power failure, what was not synced may be missing: Open then refuses the
// file, or there is none. [File.Sync] stores the file; that its name is on stable
// storage takes a sync of its directory, which is up to the caller.
func Create(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	return Config{}.Create(path, d, order, shape...)
}

// Create makes a new .npy file at path as the function [Create] does, with the fields of
// cfg.
//
// With Config.Replace a file that is there is replaced as by [Save]: at every moment path is
// the old file, which stays what it is for those that have it mapped, or the new one. When
// Create returns, the new file and its name are on stable storage, unless Config.NoSync is
// set. The File is the new file, also if another process has replaced that already.
func (cfg Config) Create(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	h, head, err := newHeader(d, order, shape)
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	return cfg.createFile(path, h, head)
}

// createFile makes the file that h describes. head is its header, nil for none.
func (cfg Config) createFile(path string, h npy.Header, head []byte) (*File, error) {
	if err := cfg.check(forCreate); err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	if cfg.Replace {
		// The new file has the permissions of the old one, so that must be one to write.
		m, err := mmap.Open(path, mmap.ReadWrite)
		if err == nil {
			err = m.Close()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return cfg.publish(path, h, head, true, func(f *File) error {
			if cfg.NoSync {
				return nil
			}
			return f.Sync()
		})
	}
	return cfg.create(nil, path, h, head)
}

// create makes the file that h describes at path, or takes one that is open and has no bytes.
func (cfg Config) create(file *os.File, path string, h npy.Header, head []byte) (*File, error) {
	m, err := mmap.Config{Sparse: cfg.Sparse, Lock: cfg.Lock, File: file}.Create(path, int64(h.DataOffset+h.NBytes))
	if err != nil {
		return nil, err
	}
	f := &File{m: m, h: h, growth: cfg.growth(), counted: -1}
	b := m.Bytes()
	err = mmap.Guard(func() error {
		copy(b, head)
		return nil
	})
	observe("create", path, 0, 0)
	if err == nil {
		err = f.overlay(path, b[h.DataOffset:])
	}
	if err != nil {
		if file == nil { // its header is not whole
			id, _ := m.Stat()
			return nil, atomicfile.Discard(m, id, path, err)
		}
		m.Close()
		return nil, err
	}
	return f, nil
}

// New returns an array of zeros in anonymous memory, which goes back to the system at
// [File.Close]. Pages that are never touched take no memory. The error wraps [ErrShape] for a
// shape that cannot be, and for an order other than C and F; that of the system is a
// *[fs.PathError]. Where all of a large array is going to be written, f.Map().Advise(0,
// f.Map().Len(), mmap.HugePage) saves most of the page faults, if the system has such pages.
func New(d dtype.DType, order index.Order, shape ...int) (*File, error) {
	h, _, err := newHeader(d, order, shape)
	if err != nil {
		return nil, fmt.Errorf("array: %w", err)
	}
	m, err := mmap.Anonymous(h.NBytes)
	if err != nil {
		return nil, err
	}
	f := &File{m: m, h: h}
	if err := f.overlay("", m.Bytes()); err != nil {
		m.Close()
		return nil, err
	}
	return f, nil
}

func newHeader(d dtype.DType, order index.Order, shape []int) (npy.Header, []byte, error) {
	if order != index.C && order != index.F {
		return npy.Header{}, nil, fmt.Errorf("%w: order %v for a new array; want C or F", ErrShape, order)
	}
	shape = append([]int(nil), shape...) // the header keeps it
	h, head, err := npy.New(d, order, shape)
	if err != nil && !errors.Is(err, ErrShape) {
		err = &kindError{err, ErrDType}
	}
	return h, head, err
}

// Path returns the name of the file as it was given, "" for memory.
func (f *File) Path() string { return f.mem.Path }

// Version returns the version of the .npy format of the file: 1, 0 or 2, 0 or 3, 0; for a file
// without a header 0, 0. For anonymous memory it is what the file would have.
func (f *File) Version() (major, minor int) { return int(f.h.Version[0]), int(f.h.Version[1]) }

// DataOffset returns where in the file the first element is, in bytes. For anonymous
// memory it is what the file would have.
func (f *File) DataOffset() int64 { return int64(f.h.DataOffset) }

// Order returns the order of the elements that the header says, C or F; of a file without one
// the order that was given.
func (f *File) Order() index.Order { return f.h.Order }

// Sync returns when everything written so far is on stable storage. Files that are not
// mapped for writing need none. See [mmap.Map.Sync] for the errors.
func (f *File) Sync() error {
	if f.m == nil {
		return nil
	}
	err := f.m.Sync()
	if err == nil {
		observe("sync", cmp.Or(f.temp, f.Path()), 0, f.m.Len())
	}
	return err
}

// Stat returns what the system says of the file, as [mmap.Map.Stat] does: its size, with header and
// what follows the data, its permissions, and when it was last changed. For memory the error wraps
// [errors.ErrUnsupported].
func (f *File) Stat() (fs.FileInfo, error) {
	switch {
	case f.m != nil:
		return f.m.Stat()
	case f.release != nil:
		return nil, fmt.Errorf("array: stat: %w: memory is no file", errors.ErrUnsupported)
	}
	return nil, fmt.Errorf("array: stat: %w", fs.ErrClosed) // the zero File
}

// Unchanged returns nil if the path of f is still the file that is mapped, with the length and the
// change time that it had when f was opened: then no element that was read before the call was cut
// off when it was read. Else the error wraps [mmap.ErrReplaced] or [mmap.ErrChanged]. See
// [mmap.Map.Unchanged] for all that it says, and does not say, and examples/reload for how to use it. For
// memory it returns nil.
func (f *File) Unchanged() error {
	switch {
	case f.m != nil:
		return f.m.Unchanged()
	case f.release != nil:
		return nil
	}
	return fmt.Errorf("array: check: %w", fs.ErrClosed) // the zero File
}

// Map returns the mapping of the file, to advise the system how it will be used. It
// belongs to f: do not close it. For a File of [FromPointer] it is nil.
func (f *File) Map() *mmap.Map { return f.m }

// Close ends the mapping. What was written reaches the file even so, but only [File.Sync]
// says when it is on stable storage. No view of f may be used any more. For memory of
// [FromPointer] it calls release. The second Close returns an error that wraps
// [fs.ErrClosed].
func (f *File) Close() error {
	if f.flag != nil {
		atomic.StoreUint32(f.flag, 1)
	}
	switch {
	case f.m != nil:
		return f.m.Close()
	case f.release != nil:
		return f.release()
	}
	return fmt.Errorf("array: close: %w", fs.ErrClosed) // the zero File
}
