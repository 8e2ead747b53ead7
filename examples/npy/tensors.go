package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
)

// tensorsSuffix is the file extension of .safetensors files.
const tensorsSuffix = ".safetensors"

// indexSuffix is the file extension of indexes of models in shards; see isIndexName.
const indexSuffix = ".json"

// A tensorFile is a .safetensors file, or a model whose tensors are divided among several such files.
type tensorFile interface {
	array.Collection
	Path() string
	Metadata() map[string]string
	Tensor(name string) (safetensors.Tensor, error)
	Sync() error
}

// isIndexName reports whether path is the name of an index of a model in shards: model.safetensors.index.json, or
// model.safetensors.index.fp16.json.
func isIndexName(path string) bool {
	return strings.Contains(filepath.Base(path), tensorsSuffix+".index.") && strings.HasSuffix(path, indexSuffix)
}

// isTensorsName reports whether path is the name of a .safetensors file or of an index.
func isTensorsName(path string) bool {
	return strings.HasSuffix(path, tensorsSuffix) || isIndexName(path)
}

// isTensors reports whether the file at path is a .safetensors file or an index, judged by its name.
func isTensors(path string) bool {
	if isURL(path) {
		return isTensorsName(urlFile(path))
	}
	if !isTensorsName(path) {
		return false
	}
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular()
}

// openTensors opens a .safetensors file, or the model whose index is the file at path; errors name path.
func openTensors(path string, mode array.Mode) (f tensorFile, err error) {
	if isIndexName(path) {
		f, err = safetensors.OpenSharded(path, mode)
	} else {
		f, err = safetensors.Open(path, mode)
	}
	if err != nil {
		return nil, fileError{path, err}
	}
	return f, nil
}

// dataFile returns the path of the file that contains the data of a tensor of f.
func dataFile(f tensorFile, name string) (string, error) {
	model, ok := f.(*safetensors.Sharded)
	if !ok {
		return f.Path(), nil
	}
	shard, err := model.Shard(name)
	if err != nil {
		return "", err
	}
	return shard.Path(), nil
}

// tensorOf returns the tensor of f called name as an input. Errors refer to the input as path. Closing the input does
// not close f. If f is on a web server, the elements stay there.
func tensorOf(f tensorFile, path, name string) (*input, error) {
	t, err := f.Tensor(name)
	if err != nil {
		return nil, err
	}
	in := &input{path: redacted(path), dataOffset: t.Offset}
	if in.dataFile, err = dataFile(f, name); err != nil {
		return nil, err
	}
	if file, ok := f.(*safetensors.File); ok && file.Map() == nil {
		in.remote, err = file.Remote(name)
	} else {
		in.Array, err = f.Array(name)
	}
	return in, err
}

// tensorHeader returns the information that info prints about a tensor.
func tensorHeader(f tensorFile, name string) (header, error) {
	in, err := tensorOf(f, f.Path(), name)
	if err != nil {
		return header{}, err
	}
	h := in.header()
	h.member, h.isMember, h.isTensor = name, true, true
	if in.dataFile != f.Path() {
		h.shard = in.dataFile
	}
	return h, nil
}

// infoTensors prints the tensors and the metadata of a file. If a tensor cannot be read, it reports the error and goes
// on.
func (e *env) infoTensors(path string, asJSON bool) error {
	c, err := e.container(path)
	if err != nil {
		return err
	}
	f, names := c.tensors, c.tensors.Names()
	path = redacted(path)
	if !asJSON {
		e.newBlock()
		writeLine(e.out, "file", "%s", path)
		s := "s"
		if len(names) == 1 {
			s = ""
		}
		shards := ""
		if isIndexName(path) {
			shards = fmt.Sprintf(" in %d shards", len(f.Maps()))
		}
		writeLine(e.out, "format", "safetensors of %d tensor%s%s", len(names), s, shards)
		metadata := f.Metadata()
		keys := make([]string, 0, len(metadata))
		for key := range metadata {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			writeLine(e.out, "metadata", "%s: %s", key, clipText(metadata[key]))
		}
	}
	for _, name := range names {
		h, err := tensorHeader(f, name)
		switch {
		case err != nil:
			e.noteError(path, err)
		case asJSON:
			h.path = path
			e.info(h, true)
		default:
			listMember(e.out, h)
		}
	}
	return nil
}

// clipText shortens a metadata text, which may be a whole document.
func clipText(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s… (%s)", strings.ToValidUTF8(s[:most], ""), words.Bytes(len(s)))
}

