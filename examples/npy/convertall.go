package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/index"
)

// convertArchive converts all members of the archive, or the file of tensors, in to another one: out.
func (e *env) convertArchive(c *conversion, in, out string) error {
	if c.order.Order != index.K {
		return usageError{errors.New("-order is for one array; the members of an archive keep theirs")}
	}
	if err := checkOut(out); err != nil {
		return err
	}
	if same(in, out) {
		return fileError{out, errors.New("it is the file to read from; write to another one")}
	}
	if _, err := os.Lstat(out); err == nil && !c.force { // before the work
		return &fs.PathError{Op: "create", Path: out, Err: fs.ErrExist}
	}
	whole, err := e.container(in)
	if err != nil {
		return err
	}
	sources, compressed, err := membersOf(c, in, whole)
	if err != nil {
		return err
	}
	var meta map[string]string
	if whole.tensors != nil {
		meta = whole.tensors.Metadata()
	}
	defer e.interruptible()()
	if strings.HasSuffix(out, tensorsSuffix) {
		return e.packTensors(out, c.force, c.nosync, mergeMeta(meta, c.meta), sources)
	}
	cfg := npz.Config{Compress: compressed, Replace: c.force, NoSync: c.nosync, Progress: e.progress}
	err = e.pack(cfg, out, sources)
	if err == nil && len(meta) > 0 {
		e.warn(out, fmt.Errorf("warning: an archive has no place for the metadata of %s: %s", in,
			strings.Join(slices.Sorted(maps.Keys(meta)), ", ")))
	}
	return err
}

// mergeMeta returns the metadata of a file with those of -meta, which come first.
func mergeMeta(file, given map[string]string) map[string]string {
	if len(given) == 0 {
		return file
	}
	merged := maps.Clone(given)
	for key, value := range file {
		if _, ok := given[key]; !ok {
			merged[key] = value
		}
	}
	return merged
}

// membersOf returns the arrays in an archive, or a file of tensors, at path, and whether one of them is compressed.
func membersOf(c *conversion, path string, in *container) (sources []content, compressed bool, err error) {
	if _, _, ok := splitName(path + ":"); !ok {
		return nil, false, errors.New("an archive, whose members can be named if its own name ends in .npz; rename it")
	}
	var names []string
	if in.tensors != nil {
		names = in.tensors.Names()
	} else {
		a := in.archive
		names = a.Names()
		for _, name := range names {
			m, err := a.Member(name)
			if err == nil {
				_, err = a.Header(name)
			}
			if errors.Is(err, npz.ErrNotArray) {
				return nil, false, fmt.Errorf("its member %s is no array, and would be lost; npy pack takes those that are", name)
			} else if err != nil {
				return nil, false, err
			}
			compressed = compressed || m.Compressed
		}
	}
	for _, name := range names {
		sources = append(sources, content{name: name, path: path + ":" + name, as: c})
	}
	return sources, compressed, nil
}
