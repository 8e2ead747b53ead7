package npz

import (
	"context"
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
	"github.com/ndmap/ndmap/mmap"
)

// A Writer writes an archive. A Writer from [Create] or [Append] writes to a temporary file in the same folder, and
// [Writer.Close] publishes this file at path. At every moment, and after a crash, path names the previous file or the
// complete archive: see [array.Save]. Call Close or Discard. A Writer from [NewWriter] writes to a stream.
//
// The fields may be changed between calls. [SaveConfig.Create] and [SaveConfig.Make] copy them from the SaveConfig.
type Writer struct {
	// Compress makes Add and Copy deflate the member, as numpy.savez_compressed does, on all cores. Compressed members
	// cannot be mapped. Compress requires the Format Aligned.
	Compress bool

	// Format is the format in which Add and Copy write members, and in which Close writes the directory.
	Format Format

	// NoSync makes Close return once the archive is at its path, without waiting for the disk: see [array.SaveConfig].
	NoSync bool

	// Progress, if not nil, is called by Add and Copy in the goroutine of their caller. It is called first with done 0,
	// then about every MiB (for a compressed member, every 2 MiB for each core), and finally with done equal to total,
	// the size of the member. If it returns an error, Add and Copy return that error, and no archive is written. To
	// stop when a context is done:
	//
	//	w.Progress = func(_, _ int64) error { return context.Cause(ctx) }
	Progress func(done, total int64) error

	ctx       context.Context  // from AppendContext; otherwise nil
	path      string           // for messages
	file      *atomicfile.File // nil for a stream
	out       io.Writer        // nil once closed
	at        int64            // offset of the next member
	entries   []newEntry
	directory int // total bytes of all records, including the records of the original archive
	names     map[string]bool
	err       error // first error that made the archive unusable
	inMake    bool  // set while the function of Make runs
	original  original

	deflater deflater
}

// A newEntry describes a member that a Writer has written.
type newEntry struct {
	zipfile.Entry
	format zipfile.Format
}

// Create starts a new archive, which [Writer.Close] publishes at path. If path exists, the error wraps [fs.ErrExist],
// and the file is unchanged. Other errors are *[fs.PathError].
func Create(path string) (*Writer, error) { return SaveConfig{}.Create(path) }

// Create is like the function [Create], configured by cfg. With Replace, [Writer.Close] replaces a file at path.
func (cfg SaveConfig) Create(path string) (*Writer, error) {
	err := cfg.Format.check(cfg.Compress)
	if err == nil && !cfg.Replace { // to fail early; Close checks again
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
	return &Writer{Compress: cfg.Compress, Format: cfg.Format, NoSync: cfg.NoSync, Progress: cfg.Progress,
		path: path, file: file, out: file.File, names: map[string]bool{}}, nil
}

// NewWriter returns a [Writer] that writes an archive to a stream, such as a pipe, an HTTP response or a buffer. Stored
// members have the same bytes as in a file. A compressed member is followed by a descriptor with its sizes and its CRC,
// which all readers understand. Close does not close w. After Discard, the archive in the stream is incomplete.
//
// A stored member is read twice, because its CRC comes before its data. If an element changes between the two passes,
// Add returns an error. The Writer uses a fixed amount of memory, plus memory for the directory.
func NewWriter(w io.Writer) *Writer {
	return &Writer{out: w, names: map[string]bool{}}
}

// Save writes the arrays to an archive at path. The keys of arrays are the names of the members, which are written in
// the order of their names. Save replaces an existing file like [array.Save]. After an error, path is unchanged. The
// errors are the errors of [Writer.Add], and *[fs.PathError] from the system. The memory that Save uses does not depend
// on the size of the arrays.
func Save(path string, arrays map[string]array.Array) error {
	return SaveConfig{Replace: true}.Save(path, arrays)
}

// Save is like the function [Save], configured by cfg. Without Replace, it returns an error if path exists.
func (cfg SaveConfig) Save(path string, arrays map[string]array.Array) error {
	w, err := cfg.Create(path)
	if err != nil {
		return err
	}
	defer w.Discard() // even if reading an array panics
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		if err := w.Add(name, arrays[name]); err != nil {
			return err
		}
	}
	return w.Close()
}

