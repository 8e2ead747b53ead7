package safetensors

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/filekind"
	"github.com/ndmap/ndmap/internal/report"
	"github.com/ndmap/ndmap/internal/tensors"
	"github.com/ndmap/ndmap/mmap"
)

// Create creates a file of tensors at path and maps it [array.ReadWrite]. All elements are zero; [File.Array] returns
// the arrays to fill. Tensors with larger elements come first; tensors with elements of the same size are in the order
// of list. Elements are stored little-endian, even if the DType of a Tensor is big-endian. metadata may be nil.
//
// At every moment, and after a crash, path does not exist or names a file with all tensors. Writes are on stable
// storage after [File.Sync]. Create reserves the disk space, like [array.Create].
//
// If path exists, the error wraps [fs.ErrExist], and the file is unchanged. If the format cannot represent a tensor,
// the error names the tensor and wraps [fs.ErrInvalid]. Errors are or wrap *[fs.PathError].
func Create(path string, list []Tensor, metadata map[string]string) (*File, error) {
	return SaveConfig{}.Create(path, list, metadata)
}

// Create is like the function [Create], configured by cfg. With Replace, it replaces a file like [array.Save].
func (cfg SaveConfig) Create(path string, list []Tensor, metadata map[string]string) (*File, error) {
	f, err := cfg.CreatePending(path, list, metadata)
	if err != nil {
		return nil, err
	}
	committed := false
	defer func() { // even if cfg.Progress panics
		if !committed {
			f.Close()
		}
	}()
	if err := f.Commit(); err != nil {
		return nil, err
	}
	committed = true
	return f, nil
}

// checkReplace returns an error if path exists and cfg does not replace it. It makes calls fail early; atomicfile
// checks again.
func (cfg *SaveConfig) checkReplace(path string) error {
	if cfg.Replace {
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return syscall.EEXIST
	}
	return nil
}

// CreatePending is like [SaveConfig.Create], but [File.Commit] publishes the file at path. If the File is closed
// without Commit, or the process dies, path is unchanged.
func (cfg SaveConfig) CreatePending(path string, list []Tensor, metadata map[string]string) (*File, error) {
	err := cfg.checkReplace(path)
	var all []tensors.Tensor
	var head []byte
	if err == nil {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b Tensor) int { return cmp.Compare(b.DType.ItemSize(), a.DType.ItemSize()) })
		all, head, err = headerOf(list, metadata)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	size := int64(len(head))
	if len(all) > 0 {
		size += all[len(all)-1].End
	}
	return cfg.create(path, head, size)
}

// Make creates a file like [Create], calls fill to write the elements, and publishes the file at path when fill returns
// nil. The elements are initially zero. The File is mapped for reading and writing; it and its arrays become invalid
// when Make returns. fill must not close or commit the File.
//
// Make replaces an existing file atomically, like [array.Save]. If fill returns an error, panics or calls
// runtime.Goexit, path is unchanged: it still names the old file, or no file.
//
// If fill reads other files, call [Use] or [array.Use] inside fill, so that the files are checked before the new file
// is published. If you call Make inside Use, the new file is published before the check. Make returns an error if fill
// hits a page fault, like [mmap.Guard]. It returns an error of fill unchanged. For other errors see [Create] and
// [File.Commit].
func Make(path string, list []Tensor, metadata map[string]string, fill func(f *File) error) error {
	return SaveConfig{Replace: true}.Make(path, list, metadata, fill)
}

// Make is like the function [Make], configured by cfg. Without Replace, it returns an error if path exists.
func (cfg SaveConfig) Make(path string, list []Tensor, metadata map[string]string, fill func(f *File) error) error {
	f, err := cfg.CreatePending(path, list, metadata)
	if err != nil {
		return err
	}
	defer f.Close() // even if fill panics
	f.pending.inMake = true
	if err := mmap.Guard(func() error { return fill(f) }); err != nil {
		return err
	}
	if f.pending == nil {
		return fmt.Errorf("%s: make: %w: the function must not close or commit the file", path, fs.ErrClosed)
	}
	f.pending.inMake = false
	return f.Commit()
}

