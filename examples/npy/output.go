package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/index"
)

// An output is the OUT of a command: a file, which appears when it is complete, or a stream, which gets the bytes as
// they are made. Streams are standard output (-), open files such as /dev/fd/3, named pipes, and devices such as
// /dev/null.
type output struct {
	env           *env
	path          string
	force, nosync bool      // for files
	stream        io.Writer // nil for files
	file          *os.File  // the open file of a stream, or nil if it is unknown
	own           bool      // close closes file
}

// openOutput opens the OUT of a command that reads the inputs. The file at path is created later, by save or create; it
// must not exist unless force is set. An output that is also an input is an error. The caller must call close.
func (e *env) openOutput(path string, force, nosync bool, inputs ...string) (*output, error) {
	o := &output{env: e, path: path, force: force, nosync: nosync}
	if err := o.openStream(); err != nil {
		return nil, err
	}
	if err := o.check(inputs); err != nil {
		o.close()
		return nil, err
	}
	return o, nil
}

// check returns an error if o is one of the inputs, or if it is a file that cannot be created.
func (o *output) check(inputs []string) error {
	if o.stream == nil {
		if err := checkOut(o.path); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(inputs, o.isInput) {
		return fileError{o.path, errors.New("input and output are the same file")}
	}
	if _, err := os.Lstat(o.path); err == nil && o.stream == nil && !o.force { // fail early
		return &fs.PathError{Op: "create", Path: o.path, Err: syscall.EEXIST}
	}
	return nil
}

// openStream opens o if it is a stream. A terminal is an error.
func (o *output) openStream() error {
	fd, isOpen := descriptor(o.path)
	switch {
	case o.path == stream || isOpen && fd == 1:
		if o.env.terminal {
			return usageError{errors.New("standard output is a terminal; redirect it to a file or pipe it: npy ... - | npy print -")}
		}
		o.stream = o.env.out
		o.file, _ = o.env.stdout.(*os.File)
		return nil
	case isOpen && fd == 2:
		o.stream = sink{o.path, o.env.stderr}
		o.file, _ = o.env.stderr.(*os.File)
	case isOpen:
		o.file, o.own = os.NewFile(fd, o.path), true
		if _, err := o.file.Stat(); err != nil {
			return err
		}
	default:
		fi, err := os.Stat(o.path)
		if err != nil || fi.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) == 0 {
			return nil
		}
		if o.file, err = os.OpenFile(o.path, os.O_WRONLY, 0); err != nil { // waits for the reader of a pipe
			return err
		}
		o.own = true
	}
	if o.file != nil {
		if _, terminal := term.Columns(o.file); terminal {
			o.close()
			return usageError{errors.New(o.path + " is a terminal, but OUT must be a file or a pipe")}
		}
	}
	if o.stream == nil {
		o.stream = sink{o.path, o.file}
	}
	return nil
}

// descriptor returns the number of the open file that path names: /dev/stdout, or /dev/fd/3, which bash substitutes for
// >(command).
func descriptor(path string) (fd uintptr, ok bool) {
	if runtime.GOOS == "windows" {
		return 0, false
	}
	switch path {
	case "/dev/stdout":
		return 1, true
	case "/dev/stderr":
		return 2, true
	}
	text, ok := strings.CutPrefix(path, "/dev/fd/")
	if !ok {
		text, ok = strings.CutPrefix(path, "/proc/self/fd/")
	}
	n, err := strconv.ParseUint(text, 10, 31)
	return uintptr(n), ok && err == nil
}

// close closes the stream if openOutput opened it.
func (o *output) close() {
	if o.own {
		o.file.Close()
	}
}

// isInput reports whether o is the file that the input in reads.
func (o *output) isInput(in string) bool {
	if o.stream == nil {
		return in != stream && o.env.isPartOf(in, o.path)
	}
	to, err := o.file.Stat() // fails if file is nil
	if err != nil || !to.Mode().IsRegular() {
		return false
	}
	var from fs.FileInfo
	if name := fileOf(in); name == stream {
		stdin, _ := o.env.stdin.(*os.File)
		from, err = stdin.Stat()
	} else {
		from, err = os.Stat(name)
	}
	return err == nil && os.SameFile(from, to)
}

// interruptible is like env.interruptible if o is a file. If o is a stream, a signal ends the program at once, even if
// the reader of a pipe is slow.
func (o *output) interruptible() (release func()) {
	if o.stream != nil {
		return func() {}
	}
	return o.env.interruptible()
}

// save writes a to o as a .npy file, converted to dtype d. With order K, it keeps the order of a.
func (o *output) save(a array.Array, d dtype.DType, order index.Order) error {
	if o.stream == nil {
		cfg := array.SaveConfig{Replace: o.force, NoSync: o.nosync, Progress: o.env.progressFor(o.nosync)}
		return cfg.Convert(o.path, a, d, order)
	}
	if order == index.K {
		order = index.C
		if a.Contiguous(index.F) && !a.Contiguous(index.C) {
			order = index.F
		}
	}
	_, nbytes, err := index.Size(a.Shape(), d.ItemSize())
	if err != nil {
		return err
	}
	p := &progressWriter{w: o.stream, total: int64(nbytes), progress: o.env.progress}
	w, err := array.NewWriter(p, d, order, a.Shape()...)
	if err == nil {
		err = w.Write(a)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = o.env.progress(p.total, p.total)
	}
	return err
}

// create calls write to write the content of o.
func (o *output) create(write func(io.Writer) error) error {
	if o.stream == nil {
		return create(o.path, o.force, !o.nosync, write)
	}
	return write(o.stream)
}

// A progressWriter writes up to 4 MiB at a time to w, and reports the progress after each write.
type progressWriter struct {
	w           io.Writer
	done, total int64
	progress    func(done, total int64) error
}

func (p *progressWriter) Write(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var k int
		k, err = p.w.Write(b[n:min(n+4<<20, len(b))])
		n += k
		p.done += int64(k)
		if err == nil && p.done < p.total {
			err = p.progress(p.done, p.total)
		}
	}
	return n, err
}

// errClosedPipe is the error of a write to a pipe that has no reader anymore. The command ends without a message.
var errClosedPipe = errors.New("the reader has closed the pipe")

// closedPipeStatus is the exit status after errClosedPipe: the status that shells show if SIGPIPE, which is 13, ends a
// program.
const closedPipeStatus = 128 + 13

// A sink is a stream whose errors name it.
type sink struct {
	name string
	w    io.Writer
}

func (s sink) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	switch {
	case err == nil:
		return n, nil
	case term.IsClosedPipe(err):
		return n, errClosedPipe
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return n, fileError{s.name, err}
}
