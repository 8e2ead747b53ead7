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
	about: `Writes references to the elements of the files, which stay where they are, by which Dask,
xarray, zarr and fsspec read them: kerchunk's JSON, with a Zarr group of one array, data.
Where the last chunk is short it is copied into OUT, with padding, up to 1 MiB; beyond that
it is a second array, tail, and what that continues is printed. Members of archives must not be
compressed. OUT is there when it is complete, and not before. fsspec 2022.11 mixes up chunks
unless their URLs and offsets ascend. Where they would not, paths and HTTP URLs get segments
that name no folder, as in /.//data/a.npy. Other URLs, as those of s3, have no place for any:
a warning says so.`,
	examples: `npy refs temperature.json temperature.npy
npy refs -concat 0 -base https://host/data trades.json trades.npy today.npy
npy refs -stack 0 -chunk 2880 two.json temperature.npy data.npz:temperature
npy refs -raw '<u2' -shape -1,48,64 -offset 512 frames.json frames.raw`,
	flags: func(set *flag.FlagSet) runner {
		from := rawFlags(set)
		r := refsFlags{cfg: refs.Config{Chunk: 64 << 20}}
		join := func(name, about string, join refs.Join) {
			set.Func(name, about, func(s string) (err error) {
				if r.cfg.Join != refs.Single && r.cfg.Join != join {
					return errors.New("-stack and -concat exclude each other")
				}
				r.cfg.Join = join
				if r.cfg.Axis, err = strconv.Atoi(s); err != nil {
					return errors.New("it is no axis")
				}
				return nil
			})
		}
		join("stack", "the files are one array along a new `axis`", refs.Stack)
		join("concat", "the files are one array along an `axis` that they have", refs.Concat)
		set.Func("chunk", "how many `bytes` a chunk has at most (default 67108864)", func(s string) (err error) {
			if r.cfg.Chunk, err = strconv.Atoi(s); err != nil || r.cfg.Chunk <= 0 {
				return errors.New("it is no number of bytes above 0")
			}
			return nil
		})
		set.Func("base", "the `URL` that stands for the working directory where the files are read (default: its path)",
			r.setBase)
		force := set.Bool("force", false, "replace OUT if it is there")
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

// setBase sets the base to a URL, or to a path that is the same on every machine.
func (r *refsFlags) setBase(s string) error {
	if r.base = s; !strings.HasSuffix(s, "/") {
		r.base += "/"
	}
	if scheme, _, ok := strings.Cut(s, "://"); ok && scheme != "" || filepath.IsAbs(s) {
		return nil
	}
	return errors.New("want one such as https://host/folder or s3://bucket, or an absolute path")
}

// check checks the arguments by themselves, without the files.
func (r *refsFlags) check(args []string) error {
	if err := noStream(args[0], "and OUT is a file"); err != nil {
		return err
	}
	if _, _, ok := splitMember(args[0]); ok {
		return usageError{errors.New("OUT is a file, and not a member of an archive")}
	}
	if len(args) > 2 && r.cfg.Join == refs.Single {
		return usageError{errors.New("several files need -stack AXIS or -concat AXIS, which says how they are one array")}
	}
	for _, path := range args[1:] {
		if err := noStream(path, "which nothing can refer to"); err != nil {
			return err
		}
		if r.base != "" && !filepath.IsLocal(fileOf(path)) {
			return usageError{fmt.Errorf("%s is not below the working directory, which -base stands for", path)}
		}
	}
	return nil
}

// url returns the URL or path by which others read the file at path.
func (r *refsFlags) url(path string) (string, error) {
	if r.base == "" {
		abs, err := filepath.Abs(path)
		if err == nil && !same(abs, path) { // for example, link/../t.npy may differ from t.npy
			dir, name := filepath.Split(atomicfile.Absolute(path))
			dir, err = filepath.EvalSymlinks(dir)
			abs = filepath.Join(dir, name)
		}
		return filepath.ToSlash(abs), err
	}
	clean := filepath.Clean(path)
	if !same(clean, path) {
		return "", errors.New("its name leads through a link and back, which no URL below -base does; name it without \"..\"")
	}
	path = filepath.ToSlash(clean)
	if strings.HasPrefix(r.base, "http://") || strings.HasPrefix(r.base, "https://") {
		path = (&url.URL{Path: path}).EscapedPath()
	}
	return r.base + path, nil
}

// writeRefs writes the references.
func (e *env) writeRefs(r *refsFlags, from *rawInput, out string, force bool, files []string) error {
	if _, err := os.Lstat(out); err == nil && !force { // fail early
		return &fs.PathError{Op: "create", Path: out, Err: syscall.EEXIST}
	}
	sources := make([]refs.Source, len(files))
	for i, path := range files {
		if same(fileOf(path), out) {
			return fileError{out, errors.New("it is one of the files to read from; write to another one")}
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
			errors.New("warning: fsspec 2022.11 may mix up chunks when it is asked for several at once, as by data[...] of zarr; "+
				"2023.1 and later, and Dask chunk by chunk, do not; see examples/npy/DASK.md"))
	}
	return nil
}

// refSource returns the location of the elements of a file or archive member.
func (e *env) refSource(r *refsFlags, path string, from *rawInput) (refs.Source, error) {
	if archive, name, ok := splitMember(path); ok && !from.raw.given && !strings.HasSuffix(archive, tensorsSuffix) {
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
	s.URL, err = r.url(fileOf(path))
	return s, err
}

// checkStored returns an error if references to a member of an archive are impossible. Errors call the member path.
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
			errors.New("compressed, so that the file has no elements to refer to; npy convert makes a file of it, and npy pack an archive")}
	}
	return nil
}

// describe prints a summary of the references.
func (e *env) describe(p *refs.Plan) {
	for _, a := range p.Arrays() {
		writeLine(e.out, a.Name, "%v, shape %s, chunks of %s", p.DType, words.Shape(a.Shape), words.Shape(a.Chunks))
	}
	if p.Tail != nil {
		writeLine(e.out, "note", "%s continues %s along axis %d", p.Tail.Name, p.Data.Name, p.Tail.Axis)
	}
	if p.Copied > 0 {
		writeLine(e.out, "note",
			"what is short of a chunk is a copy, %s with padding: changes of it in the files do not show", words.Bytes(p.Copied))
	}
}
