package array

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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

// A File is an array in a mapped file, in anonymous memory, or in memory that does not belong to Go. Append, Grow and
// Refresh replace the embedded Array; while they run, no other goroutine may use the File. Assigning to the Array loses
// it. Close ends the use of every view. The zero File is closed.
type File struct {
	Array
	m        *mmap.Map // nil for memory that ndmap has not mapped
	h        npy.Header
	owned    nd.Backing   // the memory, and the storage of the elements
	release  func() error // closes memory that ndmap has not mapped
	closed   uint32
	flag     *uint32 // closed of the File that was opened; Append copies a File
	growth   growth
	pending  *pending // until the file has its path
	start    int64    // offset of the header in the file
	inside   bool     // the .npy file is part of a larger file
	name     string   // for messages, if it is not the path of the mapping
	readOnly bool     // even if the mapping is writable
	counted  int      // without a header: the axis whose length follows from the size of the file, or -1
}

// A Mode says whether the elements of a file may be written, and who sees that.
type Mode = mmap.Mode

// The modes of package mmap.
const (
	ReadOnly    = mmap.ReadOnly    // writing panics
	ReadWrite   = mmap.ReadWrite   // writes reach the file
	CopyOnWrite = mmap.CopyOnWrite // writes stay in the memory of the File
)

// A Config says how to open, create, convert, save or read a file. The functions with the names of its methods use the
// zero Config. In the comments of the fields, Open also stands for OpenAt and OpenRaw, and Create for CreateRaw. If a
// field is set that a method does not use, and ignoring it would mislead, the method returns an error that wraps
// [fs.ErrInvalid].
type Config struct {
	Mode    Mode   // how Open maps the file; Create always maps it [ReadWrite]
	Name    string // name of the memory of Config.FromMap in messages, instead of the path of the mapping
	Replace bool   // lets Create, Convert and Make replace a file, as Save always does

	// MaxHeader is the maximum number of bytes of the text of the header in Open and Read. 0 stands for 64 KiB in version
	// 1 of the format and 1 MiB in versions 2 and 3.
	MaxHeader int

	// Sparse reserves no disk space. A write may then find the disk full, which is a page fault (see [mmap.Guard]).
	Sparse bool

	// Lock makes Open and Create lock the file until Close, exclusively if they map it for writing, otherwise shared. If
	// another lock excludes that, the error wraps [mmap.ErrLocked]: see [mmap.Config]. With Replace, Create takes the
	// lock before the file has its path. Without Lock, each Append and Grow takes the lock for the call.
	Lock bool

	// LockTimeout is how long Append, Grow and an [Appender] wait for the lock before they return an error that wraps
	// [mmap.ErrLocked]. 0 stands for 10 seconds; if it is negative they do not wait. Open and Create never wait.
	LockTimeout time.Duration

	// Pending makes Create return a file that gets its path when [File.Commit] is called. Until then it can be filled and
	// appended to. If it is closed without Commit, or if the process dies, the path stays as it was.
	Pending bool

	// NoSync makes Save, Convert, Make, OpenOrCreate, Commit and, with Replace, Create not wait for the disk. After a
	// power failure within about half a minute, the path may be the old file, no file, the new file, or a file in which
	// some bytes are zeros or old contents of the disk. Open may not notice. Use it for files that can be made again.
	NoSync bool

	// Progress, if it is not nil, is called by Convert, Save, WriteJSON and File.Append, in the goroutine that called
	// them. done and total count bytes that are written, plus bytes that are on stable storage. The first call has done
	// 0. Further calls follow ten times a second or more, if the disk keeps up, and at least after every 32 MiB. In the
	// last call done is total. If there is nothing to do, the only call has 0 and 0.
	//
	// If a call returns an error, the methods return an error that wraps it, and change no file. So if others may change
	// the source, return [File.Unchanged] of the source when done is total. If Progress panics, or ends the goroutine, no
	// file changes either. Copy, Clone, Quantile and Histogram call Progress, too: see there.
	Progress func(done, total int64) error

	// File, if it is not nil, is mapped by Open instead of a file that it opens: for example, a file that [os.Root] has
	// opened. The path is then used by messages, and by Refresh and similar methods. File must be open for what Mode
	// allows. Open closes it.
	File *os.File
}