// checkTensors checks all tensors of a file.
func (e *env) checkTensors(path string) error {
	c, err := e.wholeContainer(path)
	if err != nil {
		return err
	}
	defer e.closeContainers(func(other *container) bool { return other == c && len(c.users) == 0 })
	for _, name := range c.tensors.Names() {
		tensor := memberPath(path, name)
		if err := e.runCheck(tensor, func() (string, error) { return e.checkTensor(c.tensors, tensor, name) }); err != nil {
			return err
		}
	}
	return nil
}

// checkTensor checks a tensor of f and returns the line to print about it. Errors refer to the tensor as path.
func (e *env) checkTensor(f tensorFile, path, name string) (string, error) {
	in, err := tensorOf(f, path, name)
	if err != nil {
		return "", fileError{fileOf(path), err}
	}
	if err := e.load(in); err != nil {
		return "", err
	}
	defer in.close()
	return e.checkInput(in)
}

// notSingleTensor returns an error saying that path names a .safetensors file although the command needs a single
// array.
func notSingleTensor(path string) error {
	f, err := openTensors(path, array.ReadOnly)
	if err != nil {
		return err
	}
	defer f.Close()
	return chooseTensorError(f, path)
}

// chooseTensorError returns an error saying that path names a .safetensors file although the command needs a single
// array. The error suggests a tensor of f.
func chooseTensorError(f tensorFile, path string) error {
	names, kind := f.Names(), "a .safetensors file"
	if isIndexName(path) {
		kind = "the index of a model"
	}
	if len(names) == 0 {
		return fmt.Errorf("%s without tensors", kind)
	}
	return fmt.Errorf("%s; name one of its tensors, as %s (npy info lists them)", kind,
		redacted(memberPath(path, names[0])))
}

// packTensors writes a .safetensors file with metadata. Tensors with larger elements come first, so that all are
// aligned. The sources are opened twice, for the header and for the elements, so that at most one is in memory.
func (e *env) packTensors(out string, force, nosync bool, meta map[string]string, sources []content) error {
	for _, s := range sources {
		if s.path != stream && e.isPartOf(s.path, out) {
			return fileError{out, errors.New("the output is also an input file")}
		}
	}
	if _, err := os.Lstat(out); err == nil && !force { // fail early; Commit checks again
		return &fs.PathError{Op: "create", Path: out, Err: fs.ErrExist}
	}
	type member struct {
		content
		tensor safetensors.Tensor
		in     *input // standard input, which can be read only once, or nil
	}
	members := make([]member, len(sources))
	warnings := make([]error, len(sources))
	total := int64(0)
	for i, s := range sources {
		in, a, d, err := e.array(s)
		if err != nil {
			return err
		}
		members[i] = member{content: s, tensor: safetensors.Tensor{Name: s.name, DType: d, Shape: a.Shape()}}
		total += int64(a.NBytes())
		if s.path == stream {
			members[i].in = in
			defer in.close()
		}
		warnings[i], err = e.checkFit(s, out, a, d)
		if s.path != stream {
			in.close()
		}
		if err != nil {
			return err
		}
	}
	slices.SortStableFunc(members, func(a, b member) int {
		return cmp.Compare(b.tensor.DType.ItemSize(), a.tensor.DType.ItemSize())
	})
	list := make([]safetensors.Tensor, len(members))
	for i, m := range members {
		list[i] = m.tensor
	}
	err := create(out, force, !nosync, func(to io.Writer) error {
		w, err := safetensors.NewWriter(to, list, meta)
		done := int64(0)
		for i := 0; err == nil && i < len(members); i++ {
			if err = e.progress(done, total); err != nil {
				break
			}
			m := members[i]
			if m.in != nil {
				err = m.write(w, m.in.Array, m.in.DType())
				done += int64(m.in.NBytes())
				continue
			}
			in, a, d, openErr := e.array(m.content)
			if openErr != nil {
				return openErr
			}
			err = m.write(w, a, d)
			done += int64(a.NBytes())
			in.close()
		}
		if err == nil {
			err = e.progress(total, total)
		}
		return err
	})
	if err == nil {
		e.warnAll(out, warnings)
	}
	return err
}

// write writes a, the array of s, as the next tensor, with dtype d.
func (s *content) write(w *safetensors.Writer, a array.Array, d dtype.DType) error {
	if a.DType().Equal(d) {
		return w.Write(a)
	}
	converted, err := a.AsType(d, index.C)
	if err != nil {
		return conversionError(s.path, err, a.DType(), d)
	}
	return w.Write(converted)
}

// splitName splits a path such as DATA.npz:NAME or DATA.safetensors:NAME at the first colon that follows the name of an
// archive, a .safetensors file or an index.
func splitName(path string) (file, name string, ok bool) {
	for i := range len(path) {
		if path[i] != ':' {
			continue
		}
		if file := path[:i]; strings.HasSuffix(file, ".npz") || isTensorsName(file) {
			return file, path[i+1:], true
		}
	}
	return "", "", false
}
