package main

import (
	"bufio"
	"flag"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array/objects"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/jsontext"
)

var infoCommand = command{
	name: "info", args: "[-json] FILE...", min: 1, max: -1,
	description: `Info prints the headers of files: dtype, shape, order, and where the elements are.
For an archive it lists the members, and for a .safetensors file, or the index of a
model in shards, the tensors. If another array follows the first one in a file, info
prints its offset for -at. Of a URL, info requests only the headers.`,
	examples: `npy info temperature.npy data.npz
npy info -json data.npz:temperature
npy info model.safetensors model.safetensors:temperature
npy info -raw '<u2' -shape -1,48,64 -offset 512 frames.raw
npy info -json -at 0 temperature.npy
npy info - < temperature.npy`,
	flags: func(set *flag.FlagSet) runner {
		in := rawFlags(set)
		asJSON := set.Bool("json", false, "print one JSON object per line")
		return func(e *env, files []string) error {
			if err := in.check(); err != nil {
				return err
			}
			for _, path := range files {
				if err := e.infoFile(path, in, *asJSON); isUsage(err) {
					return err
				} else if err != nil {
					e.noteError(path, err)
				}
			}
			return nil
		}
	},
}

// infoFile prints the header of a file, or the headers of an archive's members.
func (e *env) infoFile(path string, in *rawInput, asJSON bool) error {
	if archive, name, ok := splitMember(path); ok && !in.raw.given {
		return e.infoMember(archive, name, asJSON)
	}
	if !in.raw.given && isTensors(path) {
		return e.infoTensors(path, asJSON)
	}
	if !in.raw.given && isArchive(path) {
		c, err := e.container(path)
		if err != nil {
			return err
		}
		return e.infoArchive(c.archive, path, asJSON)
	}
	if path == stream && !in.raw.given {
		return e.infoStdin(asJSON)
	}
	f, err := e.locate(path, in, nil)
	if err != nil {
		if h, ok := e.objectHeader(path); ok && !in.raw.given {
			e.info(h, asJSON)
			return nil
		}
		return err
	}
	defer f.close()
	h := f.header()
	h.next, h.behind = f.next()
	e.info(h, asJSON)
	return nil
}

// infoStdin prints the next header on standard input. If standard input is an archive, it prints the headers of all
// members.
func (e *env) infoStdin(asJSON bool) error {
	c, isZip, err := e.peekStdin()
	if err != nil {
		return err
	}
	if isZip {
		a, err := e.archiveOf(c)
		if err != nil {
			return err
		}
		defer a.Close()
		return e.infoArchive(a, stream, asJSON)
	}
	h, err := readHeader(c)
	if err == nil {
		e.info(h, asJSON)
	}
	return err
}

// A header is the information that info prints about a file or a member.
type header struct {
	path         string
	member       string
	isMember     bool
	isTensor     bool
	shard        string // path of the file of a tensor whose model is divided among several files, or ""
	compressed   bool
	stored       int64 // bytes that the member occupies in the archive
	major, minor int   // version of the .npy format
	order        index.Order
	dataOffset   int64 // -1 if the member is compressed
	dtype        dtype.DType
	shape        []int
	next         int64                         // offset of another array in the file, or 0
	behind       string                        // description of the bytes after the data, or ""
	pickle       int64                         // size of the pickle, if the elements are Python objects
	objects      func() (objects.Array, error) // reads these Python objects
}

// size returns the number of elements and the number of their bytes.
func (h *header) size() (n, nbytes int) {
	n, nbytes, _ = index.Size(h.shape, h.dtype.ItemSize()) // the size was checked when the header was read
	return n, nbytes
}

// data describes the size and position of the elements.
func (h *header) data() string {
	if h.dtype.HasObject() {
		s := fmt.Sprintf("%s of pickled Python objects", words.Bytes(int(h.pickle)))
		if h.compressed {
			return s + ", compressed to " + words.Count(h.stored)
		}
		return fmt.Sprintf("%s from byte %d", s, h.dataOffset)
	}
	_, n := h.size()
	if h.compressed {
		return fmt.Sprintf("%s, compressed to %s", words.Bytes(n), words.Count(h.stored))
	}
	text := fmt.Sprintf("%s from byte %d", words.Bytes(n), h.dataOffset)
	if h.shard != "" {
		text += " of " + filepath.Base(h.shard)
	}
	return text
}

