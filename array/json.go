package array

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"math"
	"slices"
	"strconv"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/jsontext"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/render"
	"github.com/ndmap/ndmap/internal/report"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// jsonElements is how many elements MarshalJSON takes.
const jsonElements = 1 << 20

// MarshalJSON implements [encoding/json.Marshaler] with what [WriteJSON] writes, up to 1,048,576 elements; more are an
// error, as a file that is closed or truncated. The zero Array is null. A File is its elements.
func (a Array) MarshalJSON() ([]byte, error) { return marshalJSON(a.view) }

// MarshalJSON implements [encoding/json.Marshaler] for values of T.
func (v View[T]) MarshalJSON() ([]byte, error) {
	if !v.IsZero() && v.view.Store.Converts && v.Size() <= jsonElements {
		var c View[T]
		err := v.view.CheckOpen()
		if err == nil {
			err = mmap.Guard(func() (err error) { c, err = v.Clone(index.C); return err })
		}
		if err != nil {
			return nil, err
		}
		v = c
	}
	return marshalJSON(v.view)
}

func marshalJSON(c nd.View) ([]byte, error) {
	if c.IsZero() {
		return []byte("null"), nil
	}
	if n := c.Size(); n > jsonElements {
		return nil,
			fmt.Errorf("%s%d elements are more than the %d that json.Marshal takes; array.WriteJSON writes any number",
				nd.Prefix(c.Store.Mem.Path), n, jsonElements)
	}
	var b bytes.Buffer
	err := c.CheckOpen()
	if err == nil {
		err = mmap.Guard(func() error { return WriteJSON(&b, Array{shaped{c}}) })
	}
	return b.Bytes(), err
}

// LogValue implements [slog.LogValuer]: path, dtype and shape, no elements.
func (s shaped) LogValue() slog.Value {
	if s.IsZero() {
		return slog.StringValue("<no array>")
	}
	attrs := []slog.Attr{slog.String("dtype", s.DType().String()), slog.Any("shape", s.Shape())}
	if path := s.view.Store.Mem.Path; path != "" {
		attrs = append([]slog.Attr{slog.String("path", path)}, attrs...)
	}
	return slog.GroupValue(attrs...)
}

// WriteJSON writes a to w as nested JSON lists in C order, without a line end, in memory for one block: float64 and
// float32 in the shortest form that reads back as the same value of their type, narrower floats as the float64 that
// equals them, as NumPy's tolist returns it, NaN and infinities as "NaN", "Infinity" and "-Infinity", complex numbers
// as [re, im], text as strings, with surrogates escaped, V and long doubles as hexadecimal digits, times as integers,
// structures as objects. The error is that of w, of text with a number above U+10FFFF, or of more than 1<<24 values and
// lists of elements without bytes. U text is read twice: an array with text that is refused writes nothing. A
// [bufio.Writer] of 64 KiB is not flushed.
func WriteJSON(w io.Writer, a Array) error { return Config{}.WriteJSON(w, a) }

// WriteJSON is the function [WriteJSON] with cfg.Progress.
func (cfg Config) WriteJSON(w io.Writer, a Array) error {
	el := a.view.MustBeSet()
	if err := cfg.check(forWriteJSON); err != nil {
		return fmt.Errorf("array: write: %w", err)
	}
	if n := render.Weight(a.DType(), a.Shape()...); n > 1<<24 && n/256 > a.NBytes() {
		return fmt.Errorf("%s%d bytes of elements are %s values and lists: too many to print; select some of them",
			nd.Prefix(el.Mem.Path), a.NBytes(), many(n))
	}
	j := jsonWriter{out: bufio.NewWriterSize(w, jsonBlock), told: report.Counter{Report: cfg.Progress,
		Total: int64(a.NBytes())}}
	err := j.told.Begin()
	if err == nil && jsontext.HasText(a.DType()) {
		err = checkText(a, cfg.Progress)
	}
	if err == nil {
		err = j.array(a)
	}
	if err == nil {
		err = j.told.End()
	}
	if io.Writer(j.out) == w { // flushing is up to who made it
		return err
	}
	if e := j.out.Flush(); err == nil {
		err = e
	}
	return err
}

// checkText returns an error if text of a cannot be written as JSON. Until it returns, progress is called with 0 bytes.
func checkText(a Array, progress func(done, total int64) error) error {
	j := jsonWriter{out: bufio.NewWriter(io.Discard), check: true}
	if progress != nil {
		total := int64(a.NBytes())
		j.told = report.Counter{Total: total, Report: func(_, _ int64) error { return progress(0, total) }}
	}
	return j.array(a)
}

// many returns a number that may be the largest one for more.
func many(n int) string {
	if n == math.MaxInt {
		return fmt.Sprintf("more than %d", n-1)
	}
	return strconv.Itoa(n)
}

