package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/examples/npy/words"
)

var lsCommand = command{
	name: "ls", args: "[-r] [-json] [FOLDER|ARCHIVE]...", max: -1,
	description: `Ls lists the .npy files, archives and .safetensors files in directories, or the
members of archives. The default is the working directory. It prints the name, the
dtype, the shape and the size in bytes, of the elements or of an archive. Files that
begin with a dot are omitted. For an index of a model in shards, such as
model.safetensors.index.json, it lists the tensors of all shards.

With -r, ls also lists the files in all directories below FOLDER, except directories
that begin with a dot and symbolic links to directories. With -json, it prints one
object per entry: for an array the object of npy info -json, for an archive "members",
the number of its members, and for a broken file "error".

URLs of files, but not of directories, are listed, too. If a file is broken, ls says
why, and the exit status is 1.`,
	examples: `npy ls
npy ls . data.npz
npy ls model.safetensors
npy ls -r -json`,
	flags: func(set *flag.FlagSet) runner {
		recursive := set.Bool("r", false, "list directories recursively")
		asJSON := set.Bool("json", false, "print one JSON object per line")
		return func(e *env, names []string) error {
			if len(names) == 0 {
				names = []string{"."}
			}
			for _, name := range names {
				if !*asJSON {
					e.newBlock()
					if len(names) > 1 {
						fmt.Fprintf(e.out, "%s:\n", words.Printable(redacted(name)))
					}
				}
				if err := e.list(name, *recursive, *asJSON); err != nil {
					e.noteError(name, err)
				}
			}
			return nil
		}
	},
}

// list lists the contents of the directory or file at path.
func (e *env) list(path string, recursive, asJSON bool) error {
	if path == stream {
		path = "./-" // ls does not read standard input
	}
	entries, err := e.entries(path, recursive)
	if err != nil {
		return err
	}
	t := e.newTable([]string{"name", "dtype", "shape", "bytes"}, []bool{true, true, true, false})
	var rows []row
	broken := 0
	for _, f := range entries {
		if f.err != nil {
			broken++
		}
		if asJSON {
			e.out.Write(f.appendJSON(nil))
		} else {
			rows = append(rows, f.row())
		}
	}
	if len(rows) > 0 {
		t.write(rows)
	}
	if broken > 0 {
		is := "are"
		if broken == 1 {
			is = "is"
		}
		return fmt.Errorf("%s of %s entries %s broken", words.Count(broken), words.Count(len(entries)), is)
	}
	return nil
}

// entries returns the entries of the directory, the file or the URL.
func (e *env) entries(path string, recursive bool) ([]entry, error) {
	if isCollection(path) {
		return e.listMembers(path)
	}
	if isURL(path) {
		f, err := e.locate(path, new(rawInput), nil)
		if err == nil {
			return []entry{arrayEntry(f.path, f.header())}, nil
		}
		if h, ok := e.objectHeader(path); ok {
			return []entry{arrayEntry(h.path, h)}, nil
		}
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return e.listFolder(path, recursive)
	}
	f := listFile(path, path, info.Mode().IsRegular())
	return []entry{f}, f.err
}

// listFolder returns an entry for each array file in a directory, or with recursive also in the directories below it.
// The files are examined in parallel.
func (e *env) listFolder(folder string, recursive bool) ([]entry, error) {
	var entries []entry
	var regular []bool
	var walk func(sub string) error // sub is relative to folder, with slashes
	walk = func(sub string) error {
		found, err := os.ReadDir(filepath.Join(folder, sub))
		for _, file := range found {
			name := file.Name()
			path := strings.TrimPrefix(sub+"/"+name, "/")
			switch {
			case strings.HasPrefix(name, "."):
			case file.IsDir() && recursive:
				if err := walk(path); err != nil {
					e.noteError(filepath.Join(folder, path), err)
				}
			case file.IsDir():
			case strings.HasSuffix(name, ".npy") || strings.HasSuffix(name, ".npz") || isTensorsName(name):
				entries = append(entries, entry{name: path})
				regular = append(regular, file.Type().IsRegular())
			}
		}
		return err
	}
	if err := walk(""); err != nil {
		return nil, err
	}
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for {
				k := int(next.Add(1)) - 1
				if k >= len(entries) {
					return
				}
				name := entries[k].name
				entries[k] = listFile(filepath.ToSlash(filepath.Join(folder, name)), name, regular[k])
			}
		})
	}
	all.Wait()
	return entries, nil
}

// listMembers returns an entry for each member of an archive or tensor of a .safetensors file.
func (e *env) listMembers(path string) (entries []entry, err error) {
	c, err := e.container(path)
	if err != nil {
		return nil, err
	}
	if c.tensors != nil {
		for _, name := range c.tensors.Names() {
			h, err := tensorHeader(c.tensors, name)
			entries = append(entries, memberEntry(path, name, h, err))
		}
		return entries, nil
	}
	for _, name := range c.archive.Names() {
		h, err := memberHeader(c.archive, name)
		f := memberEntry(path, name, h, err)
		if errors.Is(err, npz.ErrNotArray) {
			m, _ := c.archive.Member(name)
			f.err, f.what, f.size = nil, "not an array", m.Size
		}
		entries = append(entries, f)
	}
	return entries, nil
}
