package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
)

// tensorsSuffix is that of the names of files of tensors.
const tensorsSuffix = ".safetensors"

// isTensors reports whether the file at path is one of tensors: so named.
func isTensors(path string) bool {
	if !strings.HasSuffix(path, tensorsSuffix) {
		return false
	}
	fi, err := os.Stat(path)
	return err == nil && fi.Mode().IsRegular()
}

// openTensors opens a file of tensors; the error names it.
func openTensors(path string, mode array.Mode) (*safetensors.File, error) {
	f, err := safetensors.Open(path, mode)
	if err != nil {
		return nil, fileError{path, err}
	}
	return f, nil
}

// openTensor opens a tensor of a file, which path names, too.
func openTensor(path, file, name string, mode array.Mode) (*input, error) {
	f, err := openTensors(file, mode)
	if err != nil {
		return nil, err
	}
	in, err := tensorOf(f, path, name)
	if err != nil {
		f.Close()
		return nil, fileError{file, err}
	}
	return in, nil
}

// tensorOf is a tensor of a file, which path names, too. To close it closes the file.
func tensorOf(f *safetensors.File, path, name string) (*input, error) {
	t, err := f.Tensor(name)
	if err != nil {
		return nil, err
	}
	in := &input{path: path, tensors: f, dataOffset: t.Offset}
	in.Array, err = f.Array(name)
	return in, err
}

// tensorHeader is what info says of a tensor.
func tensorHeader(f *safetensors.File, name string) (header, error) {
	in, err := tensorOf(f, f.Path(), name)
	if err != nil {
		return header{}, err
	}
	h := in.header()
	h.member, h.isMember, h.isTensor = name, true, true
	return h, nil
}

// infoTensor says what a file says of one of its tensors.
func (e *env) infoTensor(file, name string, asJSON bool) error {
	f, err := openTensors(file, array.ReadOnly)
	if err != nil {
		return err
	}
	defer f.Close()
	h, err := tensorHeader(f, name)
	if err != nil {
		return fileError{file, err}
	}
	e.info(h, asJSON)
	return nil
}

// infoTensors lists the tensors of a file, and its metadata. What is wrong with one is noted.
func (e *env) infoTensors(path string, asJSON bool) error {
	f, err := openTensors(path, array.ReadOnly)
	if err != nil {
		return err
	}
	defer f.Close()
	names := f.Names()
	if !asJSON {
		e.newBlock()
		writeLine(e.out, "file", "%s", path)
		s := "s"
		if len(names) == 1 {
			s = ""
		}
		writeLine(e.out, "format", "safetensors of %d tensor%s", len(names), s)
		metadata := f.Metadata()
		keys := make([]string, 0, len(metadata))
		for key := range metadata {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			writeLine(e.out, "metadata", "%s: %s", key, clipped(metadata[key]))
		}
	}
	for _, name := range names {
		h, err := tensorHeader(f, name)
		switch {
		case err != nil:
			e.note(path, err)
		case asJSON:
			e.info(h, true)
		default:
			listMember(e.out, h)
		}
	}
	return nil
}

// clipped shortens a text of metadata, which may be a whole document.
func clipped(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s… (%s)", strings.ToValidUTF8(s[:most], ""), words.Bytes(len(s)))
}

// checkTensors checks all tensors of a file.
func (e *env) checkTensors(path string) error {
	f, err := openTensors(path, array.ReadOnly)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, name := range f.Names() {
		tensor := path + ":" + name
		if err := e.checked(tensor, func() (string, error) { return e.checkTensor(f, tensor, name) }); err != nil {
			return err
		}
	}
	return nil
}

// checkTensor is a line about a tensor of a file, which path names, or what is wrong with it.
func (e *env) checkTensor(f *safetensors.File, path, name string) (string, error) {
	in, err := tensorOf(f, path, name)
	if err != nil {
		return "", fileError{f.Path(), err}
	}
	return e.checkInput(in)
}

// notOneTensor is the error of a file of tensors where one array is wanted.
func notOneTensor(path string) error {
	f, err := openTensors(path, array.ReadOnly)
	if err != nil {
		return err
	}
	defer f.Close()
	names := f.Names()
	if len(names) == 0 {
		return errors.New("a file of tensors without any")
	}
	return fmt.Errorf("a file of tensors; name one of them, as %s:%s (npy info lists them)", path, names[0])
}

// packTensors writes a file of tensors, those with large elements first, so that all are aligned.
func (e *env) packTensors(out string, force, sync bool, sources []content) error {
	for _, s := range sources {
		if s.path != stream && same(fileOf(s.path), out) {
			return fileError{out, errors.New("it is one of the files to read from; write to another one")}
		}
	}
	if _, err := os.Lstat(out); err == nil && !force { // only to fail early; Commit decides
		return &fs.PathError{Op: "create", Path: out, Err: fs.ErrExist}
	}
	arrays := map[string]array.Array{}
	var list []safetensors.Tensor
	for _, s := range sources {
		in, err := e.open(s.path, new(rawInput))
		if err != nil {
			return fileError{s.path, err}
		}
		defer in.close()
		a, d, err := s.array(in)
		if err != nil {
			return fileError{s.path, err}
		}
		arrays[s.name] = a
		list = append(list, safetensors.Tensor{Name: s.name, DType: d, Shape: a.Shape()})
	}
	slices.SortStableFunc(list, func(a, b safetensors.Tensor) int {
		return cmp.Compare(b.DType.ItemSize(),
			a.DType.ItemSize())
	})
	file, err := atomicfile.New(out, force)
	if err != nil {
		return err
	}
	named := false
	defer func() {
		if !named {
			file.Remove()
		}
	}()
	w, err := safetensors.NewWriter(file.File, list, nil)
	done, total := int64(0), int64(0)
	for _, t := range list {
		total += int64(arrays[t.Name].NBytes())
	}
	for i := 0; err == nil && i < len(list); i++ {
		a, d := arrays[list[i].Name], list[i].DType
		if err = e.progress(done, total); err != nil {
			break
		}
		done += int64(a.NBytes())
		if !a.DType().Equal(d) {
			if a, err = a.AsType(d, index.C); err != nil {
				err = noConversion(out+":"+list[i].Name, err, arrays[list[i].Name].DType(), d)
				break
			}
		}
		err = w.Write(a)
	}
	if err == nil && sync {
		err = file.Sync()
	}
	if err != nil {
		return file.Error(err)
	}
	named, err = file.Commit()
	if named {
		file.Close()
	}
	return err
}

// splitName returns the file and the name in it that path names, DATA.npz:NAME or
// DATA.safetensors:NAME, whichever comes first.
func splitName(path string) (file, name string, ok bool) {
	at, end := -1, 0
	for _, suffix := range []string{".npz:", tensorsSuffix + ":"} {
		if i := strings.Index(path, suffix); i >= 0 && (at < 0 || i < at) {
			at, end = i, i+len(suffix)
		}
	}
	if at < 0 {
		return "", "", false
	}
	return path[:end-1], path[end:], true
}
