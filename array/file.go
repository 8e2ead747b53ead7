package array

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// A File is an array in a mapped file, in anonymous memory, or in memory that is not Go's; the zero File is a closed
// one. The embedded Array is replaced by Append, Grow and Refresh, during which no other goroutine may use the File;
// assigning to it loses the array. Close ends the use of every view.
type File struct {
	Array
	m        *mmap.Map // nil for memory of someone else's
	h        npy.Header
	owned    nd.Backing   // the memory, and what lies in it
	release  func() error // of memory of someone else's
	closed   uint32
	flag     *uint32  // closed, that of the File that was opened: append copies a File
	growth   growth   // how it gets longer
	pending  *pending // until it has its path
	start    int64    // where in the file the header is
	inside   bool     // the file is another one, which has the .npy file in it
	name     string   // of memory that stands for a file, for messages
	readOnly bool     // also where the mapping is not
	counted  int      // of a headerless file: the axis that is as long as the file allows, or -1
}

// Mode says what may be done to the elements of a file, and who sees it.
type Mode = mmap.Mode

// The modes of package mmap.
const (
	ReadOnly    = mmap.ReadOnly    // to write panics
	ReadWrite   = mmap.ReadWrite   // writes reach the file
	CopyOnWrite = mmap.CopyOnWrite // writes stay in the memory of the File
)

// Config says how to open, create, convert, save or read a file. The functions of the same names use the zero Config.
// Open stands here for OpenAt and OpenRaw, too, and Create for CreateRaw. A field that a method has no use for is an
// error that wraps [fs.ErrInvalid], if ignoring it misleads.
type Config struct {
	Mode    Mode   // how Open maps the file; Create maps it [ReadWrite]
	Name    string // what messages call the memory of Config.FromMap, if it is not the path of the mapping
	Replace bool   // lets Create and Convert replace a file, as Save always does

	// MaxHeader is how many bytes the text of the header may have in Open and Read; 0 stands for 64 KiB in version 1
	// of the format and 1 MiB in versions 2 and 3.
	MaxHeader int

	// Sparse reserves no disk space: a write may then find the disk full, a page fault (see [mmap.Guard]).
	Sparse bool

	// Lock makes Open and Create take a lock on the file until Close, exclusive where it is mapped for writing, else
	// shared. Where others are in the way the error wraps [mmap.ErrLocked]: see [mmap.Config]. With Replace, Create
	// has the lock before the file has its path. Without Lock, each Append and Grow takes it for that call.
	Lock bool

	// LockTimeout is how long Append, Grow and an [Appender] wait for the lock, as Open and Create never do; then the
	// error wraps [mmap.ErrLocked]. 0 stands for 10 seconds; if it is negative they do not wait.
	LockTimeout time.Duration

	// Pending makes a file of Create that has its path once [File.Commit] is called; until then it can be appended to,
	// too. Close without it, and the death of the process, leave what was there.
	Pending bool

	// NoSync makes Save, Convert, OpenOrCreate, Commit and, with Replace, Create not wait for the disk. A power failure
	// within the next half minute or so may leave at path the old file, none, the new one, or one of which parts are
	// zeros or what the disk had there, which Open may not notice. It is for files that can be made again.
	NoSync bool

	// Progress, if it is not nil, is called by Convert, Save, WriteJSON and File.Append, in the goroutine that called
	// them: with done 0, then some ten times a second or more, where the disk keeps up, and at least after each 32 MiB,
	// and last when done is total, in bytes that are written, and again that are on stable storage. Where there is nothing
	// to do it is called once, with 0 and 0. If any call returns an error, they return one that wraps it, and change no
	// file: so, where others may change the source meanwhile, return [File.Unchanged] of it when done is total. If it
	// panics, or ends the goroutine, they change no file either. Copy, Clone, Quantile and Histogram call it, too, and
	// their docs say what for.
	Progress func(done, total int64) error

	// File, if it is not nil, is what Open maps in place of a file that it opens: one that [os.Root] has opened, say.
	// path is then for messages, and for Refresh and its like. File must be open for what Mode does. Open closes it.
	File *os.File
}

