package npz

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// Array returns the array in the named member.
//
// The array of a stored member uses the memory of the mapped archive, and is writable unless the mode is
// [array.ReadOnly]. With [array.ReadWrite], Array marks the member: [Archive.Sync] and Close then write the CRC of its
// current data, which hides any earlier damage. To detect damage, call [Archive.Verify] first.
//
// A compressed member is inflated into memory by the first call, and stays there until Close or [Archive.Release]. Its
// array is read-only with [array.ReadOnly] and writable with [array.CopyOnWrite]. With ReadWrite, Array returns an
// error, because writes would not reach the file. Concurrent calls inflate different members in parallel, like
// [Archive.Arrays].
//
// If no such member exists, the error wraps [fs.ErrNotExist]. If the member is not an array, it wraps [ErrNotArray].
// The error for a malformed member is an *[array.FormatError], and the error for a file that another process has
// truncated is a *[mmap.FaultError]. Array does not check the CRC of a stored member, except in an archive of
// [NewReader]: call Verify.
func (a *Archive) Array(name string) (array.Array, error) {
	m, err := a.find(name)
	if err != nil {
		return array.Array{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var result array.Array
	err = mmap.Guard(func() error {
		data, err := a.data(m)
		if err == nil {
			result, err = a.array(m, data)
		}
		return err
	})
	if err != nil {
		return array.Array{}, err
	}
	return result, nil
}

// Release frees the memory of a member that [Archive.Array] has inflated or, in an archive of [NewReader], read into
// memory. The arrays of that member become invalid. Array reads the member again. Release does nothing for any other
// member. If no such member exists, the error wraps [fs.ErrNotExist].
func (a *Archive) Release(name string) error {
	m, err := a.find(name)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.release()
}

// release frees the memory of m. The caller has locked m or is its only user.
func (m *member) release() error {
	if m.inflated == nil {
		return nil
	}
	err := m.inflated.Close()
	m.inflated = nil
	return err
}

// Arrays returns the arrays of the named members, in the order of names. It inflates compressed members on all cores.
// If several members fail, it returns the error of the first of them in names. See [Archive.Array].
func (a *Archive) Arrays(names ...string) ([]array.Array, error) {
	arrays, errs := make([]array.Array, len(names)), make([]error, len(names))
	strided.Share(len(names), func(k int) { arrays[k], errs[k] = a.Array(names[k]) })
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return arrays, nil
}

// array returns m, which is locked, as an array.
func (a *Archive) array(m *member, data payload) (array.Array, error) {
	if err := a.checkReadable(m); err != nil {
		return array.Array{}, err
	}
	h, err := a.header(m, data, npy.Parse)
	if err != nil {
		return array.Array{}, err
	}
	switch {
	case m.Method == zipfile.Deflated || a.r != nil:
		if a.cfg.Mode == mmap.ReadWrite {
			return array.Array{}, a.errorf(m, "data", int64(m.Data),
				"it is compressed, and cannot be edited in the file; open the archive with array.ReadOnly or array.CopyOnWrite")
		}
		if err := a.read(m, data); err != nil {
			return array.Array{}, err
		}
		return a.inMemory(m.inflated.Bytes(), h)
	case a.m == nil:
		return a.inMemory(data.b, h)
	}
	result, err := array.FromMap(a.m, m.Data+h.DataOffset, h.DType, h.Order, h.Shape...)
	if err != nil {
		return array.Array{}, err
	}
	m.marked = a.cfg.Mode == mmap.ReadWrite
	return result, nil
}

// maxMember returns the maximum size of a compressed member. It fits an int.
func (a *Archive) maxMember() int64 {
	return min(cmp.Or(a.MaxMember, 4<<30), math.MaxInt)
}

// inMemory returns the array in b, the content of a member with header h. The array uses the memory of b, and its error
// messages name the archive.
func (a *Archive) inMemory(b []byte, h npy.Header) (array.Array, error) {
	lay, err := index.NewLayout(h.Shape, h.DType.ItemSize(), h.Order)
	if err != nil {
		return array.Array{}, err
	}
	memory := strided.Memory{Path: a.path, Base: strided.Start(b[h.DataOffset:]), Size: h.NBytes,
		ReadOnly: a.cfg.Mode == mmap.ReadOnly}
	v, err := new(nd.Backing).Init(memory, h.DType, 0, lay)
	if err != nil {
		return array.Array{}, err
	}
	return nd.ToArray(v).(array.Array), nil
}

// checkReadable returns an error if the content of m cannot be read.
func (a *Archive) checkReadable(m *member) error {
	switch {
	case strings.HasSuffix(m.Name, "/") && m.Size == 0:
		return fmt.Errorf("%s: member %s is a folder: %w%s", errorPrefix(a.path), zipfile.Quote(m.Name), ErrNotArray,
			a.inFolder(m.Name, "; name a member in it, as "))
	case m.Err != nil:
		return a.formatError(m.Err)
	}
	return nil
}

// read reads m, which is locked, into separate memory, unless it has been read before. It inflates a compressed member.
func (a *Archive) read(m *member, data payload) error {
	if m.inflated != nil {
		return nil
	}
	if limit := a.maxMember(); m.Size > limit && m.Method == zipfile.Deflated {
		return a.errorf(m, "data", int64(m.Data),
			"it inflates to %d bytes, more than the limit of %d; a larger limit can be set (Archive.MaxMember)", m.Size, limit)
	}
	memory, err := mmap.Anonymous(int(m.Size)) // its pages take no memory before they are written
	if err != nil {
		return err
	}
	ok := false
	defer func() { // even after a page fault
		if !ok {
			memory.Close()
		}
	}()
	crc := uint32(0)
	if m.Method == zipfile.Deflated {
		if crc, err = zipfile.InflateFrom(memory.Bytes(), data.buffered(), m.Size); err != nil {
			return a.dataError(m, err)
		}
	} else {
		if _, err := io.ReadFull(data.reader(), memory.Bytes()); err != nil {
			return a.readError(m, err)
		}
		crc = zipfile.Checksum(memory.Bytes())
	}
	if crc != m.CRC {
		return a.errorf(m, "data", int64(m.Data), "its CRC-32 is %#08x, and the directory says %#08x: the archive is damaged",
			crc, m.CRC)
	}
	m.inflated, ok = memory, true
	return nil
}
