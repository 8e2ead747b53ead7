package npz

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/report"
	"github.com/ndmap/ndmap/internal/zipfile"
)

// A Writer makes an archive. That of [Create] and [Append] writes to a temporary file in the same folder, which gets
// its path at [Writer.Close], so that at every moment, and after a crash, path is the file that was there, or the whole
// archive: see [array.Save]. Discard, or Close, must be called. That of [NewWriter] writes to a stream.
type Writer struct {
	cfg       Config
	path      string           // for messages
	file      *atomicfile.File // nil for a stream
	out       io.Writer        // nil once closed
	at        int64            // where the next member goes
	entries   []zipfile.Entry
	directory int // bytes of their records, and of those before
	names     map[string]bool
	err       error // the first one of Add
	before    before

	deflater deflater
}

// Create begins an archive at path. A file that is there is left untouched, and the error
// wraps [fs.ErrExist].
func Create(path string) (*Writer, error) { return Config{}.Create(path) }

// Create begins an archive at path as the function [Create] does, with the fields of cfg. With
// Config.Replace a file that is there is replaced at Close.
func (cfg Config) Create(path string) (*Writer, error) {
	err := cfg.checkWriter("Create")
	if err == nil && !cfg.Replace { // only to fail early; Close decides
		if _, e := os.Lstat(path); e == nil {
			err = syscall.EEXIST
		}
	}
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	file, err := atomicfile.New(path, cfg.Replace)
	if err != nil {
		return nil, err
	}
	file.NoSync = cfg.NoSync
	return &Writer{cfg: cfg, path: path, file: file, out: file.File, names: map[string]bool{}}, nil
}

// checkWriter refuses a Config that asks for what a method that returns a Writer does not do.
func (cfg *Config) checkWriter(method string) error {
	err := cfg.check(method)
	if err == nil && cfg.Compress && cfg.Format != Aligned {
		err = fmt.Errorf("%w: no archive that is compressed is byte for byte NumPy's; leave Config.Format, or Config.Compress, zero", fs.ErrInvalid)
	}
	return err
}

// NewWriter begins an archive that is written to w: a pipe, a response, memory. It takes memory of a fixed size, but
// for the directory. A member that is stored is read twice, since its CRC comes before its data: so the bytes are those
// that [Create] writes to a file. An element that changes in between is an error. After a member that is compressed
// comes a descriptor with its sizes and its CRC, as from all programs that compress to a stream; all readers know it.
// Close does not close w, and Discard leaves an archive without an end.
func NewWriter(w io.Writer) *Writer {
	return &Writer{out: w, names: map[string]bool{}}
}

// NewWriter begins an archive that is written to w as the function [NewWriter] does, with the fields of cfg, Compress,
// Format and Progress.
func (cfg Config) NewWriter(w io.Writer) (*Writer, error) {
	if err := cfg.checkWriter("NewWriter"); err != nil {
		return nil, fmt.Errorf("npz: write: %w", err)
	}
	return &Writer{cfg: cfg, out: w, names: map[string]bool{}}, nil
}

// Save writes an archive of the arrays, by their names and in the order of these, to path. A
// file that is there is replaced, as [array.Save] does it, and stays as it is after an error.
// It takes no memory in proportion to the arrays. The errors are those of [Writer.Add], and of
// the system a *[fs.PathError].
func Save(path string, arrays map[string]array.Array) error { return Config{}.Save(path, arrays) }

// Save writes an archive to path as the function [Save] does, with the fields of cfg. It
// replaces a file whatever cfg.Replace is.
func (cfg Config) Save(path string, arrays map[string]array.Array) error {
	cfg.Replace = true
	w, err := cfg.Create(path)
	if err != nil {
		return err
	}
	defer w.Discard() // also when reading an array panics
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		if err := w.Add(name, arrays[name]); err != nil {
			return err
		}
	}
	return w.Close()
}

// Add writes a as the member name, with .npy at its end as numpy.savez has it: its file
// is the one that [array.Write] writes. With a dtype elements are converted to that on the way, as [array.Copy]
// converts them. It takes no memory in proportion to a. A name that is
// there already is an error that wraps [fs.ErrExist]. One that is not UTF-8, has a NUL or
// more than 65,531 bytes is one that wraps [fs.ErrInvalid], and so is a member with which the archive
// would have more of them, or a larger directory, than Open takes: 1,048,576, and 256 MiB. After
// another error, no more can be added, and Close returns that error. A page fault in a is a panic, as
// elsewhere.
func (w *Writer) Add(name string, a array.Array, d ...dtype.DType) error {
	whole := name + ".npy"
	err := w.mayAdd("Add", name, whole)
	if err != nil {
		return err
	}
	c := content{a, a.DType(), index.C}
	if len(d) > 0 {
		if c.dtype = d[0]; len(d) > 1 {
			err = fmt.Errorf("%w: %d dtypes for one member", fs.ErrInvalid, len(d))
		} else {
			err = c.convertible()
		}
	}
	// What is going to be written.
	var h npy.Header
	if err == nil {
		if lay, size := a.Layout(), a.ItemSize(); lay.Contiguous(index.F, size) && !lay.Contiguous(index.C, size) {
			c.order = index.F
		}
		h, _, err = npy.New(c.dtype, c.order, a.Shape())
	}
	if err != nil {
		return w.memberError(name, err)
	}
	return w.put(name, whole, int64(h.DataOffset)+int64(h.NBytes), c.writeTo)
}