// info prints h.
func (e *env) info(h header, asJSON bool) {
	if asJSON {
		e.out.Write(h.appendJSON(nil))
		return
	}
	e.newBlock()
	order := "C (the last index is fastest)"
	if h.order == index.F {
		order = "Fortran (the first index is fastest)"
	}
	line := func(name, format string, args ...any) { writeLine(e.out, name, format, args...) }
	line("file", "%s", h.path)
	if h.isMember {
		line("member", "%s", h.member)
	}
	if h.isTensor {
		line("format", "safetensors")
	} else if h.major == 0 {
		line("format", "no header")
	} else {
		line("format", "version %d.%d", h.major, h.minor)
	}
	line("dtype", "%s: %s", h.dtype, words.DType(h.dtype))
	for field := range h.dtype.Fields() {
		line("  field", "%s: %s at byte %d", field.Name, field.Type, field.Offset)
	}
	n, _ := h.size()
	line("shape", "%s", words.Shape(h.shape))
	line("order", "%s", order)
	line("elements", "%s of %s", words.Count(n), words.Bytes(h.dtype.ItemSize()))
	line("data", "%s", h.data())
	if h.behind != "" {
		line("note", "%s", h.behind)
	}
	if h.dtype.HasObject() {
		if v, err := h.objects(); err != nil {
			_, msg := message(h.path, err)
			line("note", "%s", msg)
		} else {
			line("objects", "%s", excerpt(v.String()))
		}
	}
	if words.HasLongDouble(h.dtype) {
		line("note",
			"long doubles differ between machines; stats and convert -dtype f8 (or c16) take them as those of x86; print shows their bytes")
	}
}

// excerpt returns the first line of a text, or its start.
func excerpt(s string) string {
	const most = 100 // characters
	line, rest, _ := strings.Cut(s, "\n")
	if r := []rune(line[:min(len(line), 4*(most+1))]); len(r) > most {
		return string(r[:most]) + "…"
	}
	if rest != "" {
		line += " …"
	}
	return line
}

// newBlock separates the following text output from the previous block by an empty line.
func (e *env) newBlock() {
	if e.blocks++; e.blocks > 1 {
		e.out.WriteByte('\n')
	}
}

func writeLine(out *bufio.Writer, name, format string, args ...any) {
	fmt.Fprintf(out, "%-13s %s\n", name, words.Printable(fmt.Sprintf(format, args...)))
}

// appendJSON appends the line of info -json.
func (h *header) appendJSON(b []byte) []byte {
	b = append(b, `{"path":`...)
	b = jsontext.AppendString(b, h.path)
	if h.isMember {
		b = append(b, `,"member":`...)
		b = jsontext.AppendString(b, h.member)
		b = fmt.Appendf(b, `,"compressed":%t`, h.compressed)
		if h.shard != "" {
			b = append(b, `,"shard":`...)
			b = jsontext.AppendString(b, h.shard)
		}
	}
	if b = append(b, `,"version":`...); h.major == 0 { // no header
		b = append(b, "null"...)
	} else {
		b = fmt.Appendf(b, "[%d,%d]", h.major, h.minor)
	}
	b = append(b, `,"descr":`...)
	b = jsontext.AppendDescr(b, h.dtype)
	b = append(b, `,"shape":`...)
	b = jsontext.AppendInts(b, h.shape)
	at := strconv.FormatInt(h.dataOffset, 10)
	if h.compressed {
		at = "null"
	}
	n, nbytes := h.size()
	b = fmt.Appendf(b, `,"fortran_order":%t,"data_offset":%s,"itemsize":%d,"size":%d,"nbytes":`,
		h.order == index.F, at, h.dtype.ItemSize(), n)
	if h.dtype.HasObject() { // the bytes are a pickle
		b = append(b, "null"...)
	} else {
		b = fmt.Append(b, nbytes)
	}
	if h.next > 0 {
		b = fmt.Appendf(b, `,"next_array":%d`, h.next)
	}
	return append(b, "}\n"...)
}
