package jsontext

import (
	"encoding/hex"
	"fmt"
	"io"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/render"
	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/internal/strided"
)

// blockBytes is the number of bytes of an array that a writer formats at a time, and the number of bytes of text that
// it collects before it writes them.
const blockBytes = 1 << 16

// Write writes a to out as nested lists in C order. If a contains text, Write first reads all elements to check them,
// so that it writes nothing if it returns an error for invalid text.
func Write(out io.Writer, a nd.View) error {
	w := writer{out: out, raw: strided.Alloc(min(max(1, a.NBytes()), blockBytes))}
	if hasText(a.DType()) {
		check := writer{out: io.Discard, raw: w.raw, check: true}
		if err := check.array(a); err != nil {
			return err
		}
	}
	if err := w.array(a); err != nil {
		return err
	}
	return w.flush()
}

// A writer writes one array.
type writer struct {
	out   io.Writer
	check bool   // checks text, and writes no values
	raw   []byte // memory for the elements of a block
	text  []byte // text that is not written yet
}

// flush writes the text that w has collected.
func (w *writer) flush() error {
	var n int
	err := stable.Write(w.out, w.text, &n)
	w.text = w.text[:0]
	return err
}

// spill writes the text that w has collected if it is long.
func (w *writer) spill() error {
	if len(w.text) < blockBytes {
		return nil
	}
	return w.flush()
}

func (w *writer) put(c byte) { w.text = append(w.text, c) }

// array writes a, block by block.
func (w *writer) array(a nd.View) error {
	n := a.NBytes()
	switch {
	case n <= blockBytes:
		return w.block(a, true)
	case a.NDim() == 0:
		return w.value(a.DType(), a.ElementBytes(0))
	}
	length := a.Len(0)
	step := blockBytes / (n / length) // parts at a time, or 0 if a part is larger than a block
	w.put('[')
	for lo := 0; lo < length; lo += max(1, step) {
		if lo > 0 {
			w.put(',')
		}
		var part nd.View
		var err error
		if step == 0 {
			a.Index(lo, &part)
			err = w.array(part)
		} else if part, err = a.Derive(nd.SelectRange(a.Layout, 0, lo, min(step, length-lo))); err == nil {
			err = w.block(part, false)
		}
		if err != nil {
			return err
		}
	}
	w.put(']')
	return nil
}

// block writes an array of up to blockBytes. If brackets is false, it omits the outermost brackets.
func (w *writer) block(a nd.View, brackets bool) error {
	d, shape, raw := a.DType(), a.Shape(), w.raw[:a.NBytes()]
	lay, err := a.Layout.Compact(d.ItemSize(), index.C)
	if err != nil {
		return err
	}
	elements, err := nd.OnBytes(raw, d, lay)
	if err == nil {
		err = nd.Copy(elements, a)
	}
	if err == nil {
		if brackets {
			_, err = w.nested(shape, d, raw)
		} else {
			_, err = w.items(shape, d, raw)
		}
	}
	return err
}

// nested writes an array of elements from the start of b, and returns the bytes after them.
func (w *writer) nested(shape []int, d dtype.DType, b []byte) (rest []byte, err error) {
	if len(shape) == 0 {
		n := d.ItemSize()
		return b[n:], w.value(d, b[:n])
	}
	w.put('[')
	b, err = w.items(shape, d, b)
	w.put(']')
	return b, err
}

// items writes the parts of an array along its first axis, and returns the bytes after them.
func (w *writer) items(shape []int, d dtype.DType, b []byte) (rest []byte, err error) {
	for i := range shape[0] {
		if i > 0 {
			w.put(',')
		}
		if b, err = w.nested(shape[1:], d, b); err == nil {
			err = w.spill()
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}

// value writes one element of dtype d, or a field of one, whose bytes are b.
func (w *writer) value(d dtype.DType, b []byte) error {
	if w.check {
		return checkText(d, b)
	}
	switch d.Kind() {
	case dtype.KindStructured:
		return w.object(d, b)
	case dtype.KindSubarray:
		_, err := w.nested(d.SubShape(), d.Base(), b)
		return err
	case dtype.KindBytes, dtype.KindUnicode, dtype.KindVoid:
		return w.string(d, b)
	}
	w.text = appendNumber(w.text, d, b)
	return nil
}

// object writes a structure of dtype d, whose bytes are b.
func (w *writer) object(d dtype.DType, b []byte) error {
	w.put('{')
	first := true
	for f := range d.Fields() {
		if !first {
			w.put(',')
		}
		first = false
		w.text = append(AppendString(w.text, f.Name), ':')
		if err := w.value(f.Type, b[f.Offset:f.Offset+f.Type.ItemSize()]); err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
	}
	w.put('}')
	return nil
}

// string writes text without the NULs at its end, or the hexadecimal digits of a void.
func (w *writer) string(d dtype.DType, b []byte) (err error) {
	isVoid := d.Kind() == dtype.KindVoid
	if !isVoid {
		b = render.TrimText(d, b)
	}
	w.put('"')
	for len(b) > 0 {
		part := b[:min(len(b), blockBytes)] // whole characters
		if isVoid {
			w.text = hex.AppendEncode(w.text, part)
		} else if w.text, err = appendPoints(w.text, render.AllPoints(d, part)); err != nil {
			return err
		}
		if err = w.spill(); err != nil {
			return err
		}
		b = b[len(part):]
	}
	w.put('"')
	return nil
}
