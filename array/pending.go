package array

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/mmap"
)

// A pending is what a File has that has no path yet.
type pending struct {
	file *atomicfile.File
	cfg  Config
}

// begin makes the file that h describes, which gets its path by commit.
func (cfg Config) begin(path string, h npy.Header, head []byte) (*File, error) {
	if !cfg.Replace { // only to fail early; commit decides
		if _, err := os.Lstat(path); err == nil {
			return nil, &fs.PathError{Op: "create", Path: path, Err: syscall.EEXIST}
		}
	}
	file, err := atomicfile.New(path, cfg.Replace)
	if err != nil {
		return nil, err
	}
	return cfg.beginIn(file, h, head)
}

// beginIn is begin with the file that is to get its path.
func (cfg Config) beginIn(file *atomicfile.File, h npy.Header, head []byte) (*File, error) {
	file.Observe = func(op, path string) { observe(op, path, 0, 0) }
	file.NoSync = cfg.NoSync
	mapped, err := file.Dup()
	if err != nil {
		file.Remove()
		return nil, err
	}
	f, err := cfg.create(mapped, file.Path, h, head)
	if err != nil {
		mapped.Close()
		file.Remove()
		return nil, file.Error(err)
	}
	f.pending = &pending{file, cfg}
	f.m.Lock(0) // which file has; so no Unlock of an Append takes it away
	return f, nil
}

// commitNew gives a file of zeros its path.
func (cfg Config) commitNew(f *File, err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	if err := f.Commit(); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Commit gives a file that was made with Config.Pending its path, and returns when all that was written, and the name,
// are on stable storage; with Config.NoSync it does not wait. At every moment, and after a crash, there is at the path
// what was there before, or the whole file. f stays open, as one that is mapped [ReadWrite].
//
// Where there is a file by now, and Config.Replace is not set, the error wraps [fs.ErrExist]; of a file that is not
// pending it wraps [fs.ErrInvalid]. Errors of the system are *[fs.PathError] or wrap one. After an error the file is
// pending still, unless it is in place and only its name may not be on stable storage, as the error says then.
//
// On Windows, which renames no file that is mapped, Commit maps it anew: views that were taken before end, and f.Array
// is a new one.
func (f *File) Commit() error {
	switch {
	case f.pending == nil:
		return fmt.Errorf("%scommit: %w: the file is not pending; Create it with Config.Pending, and Commit once",
			nd.Prefix(f.Path()), fs.ErrInvalid)
	case f.pending.cfg.NoSync:
	default:
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return f.commit(true)
}

// commit gives f, whose data is stored, its path. If keep is true, f stays open with the mapping with which it was
// made: the file at the path may already be one that another process put there. Otherwise commit closes the mapping.
// The lock of the mapping lasts until then: without it, other processes would take the file for an abandoned one.
func (f *File) commit(keep bool) error {
	p := f.pending
	remap := f.remap
	if !keep {
		remap = nil
	}
	named, err := p.file.CommitMapped(f.m, remap)
	if !named {
		return err
	}
	f.pending = nil
	if keep {
		f.m.Unlock()
	} else if f.m.Bytes() != nil {
		err = errors.Join(err, f.m.Close())
	}
	p.file.Close()
	return err
}

// place returns the path of the file of f, or its temporary name if it has one.
func (f *File) place() string {
	if f.pending != nil {
		return f.pending.file.Temp
	}
	return f.Path()
}

// remap opens f, whose mapping is closed, again. The file has that name.
func (f *File) remap(name string) error {
	g, err := f.pending.cfg.reopen(name, f)
	if err != nil {
		return f.pending.file.Error(err)
	}
	if f.flag != nil {
		atomic.StoreUint32(f.flag, 1) // of views that were taken before
	}
	g.pending = f.pending
	*f = *g
	return nil
}

// reopen opens the file of that name as the one of like, if it is an array like that. Windows replaces no file that is
// mapped, so the name means that file once it is.
func (cfg Config) reopen(name string, like *File) (f *File, err error) {
	if cfg.File, err = os.OpenFile(name, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	cfg.Mode, cfg.Replace, cfg.Pending, cfg.NoSync, cfg.MaxHeader = ReadWrite, false, false, false, math.MaxInt32
	path := like.Path()
	if like.headerless() {
		return cfg.OpenRaw(path, like.DataOffset(), like.h.DType, like.h.Order, like.h.Shape...)
	}
	if f, err = cfg.Open(path); err != nil {
		return nil, err
	}
	if !f.DType().Equal(like.DType()) || !f.Layout().Equal(like.Layout()) {
		f.Close()
		return nil, &fs.PathError{Op: "create", Path: path, Err: mmap.ErrReplaced}
	}
	return f, nil
}
