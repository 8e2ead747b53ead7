package far

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/httpat"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/mmap"
)

// An Archive is an .npz archive or a .safetensors file on a web server.
type Archive struct {
	server  named
	members *npz.Archive // nil for a .safetensors file
	tensors *safetensors.File
	changed atomic.Bool
}

// Changed reports whether a request of a or of its Files found that the archive on the server has been replaced. A
// changed Archive cannot open more arrays.
func (a *Archive) Changed() bool { return a.changed.Load() }

// OpenArchive opens the .npz archive at url, or the .safetensors file if isTensors is set, and reads its directory.
func OpenArchive(ctx context.Context, url string, isTensors bool) (*Archive, error) {
	server, err := httpat.Open(ctx, nil, url)
	if err != nil {
		return nil, err
	}
	a := &Archive{server: named{server}}
	if isTensors {
		a.tensors, err = safetensors.NewReader(a.server, server.Size())
	} else {
		a.members, err = npz.NewReader(a.server, server.Size())
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// Names returns the names of the arrays.
func (a *Archive) Names() []string {
	if a.tensors != nil {
		return a.tensors.Names()
	}
	return a.members.Names()
}

// Header returns the dtype and the shape of an array. For a member of an .npz archive, this can take two requests.
func (a *Archive) Header(name string) (dtype.DType, []int, error) {
	if a.tensors != nil {
		t, err := a.tensors.Tensor(name)
		return t.DType, t.Shape, err
	}
	h, err := a.members.Header(name)
	return h.DType, h.Shape, err
}

// IsTensors reports whether a is a .safetensors file, whose headers are known without requests.
func (a *Archive) IsTensors() bool { return a.tensors != nil }

// Open opens an array. Compressed members are an error, because parts of them cannot be fetched.
func (a *Archive) Open(name string) (*File, error) {
	var r *array.Remote
	var err error
	if a.tensors != nil {
		r, err = a.tensors.Remote(name)
	} else {
		var m npz.Member
		if m, err = a.members.Member(name); err == nil && m.Compressed {
			err = fmt.Errorf("%s: member %q is compressed, so parts of it cannot be fetched; download the archive, "+
				"or save it with numpy.savez, which does not compress", a.server, name)
		}
		if err == nil {
			r, err = a.members.Remote(name)
		}
	}
	if err != nil {
		if errors.Is(err, mmap.ErrChanged) {
			a.changed.Store(true)
		}
		return nil, err
	}
	return newFile(a.server, r, &a.changed)
}