// jsonBlock is how many bytes of an array are formatted at a time.
const jsonBlock = 1 << 16

type jsonWriter struct {
	out      *bufio.Writer
	told     report.Counter // of bytes of the array
	check    bool           // text is checked, and no value is written
	raw, txt []byte
}

// put writes brackets and commas.
func (w *jsonWriter) put(c byte) error {
	return w.out.WriteByte(c)
}

func (w *jsonWriter) array(a Array) (err error) {
	switch {
	case a.NBytes() <= jsonBlock:
		return w.block(a, false)
	case a.NDim() == 0:
		b := a.view.ElementBytes(0)
		if err := w.value(a.DType(), b); err != nil {
			return err
		}
		return w.told.Add(int64(len(b)))
	case a.NBytes()/a.view.Layout.Len(0) > jsonBlock: // part by part
		w.put('[')
		for i := range a.view.Layout.Len(0) {
			if i > 0 {
				w.put(',')
			}
			if err := w.array(a.Index(i)); err != nil {
				return err
			}
		}
		return w.put(']')
	}
	step := jsonBlock / (a.NBytes() / a.view.Layout.Len(0)) // parts at a time
	w.put('[')
	for lo := 0; lo < a.view.Layout.Len(0); lo += step {
		some, err := a.Select(index.Range(lo, min(lo+step, a.view.Layout.Len(0))))
		if err != nil {
			return err
		}
		if lo > 0 {
			w.put(',')
		}
		if err := w.block(some, true); err != nil {
			return err
		}
	}
	return w.put(']')
}

// block writes an array that fits the buffer, perhaps without its outermost
// brackets.
func (w *jsonWriter) block(a Array, bare bool) (err error) {
	n := a.NBytes()
	if cap(w.raw) < n {
		w.raw = strided.Alloc(n)
	}
	w.raw = w.raw[:n]
	some, err := FromBytes(w.raw, a.DType(), index.C, a.Shape()...)
	if err == nil {
		err = Copy(some, a)
	}
	if err != nil {
		return err
	}
	shape, rest := a.Shape(), w.raw
	if !bare {
		_, err = w.nested(shape, a.DType(), rest)
	}
	for i := 0; bare && i < shape[0] && err == nil; i++ {
		if i > 0 {
			w.put(',')
		}
		rest, err = w.nested(shape[1:], a.DType(), rest)
	}
	if err != nil {
		return err
	}
	return w.told.Add(int64(n))
}

// nested writes lists of elements from the start of b, and returns what follows
// them.
func (w *jsonWriter) nested(shape []int, d dtype.DType, b []byte) (rest []byte, err error) {
	if len(shape) == 0 {
		n := d.ItemSize()
		return b[n:], w.value(d, b[:n])
	}
	w.put('[')
	for i := range shape[0] {
		if i > 0 {
			w.put(',')
		}
		if b, err = w.nested(shape[1:], d, b); err != nil {
			return nil, err
		}
	}
	return b, w.put(']')
}

// value writes an element or a part of one: at once where that takes little memory.
func (w *jsonWriter) value(d dtype.DType, b []byte) (err error) {
	switch {
	case w.check:
		return jsontext.Check(d, b)
	case len(b) > jsonBlock:
		return w.large(d, b)
	}
	if w.txt, err = jsontext.Append(w.txt[:0], d, b); err != nil {
		return err
	}
	_, err = w.out.Write(w.txt)
	return err
}

// large writes what value does, block by block.
func (w *jsonWriter) large(d dtype.DType, b []byte) (err error) {
	switch d.Kind() {
	case dtype.KindStructured:
		w.put('{')
		sep := ""
		for f := range d.Fields() {
			w.txt = append(jsontext.AppendString(append(w.txt[:0], sep...), f.Name), ':')
			w.out.Write(w.txt)
			if err := w.value(f.Type, b[f.Offset:f.Offset+f.Type.ItemSize()]); err != nil {
				return fmt.Errorf("field %q: %w", f.Name, err)
			}
			sep = ","
		}
		return w.put('}')
	case dtype.KindSubarray:
		_, err := w.nested(d.SubShape(), d.Base(), b)
		return err
	case dtype.KindBytes, dtype.KindUnicode:
		b = render.TrimText(d, b)
	}
	w.put('"')
	for part := range slices.Chunk(b, jsonBlock) { // whole characters
		if d.Kind() == dtype.KindVoid {
			w.txt = hex.AppendEncode(w.txt[:0], part)
		} else if w.txt, err = jsontext.AppendPoints(w.txt[:0], render.AllPoints(d, part)); err != nil {
			return err
		}
		w.out.Write(w.txt)
	}
	return w.put('"')
}
