package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// stream is the name of standard input. A file of the same name is ./-.
const stream = "-"

// An input is an array that a command reads. Files and members of archives are mapped; standard input is read into
// memory.
type input struct {
	array.Array
	path         string
	major, minor int // version of the .npy format
	order        index.Order
	dataOffset   int64
	head         []byte        // the header, for standard input and for members that are checked
	file         *array.File   // nil for members, tensors, and arrays of standard input in memory
	archive      *npz.Archive  // archive that is closed together with the input, or nil
	tensors      tensorFile    // .safetensors file or model that is closed together with the input, or nil
	dataFile     string        // path of the file with the data of a tensor, or ""
	release      func()        // called when the input is closed, or nil
	watched      []watchedMap  // the mapped files
	env          *env          // nil if changes need not be reported
	origin       *os.File      // standard input, if it is a mapped file
	originInfo   fs.FileInfo   // FileInfo of origin when it was opened
	web          *webFile      // the file on a web server, or nil
	remote       *array.Remote // the elements that are still on the server; Array is then unset
	rest         *part         // what to select when these elements have been read
	temporary    string        // name of a temporary file to remove at the end, or ""
}

// A watchedMap is a mapped file whose changes are reported.
type watchedMap struct {
	*mmap.Map
	size    int64 // size of the file when it was opened
	settled bool  // Unchanged can detect later changes
}

// open opens the file at path with the options of raw, or reads standard input. The caller must close the input.
func (e *env) open(path string, raw *rawInput) (*input, error) { return e.openPart(path, raw, nil) }

