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

// A pendingState is the state of a File before Commit.
type pendingState struct {
	file   *atomicfile.File
	cfg    SaveConfig
	inMake bool // Make commits the file, and Commit returns an error
}

// begin creates the file that h describes. commit gives the file its path.
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
	f.pending = &pendingState{file: file, cfg: cfg}
	f.view.Store.Mem.Write = f.writer(cfg.NoSync)
	f.m.Lock(0) // file holds the lock already; with a second lock, Unlock in Append does not release it
	return f, nil
}

// Commit publishes a file created by [SaveConfig.CreatePending] at its path. When it returns, the file and its name are
// on stable storage, unless NoSync is set. At every moment, and after a crash, the path is unchanged or names the
// complete file. f stays open and mapped [ReadWrite]; on Windows, earlier views become invalid.
//
// If a file exists at the path and Replace is not set, the error wraps [fs.ErrExist]. If f is not pending, it wraps
// [fs.ErrInvalid]. After an error the file is still pending, unless the error says that the file is in place, and that
// only its name may be lost after a power failure.
func (f *File) Commit() error {
	switch {
	case f.pending == nil:
		return fmt.Errorf("%scommit: %w: the file is not pending; use CreatePending, and Commit once",
			nd.Prefix(f.Path()), fs.ErrInvalid)
	case f.pending.inMake:
		return fmt.Errorf("%scommit: %w: Make commits the file when its function returns nil; do not call Commit in it",
			nd.Prefix(f.Path()),
			fs.ErrInvalid)
	}
	if err := f.pending.cfg.finish(f, nil); err != nil {
		return err
	}
	return f.commit(true)
}

// commit gives f, whose data is stored, its path. If keep is true, f stays open with its old mapping, because another
// process may have replaced the file at the path already. Otherwise commit closes the mapping. The mapping stays locked
// until f has its path: without the lock, other processes would take the file for an abandoned one.
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
		f.view.Store.Mem.Write = nil // the elements are in memory now
		f.m.Unlock()
	} else if f.m.Bytes() != nil {
		err = errors.Join(err, f.m.Close())
	}
	p.file.Close()
	return err
}

// currentPath returns the path of the file of f, or its temporary name if it has one.
func (f *File) currentPath() string {
	if f.pending != nil {
		return f.pending.file.Temp
	}
	return f.Path()
}

// remap maps f again after its mapping was closed. name is the current name of the file.
func (f *File) remap(name string) error {
	g, err := f.pending.cfg.reopen(name, f)
	if err != nil {
		return f.pending.file.Error(err)
	}
	if f.closedPtr != nil {
		atomic.StoreUint32(f.closedPtr, 1) // earlier views become invalid
	}
	g.pending = f.pending
	*f = *g
	return nil
}

// reopen opens the file name, under the path of want. It returns an error if the dtype or the layout differs from want.
// Windows does not replace mapped files, so once the file is mapped no other file gets the name.
func (cfg SaveConfig) reopen(name string, want *File) (*File, error) {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	path := want.Path()
	f, err := OpenConfig{Mode: ReadWrite, Sparse: cfg.Sparse, Progress: cfg.Progress, MaxHeader: math.MaxInt32,
		File: file}.Open(path)
	if err != nil {
		return nil, err
	}
	if !f.DType().Equal(want.DType()) || !f.Layout().Equal(want.Layout()) {
		f.Close()
		return nil, &fs.PathError{Op: "create", Path: path, Err: mmap.ErrReplaced}
	}
	return f, nil
}
