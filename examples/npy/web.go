package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/httpat"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/render"
)

// A webFile is a file on a web server, or the end of one.
type webFile struct {
	*httpat.File
	env  *env
	name string // the URL for messages
	at   int64  // offset of the first byte in the file on the server

	mu    sync.Mutex
	last  savedRange // bytes of the last read of up to maxHeader bytes: often a header, which is soon read again
	ahead savedRange // bytes of readAhead
}

const maxHeader = 4096

// A savedRange is a range of bytes of a file that has been read.
type savedRange struct {
	off int64
	b   []byte
}

// copyTo copies the bytes at offset off to p. It returns false if s does not have them.
func (s *savedRange) copyTo(p []byte, off int64) bool {
	if off < s.off || off-s.off+int64(len(p)) > int64(len(s.b)) {
		return false
	}
	copy(p, s.b[off-s.off:])
	return true
}

// web returns the file at a URL. The server is asked for the size and the first bytes once, however often a command
// opens the file.
func (e *env) web(url string) (*webFile, error) {
	if w := e.webFiles[url]; w != nil {
		return w, nil
	}
	if isIndexName(urlFile(url)) {
		return nil, fileError{url,
			errors.New("the index of a model in shards must be a local file; its shards may be URLs: read them one by one")}
	}
	f, err := httpat.Open(e.ctx, nil, url)
	if err != nil {
		return nil, fileError{url, withoutPath(err)}
	}
	w := &webFile{File: f, env: e, name: redacted(url)}
	if e.webFiles == nil {
		e.webFiles = map[string]*webFile{}
	}
	e.webFiles[url] = w
	return w, nil
}

// withoutPath returns an error of package httpat without the URL, which the caller adds.
func withoutPath(err error) error {
	if e, ok := err.(*fs.PathError); ok {
		return e.Err
	}
	return err
}

// after returns the end of w, from byte off on.
func (w *webFile) after(off int64) *webFile {
	return &webFile{File: w.File, env: w.env, name: w.name, at: w.at + off}
}

// Name returns the URL for messages.
func (w *webFile) Name() string { return w.name }

// Size returns the number of bytes.
func (w *webFile) Size() int64 { return max(0, w.File.Size()-w.at) }

// ReadAt reads bytes until the command is interrupted.
func (w *webFile) ReadAt(p []byte, off int64) (int, error) { return w.ReadAtContext(w.env.ctx, p, off) }

// ReadAtContext reads bytes until ctx is done, and reports them to the progress bar. If ctx cannot be canceled, it
// reads until the command is interrupted.
func (w *webFile) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	w.mu.Lock()
	saved := w.ahead.copyTo(p, off) || w.last.copyTo(p, off)
	w.mu.Unlock()
	if saved {
		return len(p), nil
	}
	if ctx.Done() == nil {
		ctx = w.env.ctx
	}
	n, err := w.File.ReadAtContext(ctx, p, w.at+off)
	if n <= maxHeader {
		w.mu.Lock()
		w.last = savedRange{off, bytes.Clone(p[:n])}
		w.mu.Unlock()
	}
	w.env.received(int64(n))
	return n, withoutPath(err)
}

// request calls read, which reads the elements of r, and shows a progress bar of their bytes.
func (e *env) request(r *array.Remote, read func(ctx context.Context) error) error {
	_, n := r.Requests()
	e.receiving.Lock()
	e.arrived, e.expected = 0, n
	e.receiving.Unlock()
	err := read(e.ctx)
	e.receiving.Lock()
	e.expected = 0
	e.receiving.Unlock()
	e.bar.End()
	return err
}

// received reports n bytes to the progress bar, if request is running. Several goroutines may call it.
func (e *env) received(n int64) {
	e.receiving.Lock()
	defer e.receiving.Unlock()
	if e.expected > 0 {
		e.arrived += n
		e.bar.Show(e.arrived, e.expected)
	}
}