// Copy adds the member that name stands for in another archive, under its whole name and with its content as it is,
// also one that is no array, or that has Python objects. Whether it is compressed is up to the Writer. The content is
// compared with the CRC-32 of the directory. The errors are those of [Archive.Verify] and of Add.
func (w *Writer) Copy(from *Archive, name string) error {
	m, err := from.find(name)
	if err == nil {
		err = w.mayAdd("Copy", name, m.Name)
	}
	if err == nil && m.Err != nil {
		err = from.formatError(m.Err)
	}
	if err != nil {
		return err
	}
	return w.put(name, m.Name, m.Size, func(to io.Writer) error { return from.copyTo(to, m) })
}

// mayAdd returns the error of a member that method cannot add under this whole name.
func (w *Writer) mayAdd(method, name, whole string) (err error) {
	switch {
	case w.out == nil:
		return fmt.Errorf("npz: %s: %w", method, fs.ErrClosed)
	case w.err != nil:
		return w.err
	case !utf8.ValidString(whole):
		err = fmt.Errorf("%w: the name of a member is UTF-8", fs.ErrInvalid)
	case strings.IndexByte(whole, 0) >= 0:
		err = fmt.Errorf("%w: the name of a member has no NUL", fs.ErrInvalid)
	case len(whole) > 0xFFFF:
		err = fmt.Errorf("%w: the name of a member has at most 65531 bytes", fs.ErrInvalid)
	case w.names[whole]:
		err = errExist
	default:
		return nil
	}
	return w.memberError(name, err)
}

// put writes a member whose content, of size bytes, writeTo writes.
func (w *Writer) put(name, whole string, size int64, writeTo func(io.Writer) error) error {
	if err := w.room(&zipfile.Entry{Name: whole, Size: size, Compressed: w.most(size), Offset: w.at}); err != nil {
		return w.memberError(name, err)
	}
	w.err = errors.New("the member before was not written to its end") // if reading a panics
	w.err = w.named(w.add(whole, size, writeTo))
	return w.err
}

var errExist = fmt.Errorf("%w: the archive has this member already", fs.ErrExist)

// memberError returns err with the names of the archive and of the member.
func (w *Writer) memberError(name string, err error) error {
	return fmt.Errorf("%s: member %s: %w", title(w.path), zipfile.Quote(name), err)
}

// named returns err with the path that the caller knows.
func (w *Writer) named(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == w.before.path && e.Path != "" {
		return &fs.PathError{Op: e.Op, Path: w.path, Err: e.Err}
	}
	if w.file == nil {
		return err
	}
	return w.file.Error(err)
}

// A content is an array and what it is written as.
type content struct {
	array.Array
	dtype dtype.DType
	order index.Order
}

// convertible returns the error of a dtype that the elements do not convert to.
func (c *content) convertible() error {
	some := c.Array
	if c.NDim() > 0 {
		var err error
		if some, err = c.Select(index.Range(0, 0)); err != nil {
			return err
		}
	}
	_, err := some.AsType(c.dtype, index.C)
	return err
}

// writeTo writes the .npy file.
func (c *content) writeTo(w io.Writer) error {
	if c.dtype.Equal(c.DType()) {
		return array.Write(w, c.Array)
	}
	to, err := array.NewWriter(w, c.dtype, c.order, c.Shape()...)
	if err == nil {
		err = to.Write(c.Array)
	}
	if err != nil {
		return err
	}
	return to.Close()
}

// most returns how many bytes a content of size bytes takes at most.
func (w *Writer) most(size int64) int64 {
	if w.cfg.Compress {
		return size + size/1000 + 1<<20 // what cannot be compressed gets longer
	}
	return size
}

// room returns the error of a member that makes an archive that Open refuses.
func (w *Writer) room(e *zipfile.Entry) error {
	switch n := w.directory + w.cfg.Format.zip().RecordLen(e); {
	case w.before.count+len(w.entries) >= zipfile.MaxMembers:
		return fmt.Errorf("%w: the archive has %d members already, the most that Open takes", fs.ErrInvalid,
			w.before.count+len(w.entries))
	case n > zipfile.MaxDirectory:
		return fmt.Errorf("%w: the directory would have %d bytes, more than the %d that Open takes", fs.ErrInvalid, n,
			zipfile.MaxDirectory)
	}
	return nil
}

