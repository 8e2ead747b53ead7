package array

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// A File is an array in a mapped file, in anonymous memory, or in memory that does not belong to Go. Append, Grow and
// Refresh replace the embedded Array; while they run, no other goroutine may use the File. Close invalidates all views.
// The zero File is closed.
type File struct {
	Array
	m            *mmap.Map // nil for memory that ndmap has not mapped
	h            npy.Header
	owned        nd.Backing   // the memory, and the storage of the elements
	release      func() error // closes memory that ndmap has not mapped
	closed       uint32       // 1 after Close
	closedPtr    *uint32      // address of closed in the File that was opened, because Append copies a File
	growth       growth
	pending      *pendingState // nil once the file has its path
	start        int64         // offset of the header in the file
	embedded     bool          // the .npy file is part of a larger file
	readOnly     bool          // elements are read-only, even if the mapping is writable
	inferredAxis int           // if there is no header: the axis whose length follows from the size of the file, or -1
}

// A Mode determines whether elements may be written, and who sees the writes.
type Mode = mmap.Mode

// The modes of package mmap.
const (
	ReadOnly    = mmap.ReadOnly    // writing panics
	ReadWrite   = mmap.ReadWrite   // writes reach the file
	CopyOnWrite = mmap.CopyOnWrite // writes stay in the memory of the File
)

// An OpenConfig has options for opening a file. The functions with the names of its methods use one with only Mode set.
type OpenConfig struct {
	Mode Mode

	// Lock locks the file until Close: exclusively with [ReadWrite], otherwise shared. If the file is locked already,
	// the error wraps [mmap.ErrLocked]: see [mmap.Config]. Without Lock, Append and Grow lock the file during the call.
	Lock bool

	// MaxHeader is the maximum size of the header text in bytes; 0 means 64 KiB in version 1 of the format and 1 MiB in
	// versions 2 and 3.
	MaxHeader int

	Sparse   bool                          // for Append and Grow of the File: see [SaveConfig]
	Progress func(done, total int64) error // for Append and Grow of the File: see [SaveConfig]

	// File, if it is not nil, is mapped instead of opening the path: for example, a file opened by [os.Root]. It must
	// be open for the accesses that Mode allows. The method closes it, even after an error.
	File *os.File
}

// Open maps the .npy file at path. With [ReadOnly], writing through its views panics; with [ReadWrite], writes reach
// the file; with [CopyOnWrite], they stay in the memory of this File. Elements are read from the disk when they are
// first used. Bytes after the data are ignored, as by NumPy. Close the File to unmap it. If the file does not have the
// .npy format, the error is a *[FormatError]. Errors of the system are *[fs.PathError].
func Open(path string, mode Mode) (*File, error) { return OpenConfig{Mode: mode}.Open(path) }

// Open is like the function [Open], configured by cfg.
func (cfg OpenConfig) Open(path string) (*File, error) { return cfg.open(path, 0, false) }

// open maps the .npy file that starts at byte start of the file at path. If embedded is true, it may be part of a
// larger file.
func (cfg OpenConfig) open(path string, start int64, embedded bool) (*File, error) {
	return cfg.closeOnError(cfg.openMap(path, start, embedded))
}

// closeOnError returns f and err, and closes cfg.File if err is not nil.
func (cfg OpenConfig) closeOnError(f *File, err error) (*File, error) {
	if err != nil && cfg.File != nil {
		cfg.File.Close() // harmless if it is closed already
	}
	return f, err
}

// openMap maps the file. It reads headBytes of the header first, and opens the file again if the header is longer.
func (cfg OpenConfig) openMap(path string, start int64, embedded bool) (*File, error) {
	config := mmap.Config{Mode: cfg.Mode, Lock: cfg.Lock, Sparse: cfg.Sparse, File: cfg.File, HeadOffset: start}
	size := headBytes
	if config.File != nil {
		size = headLen(config.File, start, cfg.MaxHeader) // the file can be mapped only once
	}
	for config.Head = make([]byte, size); ; {
		m, err := config.Open(path)
		switch {
		case err != nil && config.File != nil:
			return nil, err
		case err != nil:
			return nil, folderError(path, err)
		}
		f := &File{m: m, growth: newGrowth(m, cfg.Progress), start: start, embedded: embedded}
		needed, err := f.open(config.Head, cfg.MaxHeader)
		if err == nil && needed == 0 {
			return f, nil
		}
		m.Close()
		if err == nil && config.File != nil {
			err = &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("%w: its header has become longer", mmap.ErrChanged)}
		}
		if err != nil {
			return nil, err
		}
		config.Head = make([]byte, needed) // within the file and the limit
	}
}

// headLen returns the number of bytes of the header at byte start of the file, but at least headBytes. If the header is
// invalid, it returns headBytes, and Open returns the error.
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

// headBytes is the number of bytes that Open reads first: the length of the headers that NumPy writes for numbers.
// These bytes contain no elements, so a process that keeps writing elements does not make the header look unstable.
const headBytes = 128