// Make writes a new archive, calling fill to add its members, and publishes it at path when fill returns nil. fill must
// not close the Writer.
//
// Make replaces an existing file atomically, like [array.Save]. If fill returns an error, panics or calls
// runtime.Goexit, path is unchanged: it still names the old file, or no file.
//
// If fill reads other files, call [Use] or [array.Use] inside fill, so that the files are checked before the archive is
// published. If you call Make inside Use, the archive is published before the check. Make returns an error if fill hits
// a page fault, like [mmap.Guard]. It returns an error of fill unchanged. For other errors see [Create], [Writer.Add]
// and [Writer.Close].
func Make(path string, fill func(w *Writer) error) error {
	return SaveConfig{Replace: true}.Make(path, fill)
}

// Make is like the function [Make], configured by cfg. Without Replace, it returns an error if path exists.
func (cfg SaveConfig) Make(path string, fill func(w *Writer) error) error {
	w, err := cfg.Create(path)
	if err != nil {
		return err
	}
	defer w.Discard() // even if fill panics
	w.inMake = true
	if err := mmap.Guard(func() error { return fill(w) }); err != nil {
		return err
	}
	w.inMake = false
	return w.Close()
}

// Add writes a as the member name.npy, as numpy.savez does. The content of the member is the output of [array.Write].
// If a dtype is given, Add converts the elements to it by the rules of [array.Copy].
//
// Add returns an error that wraps [fs.ErrExist] if the name already exists in the archive. It returns an error that
// wraps [fs.ErrInvalid] in these cases:
//
//   - The name is not UTF-8, contains a NUL or has more than 65,531 bytes.
//   - The archive would exceed the limits of Open: 1,048,576 members, and a directory of 256 MiB.
//   - More than one dtype is given.
//   - The Format of the Writer is unknown, or Compress is set and the Format is not Aligned.
//
// After these errors, and after the error for an unsupported conversion, the Writer can still be used. After any other
// error no more members can be added, and Close returns that error. A page fault in a causes a panic. The memory that
// Add uses does not depend on the size of a.
func (w *Writer) Add(name string, a array.Array, d ...dtype.DType) error {
	fullName := name + ".npy"
	err := w.checkAdd("Add", name, fullName)
	if err != nil {
		return err
	}
	c := content{a, a.DType(), index.C}
	if len(d) > 0 {
		if c.dtype = d[0]; len(d) > 1 {
			err = fmt.Errorf("%w: %d dtypes for one member; want at most one", fs.ErrInvalid, len(d))
		} else {
			err = c.checkConversion()
		}
	}
	// The header gives the size of the file.
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
	return w.put(name, fullName, int64(h.DataOffset)+int64(h.NBytes), c.writeTo)
}

// Copy adds the named member of another archive, with its full name and its content unchanged. The member need not be
// an array, and may contain Python objects. The copy is compressed if w.Compress is set. Copy checks the content
// against the CRC-32 in the directory. The errors are the errors of [Archive.Verify] and of Add.
func (w *Writer) Copy(from *Archive, name string) error {
	m, err := from.find(name)
	if err == nil {
		err = w.checkAdd("Copy", name, m.Name)
	}
	if err == nil && m.Err != nil {
		err = from.formatError(m.Err)
	}
	if err != nil {
		return err
	}
	return w.put(name, m.Name, m.Size, func(to io.Writer) error { return from.copyTo(to, m) })
}

