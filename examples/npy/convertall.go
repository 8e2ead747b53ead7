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

// convertArchive converts all members of the archive or .safetensors file in, and writes them to out.
func (e *env) convertArchive(c *conversion, in, out string) error {
	if c.order.Order != index.K {
		return usageError{errors.New("-order applies to a single array, not to an archive")}
	}
	if err := checkOut(out); err != nil {
		return err
	}
	if e.isPartOf(in, out) {
		return fileError{out, errors.New("input and output are the same file")}
	}
	if _, err := os.Lstat(out); err == nil && !c.force { // fail early
		return &fs.PathError{Op: "create", Path: out, Err: fs.ErrExist}
	}
	whole, err := e.wholeContainer(in)
	if err != nil {
		return err
	}
	sources, compressed, err := membersOf(c, in, out, whole)
	if err != nil {
		return err
	}
	var meta map[string]string
	if whole.tensors != nil {
		meta = whole.tensors.Metadata()
	}
	defer e.interruptible()()
	c.part.members = true
	if strings.HasSuffix(out, tensorsSuffix) {
		return e.packTensors(out, c.force, c.nosync, mergeMeta(meta, c.meta), sources)
	}
	cfg := npz.SaveConfig{Compress: compressed, Replace: c.force, NoSync: c.nosync, Progress: e.progress}
	err = e.pack(cfg, out, sources)
	if err == nil && len(meta) > 0 {
		e.warn(out, fmt.Errorf("warning: an archive cannot store the metadata of %s: %s", redacted(in),
			strings.Join(slices.Sorted(maps.Keys(meta)), ", ")))
	}
	return err
}

// mergeMeta merges the metadata of a file with the values of -meta, which take precedence.
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

// membersOf returns the members of the archive or .safetensors file at path, and whether any of them is compressed.
func membersOf(c *conversion, path, out string, in *container) (sources []content, compressed bool, err error) {
	if _, _, ok := splitName(path + ":"); !ok && !isURL(path) {
		return nil, false, errors.New("the name of an archive must end in .npz to convert its members; rename it")
	}
	var names, listed []string
	copied := map[string]bool{} // members that are copied unchanged; listed describes them
	if in.tensors != nil {
		names = in.tensors.Names()
	} else {
		a := in.archive
		names = a.Names()
		names = slices.DeleteFunc(names, func(name string) bool { // directories have no content
			m, err := a.Member(name)
			return err == nil && strings.HasSuffix(m.Name, "/") && m.Size == 0
		})
		for _, name := range names {
			if c.omit[name] {
				continue
			}
			m, err := a.Member(name)
			var h npz.Header
			if err == nil {
				h, err = a.Header(name)
			}
			switch {
			case errors.Is(err, npz.ErrNotArray):
				copied[name], listed = true, append(listed, name+" (not an array)")
			case err != nil:
				return nil, false, err
			case h.DType.HasObject():
				copied[name], listed = true, append(listed, name+" (Python objects)")
			case !m.Compressed: // Array itself verifies the checksums of compressed members
				if err := a.Verify(name); err != nil {
					return nil, false, err
				}
			}
			compressed = compressed || m.Compressed
		}
	}
	for name := range c.omit {
		if !slices.Contains(names, name) {
			return nil, false, fmt.Errorf("-omit %s: no such member", name)
		}
	}
	why := ""
	switch {
	case len(listed) == 0:
	case strings.HasSuffix(out, tensorsSuffix):
		why = "a .safetensors file cannot store"
	case c.part.narrowed:
		why = "-select and -field do not apply to"
	}
	if why != "" {
		return nil, false, fmt.Errorf("%s %s; omit them with -omit NAME", why, strings.Join(listed, ", "))
	}
	for _, name := range names {
		s := content{name: name, path: memberPath(path, name), as: c}
		if copied[name] {
			s.from = in.archive
		}
		if !c.omit[name] {
			sources = append(sources, s)
		}
	}
	return sources, compressed, nil
}
