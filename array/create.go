package array

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/mmap"
)

// Create makes a new .npy file at path, with all elements zero, and maps it for reading and writing. If the file
// exists, it stays as it is, and the error wraps [fs.ErrExist]. The disk space is reserved, if the file system supports
// that: see [mmap.Create]. The error is a *[fs.PathError] or wraps one, or wraps [ErrShape].
//
// The header is byte for byte as numpy.save writes it. An array that is contiguous in both orders is written as C, so
// create a file that is to grow in F order with two or more columns.
//
// After a power failure, elements that were not synced may be missing. The name is on stable storage once the caller
// has synced the directory.
func Create(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	return Config{}.Create(path, d, order, shape...)
}

// Create is the function [Create] with the fields of cfg.
//
// With Config.Replace, the new file replaces a file at path as [Save] does, and it is on stable storage with its name
// when Create returns. The File is the new file, even if another process has already replaced it.
//
// With Config.Pending, the file gets its path when [File.Commit] is called, after the caller has filled it. Path
// returns that path from the start. Until then, on Linux, the file has no name if the file system supports that, so
// that a process that dies leaves nothing behind; elsewhere it has a temporary name, as with Save. Until Commit,
// Unchanged returns an error.
func (cfg Config) Create(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	h, head, err := newHeader(d, order, shape)
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	return cfg.createFile(path, h, head)
}