// checkAdd returns an error if method cannot add a member with the given full name.
func (w *Writer) checkAdd(method, name, fullName string) (err error) {
	switch {
	case w.out == nil:
		return fmt.Errorf("npz: %s: %w", method, fs.ErrClosed)
	case w.err != nil:
		return w.err
	case !utf8.ValidString(fullName):
		err = fmt.Errorf("%w: member name is not UTF-8", fs.ErrInvalid)
	case strings.IndexByte(fullName, 0) >= 0:
		err = fmt.Errorf("%w: member name contains a NUL", fs.ErrInvalid)
	case len(fullName) > 0xFFFF:
		err = fmt.Errorf("%w: member name has more than 65531 bytes", fs.ErrInvalid)
	case w.names[fullName]:
		err = errExist
	default:
		return nil
	}
	return w.memberError(name, err)
}

// put checks the limits of the archive and adds a member. writeTo writes its content, which has size bytes.
func (w *Writer) put(name, fullName string, size int64, writeTo func(io.Writer) error) error {
	err := w.Format.check(w.Compress)
	if err == nil {
		err = w.checkLimits(&newEntry{zipfile.Entry{Name: fullName, Size: size, Compressed: w.maxStored(size), Offset: w.at},
			w.Format.zipFormat()})
	}
	if err != nil {
		return w.memberError(name, err)
	}
	w.err = errors.New("the previous member was not written completely") // stays if writeTo panics
	w.err = w.renamePath(w.add(fullName, size, writeTo))
	return w.err
}

var errExist = fmt.Errorf("%w: duplicate member", fs.ErrExist)

// memberError adds the names of the archive and of the member to err.
func (w *Writer) memberError(name string, err error) error {
	return fmt.Errorf("%s: member %s: %w", errorPrefix(w.path), zipfile.Quote(name), err)
}

// renamePath replaces the path in err with the path that the caller passed.
func (w *Writer) renamePath(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == w.original.path && e.Path != "" {
		return &fs.PathError{Op: e.Op, Path: w.path, Err: e.Err}
	}
	if w.file == nil {
		return err
	}
	return w.file.Error(err)
}

// A content is an array together with the dtype and the order in the file.
type content struct {
	array.Array
	dtype dtype.DType
	order index.Order
}

// checkConversion returns an error if the elements cannot be converted to the dtype.
func (c *content) checkConversion() error {
	sample := c.Array
	if c.NDim() > 0 {
		var err error
		if sample, err = c.Select(index.Range(0, 0)); err != nil {
			return err
		}
	}
	_, err := sample.AsType(c.dtype, index.C)
	return err
}

// writeTo writes c as a .npy file.
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

// maxStored returns the maximum number of bytes that a content of size bytes takes in the archive.
func (w *Writer) maxStored(size int64) int64 {
	if w.Compress {
		return size + size/1000 + 1<<20 // incompressible data grows
	}
	return size
}

// checkLimits returns an error if the archive with e would exceed the limits of Open.
func (w *Writer) checkLimits(e *newEntry) error {
	switch n := w.directory + e.format.RecordLen(&e.Entry); {
	case w.original.count+len(w.entries) >= zipfile.MaxMembers:
		return fmt.Errorf("%w: the archive has %d members, the maximum that Open accepts", fs.ErrInvalid,
			w.original.count+len(w.entries))
	case n > zipfile.MaxDirectory:
		return fmt.Errorf("%w: the directory would have %d bytes, more than the %d that Open accepts", fs.ErrInvalid, n,
			zipfile.MaxDirectory)
	}
	return nil
}