// openPart opens the part p of the file at path, or the whole array if p is nil.
func (e *env) openPart(path string, raw *rawInput, p *part) (*input, error) {
	in, err := e.locate(path, raw, p)
	if err != nil {
		return nil, err
	}
	if err := e.load(in); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

// locate is like openPart, but if path is a URL, the elements stay on the server until load is called.
func (e *env) locate(path string, raw *rawInput, p *part) (*input, error) {
	in, err := e.openWhole(path, raw, p)
	if err != nil {
		return nil, err
	}
	if err := in.choose(p); err != nil {
		in.close()
		return nil, err
	}
	return in, nil
}

// choose selects the part p of in. On a server, it selects as far as this is possible without the elements.
func (in *input) choose(p *part) (err error) {
	if in.remote == nil {
		in.Array, err = p.selectFrom(in.Array)
		return err
	}
	if p == nil {
		return nil
	}
	for k, s := range p.steps {
		if s.ofRemote == nil {
			in.rest = &part{steps: p.steps[k:]}
			return nil
		}
		if in.remote, err = s.ofRemote(in.remote); err != nil {
			return err
		}
	}
	return nil
}

// openWhole opens the file at path. The caller will select the part p of it.
func (e *env) openWhole(path string, raw *rawInput, p *part) (*input, error) {
	if path == stream {
		if raw.raw.given {
			return nil, usageError{errors.New("-raw and -at cannot read standard input; for a file named - use ./-")}
		}
		if err := raw.check(); err != nil {
			return nil, err
		}
		if p != nil && !p.rows {
			p = nil
		}
		return e.openStdin(p)
	}
	if err := raw.check(); err != nil {
		return nil, err
	}
	if file, name, ok := splitMember(path); ok && !raw.raw.given {
		return e.member(path, file, name)
	}
	if isURL(path) {
		return e.openURL(path, raw)
	}
	in, err := raw.input(path, array.ReadOnly)
	if err != nil {
		return nil, err
	}
	return e.watch(in), nil
}

// watch adds in to the inputs that e.torn checks, if in is mapped. It returns in.
func (e *env) watch(in *input) *input {
	for _, m := range in.maps() {
		in.watched = append(in.watched, watchedMap{m, int64(m.Len()), m.Unchanged() == nil})
	}
	if in.watched != nil {
		in.env = e
		e.inputs = append(e.inputs, in)
	}
	return in
}

// maps returns the mappings of the file, the archive or the shards. It returns none for an input in memory.
func (in *input) maps() []*mmap.Map {
	switch {
	case in.file != nil && in.file.Map() != nil:
		return []*mmap.Map{in.file.Map()}
	case in.archive != nil:
		return in.archive.Maps()
	case in.tensors != nil:
		return in.tensors.Maps()
	}
	return nil
}

// checkTorn returns an error if elements could have been read as zeros because another process truncated the file
// within a page, which causes no page fault. A file that has grown, or has been replaced, is not torn: the mapped
// bytes are
// unchanged.
func (in *input) checkTorn() error {
	if in.origin != nil {
		return in.checkStdinTorn()
	}
	for _, m := range in.watched {
		info, err := m.Stat()
		switch {
		case err != nil: // the path now names another file, or Stat failed
			continue
		case info.Size() < m.size:
			err = fmt.Errorf("truncated to %d bytes while it was being read", info.Size())
		case m.settled && info.Size() == m.size && errors.Is(m.Unchanged(), mmap.ErrChanged):
			err = errors.New("modified while it was being read")
		}
		if err != nil {
			return fileError{m.Path(), err}
		}
	}
	return nil
}

// checkStdinTorn implements torn for standard input, which has no path.
func (in *input) checkStdinTorn() error {
	info, err := in.origin.Stat()
	switch {
	case err != nil:
		return nil
	case info.Size() < in.originInfo.Size():
		err = fmt.Errorf("truncated to %d bytes while it was being read", info.Size())
	case info.Size() == in.originInfo.Size() && !info.ModTime().Equal(in.originInfo.ModTime()):
		err = errors.New("modified while it was being read")
	default:
		return nil
	}
	return fileError{in.path, err}
}

// checkTorn returns the error for the first open input that is torn, or nil.
func (e *env) checkTorn() error {
	for _, in := range e.inputs {
		if in.env == nil {
			continue
		}
		if err := in.checkTorn(); err != nil {
			return err
		}
	}
	return e.late
}

// input opens the file at path. In a mode that permits editing, path may also name a member of an archive.
func (in *rawInput) input(path string, mode array.Mode) (*input, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	if file, name, ok := splitMember(path); ok && !in.raw.given && mode == array.ReadWrite {
		return editMember(path, file, name)
	}
	if !in.raw.given && (isTensors(path) || isArchive(path)) {
		return nil, notSingleArray(path)
	}
	f, err := in.open(path, mode)
	if err != nil {
		return nil, err
	}
	file := &input{Array: f.Array, path: path, order: f.Order(), dataOffset: f.DataOffset(), file: f}
	file.major, file.minor = f.Version()
	return file, nil
}

// readHeader reads the header of one array and skips its elements without keeping them in memory. Another array may
// follow.
func readHeader(c *counter) (header, error) {
	in, err := array.NewReader(c)
	if err != nil {
		return header{}, fileError{stream, err}
	}
	h := headerOf(in, stream, c.n)
	if err := in.Skip(math.MaxInt); err != io.EOF {
		return header{}, fileError{stream, err}
	}
	return h, nil
}

// headerOf returns the header that r has read, of the file at path. The elements start at dataOffset.
func headerOf(r *array.Reader, path string, dataOffset int64) header {
	h := header{path: path, dtype: r.DType(), shape: r.Shape(), order: r.Order(), dataOffset: dataOffset}
	h.major, h.minor = r.Version()
	if n, nbytes := h.size(); n == 0 || nbytes == 0 || longAxes(h.shape) < 2 {
		h.order = index.C // the order makes no difference
	}
	return h
}

// longAxes returns the number of axes longer than 1.
func longAxes(shape []int) (n int) {
	for _, length := range shape {
		if length > 1 {
			n++
		}
	}
	return n
}

// checkNotTerminal returns an error if r is a terminal.
func checkNotTerminal(r io.Reader) error {
	if f, ok := r.(*os.File); ok {
		if _, terminal := term.Columns(f); terminal {
			return usageError{errors.New("standard input is a terminal; redirect a file: npy ... - < FILE")}
		}
	}
	return nil
}

// A counter counts the bytes read through it.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (n int, err error) {
	n, err = c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (in *input) close() {
	if in.release != nil {
		in.release()
		in.release = nil
	}
	if in.env != nil {
		if err := in.checkTorn(); err != nil && in.env.late == nil && !in.env.read {
			in.env.late = err
		}
		e := in.env
		in.env = nil
		for n := len(e.inputs); n > 0 && e.inputs[n-1].env == nil; n-- { // closed inputs need no more checks
			e.inputs = e.inputs[:n-1]
		}
	}
	if in.file != nil {
		in.file.Close()
	}
	if in.archive != nil {
		in.archive.Close()
	}
	if in.tensors != nil {
		in.tensors.Close()
	}
	if in.temporary != "" {
		os.Remove(in.temporary)
	}
}

// sync waits until everything written is on stable storage.
func (in *input) sync() error {
	switch {
	case in.archive != nil:
		return in.archive.Sync()
	case in.tensors != nil:
		return in.tensors.Sync()
	}
	return in.file.Sync()
}

// header returns the information that info prints about in.
func (in *input) header() header {
	h := header{path: in.path, major: in.major, minor: in.minor, order: in.order, dataOffset: in.dataOffset}
	if in.remote != nil {
		h.dtype, h.shape = in.remote.DType(), in.remote.Shape()
	} else {
		h.dtype, h.shape = in.DType(), in.Shape()
	}
	return h
}

// adviseSequential advises the system that the whole file will be read in order.
func (in *input) adviseSequential() error {
	if in.file == nil {
		return nil
	}
	return in.file.Map().Advise(0, in.file.Map().Len(), mmap.Sequential)
}

// bytes returns the bytes of all elements in the order of the file. There must be at least one byte.
func (in *input) bytes() ([]byte, error) {
	a := in.Array
	if in.order == index.F {
		a = a.T()
	}
	a, err := a.Ravel()
	if err == nil {
		a, err = a.Reinterpret(dtype.Uint8)
	}
	if err != nil {
		return nil, err
	}
	v, err := array.As[uint8](a)
	if err != nil {
		return nil, err
	}
	return v.Data()
}

// trailingBytes returns the number of bytes after the data in the file.
func (in *input) trailingBytes() int {
	h := in.header()
	_, nbytes := h.size()
	switch {
	case in.web != nil:
		return int(min(in.web.File.Size()-in.dataOffset-int64(nbytes), math.MaxInt))
	case in.file != nil:
		return in.file.Map().Len() - int(in.dataOffset) - nbytes
	}
	return 0
}

// next returns the offset of another array after the data, or 0. description describes the bytes after the data; it is
// "" if no bytes follow the data.
func (in *input) next() (at int64, description string) {
	n := in.trailingBytes()
	if n <= 0 || in.major == 0 {
		return 0, ""
	}
	description = fmt.Sprintf("%s after the data, which readers ignore", words.Bytes(n))
	h := in.header()
	_, nbytes := h.size()
	at = in.dataOffset + int64(nbytes)
	var d dtype.DType
	var shape []int
	if in.web != nil {
		a, err := array.OpenReaderAt(in.web.after(at-in.web.at), int64(n))
		if err != nil {
			return 0, description
		}
		d, shape = a.DType(), a.Shape()
	} else {
		a, err := array.OpenBytes(in.file.Map().Bytes()[at:], array.ReadOnly)
		if err != nil || in.path == stream {
			return 0, description
		}
		d, shape = a.DType(), a.Shape()
	}
	return at, fmt.Sprintf("%s after the data: another array, dtype %v, shape %s, starts at byte %d; -at %d opens it",
		words.Bytes(n), d, words.Shape(shape), at, at)
}

// checkIsFile returns a usage error if path is standard input or a URL. why is the reason to give in the message.
func checkIsFile(path, why string) error {
	switch {
	case path == stream:
		return usageError{errors.New("- is standard input, " + why + "; for a file named - use ./-")}
	case isURL(path):
		return usageError{errors.New(redacted(path) + " is a URL, " + why)}
	}
	return nil
}
