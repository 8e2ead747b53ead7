package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/npy/refs"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/internal/atomicfile"
)

var refsCommand = command{
	name: "refs", args: "[-stack AXIS | -concat AXIS] [-chunk BYTES] [-base URL] [-force] OUT.json FILE...", min: 2,
	max: -1,
	description: `Refs writes references to the elements of the files, which stay in place. Dask, xarray,
zarr and fsspec read the elements through the references. Their format is kerchunk's
JSON, with a Zarr group that contains one array, data. Members of archives must not be
compressed. OUT appears only when it is complete.

Incomplete last chunks are copied to OUT, with padding, if they have at most 1 MiB.
Otherwise they form a second array, tail, and refs prints the axis along which tail
continues data.

fsspec 2022.11 mixes up chunks unless their URLs and offsets ascend. If they would not,
refs adds path segments such as /./ to paths and HTTP URLs, as in /.//data/a.npy, which
do not change the directory. Other URLs, such as s3 URLs, do not permit that; refs then
prints a warning.`,
	examples: `npy refs temperature.json temperature.npy
npy refs -concat 0 -base https://host/data trades.json trades.npy today.npy
npy refs -stack 0 -chunk 2880 two.json temperature.npy data.npz:temperature
npy refs -raw '<u2' -shape -1,48,64 -offset 512 frames.json frames.raw`,
	flags: func(set *flag.FlagSet) runner {
		from := rawFlags(set)
		r := refsFlags{cfg: refs.Config{Chunk: 64 << 20}}
		join := func(name, description string, join refs.Join) {
			set.Func(name, description, func(s string) (err error) {
				if r.cfg.Join != refs.Single && r.cfg.Join != join {
					return errors.New("-stack and -concat are mutually exclusive")
				}
				r.cfg.Join = join
				if r.cfg.Axis, err = strconv.Atoi(s); err != nil {
					return errors.New("want an integer")
				}
				return nil
			})
		}
		join("stack", "join the files along a new `axis`", refs.Stack)
		join("concat", "join the files along an existing `axis`", refs.Concat)
		set.Func("chunk", "the maximum number of `bytes` in a chunk (default 67108864)", func(s string) (err error) {
			if r.cfg.Chunk, err = strconv.Atoi(s); err != nil || r.cfg.Chunk <= 0 {
				return errors.New("want a positive number of bytes")
			}
			return nil
		})
		set.Func("base", "the `URL` of the working directory where the references are used (default: its path)",
			r.setBase)
		force := set.Bool("force", false, "replace OUT if it exists")
		return func(e *env, args []string) error {
			if err := r.check(args); err != nil {
				return err
			}
			defer e.interruptible()()
			return e.writeRefs(&r, from, args[0], *force, args[1:])
		}
	},
}

type refsFlags struct {
	cfg  refs.Config
	base string
}

// setBase sets the base URL or path under which other machines find the files.
func (r *refsFlags) setBase(s string) error {
	if r.base = s; !strings.HasSuffix(s, "/") {
		r.base += "/"
	}
	if scheme, _, ok := strings.Cut(s, "://"); ok && scheme != "" || filepath.IsAbs(s) {
		return nil
	}
	return errors.New("want a URL such as https://host/folder or s3://bucket, or an absolute path")
}

// check checks that the flags and arguments are consistent. It does not open the files.
func (r *refsFlags) check(args []string) error {
	if err := checkOutIsFile(args[0]); err != nil {
		return err
	}
	if _, _, ok := splitMember(args[0]); ok {
		return usageError{errors.New("OUT must be a file, not a member of an archive")}
	}
	if len(args) > 2 && r.cfg.Join == refs.Single {
		return usageError{errors.New("several files require -stack AXIS or -concat AXIS")}
	}
	for _, path := range args[1:] {
		if err := checkIsFile(path, "which cannot be referenced"); err != nil {
			return err
		}
		if r.base != "" && !filepath.IsLocal(fileOf(path)) {
			return usageError{fmt.Errorf("%s is not below the working directory, which -base replaces", path)}
		}
	}
	return nil
}