// open reads the header from head and sets f.Array. If head is too short, open only returns the length that is needed.
// It does not read mapped memory. The size of the file was read after head, so the file has at least the bytes that the
// header promises, even if other processes append to it.
func (f *File) open(head []byte, maxHeader int) (needed int, err error) {
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
		if n, rows := f.h.Whole(int64(len(b) - f.h.DataOffset)); n > 0 && !f.embedded {
			err.(*FormatError).Msg += "; npy repair keeps the " + rows
		}
		return 0, err
	}
	return 0, f.setArray(f.m.Path(), b[f.h.DataOffset:f.h.DataOffset+f.h.NBytes])
}

// parse parses the bytes of the header. Offsets, also those in errors, count from the start of the file.
func (f *File) parse(head []byte, maxHeader int) (npy.Header, error) {
	h, err := npy.Parse(head, maxHeader)
	if e, ok := errors.AsType[*npy.Error](err); ok {
		if f.start > 0 { // the larger file may have another format
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

// setArray sets the array of f from its header and the bytes of its data. Errors name path.
func (f *File) setArray(path string, data []byte) error {
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
		if f.pending != nil {
			mem.Write = f.writer(f.pending.cfg.NoSync)
		}
	}
	f.Array.view, err = f.owned.Init(mem, f.h.DType, 0, lay)
	return err
}

// closedFlag returns the address of the variable that Close sets to 1.
func (f *File) closedFlag() *uint32 {
	if f.closedPtr == nil {
		f.closedPtr = &f.closed
	}
	return f.closedPtr
}

// New returns an array of zeros in anonymous memory, which [File.Close] returns to the system. Pages that are never
// used take no memory. For a large array, [mmap.Map.Advise] with HugePage avoids page faults. The error wraps
// [ErrShape], or is a *[fs.PathError].
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
	if err := f.setArray("", m.Bytes()); err != nil {
		m.Close()
		return nil, err
	}
	return f, nil
}

// Path returns the path of the file as the caller gave it, or "" for memory. For a pending file it is the path that the
// file will have.
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
		observe("sync", f.currentPath(), 0, f.m.Len())
	}
	return err
}

// Stat returns the result of [mmap.Map.Stat]. For memory the error wraps [errors.ErrUnsupported].
func (f *File) Stat() (fs.FileInfo, error) {
	switch {
	case f.m != nil:
		return f.m.Stat()
	case f.release != nil:
		return nil, fmt.Errorf("array: stat: %w: memory is not a file", errors.ErrUnsupported)
	}
	return nil, fmt.Errorf("array: stat: %w", fs.ErrClosed)
}

// Unchanged returns nil if the path of f still names the file that was opened, with the same length and change time: no
// element that was read before was cut off. Otherwise the error wraps [mmap.ErrReplaced] or [mmap.ErrChanged]. See
// [mmap.Map.Unchanged], and examples/reload.
//
// Unchanged is for readers: writing through a view of f also counts as a change. A writer calls [File.Refresh], which
// returns an error if the file was replaced or became shorter.
func (f *File) Unchanged() error {
	switch {
	case f.m != nil:
		return f.m.Unchanged()
	case f.release != nil:
		return nil
	}
	return fmt.Errorf("array: check: %w", fs.ErrClosed)
}

// Map returns the mapping of f, which f.Close closes, or nil for memory that ndmap has not mapped.
func (f *File) Map() *mmap.Map { return f.m }

// Close unmaps the file, and invalidates all views of f. Everything that was written reaches the file, but is certain
// to be on stable storage only after [File.Sync]. A second Close returns an error that wraps [fs.ErrClosed].
func (f *File) Close() error {
	if f.closedPtr != nil {
		atomic.StoreUint32(f.closedPtr, 1)
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

// OpenAt maps the .npy file that starts at byte offset of the file at path: a member of a tar archive, a stored member
// of a zip archive, or an array that numpy.save wrote after another one, at byte DataOffset + NBytes of it. Offsets,
// also in errors, count from the start of the file. File.Append returns an error.
func OpenAt(path string, mode Mode, offset int64) (*File, error) {
	return OpenConfig{Mode: mode}.OpenAt(path, offset)
}

// OpenAt is like the function [OpenAt], configured by cfg.
func (cfg OpenConfig) OpenAt(path string, offset int64) (*File, error) {
	if offset < 0 {
		return cfg.closeOnError(nil, &FormatError{path, "header", offset, "the offset is negative"})
	}
	return cfg.open(path, offset, true)
}

// Use opens the .npy file at path for reading, calls do with it, and closes it. It returns an error if do hits a page
// fault, or if the file was truncated, written to or replaced before do returned, as far as [mmap.Map.Unchanged]
// detects that. After an error, discard the results of do. Errors returned by do are returned unchanged; other errors
// name the file. If the file was modified less than 20 ms ago, Use first waits until the modification is 20 ms old, or
// 2 s if the change time is a whole second.
//
// Views are invalid after Use returns. To keep elements, keep a clone, the result of a [Reduction], or a slice of
// [View.Collect]. To create a file from the elements, call Use inside the function passed to [Make], which publishes
// after the check. If do calls Make, Save or Convert, they publish earlier; [Make] has a way to check before that.
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

// UseAll is like [Use], but opens several files and calls do with their arrays, for example for [Stack]. All files are
// open while do runs, and must be unchanged when it returns.
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