// openURL opens the array at a URL. Its elements stay on the server: see locate.
func (e *env) openURL(url string, raw *rawInput) (*input, error) {
	if isCollection(url) && !raw.raw.given {
		c, err := e.container(url)
		if err != nil {
			return nil, err
		}
		return nil, c.chooseError()
	}
	w, err := e.web(url)
	if err != nil {
		return nil, err
	}
	in := &input{path: redacted(url), web: w}
	switch {
	case raw.isAt:
		in.web = w.after(raw.at)
		in.remote, err = array.OpenReaderAt(in.web, in.web.Size())
	case raw.raw.given:
		in.remote, err = raw.openReaderAt(w, w.Size())
	default:
		in.remote, err = array.OpenReaderAt(w, w.Size())
	}
	if err != nil {
		return nil, fileError{url, err}
	}
	in.order = in.remote.Order()
	in.major, in.minor = in.remote.Version()
	in.dataOffset = raw.at + in.remote.DataOffset()
	if in.major > 0 { // these bytes have been received with the first request
		in.head = readHead(io.NewSectionReader(in.web, 0, in.web.Size()))
	}
	return in, nil
}

// openReaderAt opens the file without a header that r reads.
func (in *rawInput) openReaderAt(r io.ReaderAt, size int64) (*array.Remote, error) {
	shape := slices.Clone(in.shape.dims)
	if axis := slices.Index(shape, -1); axis >= 0 {
		shape[axis] = 1
		_, row, err := index.Size(shape, in.raw.ItemSize())
		if err != nil {
			return nil, err
		}
		rows := max(0, size-in.offset) / int64(row) // check has made sure that a row has bytes
		shape[axis] = int(min(rows, math.MaxInt))
	}
	return array.OpenRawReaderAt(r, size, in.offset, in.raw.DType, in.order.Order, shape...)
}

// load reads the elements of an input that locate has returned. Large arrays are stored in a temporary file. It does
// nothing for other inputs.
func (e *env) load(in *input) (err error) {
	r := in.remote
	switch {
	case r == nil:
		return nil
	case r.NBytes() <= stdinBytes:
		err = e.request(r, func(ctx context.Context) (err error) {
			in.Array, err = r.Read(ctx)
			return err
		})
	default:
		var file *os.File
		if file, err = e.spool(r); err == nil {
			in.file, err = array.OpenConfig{File: file}.OpenRaw(in.path, 0, r.DType(), r.Order(), r.Shape()...)
		}
		if err == nil {
			in.Array = in.file.Array
		}
	}
	if err != nil {
		return fileError{in.path, err}
	}
	in.remote = nil
	in.Array, err = in.rest.selectFrom(in.Array)
	return err
}