// Open maps the .npy file at path. With [ReadOnly], writing through its views panics; with [ReadWrite], writes reach
// the file; with [CopyOnWrite], writes stay in the memory of this File. Elements are read from the disk when they are
// first used. Bytes after the data are ignored, as by NumPy. Close the File to unmap it.
//
// Errors of the system are *[fs.PathError]. If the file does not have the .npy format, the error is a *[FormatError].
func Open(path string, mode Mode) (*File, error) { return Config{Mode: mode}.Open(path) }

// Open is the function [Open] with the fields of cfg.
func (cfg Config) Open(path string) (*File, error) { return cfg.open(path, 0, false) }

// open maps the .npy file that starts at byte start of the file at path. inside says that it may be part of a larger
// file.
func (cfg Config) open(path string, start int64, inside bool) (*File, error) {
	if err := cfg.check("Open"); err != nil {
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

// openMap maps the file. It reads headBytes of the header first, and opens the file again if the header is longer.
func (cfg Config) openMap(path string, start int64, inside bool) (*File, error) {
	how := mmap.Config{Mode: cfg.Mode, Lock: cfg.Lock, Sparse: cfg.Sparse, File: cfg.File, HeadOffset: start}
	size := headBytes
	if how.File != nil {
		size = headLen(how.File, start, cfg.MaxHeader) // it can be mapped only once
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
		how.Head = make([]byte, long) // within the file and the limit
	}
}

// headLen returns the number of bytes of the header at byte start of the file, or headBytes if that is more or the
// header is invalid: Open returns the error.
func headLen(f *os.File, start int64, maxHeader int) int {
	head := make([]byte, headBytes)
	n, _ := f.ReadAt(head, start)
	_, _, end, err := npy.Span(head[:n], maxHeader)
	fi, serr := f.Stat()
	if err != nil || serr != nil || int64(end) > fi.Size()-start {
		return headBytes
	}
	return max(end, headBytes)
}

// folderError returns err, or a better error if path is a Zarr directory.
func folderError(path string, err error) error {
	for _, name := range []string{".zarray", ".zgroup", "zarr.json"} { // of versions 2 and 3
		if _, serr := os.Stat(filepath.Join(path, name)); serr == nil {
			return &FormatError{Path: path,
				Msg: "a Zarr folder, not a .npy file; save the array from Python, with zarr and numpy.save"}
		}
	}
	return err
}

// headBytes is the number of bytes that Open reads first: the length of the headers that NumPy writes for numbers. They
// contain no elements, so a process that keeps writing elements does not make the header look unstable.
const headBytes = 128

// open reads the header from head. If head is too short, open returns the length of the header. It does not read mapped
// memory. The size of the file was read after head, so the file has at least the bytes that the header promises, even
// if other processes append to it.
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

// parse parses the bytes of the header. Offsets, also those in errors, count from the start of the file.
func (f *File) parse(head []byte, maxHeader int) (npy.Header, error) {
	h, err := npy.Parse(head, maxHeader)
	if e, ok := errors.AsType[*npy.Error](err); ok {
		if f.start > 0 { // the file itself may be of another kind
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

// overlay sets the array of f from its header and the bytes of its data. Errors name path.
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

// closedFlag returns the address of the flag that Close sets to 1.
func (f *File) closedFlag() *uint32 {
	if f.flag == nil {
		f.flag = &f.closed
	}
	return f.flag
}

// New returns an array of zeros in anonymous memory, which [File.Close] returns to the system. Pages that are never
// used take no memory. If all of a large array is going to be written, Advise of its Map with [mmap.HugePage] avoids
// page faults. The error wraps [ErrShape], or is a *[fs.PathError].
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

// Path returns the name of the file as it was given, or "" for memory. With Config.Pending it is the path that the file
// will have.
func (f *File) Path() string { return f.owned.Mem.Path }

// Version returns the version of the .npy format, or 0, 0 for a file without a header.
func (f *File) Version() (major, minor int) { return int(f.h.Version[0]), int(f.h.Version[1]) }

// DataOffset returns the offset of the first element in the file, in bytes.
func (f *File) DataOffset() int64 { return int64(f.h.DataOffset) }

// Order returns the order of the elements in the file, C or F.
func (f *File) Order() index.Order { return f.h.Order }

// isZero reports whether f is the zero File.
func (f *File) isZero() bool { return f.m == nil && f.release == nil }

// Sync waits until everything that was written is on stable storage; see [mmap.Map.Sync]. For memory that ndmap has not
// mapped it does nothing.
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

// Stat returns the result of [mmap.Map.Stat]. For memory the error wraps [errors.ErrUnsupported].
func (f *File) Stat() (fs.FileInfo, error) {
	switch {
	case f.m != nil:
		return f.m.Stat()
	case f.release != nil:
		return nil, fmt.Errorf("array: stat: %w: memory is no file", errors.ErrUnsupported)
	}
	return nil, fmt.Errorf("array: stat: %w", fs.ErrClosed)
}

// Unchanged returns nil if the path of f is still the file that was opened, with the same length and change time. Then
// no element that was read before the call was cut off. Otherwise the error wraps [mmap.ErrReplaced] or
// [mmap.ErrChanged]. See [mmap.Map.Unchanged], and examples/reload.
func (f *File) Unchanged() error {
	switch {
	case f.m != nil:
		return f.m.Unchanged()
	case f.release != nil:
		return nil
	}
	return fmt.Errorf("array: check: %w", fs.ErrClosed)
}

// Map returns the mapping of f, which Close of f closes. It is nil for [FromPointer].
func (f *File) Map() *mmap.Map { return f.m }

// Close unmaps the file, and ends the use of all views of f. Everything that was written reaches the file, but only
// [File.Sync] tells when it is on stable storage. A second Close returns an error that wraps [fs.ErrClosed].
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

// check returns an error if a field is set that the method does not use, so that ignoring the field would mislead.
func (cfg *Config) check(method string) error {
	const creating = "Create OpenOrCreate Convert Save"
	const files = "Open OpenFS " + creating
	for _, field := range [...]struct {
		name  string
		isSet bool
		users string // methods
	}{
		{"Name", cfg.Name != "", "FromMap"},
		{"Mode CopyOnWrite", cfg.Mode == CopyOnWrite, "Open FromMap"},
		{"Mode ReadWrite", cfg.Mode == ReadWrite, "Open OpenBytes FromMap Make " + creating},
		{"Sparse", cfg.Sparse, files + " Make"},
		{"Lock", cfg.Lock, "Open OpenFS Create OpenOrCreate"},
		{"Replace", cfg.Replace, "Create Convert Save Make"},
		{"Pending", cfg.Pending, "Create"},
		{"NoSync", cfg.NoSync, creating + " Make"},
		{"NoSync", cfg.NoSync && !cfg.Replace && !cfg.Pending, "OpenOrCreate Convert Save Make"},
		{"Progress", cfg.Progress != nil, files + " WriteJSON Copy Clone Quantile Histogram"},
		{"File", cfg.File != nil, "Open"},
	} {
		if field.isSet && !hasWord(field.users, method) {
			return fmt.Errorf("%w: %s has no use for Config.%s", fs.ErrInvalid, method, field.name)
		}
	}
	return nil
}

// hasWord reports whether text has that word.
func hasWord(text, word string) bool {
	for w := range strings.FieldsSeq(text) {
		if w == word {
			return true
		}
	}
	return false
}

// OpenAt maps the .npy file that starts at byte offset of the file at path. That may be a member of a tar archive, a
// member of a zip archive that is stored without compression, or an array that numpy.save has written after another
// one, at byte DataOffset + NBytes of that array. Offsets, in errors and of [File.DataOffset], count from the start of
// the file at path. [File.Append] returns an error.
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

// Use opens the .npy file at path for reading, calls do with it, and closes it. It combines [Open], [mmap.Guard],
// [File.Unchanged] and Close: a page fault in do is an error, and so is a file that was truncated, written to or
// replaced before do returned, as far as [mmap.Map.Unchanged] detects that. It does not always detect what other
// programs write through a mapping. After an error, discard the results of do.
//
// The file is closed when Use returns. To keep elements, keep a clone, the result of a [Reduction], or the result of
// [View.AppendRows]. If do makes a file from the elements, call Use inside the function of [Make]: Make gives the new
// file its path after Use has checked. Make, [Save] and [Convert] inside do publish before that.
//
// If the file was changed less than 20 ms ago, File.Unchanged cannot tell whether it changes again. Then Use first
// waits for that time, or for 2 s if the change time is a whole second. If the file keeps changing for 2.5 s, Use calls
// do and returns an error. An error of do is returned as it is. Other errors name the file.
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

// UseAll is [Use] for several files. It calls do with their arrays, which [Stack] takes. All files are open while do
// runs, and must be unchanged when it returns.
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
