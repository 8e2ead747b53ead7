package array

import (
	"io/fs"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/npy"
)

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
