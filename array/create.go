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

// A SaveConfig has options for writing a file. Without Replace, its methods do not change an existing file, and return
// an error that wraps [fs.ErrExist].
type SaveConfig struct {
	Replace bool // replaces an existing file, like [Save]

	// Sparse reserves no disk space, also in Append and Grow of the File. A write may then find the disk full, which is an
	// error or a page fault: see [mmap.Guard].
	Sparse bool

	// NoSync does not wait for the disk, except in Append and Grow. After a power failure within about half a minute,
	// the path may be the old file, no file, the new file, or a file with some bytes that are zeros or old contents of
	// the disk, which Open may not notice. Use it for files that can be recreated.
	NoSync bool

	// Progress, if it is not nil, is called by Save, Convert and Make, and by Append, Grow and Commit of the File, in
	// the caller's goroutine: first with done 0, then at least every 32 MiB and about ten times a second, last with
	// done equal to total. Both count bytes written plus bytes on stable storage. If it returns an error, panics or
	// ends the goroutine, no file changes, and the method returns an error that wraps it. Make calls it after the function
	// that fills the file, which reports its own work. To stop with a context:
	//
	//	Progress: func(_, _ int64) error { return context.Cause(ctx) }
	Progress func(done, total int64) error
}

// Create creates a .npy file at path, with all elements zero, and maps it for reading and writing. Others see the file
// at once; [Make] publishes it when it is filled. An existing file stays unchanged, and the error wraps [fs.ErrExist].
// The disk space is reserved if the file system supports that: see [mmap.Create]. Other errors are a *[fs.PathError] or
// wrap one, or wrap [ErrShape].
//
// The header is byte for byte as numpy.save writes it. It says C for an array that is contiguous in both orders: a file
// that is to grow in F order needs two or more columns. After a power failure, elements that were not synced may be
// lost.
func Create(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	return SaveConfig{}.Create(path, d, order, shape...)
}

