package array

import (
	"io/fs"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// Of reduces src to a new array, in C order, in Go memory, with the shape and the dtype that [Reduction.Shape] and
// [Reduction.DType] return. For the error see [Reduction.Into].
func (r Reduction) Of(src Array) (Array, error) {
	h, _, err := r.header(src)
	if err != nil {
		return Array{}, err
	}
	dst, err := newResult(h.DType, h.Shape)
	if err == nil {
		err = r.Into(dst, src)
	}
	if err != nil {
		return Array{}, err
	}
	return dst, nil
}

// Save reduces src to a .npy file at path, and replaces an existing file like the function [Save]. A page fault in src
// is an error, like under [mmap.Guard]. If no file can be created at path, Save returns an error before it reads src.
// Progress is called with the bytes of src plus the bytes of the result that are on stable storage.
func (r Reduction) Save(path string, src Array) error {
	h, head, err := r.header(src)
	if err != nil {
		return err
	}
	p := newProgress(r.Progress, int64(src.NBytes()+h.NBytes), nd.MaxReportBytes)
	if r.Progress != nil {
		r.Progress = func(done, _ int64) error { return p.To(done) }
	}
	return SaveConfig{Replace: true}.publish(path, h, head, func(f *File) error {
		err := mmap.Guard(func() error { return r.Into(f.Array, src) })
		if err == nil {
			err = p.syncFile(f)
		}
		if err == nil {
			err = p.End()
		}
		return err
	})
}

// MeanStd returns the results of [Reduction.Of] for OpMean and for OpStd, bit for bit, in one pass over src. It ignores
// r.Op.
func (r Reduction) MeanStd(src Array) (mean, std Array, err error) {
	r.Op = OpMean // has no first axis for Qs
	shape, err := r.Shape(src)
	if err != nil {
		return Array{}, Array{}, err
	}
	var fields [2]dtype.Field
	for k, op := range []Op{OpMean, OpStd} {
		r.Op = op
		d, err := r.DType(src)
		if err != nil {
			return Array{}, Array{}, err
		}
		fields[k] = dtype.Field{Name: op.String(), Type: d}
	}
	both, err := newResult(nd.Must(dtype.Packed(fields[:]...)), shape)
	if err != nil {
		return Array{}, Array{}, err
	}
	if err := r.reduceInto(both.view, src.view, true); err != nil {
		return Array{}, Array{}, err
	}
	mean, err = nd.Must(both.Field(fields[0].Name)).Clone(index.C)
	if err == nil {
		std, err = nd.Must(both.Field(fields[1].Name)).Clone(index.C)
	}
	return mean, std, err
}

// header returns a header for a file of the result, and its bytes.
func (r Reduction) header(src Array) (h npy.Header, head []byte, err error) {
	shape, err := r.Shape(src)
	if err != nil {
		return h, nil, err
	}
	d, err := r.DType(src)
	if err != nil {
		return h, nil, err
	}
	if h, head, err = newHeader(d, index.C, shape); err != nil {
		err = &fs.PathError{Op: "reduce", Path: src.view.Store.Mem.Path, Err: err}
	}
	return h, head, err
}

// newResult returns an array of zeros in C order in Go memory.
func newResult(d dtype.DType, shape []int) (Array, error) {
	lay, err := index.NewLayout(shape, d.ItemSize(), index.C)
	if err != nil {
		return Array{}, err
	}
	c, err := nd.OnBytes(strided.Alloc(lay.Size()*d.ItemSize()), d, lay)
	return Array{c}, err
}
