package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/mmap"
)

var lsCommand = command{
	name: "ls", args: "[FOLDER|ARCHIVE]...", max: -1,
	description: `Ls lists the .npy files, archives and .safetensors files in directories, or the
members of archives. The default is the working directory. It prints the name, the
dtype, the shape and the size in bytes, of the elements or of an archive. Files that
begin with a dot are omitted. For an index of a model in shards, such as
model.safetensors.index.json, it lists the tensors of all shards.

URLs of files, but not of directories, are listed, too. If a file is broken, ls says
why, and the exit status is 1.`,
	examples: `npy ls
npy ls . data.npz
npy ls model.safetensors`,
	flags: func(*flag.FlagSet) runner {
		return func(e *env, names []string) error {
			if len(names) == 0 {
				names = []string{"."}
			}
			for _, name := range names {
				e.newBlock()
				if len(names) > 1 {
					fmt.Fprintf(e.out, "%s:\n", words.Printable(redacted(name)))
				}
				if err := e.list(name); err != nil {
					e.noteError(name, err)
				}
			}
			return nil
		}
	},
}

// list lists the contents of the directory or file at path.
func (e *env) list(path string) error {
	if path == stream {
		path = "./-" // ls does not read standard input
	}
	rows, err := e.rows(path)
	if err != nil {
		return err
	}
	t := e.newTable([]string{"name", "dtype", "shape", "bytes"}, []bool{true, true, true, false})
	if len(rows) > 0 {
		t.write(rows)
	}
	broken := 0
	for _, r := range rows {
		if r.wrong {
			broken++
		}
	}
	if broken > 0 {
		is := "are"
		if broken == 1 {
			is = "is"
		}
		return fmt.Errorf("%s of %s entries %s broken", words.Count(broken), words.Count(len(rows)), is)
	}
	return nil
}

// rows returns the rows about the contents of the directory, the file or the URL.
func (e *env) rows(path string) ([]row, error) {
	if isCollection(path) {
		return e.listMembers(path)
	}
	if isURL(path) {
		f, err := e.locate(path, new(rawInput), nil)
		if err == nil {
			return []row{arrayRow(f.path, f.header())}, nil
		}
		if h, ok := e.objectHeader(path); ok {
			return []row{arrayRow(h.path, h)}, nil
		}
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return listFolder(path)
	}
	r := listFile(path, path, info.Mode().IsRegular())
	if r.wrong {
		_, err := array.Open(path, array.ReadOnly)
		return nil, err
	}
	return []row{r}, nil
}

// listFolder returns a row for each array file in a directory. The files are examined in parallel.
func listFolder(path string) ([]row, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(entry os.DirEntry) bool {
		name := entry.Name()
		return strings.HasPrefix(name, ".") || entry.IsDir() ||
			!strings.HasSuffix(name, ".npy") && !strings.HasSuffix(name, ".npz") && !isTensorsName(name)
	})
	rows := make([]row, len(entries))
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= len(entries) {
					return
				}
				name := entries[k].Name()
				rows[k] = listFile(filepath.Join(path, name), name, entries[k].Type().IsRegular())
			}
		})
	}
	all.Wait()
	return rows, nil
}

// headOf returns the header of a .npy file. ok is false if the header is long or if elements are missing. headOf reads
// the file once and does not map it, because a directory may have many files.
func headOf(path string) (h header, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return h, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return h, false
	}
	var b [1 << 10]byte
	n, _ := f.Read(b[:])
	c := &counter{r: bytes.NewReader(b[:n])}
	r, err := array.NewReader(c)
	if err != nil {
		return h, false
	}
	h = header{dtype: r.DType(), shape: r.Shape()}
	_, size := h.size()
	return h, int64(size) <= info.Size()-c.n
}

// listFile returns the row of the file at path. If regular is set, the file is known not to be a pipe, whose opening
// would block, or a link to one.
func listFile(path, name string, regular bool) (r row) {
	if regular && strings.HasSuffix(path, ".npy") {
		if h, ok := headOf(path); ok {
			return arrayRow(name, h)
		}
	}
	err := mmap.Guard(func() error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		what, count, size := "", 0, info.Size()
		switch {
		case isTensors(path):
			f, err := openTensors(path, array.ReadOnly)
			if err != nil {
				return err
			}
			defer f.Close()
			what, count, size = "tensors", len(f.Names()), 0
			for _, m := range f.Maps() {
				size += int64(m.Len())
			}
		case isArchive(path):
			a, err := openArchive(path, array.ReadOnly)
			if err != nil {
				return err
			}
			defer a.Close()
			what, count = "archive", len(a.Names())
		default:
			f, err := new(rawInput).input(path, array.ReadOnly)
			if err != nil {
				h, ok := objectHeader(path)
				if !ok {
					return err
				}
				r = arrayRow(name, h)
				return nil
			}
			defer f.close()
			r = arrayRow(name, f.header())
			return nil
		}
		members := words.Count(count) + " members"
		if count == 1 {
			members = "1 member"
		}
		r.text = []string{words.Printable(name), what, members, words.Count(size)}
		return nil
	})
	if err != nil {
		return brokenRow(name, path, err)
	}
	return r
}

// arrayRow returns the row of an array with the header h.
func arrayRow(name string, h header) row {
	_, n := h.size()
	what := h.dtype.String()
	if h.dtype.HasObject() {
		what, n = what+" (objects)", int(h.pickle)
	}
	return row{text: []string{words.Printable(name), words.Printable(what), words.Shape(h.shape), words.Count(n)}}
}

// brokenRow returns the row of a file or member that cannot be read. path is the path to remove from err.
func brokenRow(name, path string, err error) row {
	_, msg := message(path, err)
	return row{text: []string{words.Printable(name), "broken: " + words.Printable(msg)}, wrong: true}
}

// listMembers returns a row for each member of an archive or tensor of a .safetensors file.
func (e *env) listMembers(path string) (rows []row, err error) {
	c, err := e.container(path)
	if err != nil {
		return nil, err
	}
	if c.tensors != nil {
		for _, name := range c.tensors.Names() {
			if h, err := tensorHeader(c.tensors, name); err != nil {
				rows = append(rows, brokenRow(name, path, err))
			} else {
				rows = append(rows, arrayRow(name, h))
			}
		}
		return rows, nil
	}
	a := c.archive
	for _, name := range a.Names() {
		h, err := memberHeader(a, name)
		switch {
		case errors.Is(err, npz.ErrNotArray):
			m, _ := a.Member(name)
			rows = append(rows, row{text: []string{words.Printable(name), "not an array", "", words.Count(m.Size)}})
		case err != nil:
			rows = append(rows, brokenRow(name, path, err))
		default:
			rows = append(rows, arrayRow(name, h))
		}
	}
	return rows, nil
}
