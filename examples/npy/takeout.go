package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/examples/npy/where"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
)

// take writes the rows of in that t takes to out, or prints them if out is "".
func (e *env) take(t *taking, in, out string) error {
	archive, name, isMember := splitMemberOut(out)
	to := &output{env: e}
	var err error
	switch {
	case isMember:
		err = checkNewMember(out, archive, name)
	case out != "":
		if !isCSVName(out) {
			err = checkExtension(out)
		}
		if err == nil {
			to, err = e.openOutput(out, t.force, t.nosync, in)
		}
	}
	if err != nil {
		return err
	}
	defer to.close()
	f, err := e.openPart(in, t.from, t.part())
	if err != nil {
		return err
	}
	defer f.close()
	if f.path == stream && f.file != nil && f.origin == nil {
		e.warn(stream, temporaryNote(f.NBytes()))
	}
	if out != "" {
		defer to.interruptible()()
	}
	c, err := e.choose(t, f.Array)
	if _, ok := errors.AsType[where.ValueError](err); ok {
		return usageError{err}
	}
	switch {
	case err != nil:
		return err
	case out == "":
		return c.print()
	case isMember:
		return c.add(archive, name, t.nosync, func() { // closes IN, which may be in the same archive
			f.close()
			e.closeContainers(func(*container) bool { return true })
		})
	case isCSVName(out):
		return to.create(c.writeCSV)
	case c.batches == nil:
		return to.save(c.array, c.dtype, index.K)
	case to.stream != nil && c.count < 0:
		a, close, err := c.collect()
		if err != nil {
			return err
		}
		defer close()
		return to.save(a, c.dtype, index.C)
	}
	return to.create(func(w io.Writer) error {
		if err := c.write(w); err != nil {
			return err
		}
		return e.progress(1, 1)
	})
}

// splitMemberOut splits the path of a new member, OUT.npz:NAME, into the archive and the name of the member.
func splitMemberOut(out string) (archive, name string, ok bool) {
	archive, name, ok = splitMember(out)
	return archive, strings.TrimSuffix(name, ".npy"), ok && strings.HasSuffix(archive, ".npz") && !isURL(archive)
}

// checkNewMember returns an error if the archive exists and already has the member name. path is the path of the
// member.
func checkNewMember(path, archive, name string) error {
	if _, err := os.Stat(archive); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	a, err := openArchive(archive, array.ReadOnly)
	if err != nil {
		return err
	}
	defer a.Close()
	if _, err := a.Member(name); err == nil {
		return fileError{path, errors.New("the archive already has this member; choose another name")}
	}
	return nil
}

// add adds the rows of c to an archive, which need not exist, as the member name. It calls release when the rows have
// been read.
func (c *choice) add(archive, name string, nosync bool, release func()) error {
	a, close, err := c.collect()
	if err != nil {
		return err
	}
	defer close()
	w, err := npz.Append(archive)
	if errors.Is(err, fs.ErrNotExist) {
		w, err = npz.Create(archive)
	}
	if err != nil {
		return err
	}
	defer w.Discard() // even if reading an element panics
	w.NoSync, w.Progress = nosync, c.env.progress
	if err := w.Add(name, a, c.dtype); err != nil {
		return err
	}
	release()
	return w.Close()
}

// writeCSV writes the rows of c to w as CSV.
func (c *choice) writeCSV(w io.Writer) error {
	a, close, err := c.collect()
	if err != nil {
		return err
	}
	defer close()
	out := bufio.NewWriterSize(w, 1<<16)
	if err := c.env.writeCSV(out, a, c.dtype, false); err != nil {
		return err
	}
	return out.Flush()
}

// temporaryNote returns the warning about n bytes in a temporary file.
func temporaryNote(n int) error {
	return fmt.Errorf("%s go through a temporary file in %s", words.Bytes(n), os.TempDir())
}

// part returns the part of IN that t needs, or nil for all of it.
func (t *taking) part() *part {
	if t.n < 0 || len(t.conditions) > 0 || t.unique || t.sort != nil {
		return nil
	}
	p := &part{}
	p.selectRows(func(length int) (lo, hi int) { return 0, min(t.n, length) })
	return p
}

