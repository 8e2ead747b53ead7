package npz

import (
	"fmt"
	"io"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// Array returns the member that name stands for. The array of a stored member is in the
// mapped archive, and may be written to as the mode says; with [mmap.ReadWrite] the member
// is marked, see [Archive.Sync]. A compressed member is inflated into memory at the first
// call, and stays there until Close or [Archive.Release]; with [mmap.ReadOnly] the array is read-only all the same,
// with [mmap.CopyOnWrite] it is not, and with ReadWrite it is refused, for what is written
// would not reach the file. Calls in several goroutines inflate several members at a
// time, as [Archive.Arrays] does.
//
// Marking a member is promising that its data is what it should be: Sync and Close write the
// CRC of whatever is there, and hide damage that was there before. Verify first where that
// matters.
//
// If there is no such member the error wraps [fs.ErrNotExist], and if it is no array
// [ErrNotArray]. The error of a member that is not as the format says is an
// *[array.FormatError]; that of a file that another process cut short a
// *[mmap.FaultError]. The CRC of a stored member is not checked: [Archive.Verify] does that.
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

// Release frees the memory of a member that [Archive.Array] inflated, or, in an archive behind a reader, read into
// memory. It ends the use of the arrays of that member; Array reads the member again. Release does nothing to other
// members. If no such member exists, the error wraps [fs.ErrNotExist].
func (a *Archive) Release(name string) error {
	m, err := a.find(name)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.release()
}

// release frees the memory of m, which is locked or used by nobody else.
func (m *member) release() error {
	if m.inflated == nil {
		return nil
	}
	err := m.inflated.Close()
	m.inflated = nil
	return err
}

// Arrays returns the members that the names stand for, and inflates those that are compressed
// on all cores. The error is that of the first name that has one; see [Archive.Array].
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

// array returns m as an array. m is locked.
func (a *Archive) array(m *member, data payload) (array.Array, error) {
	if err := a.usable(m); err != nil {
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
				"it is compressed, and cannot be edited in the file; open the archive with mmap.ReadOnly or mmap.CopyOnWrite")
		}
		if err := a.read(m, data); err != nil {
			return array.Array{}, err
		}
		cfg := array.Config{Mode: a.cfg.Mode, Name: a.path}
		return cfg.FromMap(m.inflated, h.DataOffset, h.DType, h.Order, h.Shape...)
	case a.m == nil:
		return array.Config{MaxHeader: a.cfg.MaxHeader}.OpenBytes(data.b) // read-only
	}
	result, err := array.FromMap(a.m, m.Data+h.DataOffset, h.DType, h.Order, h.Shape...)
	if err != nil {
		return array.Array{}, err
	}
	m.marked = a.cfg.Mode == mmap.ReadWrite
	return result, nil
}

// usable is the error of a member whose content cannot be read.
func (a *Archive) usable(m *member) error {
	switch {
	case strings.HasSuffix(m.Name, "/") && m.Size == 0:
		return fmt.Errorf("%s: member %s is a folder: %w%s", title(a.path), zipfile.Quote(m.Name), ErrNotArray,
			a.inFolder(m.Name, "; name a member in it, as "))
	case m.Err != nil:
		return a.formatError(m.Err)
	}
	return nil
}

// read reads m into memory of its own, inflated if it is compressed, if it is not yet there. The member is locked.
func (a *Archive) read(m *member, data payload) error {
	if m.inflated != nil {
		return nil
	}
	if limit := a.cfg.maxMember(); m.Size > limit && m.Method == zipfile.Deflated {
		return a.errorf(m, "data", int64(m.Data),
			"it inflates to %d bytes, more than the limit of %d; a larger limit can be set (Config.MaxMember)", m.Size, limit)
	}
	memory, err := mmap.Anonymous(int(m.Size)) // whose pages take no memory before they are written
	if err != nil {
		return err
	}
	ok := false
	defer func() { // also after a page fault
		if !ok {
			memory.Close()
		}
	}()
	crc := uint32(0)
	if m.Method == zipfile.Deflated {
		if crc, err = zipfile.InflateFrom(memory.Bytes(), data.reader(), m.Size); err != nil {
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
