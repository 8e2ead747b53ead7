package array

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
)

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
