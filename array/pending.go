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

// A pending is the state of a File before Commit.
type pending struct {
	file   *atomicfile.File
	cfg    SaveConfig
	inMake bool // Make commits
}

// begin creates the file that h describes. It gets its path by commit.
func (cfg SaveConfig) begin(path string, h npy.Header, head []byte) (*File, error) {
	if !cfg.Replace { // to fail early; commit checks again
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

// beginIn creates the file that h describes in file.
func (cfg SaveConfig) beginIn(file *atomicfile.File, h npy.Header, head []byte) (*File, error) {
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
	f.pending = &pending{file: file, cfg: cfg}
	f.m.Lock(0) // file has the lock already; now no Unlock of an Append releases it
	return f, nil
}

// Commit gives a file of [SaveConfig.CreatePending] its path, and returns when the file and its name are on stable
// storage, unless NoSync is set. At every moment, and after a crash, the path is what it was before or the complete
// file. f stays open and mapped [ReadWrite]; on Windows, earlier views must not be used any more.
//
// If a file exists at the path by now, and Replace is not set, the error wraps [fs.ErrExist]. If f is not pending it
// wraps [fs.ErrInvalid]. After an error the file is still pending, unless the error says that the file is in place, and
// that only its name may be lost after a power failure.
func (f *File) Commit() error {
	switch {
	case f.pending == nil:
		return fmt.Errorf("%scommit: %w: the file is not pending; use CreatePending, and Commit once",
			nd.Prefix(f.Path()), fs.ErrInvalid)
	case f.pending.inMake:
		return fmt.Errorf("%scommit: %w: Make gives the file its path once its function returns nil", nd.Prefix(f.Path()),
			fs.ErrInvalid)
	}
	if err := f.pending.cfg.storeAll(f); err != nil {
		return err
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
		atomic.StoreUint32(f.flag, 1) // for views that were taken before
	}
	g.pending = f.pending
	*f = *g
	return nil
}

// reopen opens the file with that name, under the path of like. It returns an error if the file is not an array like
// that. Windows replaces no file that is mapped, so once the file is mapped the name means that file.
func (cfg SaveConfig) reopen(name string, like *File) (*File, error) {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	path := like.Path()
	f, err := OpenConfig{Mode: ReadWrite, Sparse: cfg.Sparse, Progress: cfg.Progress, MaxHeader: math.MaxInt32,
		File: file}.Open(path)
	if err != nil {
		return nil, err
	}
	if !f.DType().Equal(like.DType()) || !f.Layout().Equal(like.Layout()) {
		f.Close()
		return nil, &fs.PathError{Op: "create", Path: path, Err: mmap.ErrReplaced}
	}
	return f, nil
}