// Open maps the .npy file at path. With [ReadOnly] writing through its views panics; with [ReadWrite] writes reach
// the file; with [CopyOnWrite] they stay in the memory of this File. Elements are read from the disk when they are
// first used. Bytes after the data are ignored, as by NumPy.
//
// An error of the system is a *[fs.PathError], and that of a file that is not as the format says a *[FormatError], also
// for other kinds of files.
func Open(path string, mode Mode) (*File, error) { return Config{Mode: mode}.Open(path) }

// Open is the function [Open] with the fields of cfg.
func (cfg Config) Open(path string) (*File, error) { return cfg.open(path, 0, false) }

// open maps the .npy file that starts at a byte of the file at path. inside says that it need
// not be all of it.
func (cfg Config) open(path string, start int64, inside bool) (*File, error) {
	if err := cfg.check(forOpen); err != nil {
		return cfg.closeIf(nil, &fs.PathError{Op: "open", Path: path, Err: err})
	}
	return cfg.closeIf(cfg.openMap(path, start, inside))
}

// closeIf returns f and err, and closes cfg.File if err is not nil.
func (cfg Config) closeIf(f *File, err error) (*File, error) {
	if err != nil && cfg.File != nil {
		cfg.File.Close() // the second time, perhaps
	}
	return f, err
}

func (cfg Config) openMap(path string, start int64, inside bool) (*File, error) {
	how := mmap.Config{Mode: cfg.Mode, Lock: cfg.Lock, Sparse: cfg.Sparse, File: cfg.File, HeadOffset: start}
	size := headBytes
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
		f := &File{m: m, growth: cfg.growth(m), start: start, inside: inside}
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
			return &FormatError{Path: path,
				Msg: "a Zarr folder, not a .npy file; save the array from Python, with zarr and numpy.save"}
		}
	}
	return err
}

// headBytes is the number of bytes that Open reads first: the length of NumPy's headers of numbers. Elements are not
// among them, so that a process that keeps writing elements does not make the header look unstable.
const headBytes = 128

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
	if f.h, err = f.parse(head, maxHeader); err != nil {
		return 0, err
	}
	if err := formatError(f.m.Path(), f.h.Within(int64(len(b)))); err != nil {
		if n, rows := f.h.Whole(int64(len(b) - f.h.DataOffset)); n > 0 && !f.inside {
			err.(*FormatError).Msg += "; npy repair keeps the " + rows
		}
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
		} else if e.Unknown {
			e.Msg += fmt.Sprintf("; if the %d bytes are elements without a header, as numpy.memmap writes them, OpenRaw reads them",
				f.m.Len())
		}
		return h, &FormatError{f.m.Path(), e.Part, f.start + e.Offset, e.Msg}
	}
	h.DataOffset += int(f.start)
	return h, err
}

// overlay makes the array of f from its header and the bytes of its data, which errors call path.
func (f *File) overlay(path string, data []byte) error {
	lay, err := index.NewLayout(f.h.Shape, f.h.DType.ItemSize(), f.h.Order)
	if err != nil {
		return fmt.Errorf("%s%w", nd.Prefix(path), err)
	}
	mem := strided.Memory{Path: path, Base: strided.Start(data), Size: len(data), ReadOnly: f.readOnly,
		Closed: f.closedFlag()}
	if f.m != nil {
		mem.ReadOnly = mem.ReadOnly || f.m.Mode() == ReadOnly
		if f.m.Path() != "" {
			mem.File, mem.Offset = f.m, f.h.DataOffset
		}
	}
	f.Array.view, err = f.owned.Init(mem, f.h.DType, 0, lay)
	return err
}

// closedFlag returns where Close says that the memory is gone.
func (f *File) closedFlag() *uint32 {
	if f.flag == nil {
		f.flag = &f.closed
	}
	return f.flag
}