// create creates a pending file of size bytes that starts with the header head.
func (cfg SaveConfig) create(path string, head []byte, size int64) (*File, error) {
	file, err := atomicfile.New(path, cfg.Replace)
	if err != nil {
		return nil, err
	}
	file.NoSync, file.Observe = cfg.NoSync, observe
	mapped, err := file.Dup()
	if err != nil {
		file.Remove()
		return nil, err
	}
	m, err := mmap.Config{File: mapped}.Create(path, size)
	if err != nil {
		mapped.Close()
		file.Remove()
		return nil, file.Error(err)
	}
	m.Lock(0) // file has the lock already; now no Unlock releases it
	f := &File{m: m, pending: &pendingFile{file: file, cfg: cfg, head: head}}
	err = mmap.Guard(func() error {
		copy(m.Bytes(), head)
		return nil
	})
	observe("write", file.Temp)
	if err == nil {
		err = f.read(size, filekind.HeadLen, func(off int64, n int) (string, error) {
			return string(head[off : off+int64(n)]), nil
		})
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// A pendingFile is the state of a File before Commit.
type pendingFile struct {
	file   *atomicfile.File
	cfg    SaveConfig
	head   []byte
	inMake bool // set while the function of Make runs
}

// Commit publishes a file from [SaveConfig.CreatePending] at its path, like [array.File.Commit], with the same errors.
// The file stays open. On Windows, arrays returned before Commit become invalid.
func (f *File) Commit() error {
	p := f.pending
	switch {
	case p == nil:
		return fmt.Errorf("%scommit: %w: the file is not pending; create it with CreatePending, and commit it once",
			f.prefix(), fs.ErrInvalid)
	case p.inMake:
		return fmt.Errorf("%scommit: %w: Make commits the file when its function returns nil; do not call Commit in it",
			f.prefix(),
			fs.ErrInvalid)
	}
	if err := f.store(&p.cfg); err != nil {
		return err
	}
	if !p.cfg.NoSync {
		observe("sync", p.file.Temp)
	}
	named, err := p.file.CommitMapped(f.m, func(name string) error {
		m, err := p.reopen(name, f.Path())
		if err == nil {
			f.m = m
		}
		return err
	})
	if !named {
		return err
	}
	f.pending = nil
	f.m.Unlock()
	p.file.Close()
	return err
}

// storePart is the number of bytes that store syncs between two calls of Progress.
const storePart = 16 << 20

// store calls cfg.Progress, and syncs f unless cfg.NoSync is set.
func (f *File) store(cfg *SaveConfig) error {
	n := len(f.m.Bytes())
	progress := report.Counter{Report: cfg.Progress, Total: max(0, int64(n)-f.start)}
	err := progress.Begin()
	for off := 0; err == nil && cfg.Progress != nil && !cfg.NoSync && off < n; off += storePart {
		if err = f.m.SyncRange(off, min(storePart, n-off)); err == nil {
			err = progress.To(max(0, int64(off+storePart)-f.start))
		}
	}
	if err == nil && !cfg.NoSync {
		err = f.m.Sync() // everything, including the metadata of the file
	}
	if err == nil {
		err = progress.End()
	}
	return err
}

// reopen maps the file called name. The mapping and errors name the file path. If the header of the file differs from
// the header of p, the error wraps mmap.ErrReplaced.
func (p *pendingFile) reopen(name, path string) (*mmap.Map, error) {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, p.file.Error(err)
	}
	head := make([]byte, len(p.head))
	m, err := mmap.Config{Mode: mmap.ReadWrite, File: file, Head: head}.Open(path)
	if err != nil {
		file.Close()
		return nil, err
	}
	if !bytes.Equal(head, p.head) {
		m.Close()
		return nil, &fs.PathError{Op: "create", Path: path, Err: mmap.ErrReplaced}
	}
	return m, nil
}

// observe is called after each step that changes the files that a crash leaves. Tests set it.
var observe = func(op, path string) {}

// headerOf returns the header of a file with these tensors in this order.
func headerOf(list []Tensor, metadata map[string]string) ([]tensors.Tensor, []byte, error) {
	all := make([]tensors.Tensor, len(list))
	for i, t := range list {
		code := tensors.Code(t.DType)
		if code == "" {
			return nil, nil, fmt.Errorf("%w: tensor %s: the format has no dtype %v", fs.ErrInvalid, tensors.Quote(t.Name),
				t.DType)
		}
		if slices.ContainsFunc(t.Shape, func(n int) bool { return n < 0 }) {
			return nil, nil, fmt.Errorf("%w: tensor %s: a length of shape %v is negative", fs.ErrInvalid, tensors.Quote(t.Name),
				t.Shape)
		}
		all[i] = tensors.Tensor{Name: t.Name, Code: code, Shape: t.Shape}
	}
	head, err := tensors.Append(nil, all, metadata)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", fs.ErrInvalid, err)
	}
	return all, head, nil
}