// add writes a member. writeTo writes its content, which has size bytes.
func (w *Writer) add(name string, size int64, writeTo func(io.Writer) error) error {
	f := w.Format.zipFormat()
	e := zipfile.Entry{Name: name, Size: size, Compressed: size, Offset: w.at, Zip64: f.NeedsZip64(w.maxStored(size)),
		Prefix: w.original.prefix}
	if w.Compress {
		e.Method = zipfile.Deflated
		e.Streamed = w.file == nil
	}
	progress := report.Counter{Report: w.report(), Total: size}
	if err := progress.Begin(); err != nil {
		return err
	}
	if w.file == nil && !e.Streamed {
		s := &checksumWriter{w: io.Discard, report: func(int64) error { return nil }}
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
	if w.Compress {
		d := &w.deflater
		d.reset(w.out, progress.To)
		err := writeTo(d)
		if err == nil {
			err = d.Close()
		}
		if err != nil {
			return err
		}
		written.Size, written.Compressed, written.CRC = d.size, d.compressed, d.crc
	} else {
		s := &checksumWriter{w: w.out, report: progress.To}
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
			w.original.prefix+e.Offset); err != nil { // the header keeps its length
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
	if err := progress.End(); err != nil {
		return err
	}
	w.recordEntry(newEntry{written, f})
	return nil
}

// report returns a function that calls Progress and returns an error if the context of w is done. If w has neither,
// report returns nil.
func (w *Writer) report() func(done, total int64) error {
	if w.ctx == nil {
		return w.Progress
	}
	return func(done, total int64) error {
		err := w.checkContext()
		if err == nil && w.Progress != nil {
			err = w.Progress(done, total)
		}
		return err
	}
}

// recordEntry records that the local header and the data of e have been written.
func (w *Writer) recordEntry(e newEntry) {
	w.names[e.Name] = true
	w.entries = append(w.entries, e)
	w.directory += e.format.RecordLen(&e.Entry)
}

// write writes all of b.
func (w *Writer) write(b []byte) error {
	n, err := w.out.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// Close writes the directory, syncs the archive and publishes it at its path. A second Close returns an error that
// wraps [fs.ErrClosed].
//
// If an error of Add has made the archive unusable, or Close itself fails, path is unchanged, with one exception: if
// the archive is in place but its name may not be on stable storage, the error says so.
//
// For a stream, Close only writes the directory, or nothing after an error.
func (w *Writer) Close() error {
	if w.out == nil {
		return fmt.Errorf("npz: Close: %w", fs.ErrClosed)
	}
	if w.inMake {
		return fmt.Errorf("%s: close: %w: Make closes the archive when its function returns nil; do not call Close in it",
			w.path, fs.ErrInvalid)
	}
	defer w.Discard()
	if w.err != nil {
		return w.err
	}
	if err := w.Format.check(w.Compress); err != nil {
		return fmt.Errorf("%s: close: %w", errorPrefix(w.path), err)
	}
	if err := w.checkContext(); err != nil {
		return err
	}
	if err := w.finish(); err != nil || w.file == nil {
		return w.renamePath(err)
	}
	if w.original.id != nil {
		return w.withLock(w.replace)
	}
	return w.commit()
}

// finish writes the directory, and syncs the file if w has one.
func (w *Writer) finish() error {
	b := slices.Clip(w.original.records)
	for i := range w.entries {
		b = w.entries[i].format.AppendRecord(b, &w.entries[i].Entry)
	}
	b = w.Format.zipFormat().AppendEnd(b, int64(len(b)), int64(w.original.count+len(w.entries)), w.at, w.original.comment)
	err := w.write(b)
	if err == nil && w.file != nil && !w.NoSync {
		err = w.file.Sync()
		observe("store", w.file.Temp)
	}
	return err
}

// commit publishes the file of w at its path.
func (w *Writer) commit() error {
	w.file.NoSync = w.NoSync
	named, err := w.file.Commit()
	if named {
		w.file.Close()
		w.file, w.out = nil, nil
	}
	return err
}

// observe is called after each step that syncs a file. Tests set it.
var observe = func(op, path string) {}

// Discard abandons the archive and removes the temporary file. After Close it does nothing, so it can be deferred.
func (w *Writer) Discard() {
	if w.file != nil {
		w.file.Remove()
	}
	w.file, w.out = nil, nil
}

// A checksumWriter writes to w in parts that fit a cache, calls report after each of them, and computes the size and
// the CRC-32 of the data.
type checksumWriter struct {
	w      io.Writer
	report func(done int64) error
	size   int64
	crc    uint32
}

func (s *checksumWriter) Write(b []byte) (int, error) {
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