// url returns the URL or path by which others read the file at path.
func (r *refsFlags) url(path string) (string, error) {
	if r.base == "" {
		abs, err := filepath.Abs(path)
		if err == nil && !sameFile(abs, path) { // for example, link/../t.npy may differ from t.npy
			dir, name := filepath.Split(atomicfile.Absolute(path))
			dir, err = filepath.EvalSymlinks(dir)
			abs = filepath.Join(dir, name)
		}
		return filepath.ToSlash(abs), err
	}
	clean := filepath.Clean(path)
	if !sameFile(clean, path) {
		return "",
			errors.New("the path goes through a link and \"..\", which a URL below -base cannot do; use a path without \"..\"")
	}
	path = filepath.ToSlash(clean)
	if strings.HasPrefix(r.base, "http://") || strings.HasPrefix(r.base, "https://") {
		path = (&url.URL{Path: path}).EscapedPath()
	}
	return r.base + path, nil
}

// writeRefs writes references to the arrays in files to the file out.
func (e *env) writeRefs(r *refsFlags, from *rawInput, out string, force bool, files []string) error {
	if _, err := os.Lstat(out); err == nil && !force { // fail early
		return &fs.PathError{Op: "create", Path: out, Err: syscall.EEXIST}
	}
	sources := make([]refs.Source, len(files))
	for i, path := range files {
		if e.isPartOf(path, out) {
			return fileError{out, errors.New("the output is also an input file")}
		}
		var err error
		if sources[i], err = e.refSource(r, path, from); err != nil {
			if _, ok := errors.AsType[fileError](err); ok {
				return err
			}
			return fileError{path, err}
		}
		if err := e.progress(0, 1); err != nil {
			return err
		}
	}
	plan, err := r.cfg.Plan(sources)
	if err == nil {
		err = create(out, force, true, func(w io.Writer) error { return plan.Write(w, e.progress) })
	}
	if err, ok := errors.AsType[*refs.Error](err); ok {
		return fileError{err.Name, errors.New(err.Msg)}
	}
	if err != nil {
		return err
	}
	e.describe(plan)
	if plan.Unordered {
		e.warn(out,
			errors.New("warning: fsspec 2022.11 may mix up chunks if several are requested at once, as by data[...] in zarr; "+
				"use fsspec 2023.1 or later, or read chunk by chunk, as Dask does; see examples/npy/DASK.md"))
	}
	return nil
}

// refSource returns the location of the elements of a file or archive member.
func (e *env) refSource(r *refsFlags, path string, from *rawInput) (refs.Source, error) {
	if archive, name, ok := splitMember(path); ok && !from.raw.given && !isTensorsName(archive) {
		if err := e.checkStored(path, archive, name); err != nil {
			return refs.Source{}, err
		}
	}
	in, err := e.open(path, from)
	if err != nil {
		return refs.Source{}, err
	}
	defer in.close()
	s := refs.Source{Name: path, Offset: in.dataOffset, DType: in.DType(), Order: in.order, Shape: in.Shape()}
	s.Open = func() (array.Array, func(), error) {
		in, err := e.open(path, from)
		if err != nil {
			return array.Array{}, nil, err
		}
		return in.Array, in.close, nil
	}
	file := fileOf(path)
	if in.dataFile != "" {
		file = in.dataFile
	}
	s.URL, err = r.url(file)
	return s, err
}

// checkStored returns an error if references to a member of an archive are impossible. Errors refer to the member as
// path.
func (e *env) checkStored(path, archive, name string) error {
	c, err := e.container(archive)
	if err != nil {
		return err
	}
	m, err := c.archive.Member(name)
	switch {
	case err != nil:
		return fileError{archive, err}
	case m.Compressed:
		return fileError{path,
			errors.New("compressed elements cannot be referenced; extract the member with npy convert, or rewrite the archive with npy pack")}
	}
	return nil
}

// describe prints a summary of the plan p.
func (e *env) describe(p *refs.Plan) {
	for _, a := range p.Arrays() {
		writeLine(e.out, a.Name, "%v, shape %s, chunks of %s", p.DType, words.Shape(a.Shape), words.Shape(a.Chunks))
	}
	if p.Tail != nil {
		writeLine(e.out, "note", "%s continues %s along axis %d", p.Tail.Name, p.Data.Name, p.Tail.Axis)
	}
	if p.Copied > 0 {
		writeLine(e.out, "note",
			"incomplete chunks are copied, %s with padding; later changes in the files do not affect the copy",
			words.Bytes(p.Copied))
	}
}