// spool copies the elements of r to a temporary file, in the order of r. The file has no name, except on systems that
// do not permit that; there it is removed at the end of the command.
func (e *env) spool(r *array.Remote) (*os.File, error) {
	dir, err := os.MkdirTemp("", "npy-url-*")
	if err != nil {
		return nil, err
	}
	defer func() {
		if os.RemoveAll(dir) != nil {
			e.temporary = append(e.temporary, dir)
		}
	}()
	path := filepath.Join(dir, "array")
	f, err := array.CreateRaw(path, 0, r.DType(), r.Order(), r.Shape()...)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := e.request(r, func(ctx context.Context) error { return r.ReadInto(ctx, f.Array) }); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// remoteBytes returns the n bytes of w that start at byte off.
func (w *webFile) remoteBytes(off, n int64) (*array.Remote, error) {
	if n > math.MaxInt {
		return nil, fmt.Errorf("%d bytes overflow int", n)
	}
	return array.OpenRawReaderAt(w, w.Size(), off, dtype.Uint8, index.C, int(n))
}

// openWeb opens an archive or a .safetensors file on a web server. Only its directory is requested.
func (e *env) openWeb(c *container) (err error) {
	if c.web, err = e.web(c.path); err != nil {
		return err
	}
	switch {
	case isTensorsName(urlFile(c.path)):
		c.tensors, err = safetensors.NewReader(c.web, c.web.Size())
	default:
		c.archive, err = npz.NewReader(c.web, c.web.Size())
	}
	if err != nil {
		return fileError{c.path, err}
	}
	return nil
}

// wholeContainer is like container, for a command that reads all members: it copies a file on a web server to a
// temporary file.
func (e *env) wholeContainer(path string) (*container, error) {
	c := e.containers[path]
	if !isURL(path) || c != nil && (c.web == nil || len(c.users) > 0) {
		return e.container(path)
	}
	w, err := e.web(path)
	if err != nil {
		return nil, err
	}
	r, err := w.remoteBytes(0, w.Size())
	if err != nil {
		return nil, fileError{path, err}
	}
	file, err := e.spool(r)
	if err != nil {
		return nil, fileError{path, err}
	}
	c = &container{&input{path: path}, map[string]int{}}
	if isTensorsName(urlFile(path)) {
		c.tensors, err = safetensors.OpenConfig{File: file}.Open(w.name)
	} else {
		c.archive, err = npz.OpenConfig{File: file}.Open(w.name)
	}
	if err != nil {
		return nil, fileError{path, err}
	}
	e.addContainer(c)
	return c, nil
}

// setAhead sets the bytes that are read without a request.
func (w *webFile) setAhead(s savedRange) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ahead = s
}

// readAhead reads the bytes of a member of an archive on a web server in a few large requests, and keeps them until the
// returned function is called.
func (c *container) readAhead(name string) (release func(), err error) {
	m, err := c.archive.Member(name)
	if err != nil {
		return nil, err
	}
	in := &input{path: c.web.name}
	in.remote, err = c.web.remoteBytes(m.Offset, m.CompressedSize)
	if err == nil {
		err = c.web.env.load(in)
	}
	ahead := savedRange{off: m.Offset}
	if err == nil && in.Size() > 0 {
		ahead.b, err = in.bytes()
	}
	if err != nil {
		in.close()
		return nil, err
	}
	c.web.setAhead(ahead)
	return func() {
		c.web.setAhead(savedRange{})
		in.close()
	}, nil
}

// memberOf returns a member of an archive on a web server as an input. Its elements stay on the server, unless it is
// compressed.
func (c *container) memberOf(path, name string) (*input, error) {
	r, err := c.archive.Remote(name)
	if errors.Is(err, errors.ErrUnsupported) {
		release, err := c.readAhead(name)
		if err != nil {
			return nil, err
		}
		defer release()
		return memberOf(c.archive, path, name)
	}
	if err != nil {
		return nil, err
	}
	in, err := memberInput(c.archive, path, name)
	if err == nil {
		in.remote = r
	}
	return in, err
}

// writeRemote writes r and a line break as NumPy prints it. It requests only the elements that are shown.
func (e *env) writeRemote(r *array.Remote) error {
	shape := r.Shape()
	shownShape := render.Shown(shape)
	corners := [][]index.Selector{nil} // the selections that together contain the elements shown
	for axis, n := range shownShape {
		ends := []index.Selector{index.Colon}
		if n < shape[axis] {
			ends = []index.Selector{index.Range(0, n/2), index.From(-n / 2)}
		}
		var longer [][]index.Selector
		for _, sel := range corners {
			for _, end := range ends {
				longer = append(longer, append(slices.Clone(sel), end))
			}
		}
		corners = longer
	}
	shown, err := array.New(r.DType(), index.C, shownShape...)
	if err != nil {
		return err
	}
	defer shown.Close()
	for _, sel := range corners {
		part, err := r.Select(sel...)
		if err != nil {
			return err
		}
		to, err := shown.Select(sel...)
		if err != nil {
			return err
		}
		if err := part.ReadInto(e.ctx, to); err != nil {
			return err
		}
	}
	if err := writeShown(e.out, shown.Array, shape); err != nil {
		return err
	}
	return e.out.WriteByte('\n')
}