// Create is like the function [Create], configured by cfg. With Replace, the new file replaces an existing file like
// [Save]; the file and its name are on stable storage when Create returns, unless NoSync is set.
func (cfg SaveConfig) Create(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	h, head, err := cfg.prepareHeader(path, d, order, shape)
	if err != nil {
		return nil, err
	}
	if !cfg.Replace {
		return cfg.create(nil, path, h, head)
	}
	f, err := cfg.begin(path, h, head)
	if err != nil {
		return nil, err
	}
	if !cfg.NoSync {
		err = f.Sync()
	}
	if err == nil {
		err = f.commit(true)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// CreatePending is like [SaveConfig.Create], but the file appears at path only when [File.Commit] is called, after the
// caller has filled it. If the File is closed without Commit, or the process dies, path is unchanged. Until Commit the
// file has a temporary name, or on Linux no name. [Make] does the same with a function that fills the file.
//
// To replace a file by a new version that is computed from it, call CreatePending and fill the new file inside [Use],
// and call Commit after Use. If Commit or Make replaced the file inside Use, Use would return [mmap.ErrReplaced].
func (cfg SaveConfig) CreatePending(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	h, head, err := cfg.prepareHeader(path, d, order, shape)
	if err != nil {
		return nil, err
	}
	return cfg.begin(path, h, head)
}

// prepareHeader returns a header for a new file, and its bytes. It returns an error if a file at path cannot be
// replaced.
func (cfg SaveConfig) prepareHeader(path string, d dtype.DType, order index.Order, shape []int) (npy.Header, []byte,
	error) {
	h, head, err := newHeader(d, order, shape)
	if err != nil {
		return h, nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	if cfg.Replace {
		// The new file gets the permissions of the old one, so the old one must be writable.
		m, err := mmap.Open(path, mmap.ReadWrite)
		if err == nil {
			err = m.Close()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return h, nil, err
		}
	}
	return h, head, nil
}

// create creates the file that h describes: in file, which must be open and empty, or at path if file is nil.
func (cfg SaveConfig) create(file *os.File, path string, h npy.Header, head []byte) (*File, error) {
	m, err := mmap.Config{Sparse: cfg.Sparse, File: file}.Create(path, int64(h.DataOffset+h.NBytes))
	if err != nil {
		return nil, err
	}
	f := &File{m: m, h: h, growth: newGrowth(m, cfg.Progress), inferredAxis: -1}
	b := m.Bytes()
	err = mmap.Guard(func() error {
		copy(b, head)
		return nil
	})
	observe("create", path, 0, 0)
	if err == nil {
		err = f.setArray(path, b[h.DataOffset:])
	}
	if err != nil {
		if file == nil { // the file at path has an incomplete header
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

// OpenOrCreate opens the .npy file at path for reading, writing and [File.Append], or creates it with the given shape
// and all elements zero. For a log, the first length is 0. If several processes call it at the same time, one creates
// the complete file on stable storage, and all open it.
//
// An existing file must have the given dtype, in any byte order, or the error is a *[DTypeError]; and the given order
// and shape, except along the axis that Append grows, or the error wraps [ErrShape]. A column such as (9, 1) counts as
// C order.
func OpenOrCreate(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	return OpenConfig{Mode: ReadWrite}.OpenOrCreate(path, d, order, shape...)
}

// OpenOrCreate is like the function [OpenOrCreate], configured by cfg. With Mode ReadOnly, even a new file is mapped
// for reading only. With Lock, one process at a time has the file open for writing.
func (cfg OpenConfig) OpenOrCreate(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	h, head, err := newHeader(d, order, shape)
	if err != nil {
		return cfg.closeOnError(nil, &fs.PathError{Op: "open", Path: path, Err: err})
	}
	for start := time.Now(); ; {
		f, err := cfg.openMatching(path, h, order)
		switch {
		case cfg.File != nil:
			return f, err
		case errors.Is(err, fs.ErrNotExist):
			err = cfg.createUnlessExists(path, h, head, order)
			if err != nil && !(errors.Is(err, fs.ErrExist) && time.Since(start) < retryTime) {
				return nil, err
			}
		case isSharingViolation(err) && time.Since(start) < retryTime:
			time.Sleep(time.Millisecond)
		default:
			return f, err
		}
	}
}

// retryTime is how long OpenOrCreate retries while the file keeps appearing and disappearing.
const retryTime = 10 * time.Second

// openMatching opens the file at path. It returns the error of checkMatches if the file does not match.
func (cfg OpenConfig) openMatching(path string, h npy.Header, order index.Order) (*File, error) {
	f, err := cfg.Open(path)
	if err != nil {
		return nil, err
	}
	if err := f.checkMatches(h, order); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// createUnlessExists creates the file that h describes at path, with all elements zero. The error wraps fs.ErrExist
// if a file exists.
func (cfg OpenConfig) createUnlessExists(path string, h npy.Header, head []byte, order index.Order) error {
	if len(h.Shape) > 1 && h.Order != order {
		return &fs.PathError{Op: "create", Path: path,
			Err: fmt.Errorf("%w: a new file of shape %s grows along axis 0, so it must be in %v order; for %v order start with at least two columns",
				ErrShape, nd.Tuple(h.Shape), h.Order, order)}
	}
	file, err := atomicfile.NewFollowing(path)
	if err != nil {
		return err
	}
	f, err := SaveConfig{Sparse: cfg.Sparse}.beginIn(file, h, head)
	if err != nil {
		return err
	}
	return f.publish(f.Sync)
}

// checkMatches returns an error unless f has the dtype and the shape of h, and the given order. The length of the
// growing axis may differ.
func (f *File) checkMatches(h npy.Header, order index.Order) error {
	if have, want := f.DType(), h.DType; !have.WithByteOrder(dtype.Native).Equal(want.WithByteOrder(dtype.Native)) {
		return &DTypeError{Path: f.Path(), Have: have, Want: want, Msg: "the file has another dtype"}
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

// Save writes a to a .npy file at path, byte for byte as numpy.save does, except that the padding of records is zero,
// and replaces an existing file. At every moment, and after a crash, path names the old file or the complete new one:
// Save writes and syncs a temporary file in the same directory, and renames it. Processes that have the old file open
// keep it. If path is a symbolic link, Save replaces its target. The new file has the permissions of the old one;
// README.md says more.
//
// The error is a *[fs.PathError] or wraps one, also if path is not a regular file. For dtypes that no header can
// describe see [dtype.DType.Descr]. If other processes may change the source file, return its [File.Unchanged] from
// SaveConfig.Progress.
func Save(path string, a Array) error { return SaveConfig{Replace: true}.Save(path, a) }

// SaveSlice saves the elements of x as an array of the given shape in C order, or of one dimension if no shape is
// given. It combines [FromSlice] and [Save].
func SaveSlice[T any](path string, x []T, shape ...int) error {
	v, err := FromSlice(x, shape...)
	if err != nil {
		return err
	}
	return Save(path, v.Array())
}

// Save is like the function [Save], configured by cfg. It replaces a file only with Replace.
func (cfg SaveConfig) Save(path string, a Array) error {
	return cfg.Convert(path, a, a.DType(), index.K)
}

// Convert writes a to a new .npy file at path with dtype d, in the order C or F. K means F if a is F contiguous but not
// C contiguous, and C otherwise. Elements are converted as by [Copy], or the error is a *[DTypeError]. At every moment,
// and after a crash, path names a complete file or no file. An existing file stays unchanged, and the error wraps
// [fs.ErrExist]; with SaveConfig.Replace it is replaced, like [Save] does.
func Convert(path string, a Array, d dtype.DType, order index.Order) error {
	return SaveConfig{}.Convert(path, a, d, order)
}

// Convert is like the function [Convert], configured by cfg.
func (cfg SaveConfig) Convert(path string, a Array, d dtype.DType, order index.Order) error {
	a.view.MustBeSet()
	h, head, err := newHeader(d, a.view.FileOrder(order), a.Shape())
	if err != nil {
		return &fs.PathError{Op: "create", Path: path, Err: err}
	}
	return cfg.publish(path, h, head, func(f *File) error {
		return cfg.finish(f, func(p *progress) error { return p.copyNew(f.Array, a) })
	})
}

// Make creates a .npy file of zeros, calls fill to write its elements, and publishes it at path when fill returns nil.
// The File is mapped ReadWrite; it and its views are invalid after Make returns. fill may call Append and Grow, but not
// Close or Commit.
//
// Make replaces an existing file like [Save]: at every moment, and after a crash, path names the old file or the
// complete new one. If fill returns an error, panics, hits a page fault or calls runtime.Goexit, path is unchanged.
// Make returns an error of fill unchanged, and a page fault as an error, like [mmap.Guard]. For an invalid order or
// shape the error wraps [ErrShape]; for a dtype that no header can describe, [ErrDType].
//
// If fill reads other files, call [Use] inside fill, so that they are checked before Make publishes. A Make inside Use
// publishes before the check. If the shape comes from such a file, call Make inside Use, and let fill end with "return
// f.Unchanged()", where f is that file. To replace the file itself see [SaveConfig.CreatePending]. [Copy],
// [View.CopyFrom] and [Concatenate] write runs of 4 KiB or more to the file by system calls; other stores take a page
// fault for each new page.
func Make(path string, d dtype.DType, order index.Order, shape []int, fill func(f *File) error) error {
	return SaveConfig{Replace: true}.Make(path, d, order, shape, fill)
}

// Make is like the function [Make], configured by cfg. Without Replace, a file that exists, or that another process
// creates meanwhile, stays unchanged, and the error wraps [fs.ErrExist].
func (cfg SaveConfig) Make(path string, d dtype.DType, order index.Order, shape []int, fill func(f *File) error) error {
	h, head, err := newHeader(d, order, shape)
	if err != nil {
		return &fs.PathError{Op: "create", Path: path, Err: err}
	}
	return cfg.publish(path, h, head, func(f *File) error {
		f.pending.inMake = true
		if err := mmap.Guard(func() error { return fill(f) }); err != nil {
			return err
		}
		if f.pending == nil {
			return fmt.Errorf("%smake: %w: the function must not close or commit the file", nd.Prefix(path), fs.ErrClosed)
		}
		return cfg.finish(f, nil)
	})
}

// publish creates the file that h describes, calls fill to write and store its elements, and gives the file its path.
func (cfg SaveConfig) publish(path string, h npy.Header, head []byte, fill func(*File) error) error {
	f, err := cfg.begin(path, h, head)
	if err != nil {
		return err
	}
	return f.publish(func() error { return fill(f) })
}

// publish calls fill to write and store the elements of f, which is pending, gives f its path, and closes f.
func (f *File) publish(fill func() error) error {
	defer f.Close() // also if Progress panics
	if err := fill(); err != nil {
		return err
	}
	return f.commit(false)
}