// New returns an array of zeros in anonymous memory, which goes back to the system at [File.Close]. Pages that are
// never touched take no memory. The error wraps [ErrShape], or is a *[fs.PathError]. Where all of a large array is
// going to be written, Advise of its Map with [mmap.HugePage] saves page faults.
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

// Path returns the name of the file as it was given, that it is to have with Config.Pending, "" for memory.
func (f *File) Path() string { return f.owned.Mem.Path }

// Version returns the version of the format, 0, 0 without a header.
func (f *File) Version() (major, minor int) { return int(f.h.Version[0]), int(f.h.Version[1]) }

// DataOffset returns where in the file the first element is, in bytes.
func (f *File) DataOffset() int64 { return int64(f.h.DataOffset) }

// Order returns the order of the elements in the file: C or F.
func (f *File) Order() index.Order { return f.h.Order }

// isZero reports whether f is the zero File.
func (f *File) isZero() bool { return f.m == nil && f.release == nil }

// Sync returns when what was written is on stable storage: [mmap.Map.Sync].
func (f *File) Sync() error {
	switch {
	case f.isZero():
		return fmt.Errorf("array: sync: %w", fs.ErrClosed)
	case f.m == nil:
		return nil
	}
	err := f.m.Sync()
	if err == nil {
		observe("sync", f.place(), 0, f.m.Len())
	}
	return err
}

// Stat returns what [mmap.Map.Stat] does; memory, [errors.ErrUnsupported].
func (f *File) Stat() (fs.FileInfo, error) {
	switch {
	case f.m != nil:
		return f.m.Stat()
	case f.release != nil:
		return nil, fmt.Errorf("array: stat: %w: memory is no file", errors.ErrUnsupported)
	}
	return nil, fmt.Errorf("array: stat: %w", fs.ErrClosed)
}

// Unchanged returns nil if no element that was read before the call was cut off: the path of f is still the file that
// was opened, with its length and change time. Else the error wraps [mmap.ErrReplaced] or [mmap.ErrChanged]. See
// [mmap.Map.Unchanged], and examples/reload.
func (f *File) Unchanged() error {
	switch {
	case f.m != nil:
		return f.m.Unchanged()
	case f.release != nil:
		return nil
	}
	return fmt.Errorf("array: check: %w", fs.ErrClosed)
}

// Map returns the mapping of f, which f closes; nil for [FromPointer].
func (f *File) Map() *mmap.Map { return f.m }

// Close ends the mapping, and the use of all views of f. What was written reaches the file, but only [File.Sync] says
// when it is on stable storage. The second Close returns an error that wraps [fs.ErrClosed].
func (f *File) Close() error {
	if f.flag != nil {
		atomic.StoreUint32(f.flag, 1)
	}
	switch {
	case f.pending != nil:
		p := f.pending
		f.pending = nil
		return p.file.RemoveMapped(f.m)
	case f.m != nil:
		return f.m.Close()
	case f.release != nil:
		return f.release()
	}
	return fmt.Errorf("array: close: %w", fs.ErrClosed)
}

// A methods is a set of methods of Config.
type methods uint16

const (
	forOpen methods = 1 << iota
	forOpenFS
	forOpenBytes
	forCreate
	forOpenOrCreate
	forConvert
	forSave
	forRead
	forFromMap
	forWriteJSON
	forCopy
	forClone
	forQuantile
	forHistogram

	forNewFile = forCreate | forOpenOrCreate | forConvert | forSave
	forFile    = forNewFile | forOpen | forOpenFS
)

var methodNames = [...]string{"Open", "OpenFS", "OpenBytes", "Create", "OpenOrCreate", "Convert", "Save", "Read",
	"FromMap", "WriteJSON", "Copy", "Clone", "Quantile", "Histogram"}

// String returns the name of a method.
func (m methods) String() string { return methodNames[bits.TrailingZeros16(uint16(m))] }

