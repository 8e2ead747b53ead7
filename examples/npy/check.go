package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/mmap"
)

var checkCommand = command{
	name: "check", args: "[-at BYTE] FILE...", min: 1, max: -1,
	description: `Check checks headers, sizes, and elements of dtypes that have invalid bytes: booleans
and text. For an archive, it checks all members that can be accessed by name, and their
checksums. For an index of a model in shards (model.safetensors.index.json), it checks
the headers of all shards and all tensors that the index lists. It also reports headers
that do not name a byte order. The exit status is 1 if any file is bad. A URL is
downloaded to memory or to a temporary file.`,
	examples: `npy check temperature.npy data.npz
npy check data.npz:temperature
npy check - < temperature.npy`,
	flags: func(set *flag.FlagSet) runner {
		in := new(rawInput)
		atFlag(set, in)
		return func(e *env, files []string) error {
			for _, path := range files {
				if !in.isAt && isTensors(path) {
					if err := e.checkTensors(path); err != nil {
						e.noteError(path, err)
					}
					continue
				}
				if !in.isAt && isArchive(path) {
					if err := e.checkArchive(path); err != nil {
						e.noteError(path, err)
					}
					continue
				}
				if err := e.runCheck(path, func() (string, error) { return e.checkFile(path, in) }); err != nil {
					return err
				}
			}
			return nil
		}
	},
}

// runCheck calls check and prints the line that it returns, or reports its error. It returns an error only if standard
// output fails.
func (e *env) runCheck(path string, check func() (string, error)) error {
	var ok string
	err := mmap.Guard(func() (err error) {
		ok, err = check()
		return err
	})
	if isUsage(err) {
		return err
	}
	if err != nil {
		e.noteError(path, err)
		return nil
	}
	e.bar.End()
	fmt.Fprintf(e.out, "%s: ok %s\n", words.Printable(redacted(path)), words.Printable(ok))
	if err := e.out.Flush(); err != nil { // show this line now: the next file may take long
		return fileError{"standard output", err}
	}
	return nil
}

// checkFile checks the file at path and returns the line to print about it.
func (e *env) checkFile(path string, raw *rawInput) (string, error) {
	if file, name, ok := splitMember(path); ok && !raw.isAt {
		c, err := e.container(file)
		if err != nil {
			return "", err
		}
		if c.web != nil && c.archive != nil {
			release, err := c.readAhead(name)
			if err != nil {
				return "", fileError{file, err}
			}
			defer release()
		}
		if c.tensors != nil {
			return e.checkTensor(c.tensors, path, name)
		}
		defer c.archive.Release(name)
		return e.checkMember(c.archive, path, name)
	}
	f, err := e.open(path, raw)
	if err != nil {
		if h, ok := e.objectHeader(path); ok {
			return h.checkObjects()
		}
		return "", err
	}
	defer f.close()
	return e.checkInput(f)
}

// checkObjects returns the line that check prints about an array of Python objects. An empty pickle is an error.
func (h *header) checkObjects() (string, error) {
	if h.pickle == 0 {
		return "", fmt.Errorf("data at byte %d: the file ends before its Python objects", h.dataOffset)
	}
	return fmt.Sprintf("dtype %v, shape %s, order %v; Python objects, not read", h.dtype, words.Shape(h.shape),
		h.order), nil
}

func (e *env) checkInput(f *input) (string, error) {
	if err := f.adviseSequential(); err != nil {
		return "", err
	}
	if err := checkElements(f, &e.bar); err != nil {
		return "", err
	}
	notes := []string{fmt.Sprintf("dtype %v, shape %s, order %v", f.DType(), words.Shape(f.Shape()), f.order)}
	if _, description := f.next(); description != "" {
		notes = append(notes, description)
	}
	if f.hasAssumedOrder() {
		notes = append(notes, "the header names no byte order; numbers are read in native byte order")
	}
	if words.HasLongDouble(f.DType()) {
		notes = append(notes, "long doubles, which differ between machines")
	}
	return strings.Join(notes, "; "), nil
}

// hasAssumedOrder reports whether the header omits the byte order of a number.
func (in *input) hasAssumedOrder() bool {
	head := in.head
	if head == nil && in.file != nil {
		head = in.file.Map().Bytes()
	}
	h, err := npy.Parse(head, 0)
	return err == nil && h.Assumed
}

// readHead returns the bytes of the header of a .npy file. If the header is invalid or truncated, it returns the bytes
// that could be read.
func readHead(r io.Reader) []byte {
	head := make([]byte, npy.PrefixLen)
	n, _ := io.ReadFull(r, head)
	if _, _, end, err := npy.Span(head[:n], 0); err == nil && end > n {
		head = append(head, make([]byte, end-n)...)
		more, _ := io.ReadFull(r, head[n:])
		n += more
	}
	return head[:n]
}

// checkElements returns an error if some element is not a valid bool or text.
func checkElements(f *input, bar *term.Bar) error {
	leaves := appendLeaves(nil, f.DType(), 1, "", 0)
	size := f.ItemSize()
	if len(leaves) == 0 || size == 0 {
		return nil
	}
	data, err := f.bytes()
	if err != nil {
		return err
	}
	const interval = 1 << 20 // bytes checked between updates of the bar
	for i, next := 0, 0; i < len(data); i += size {
		if i >= next {
			bar.Show(int64(i), int64(len(data)))
			next = i + interval
			if f.DType().Kind() == dtype.KindBool {
				i += validBools(data[i:min(next, len(data))])
				if i == len(data) {
					break
				}
			}
		}
		for _, l := range leaves {
			at, name, msg := l.findInvalid(data[i : i+size])
			if msg == "" {
				continue
			}
			idx := make([]int, f.NDim())
			index.Unravel(i/size, f.Shape(), idx, f.order)
			part := "data"
			if isIndexName(fileOf(f.path)) {
				part += " of " + filepath.Base(f.dataFile)
			}
			return &array.FormatError{Path: f.path, Part: part, Offset: f.dataOffset + int64(i+at),
				Msg: fmt.Sprintf("element %s%s: %s", words.Shape(idx), name, msg)}
		}
	}
	return nil
}

// validBools returns the number of valid booleans at the start of b, in steps of eight.
func validBools(b []byte) (n int) {
	for ; len(b)-n >= 8 && binary.LittleEndian.Uint64(b[n:])&^0x0101010101010101 == 0; n += 8 {
	}
	return n
}
