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

// Create makes a new .npy file at path, with all elements zero, and maps it for reading and writing. A file that exists
// is left untouched, and the error wraps [fs.ErrExist]. The disk space is reserved, if the file system can: see
// [mmap.Create]. The error is a *[fs.PathError] or wraps one, or [ErrShape]. The header is numpy.save's: an array that
// is contiguous in both orders is C, so a file that is to grow in F order starts with two columns or more. After a
// power failure, what was not synced may be missing; the name is on stable storage once the caller has synced the
// directory.
func Create(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	return Config{}.Create(path, d, order, shape...)
}

// Create is the function [Create] with the fields of cfg. With Config.Replace a file that is there is replaced as by
// [Save], and the new file and its name are on stable storage when Create returns. The File is the new file, also if
// another process has replaced that already.
//
// With Config.Pending the file has its path once it is filled and [File.Commit] is called. On Linux it has no name
// before that, where the file system can make such files, so that nothing is left of a process that dies; elsewhere
// it has a temporary name, as with Save. Path is the path that it is to have. Until Commit, Unchanged returns an
// error.
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
	}
	switch {
	case cfg.Pending:
		return cfg.begin(path, h, head)
	case cfg.Replace:
		return cfg.commitNew(cfg.begin(path, h, head))
	}
	return cfg.create(nil, path, h, head)
}

// create makes the file that h describes at path, or takes one that is open and has no bytes.
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
		if file == nil { // its header is not whole
			id, _ := m.Stat()
			return nil, atomicfile.Discard(m, id, path, err)
		}
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
		err = nd.OfKind(err, ErrDType)
	}
	return h, head, err
}

// OpenOrCreate opens the .npy file at path for reading, writing and [File.Append], and where there is none makes one of
// that shape, of zeros; for a log the first length is 0. Dtype, order and shape must be those of the file, but for the
// byte order, and the length of the axis that Append grows: the first, or in F order the last. A column such as (9, 1)
// counts as C order, as for [File.Append], whatever its header says. Other dtypes are a
// *[DTypeError]; other orders and shapes wrap [ErrShape], and so does a shape that a file does not keep in F order (see
// [Create]).
//
// The file has its path when it is whole and on stable storage, so of several processes, or goroutines, that call
// OpenOrCreate at once, one makes the file, and all open it. A link to a name that is not there gets its file.
func OpenOrCreate(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	return Config{}.OpenOrCreate(path, d, order, shape...)
}

// OpenOrCreate is the function [OpenOrCreate] with the fields of cfg. With Config.Lock one process at a time has the
// file.
func (cfg Config) OpenOrCreate(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	err := cfg.check(forOpenOrCreate)
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

// mostRetries is how long a file may be there and not be there, in turns.
const mostRetries = 10 * time.Second

// openOr opens the file at path, if that is an array like h.
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

// createOr makes the file that h describes at path, if there is none.
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

// agrees is the error of a file that is not like h, of the order given, but for the length of the axis that grows.
func (f *File) agrees(h npy.Header, order index.Order) error {
	if have, want := f.DType(), h.DType; !have.WithOrder(dtype.Native).Equal(want.WithOrder(dtype.Native)) {
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

// Save writes a to a .npy file at path, byte for byte as numpy.save does, and replaces a file that is there. At every
// moment, and after a crash, path is the old file or the whole new one, which is synced under a temporary name in the
// same folder and renamed. A process that has the old file open or mapped keeps it, and so do other names of it. A
// symbolic link at path stays, and the file that it leads to is replaced. What is not a regular file is left as it is,
// with an error. Windows replaces none that is read-only, open or mapped. Of a [Scaled] view, save a Clone.
// Where others may change the source meanwhile, Config.Progress can ask [File.Unchanged] before the rename: see there.
//
// The new file belongs to the user who saves. It keeps the group, the permissions and on Linux the POSIX ACL of the old
// one, or, where the system does not let it, is open to nobody whom the old one was closed to. A process that is killed
// may leave a file .NAME.*.ndmap-tmp, which the next Save removes, but on Windows. Errors of the system are
// *[fs.PathError] or wrap one; for a dtype that cannot be written to a header see [dtype.DType.Descr].
func Save(path string, a Array) error { return Config{}.Save(path, a) }

// SaveSlice saves the elements of x as an array of that shape, in C order, or of one dimension if there is no shape.
// It is [FromSlice] and [Save] in one.
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
	return cfg.convert(forSave, path, a, a.DType(), index.K)
}

// Convert writes a to a new .npy file at path with dtype d and in the order given; for how elements convert see [Copy].
// K is F where a is F contiguous and not C contiguous, as numpy.save has it, and else C. At every moment, and after a
// crash, there is a whole file at path, or none. A file that is there is left as it is, and the error wraps
// [fs.ErrExist]; with Config.Replace it is replaced. Dtypes that do not convert are a *[DTypeError].
// Where others may change the source meanwhile, Config.Progress can ask [File.Unchanged] before there is a file.
func Convert(path string, a Array, d dtype.DType, order index.Order) error {
	return Config{}.Convert(path, a, d, order)
}

// Convert is the function [Convert] with the fields of cfg.
func (cfg Config) Convert(path string, a Array, d dtype.DType, order index.Order) error {
	return cfg.convert(forConvert, path, a, d, order)
}

func (cfg Config) convert(method methods, path string, a Array, d dtype.DType, order index.Order) error {
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

// publish makes the file that h describes, calls fill to write and store it, and gives it its path.
func (cfg Config) publish(path string, h npy.Header, head []byte, fill func(*File) error) error {
	f, err := cfg.begin(path, h, head)
	if err != nil {
		return err
	}
	defer f.Close() // also when cfg.Progress panics
	if err := fill(f); err != nil {
		return err
	}
	return f.commit(false)
}