// check returns an error if a field is set that the method does not use, so that ignoring the field would mislead.
func (cfg *Config) check(method methods) error {
	syncs := forNewFile
	if !cfg.Replace && !cfg.Pending {
		syncs &^= forCreate
	}
	for _, field := range [...]struct {
		name  string
		isSet bool
		users methods
	}{
		{"Name", cfg.Name != "", forFromMap},
		{"Mode CopyOnWrite", cfg.Mode == CopyOnWrite, forOpen | forFromMap},
		{"Mode ReadWrite", cfg.Mode == ReadWrite, forNewFile | forOpen | forOpenBytes | forFromMap},
		{"Sparse", cfg.Sparse, forFile},
		{"Lock", cfg.Lock, forOpen | forOpenFS | forCreate | forOpenOrCreate},
		{"Replace", cfg.Replace, forCreate | forConvert | forSave},
		{"Pending", cfg.Pending, forCreate},
		{"NoSync", cfg.NoSync, syncs},
		{"Progress", cfg.Progress != nil, forFile | forWriteJSON | forCopy | forClone | forQuantile | forHistogram},
		{"File", cfg.File != nil, forOpen},
	} {
		if field.isSet && field.users&method == 0 {
			return fmt.Errorf("%w: %s has no use for Config.%s", fs.ErrInvalid, method, field.name)
		}
	}
	return nil
}

// OpenAt maps the .npy file that starts at byte offset of the file at path: a member of a tar archive, one of a zip
// archive that is stored without compression, or an array that numpy.save has written after another one, at byte
// DataOffset + NBytes of that. Offsets, in errors and of [File.DataOffset], count from the start of the
// file at path. [File.Append] is an error.
func OpenAt(path string, mode Mode, offset int64) (*File, error) {
	return Config{Mode: mode}.OpenAt(path, offset)
}

// OpenAt is the function [OpenAt] with the fields of cfg.
func (cfg Config) OpenAt(path string, offset int64) (*File, error) {
	if offset < 0 {
		return cfg.closeIf(nil, &FormatError{path, "header", offset, "the offset is negative"})
	}
	return cfg.open(path, offset, true)
}

// Use opens the .npy file at path to read, calls do with it, and closes it. It is [Open], [mmap.Guard],
// [File.Unchanged] and Close in one: a page fault in do is an error, and it is an error if the file was truncated,
// written to or replaced before do returned, as far as [mmap.Map.Unchanged] sees it: what other programs store through
// a mapping has a time of its own only now and then. After an error, do not use what do has found.
//
// The file is closed when Use returns: keep a clone, the result of a [Reduction], or what [View.Take] returns. A file
// that do makes should get its path after Use, by [Save], or by [File.Commit] of one that is pending.
//
// For a file that was changed less than 20 ms ago, of which File.Unchanged cannot tell whether it changes again, Use
// first waits that long, or 2 s where the change time is a whole second; after 2.5 s in which it changes all the time
// do is called, and there is an error. An error of do is returned as it is, and others name the file.
func Use(path string, do func(f *File) error) error {
	f, err := stable.Settled(func() (*File, error) { return Open(path, ReadOnly) },
		func(f *File) bool { return errors.Is(f.Unchanged(), mmap.ErrChanged) })
	if err != nil {
		return err
	}
	defer f.Close()
	if err := mmap.Guard(func() error { return do(f) }); err != nil {
		return err
	}
	return f.Unchanged()
}

// UseAll is [Use] of several files, and calls do with their arrays, as [Stack] takes them: all files are open while do
// runs, and are to be unchanged when it returns.
func UseAll(paths []string, do func(arrays []Array) error) error {
	var use func(arrays []Array) error
	use = func(arrays []Array) error {
		if len(arrays) == len(paths) {
			return do(arrays)
		}
		return Use(paths[len(arrays)], func(f *File) error { return use(append(arrays, f.Array)) })
	}
	return use(make([]Array, 0, len(paths)))
}