// createFile creates the file that h describes. head is its header, or nil for a file without one.
func (cfg Config) createFile(path string, h npy.Header, head []byte) (*File, error) {
	if err := cfg.check("Create"); err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	if cfg.Replace {
		// The new file gets the permissions of the old one, so the old one must be writable.
		m, err := mmap.Open(path, mmap.ReadWrite)
		if err == nil {
			err = m.Close()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	switch {
	case cfg.Pending:
		return cfg.begin(path, h, head)
	case cfg.Replace:
		return cfg.commitNew(cfg.begin(path, h, head))
	}
	return cfg.create(nil, path, h, head)
}

// create creates the file that h describes at path, or in file, which is open and empty, unless that is nil.
func (cfg Config) create(file *os.File, path string, h npy.Header, head []byte) (*File, error) {
	m, err := mmap.Config{Sparse: cfg.Sparse, Lock: cfg.Lock, File: file}.Create(path, int64(h.DataOffset+h.NBytes))
	if err != nil {
		return nil, err
	}
	f := &File{m: m, h: h, growth: cfg.growth(m), counted: -1}
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
		if file == nil { // its header is incomplete
			id, _ := m.Stat()
			return nil, atomicfile.Discard(m, id, path, err)
		}
		m.Close()
		return nil, err
	}
	return f, nil
}

// newHeader returns a header for a new file, and its bytes.
func newHeader(d dtype.DType, order index.Order, shape []int) (npy.Header, []byte, error) {
	if order != index.C && order != index.F {
		return npy.Header{}, nil, fmt.Errorf("%w: order %v for a new array; want C or F", ErrShape, order)
	}
	shape = append([]int(nil), shape...) // the header keeps it
	h, head, err := npy.New(d, order, shape)
	if err != nil && !errors.Is(err, ErrShape) {
		err = nd.OfKind(err, ErrDType)
	}
	return h, head, err
}

// OpenOrCreate opens the .npy file at path for reading, writing and [File.Append]. If the file does not exist, it
// creates one of the given shape, with all elements zero. For a log, the first length is 0.
//
// An existing file must have the given dtype, in any byte order, else the error is a *[DTypeError]. It must have the
// given order and shape, except for the length of the axis along which Append grows it: the first, or in F order the
// last. Other orders and shapes wrap [ErrShape]. A column such as (9, 1) counts as C order, with any order in its
// header, as for [File.Append]. A shape that no file can have in F order (see [Create]) wraps [ErrShape], too.
//
// A new file gets its path when it is complete and on stable storage. So if several processes or goroutines call
// OpenOrCreate at the same time, one creates the file and all open it. If path is a link to a name that does not exist,
// the file gets that name.
func OpenOrCreate(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	return Config{}.OpenOrCreate(path, d, order, shape...)
}

// OpenOrCreate is the function [OpenOrCreate] with the fields of cfg. With Config.Lock, one process at a time has the
// file.
func (cfg Config) OpenOrCreate(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	err := cfg.check("OpenOrCreate")
	var h npy.Header
	var head []byte
	if err == nil {
		h, head, err = newHeader(d, order, shape)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	for start := time.Now(); ; {
		f, err := cfg.openOr(path, h, order)
		if !errors.Is(err, fs.ErrNotExist) {
			if inTheWay(err) && time.Since(start) < mostRetries {
				time.Sleep(time.Millisecond)
				continue
			}
			return f, err
		}
		if f, err = cfg.createOr(path, h, head, order); !errors.Is(err, fs.ErrExist) || time.Since(start) > mostRetries {
			return f, err
		}
	}
}

// mostRetries is how long OpenOrCreate tries again while the file appears and disappears.
const mostRetries = 10 * time.Second

// openOr opens the file at path. It returns an error if agrees does.
func (cfg Config) openOr(path string, h npy.Header, order index.Order) (*File, error) {
	cfg.Mode, cfg.NoSync = ReadWrite, false
	f, err := cfg.Open(path)
	if err != nil {
		return nil, err
	}
	if err := f.agrees(h, order); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// createOr creates the file that h describes at path, unless one exists.
func (cfg Config) createOr(path string, h npy.Header, head []byte, order index.Order) (*File, error) {
	if len(h.Shape) > 1 && h.Order != order {
		return nil, &fs.PathError{Op: "create", Path: path,
			Err: fmt.Errorf("%w: a file of shape %s is in %v order, and grows along axis 0; for %v order start with two columns or more",
				ErrShape, nd.Tuple(h.Shape), h.Order, order)}
	}
	file, err := atomicfile.NewFollowing(path)
	if err != nil {
		return nil, err
	}
	return cfg.commitNew(cfg.beginIn(file, h, head))
}

// agrees returns an error unless f has the dtype and the shape of h, and the given order. The length of the growing
// axis may differ.
func (f *File) agrees(h npy.Header, order index.Order) error {
	if have, want := f.DType(), h.DType; !have.WithByteOrder(dtype.Native).Equal(want.WithByteOrder(dtype.Native)) {
		return &DTypeError{Path: f.Path(), Have: have, Want: want, Msg: "the file has other elements"}
	}
	have, want := f.Shape(), slices.Clone(h.Shape)
	grows := f.Order()
	if f.h.IsColumn() {
		grows = index.C
	}
	if len(have) > 1 && len(have) == len(want) && grows != order {
		return fmt.Errorf("%s%w: the file is in %v order, want %v", nd.Prefix(f.Path()), ErrShape, grows, order)
	}
	axis, hint := f.h.Axis(), ""
	if len(have) == len(want) && axis >= 0 {
		want[axis] = have[axis]
		hint = fmt.Sprintf("; only the length of axis %d may differ", axis)
	}
	if !slices.Equal(have, want) {
		return fmt.Errorf("%s%w: the file has shape %s, want %s%s", nd.Prefix(f.Path()), ErrShape, nd.Tuple(have),
			nd.Tuple(h.Shape), hint)
	}
	return nil
}

// Save writes a to a .npy file at path, byte for byte as numpy.save does, and replaces a file that exists. At every
// moment, and after a crash, path is the old file or the complete new one: Save writes and syncs a temporary file in
// the same directory, and renames it. A process that has the old file open or mapped keeps it, and so do other names of
// the old file. If path is a symbolic link, Save replaces the file that the link leads to. Anything other than a
// regular file is an error and stays as it is. On Windows, a file that is read-only, open or mapped is not replaced,
// which is an error. To save a [Scaled] view, save a Clone of it.
//
// The new file belongs to the user who saves. It has the group, the permissions and on Linux the POSIX ACL of the old
// file. If the system does not allow that, it is open to nobody to whom the old file was closed. A process that is
// killed may leave a file .NAME.*.ndmap-tmp, which the next Save removes, except on Windows.
//
// Errors of the system are *[fs.PathError] or wrap one. For dtypes that no header can describe see [dtype.DType.Descr].
// If others may change the source during Save, let Config.Progress call [File.Unchanged] before the rename: see there.
func Save(path string, a Array) error { return Config{}.Save(path, a) }

// SaveSlice saves the elements of x as an array of the given shape in C order, or of one dimension if no shape is
// given. It combines [FromSlice] and [Save].
func SaveSlice[T any](path string, x []T, shape ...int) error {
	v, err := FromSlice(x, shape...)
	if err != nil {
		return err
	}
	return Save(path, v.Array())
}

// Save is the function [Save] with the fields of cfg.
func (cfg Config) Save(path string, a Array) error {
	cfg.Replace = true
	return cfg.convert("Save", path, a, a.DType(), index.K)
}

// Convert writes a to a new .npy file at path with dtype d, in the given order. Elements are converted as by [Copy].
// The order K stands for F if a is F contiguous but not C contiguous, as in numpy.save, and for C otherwise. At every
// moment, and after a crash, path is a complete file or does not exist.
//
// If the file exists it stays as it is, and the error wraps [fs.ErrExist]; with Config.Replace it is replaced as by
// [Save]. If the dtypes do not convert, the error is a *[DTypeError]. If others may change the source during Convert,
// let Config.Progress call [File.Unchanged] before the file gets its path: see there.
func Convert(path string, a Array, d dtype.DType, order index.Order) error {
	return Config{}.Convert(path, a, d, order)
}

// Convert is the function [Convert] with the fields of cfg.
func (cfg Config) Convert(path string, a Array, d dtype.DType, order index.Order) error {
	return cfg.convert("Convert", path, a, d, order)
}

func (cfg Config) convert(method, path string, a Array, d dtype.DType, order index.Order) error {
	a.view.MustBeSet()
	if err := cfg.check(method); err != nil {
		return &fs.PathError{Op: "create", Path: path, Err: err}
	}
	h, head, err := newHeader(d, a.view.FileOrder(order), a.Shape())
	if err != nil {
		return &fs.PathError{Op: "create", Path: path, Err: err}
	}
	return cfg.publish(path, h, head, func(f *File) error { return cfg.fill(f, a) })
}

// Make creates a .npy file, calls fill to write its elements, and gives the file its path when fill returns nil.
// The elements are zero at first. The File is mapped [ReadWrite]; it and its views end when Make returns. fill may call
// its Append and Grow, but not Close or Commit.
//
// An existing file is replaced as by [Save]: at every moment, and after a crash, path is the old file or the complete
// new one. If fill returns an error, panics or ends its goroutine, the old file stays, or path stays free.
//
// If fill reads other files, call [Use] inside fill: it checks them before Make publishes, but a Make inside Use
// publishes before Use checks. A page fault in fill is an error, as under [mmap.Guard].
//
// An error of fill is returned as it is. Errors of the system are *[fs.PathError] or wrap one. The error wraps
// [ErrShape], or [ErrDType] for a dtype that no header can describe.
//
// [Save] and [Convert] are faster for elements that exist already.
func Make(path string, d dtype.DType, order index.Order, shape []int, fill func(f *File) error) error {
	return Config{Replace: true}.Make(path, d, order, shape, fill)
}

// Make is the function [Make] with the fields of cfg, except that it replaces a file only with Config.Replace.
// Otherwise a file that exists, or that another process puts there meanwhile, stays as it is, and the error wraps
// [fs.ErrExist].
func (cfg Config) Make(path string, d dtype.DType, order index.Order, shape []int, fill func(f *File) error) error {
	err := cfg.check("Make")
	var h npy.Header
	var head []byte
	if err == nil {
		h, head, err = newHeader(d, order, shape)
	}
	if err != nil {
		return &fs.PathError{Op: "create", Path: path, Err: err}
	}
	return cfg.publish(path, h, head, func(f *File) error {
		f.pending.inMake = true
		if err := mmap.Guard(func() error { return fill(f) }); err != nil {
			return err
		}
		if f.pending == nil {
			return fmt.Errorf("%smake: %w before its function returned", nd.Prefix(path), fs.ErrClosed)
		}
		if cfg.NoSync {
			return nil
		}
		return f.Sync()
	})
}

// publish creates the file that h describes, calls fill to write and store its elements, and gives the file its path.
func (cfg Config) publish(path string, h npy.Header, head []byte, fill func(*File) error) error {
	f, err := cfg.begin(path, h, head)
	if err != nil {
		return err
	}
	defer f.Close() // also if cfg.Progress panics
	if err := fill(f); err != nil {
		return err
	}
	return f.commit(false)
}