// parts calls f with the rows of c, converted to the dtype of the result unless they are consecutive, in several
// arrays. An array is valid during the call.
func (c *choice) parts(f func(part array.Array) error) error {
	if c.batches == nil {
		return f(c.array)
	}
	var buf []byte
	done := 0
	for rows, err := range c.batches {
		if err != nil {
			return err
		}
		var part array.Array
		if isConsecutive(rows) {
			part, err = c.array.Select(index.Range(rows[0], rows[0]+len(rows)))
		} else {
			part, buf, err = c.gather(rows, buf)
		}
		if err != nil {
			return err
		}
		if err := f(part); err != nil {
			return err
		}
		if done += len(rows); c.count >= 0 {
			if err := c.env.progress(int64(done), int64(c.count)+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// gather returns a copy of the given rows of c, converted to dtype d, in buf if buf is large enough. It also returns
// the
// buffer.
func (c *choice) gather(rows []int, buf []byte) (array.Array, []byte, error) {
	shape := c.array.Shape()
	shape[0] = len(rows)
	_, n, err := index.Size(shape, c.dtype.ItemSize())
	if err != nil {
		return array.Array{}, buf, err
	}
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	a, err := array.FromBytes(buf[:n], c.dtype, index.C, shape...)
	if err == nil {
		err = array.TakeInto(a, c.array, 0, rows)
	}
	return a, buf, err
}

// isConsecutive reports whether each of rows is one more than the one before.
func isConsecutive(rows []int) bool {
	for k, i := range rows {
		if i != rows[0]+k {
			return false
		}
	}
	return true
}

// write writes the rows of c to w as a .npy file of dtype d. If their number is unknown, w must be an io.WriterAt, and
// the header is written again at the end.
func (c *choice) write(w io.Writer) error {
	shape := c.array.Shape()
	if shape[0] = c.count; c.count < 0 {
		shape[0] = c.array.Len(0) // the maximum
	}
	to, err := array.NewWriter(w, c.dtype, index.C, shape...)
	if err != nil {
		return err
	}
	n := 0
	if err := c.parts(func(part array.Array) error {
		n += part.Len(0)
		return to.Write(part)
	}); err != nil || n == shape[0] {
		return err
	}
	shape[0], c.count = n, n
	var head bytes.Buffer // of the same length, because headers have room for any number of rows
	if _, err := array.NewWriter(&head, c.dtype, index.C, shape...); err != nil {
		return err
	}
	_, err = w.(io.WriterAt).WriteAt(head.Bytes(), 0)
	return err
}

// print prints the rows of c: structures of one dimension as a table, and other elements as NumPy does.
func (c *choice) print() error {
	d := c.array.DType()
	if cells, err := cellsOf(d); err == nil && d.NumField() > 0 && c.array.NDim() == 1 {
		c.dtype = d // with the cells' offsets
		t := c.env.newRecordTable(cells)
		if err := c.parts(func(part array.Array) error {
			c.env.bar.End()
			return t.writeRecords(part)
		}); err != nil {
			return err
		}
		t.end()
		return nil
	}
	a, close, err := c.collect()
	if err != nil {
		return err
	}
	defer close()
	c.env.bar.End()
	return c.env.printArray(a)
}

// collect returns the rows of c as an array of dtype d. Unless it is a part of IN, it is in memory or, if it has more
// than stdinBytes, in a temporary file, which is reported. close releases it.
func (c *choice) collect() (a array.Array, close func(), err error) {
	if c.batches == nil {
		return c.array, func() {}, nil
	}
	s := &spool{env: c.env}
	if err := c.write(s); err != nil {
		s.close()
		return array.Array{}, nil, err
	}
	if a, err = s.array(); err != nil {
		s.close()
	}
	return a, s.close, err
}

// A spool holds the bytes of a .npy file in memory, or in a temporary file if there are more than stdinBytes.
type spool struct {
	env  *env
	b    []byte
	file *os.File // nil for memory
	in   input    // the input that owns the file
}

func (s *spool) Write(b []byte) (int, error) {
	if s.file == nil && len(s.b)+len(b) <= stdinBytes {
		s.b = append(s.b, b...)
		return len(b), nil
	}
	if s.file == nil {
		file, err := makeTemp(&s.in, func(f *os.File) error {
			_, err := f.Write(s.b)
			return err
		})
		if err != nil {
			return 0, err
		}
		s.file, s.b = file, nil
	}
	return s.file.Write(b)
}

func (s *spool) WriteAt(b []byte, off int64) (int, error) {
	if s.file != nil {
		return s.file.WriteAt(b, off)
	}
	return copy(s.b[off:], b), nil
}

// array returns the array in s. A temporary file is reported.
func (s *spool) array() (array.Array, error) {
	if s.file == nil {
		return array.OpenBytes(s.b, array.ReadOnly)
	}
	f, err := array.OpenConfig{File: s.file}.Open(s.file.Name())
	if err != nil {
		return array.Array{}, err
	}
	s.in.file, s.file = f, nil
	s.env.warn("rows", temporaryNote(f.NBytes()))
	return f.Array, nil
}

func (s *spool) close() {
	if s.file != nil {
		s.file.Close()
	}
	s.in.close()
}
