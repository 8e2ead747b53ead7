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
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// take writes the rows of in that t takes to out, or prints them if out is "".
func (e *env) take(t *taking, in, out string) error {
	to := &output{env: e}
	archive, name, isMember := splitMemberOut(out)
	switch {
	case isMember:
		if err := checkNewMember(out, archive, name); err != nil {
			return err
		}
	case out != "":
		err := checkTextOrNpy(out)
		if err == nil {
			to, err = e.openOutput(out, t.force, t.nosync, in)
		}
		if err != nil {
			return err
		}
		defer to.close()
	}
	f, err := e.openPart(in, t.from, t.part())
	if err != nil {
		return err
	}
	defer f.close()
	if f.path == stream && f.file != nil && f.origin == nil && f.NBytes() > stdinBytes {
		e.warn(stream, temporaryNote(f.NBytes()))
	}
	if out == "" {
		c, err := e.choose(t, f.Array)
		if err == nil {
			err = c.print(t.form)
		}
		return err
	}
	defer to.interruptible()()
	c, err := e.choose(t, f.Array)
	switch {
	case err != nil:
		return err
	case !isMember:
		return c.writeTo(to)
	}
	return c.add(archive, name, t.nosync, func() { // closes IN, which may be in the same archive
		f.close()
		e.closeContainers(func(*container) bool { return true })
	})
}

// checkTextOrNpy returns an error if out has the extension of a format that take does not write.
func checkTextOrNpy(out string) error {
	if isCSVName(out) {
		return nil
	}
	return checkExtension(out)
}

// writeTo writes the rows of c to a .npy file, a CSV file or a stream.
func (c *choice) writeTo(to *output) error {
	write := c.write
	switch {
	case isCSVName(to.path):
		write = func(w io.Writer) error { return c.writeCSV(w, to.path, false) }
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
		if err := write(w); err != nil {
			return err
		}
		return c.env.progress(1, 1) // all of IN has been read
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

// writeCSV writes the rows of c to w as CSV, with tabs if path, the name of the file, ends in .tsv. If printable is
// set, control characters are escaped for a terminal.
func (c *choice) writeCSV(w io.Writer, path string, printable bool) error {
	out := bufio.NewWriterSize(w, 1<<16)
	format := new(csvFormat)
	format.delimiter = format.delimiterFor(path)
	text, err := newCSVWriter(*format, out, c.array, c.dtype, printable)
	if err != nil {
		return err
	}
	text.writeHeader()
	done := 0
	if err := c.parts(func(part array.Array) error {
		if err := checkCells(part, c.dtype, text.cells); err != nil {
			return err
		}
		return text.write(part, func(n int) error {
			if c.batches != nil { // which report the progress
				return nil
			}
			done += n
			return c.env.progress(int64(done), int64(part.Size())+1)
		})
	}); err != nil {
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

// parts calls f with the rows of c in several arrays. They have the dtype of the result, or of c.array if no row in
// between is left out. An array is valid during the call.
func (c *choice) parts(f func(part array.Array) error) error {
	if c.batches == nil {
		return f(c.array)
	}
	var buf []byte // holds c.batch rows
	size, filled, done := c.rowBytes(), 0, 0
	flush := func() error {
		part, err := c.rowsIn(buf, filled)
		filled = 0
		if err == nil {
			err = f(part)
		}
		return err
	}
	for rows, err := range c.batches {
		if err != nil {
			return err
		}
		done += len(rows)
		if filled == 0 && len(rows) == c.batch && isConsecutive(rows) {
			part, err := c.array.Select(index.Range(rows[0], rows[0]+len(rows)))
			if err == nil {
				err = f(part)
			}
			if err != nil {
				return err
			}
			rows = nil
		}
		for len(rows) > 0 { // copy the rows now, while their pages are in memory
			if buf == nil {
				buf = make([]byte, c.batch*size)
			}
			n := min(len(rows), c.batch-filled)
			err := c.copyRows(buf[filled*size:], rows[:n])
			if filled += n; err == nil && filled == c.batch {
				err = flush()
			}
			if err != nil {
				return err
			}
			rows = rows[n:]
		}
		if c.count >= 0 {
			if err := c.env.progress(int64(done), int64(c.count)+1); err != nil {
				return err
			}
		}
	}
	if filled == 0 {
		return nil
	}
	return flush()
}

// rowBytes returns the number of bytes of a row of the result.
func (c *choice) rowBytes() int {
	n := c.dtype.ItemSize()
	for _, length := range c.array.Shape()[1:] {
		n *= length
	}
	return n
}

// rowsIn returns the first n rows of the result in buf as an array.
func (c *choice) rowsIn(buf []byte, n int) (array.Array, error) {
	shape := c.array.Shape()
	shape[0] = n
	return array.FromBytes(buf[:n*c.rowBytes()], c.dtype, index.C, shape...)
}

// copyRows copies the given rows to buf.
func (c *choice) copyRows(buf []byte, rows []int) error {
	a, err := c.rowsIn(buf, len(rows))
	if err == nil {
		err = array.TakeInto(a, c.array, 0, rows)
	}
	return err
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

// print prints the rows of c in the form f. In text, structures of one dimension are a table, and other elements are
// printed as NumPy prints them.
func (c *choice) print(f *form) error {
	if !f.isText() && c.env.terminal {
		c.env.bar = term.Bar{} // the bar would interfere with the output
	}
	if f.csv {
		return c.writeCSV(c.env.out, "", c.env.terminal)
	}
	d := c.array.DType()
	if cells, err := cellsOf(d); err == nil && d.NumField() > 0 && c.array.NDim() == 1 && !f.json {
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
	if f.json {
		return c.env.writeJSON(func(w io.Writer) error { return array.WriteJSON(w, a) })
	}
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
	mem  *mmap.Map // takes memory only for the bytes written; nil before the first write
	n    int       // number of bytes in mem
	file *os.File  // nil for memory
	in   input     // the input that owns the file
}

func (s *spool) Write(b []byte) (n int, err error) {
	if s.file != nil {
		return s.file.Write(b)
	}
	if s.mem == nil {
		if s.mem, err = mmap.Anonymous(max(1, stdinBytes)); err != nil {
			return 0, err
		}
	}
	if len(b) <= stdinBytes-s.n {
		s.n += copy(s.mem.Bytes()[s.n:], b)
		return len(b), nil
	}
	if s.file, err = makeTemp(&s.in, func(f *os.File) error {
		_, err := f.Write(s.mem.Bytes()[:s.n])
		return err
	}); err != nil {
		return 0, err
	}
	if s.in.temporary != "" {
		s.env.temporary = append(s.env.temporary, s.in.temporary) // removed also after a page fault
	}
	s.mem.Close()
	s.mem = nil
	return s.file.Write(b)
}

func (s *spool) WriteAt(b []byte, off int64) (int, error) {
	if s.file != nil {
		return s.file.WriteAt(b, off)
	}
	return copy(s.mem.Bytes()[off:s.n], b), nil
}

// array returns the array in s. A temporary file is reported.
func (s *spool) array() (array.Array, error) {
	if s.file == nil {
		return array.OpenBytes(s.mem.Bytes()[:s.n], array.ReadOnly)
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
	if s.mem != nil {
		s.mem.Close()
	}
	if s.file != nil {
		s.file.Close()
	}
	s.in.close()
}