// add writes a member whose content, of size bytes, writeTo writes.
func (w *Writer) add(name string, size int64, writeTo func(io.Writer) error) error {
	f := w.cfg.Format.zip()
	e := zipfile.Entry{Name: name, Size: size, Compressed: size, Offset: w.at, Zip64: f.NeedsZip64(w.most(size)),
		Prefix: w.before.prefix}
	if w.cfg.Compress {
		e.Method = zipfile.Deflated
		e.Streamed = w.file == nil
	}
	told := report.Counter{Report: w.cfg.Progress, Total: size}
	if err := told.Begin(); err != nil {
		return err
	}
	if w.file == nil && !e.Streamed {
		s := &summer{w: io.Discard, report: func(int64) error { return nil }}
		if err := writeTo(s); err != nil {
			return err
		}
		e.CRC = s.crc
	}
	head := f.AppendLocal(nil, &e)
	if err := w.write(head); err != nil {
		return err
	}
	written := e
	if w.cfg.Compress {
		d := &w.deflater
		d.reset(w.out, told.To)
		err := writeTo(d)
		if err == nil {
			err = d.Close()
		}
		if err != nil {
			return err
		}
		written.Size, written.Compressed, written.CRC = d.size, d.compressed, d.crc
	} else {
		s := &summer{w: w.out, report: told.To}
		if err := writeTo(s); err != nil {
			return err
		}
		written.Size, written.CRC = s.size, s.crc
	}
	w.at += int64(len(head)) + written.Compressed
	switch {
	case written.Size != size:
		return fmt.Errorf("npz: bug: %d bytes were written, not %d", written.Size, size)
	case w.file != nil:
		if _, err := w.file.WriteAt(f.AppendLocal(nil, &written),
			w.before.prefix+e.Offset); err != nil { // of the same length
			return err
		}
	case e.Streamed:
		tail := f.AppendDescriptor(nil, &written)
		if err := w.write(tail); err != nil {
			return err
		}
		w.at += int64(len(tail))
	case written.CRC != e.CRC:
		return fmt.Errorf("npz: member %s: elements were changed while they were written", zipfile.Quote(name))
	}
	if err := told.End(); err != nil {
		return err
	}
	w.added(written)
	return nil
}

// added notes that the local header and the data of e are written.
func (w *Writer) added(e zipfile.Entry) {
	w.names[e.Name] = true
	w.entries = append(w.entries, e)
	w.directory += w.cfg.Format.zip().RecordLen(&e)
}

// write writes all of b.
func (w *Writer) write(b []byte) error {
	n, err := w.out.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// Close writes the directory, stores the archive and gives it its path. After an error of Add, or of its own, there is
// no archive, and what was at path is still there; only if the name may not be on stable storage the archive is in
// place, and the error says so. The second Close returns an error that wraps [fs.ErrClosed]. To a stream it writes the
// directory, or after an error nothing more.
func (w *Writer) Close() error {
	if w.out == nil {
		return fmt.Errorf("npz: Close: %w", fs.ErrClosed)
	}
	defer w.Discard()
	if w.err != nil {
		return w.err
	}
	if err := w.finish(); err != nil || w.file == nil {
		return w.named(err)
	}
	if w.before.id != nil {
		return w.locked(w.replace)
	}
	return w.commit()
}

// finish writes the directory, and stores the file if there is one.
func (w *Writer) finish() error {
	f := w.cfg.Format.zip()
	b := slices.Clip(w.before.records)
	for i := range w.entries {
		b = f.AppendRecord(b, &w.entries[i])
	}
	b = f.AppendEnd(b, int64(len(b)), int64(w.before.count+len(w.entries)), w.at, w.before.comment)
	err := w.write(b)
	if err == nil && w.file != nil && !w.cfg.NoSync {
		err = w.file.Sync()
		observe("store", w.file.Temp)
	}
	return err
}

// commit gives the file of w its path.
func (w *Writer) commit() error {
	named, err := w.file.Commit()
	if named {
		w.file.Close()
		w.file, w.out = nil, nil
	}
	return err
}

// observe is told of what is on stable storage; tests set it.
var observe = func(op, path string) {}

// Discard ends the work on an archive and removes what was written to a file. After Close it does
// nothing, so that it can be deferred.
func (w *Writer) Discard() {
	if w.file != nil {
		w.file.Remove()
	}
	w.file, w.out = nil, nil
}

// A summer counts and sums what it passes on, in parts that stay in the cache in between.
type summer struct {
	w      io.Writer
	report func(done int64) error
	size   int64
	crc    uint32
}

func (s *summer) Write(b []byte) (int, error) {
	done := 0
	for part := range slices.Chunk(b, block) {
		s.crc = crc32.Update(s.crc, crc32.IEEETable, part)
		n, err := s.w.Write(part)
		done += n
		s.size += int64(n)
		if err == nil && n < len(part) {
			err = io.ErrShortWrite
		}
		if err == nil && len(part) == block {
			err = s.report(s.size)
		}
		if err != nil {
			return done, err
		}
	}
	return done, nil
}
