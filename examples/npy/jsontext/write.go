// Package jsontext writes arrays, and what there is to say of them, as JSON.
package jsontext

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/render"
)

// block is how many bytes of an array are formatted at a time.
const block = 1 << 16

// Write writes a line of a as nested lists in C order, and reports how many of its bytes
// are done. It needs memory for one block, whatever the size of a. After an error, what
// was written is a line too. Elements without bytes, of which a small file may have any number,
// are an error if there are more than 1<<24 and 256 for each byte of a.
func Write(out *bufio.Writer, a array.Array, progress func(done, total int64)) (err error) {
	if n := render.Weight(a.DType(), a.Shape()...); n > 1<<24 && n/256 > a.NBytes() {
		return fmt.Errorf("%d bytes of elements are %s values and lists: too many to print; select some of them", a.NBytes(),
			many(n))
	}
	w := jsonWriter{out: out, progress: progress, total: a.NBytes()}
	defer func() { // also after a page fault
		if w.begun {
			out.WriteByte('\n')
		}
	}()
	return w.array(a)
}

// many returns a number that may be the largest one for more.
func many(n int) string {
	if n == math.MaxInt {
		return fmt.Sprintf("more than %d", n-1)
	}
	return strconv.Itoa(n)
}

type jsonWriter struct {
	out      *bufio.Writer
	begun    bool
	progress func(done, total int64)
	done     int // bytes of the array
	total    int
	raw, txt []byte
}

// put writes what is between elements.
func (w *jsonWriter) put(c byte) error {
	w.begun = true
	return w.out.WriteByte(c)
}

func (w *jsonWriter) array(a array.Array) (err error) {
	switch {
	case a.NBytes() <= block:
		return w.block(a, false)
	case a.NDim() == 0:
		b, err := Memory(a)
		if err != nil {
			return err
		}
		w.step(len(b))
		return w.value(a.DType(), b)
	case a.NBytes()/a.Len(0) > block: // part by part
		w.put('[')
		for i := range a.Len(0) {
			if i > 0 {
				w.put(',')
			}
			if err := w.array(a.Index(i)); err != nil {
				return err
			}
		}
		return w.put(']')
	}
	step := block / (a.NBytes() / a.Len(0)) // so many parts at a time
	w.put('[')
	for lo := 0; lo < a.Len(0); lo += step {
		some, err := a.Select(index.Range(lo, min(lo+step, a.Len(0))))
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
func (w *jsonWriter) block(a array.Array, bare bool) (err error) {
	if w.raw, err = Gather(a, w.raw); err != nil {
		return err
	}
	w.step(len(w.raw))
	shape := a.Shape()
	if !bare {
		_, err = w.nested(shape, a.DType(), w.raw)
		return err
	}
	rest := w.raw
	for i := range shape[0] {
		if i > 0 {
			w.put(',')
		}
		if rest, err = w.nested(shape[1:], a.DType(), rest); err != nil {
			return err
		}
	}
	return nil
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

// step reports that n more bytes begin.
func (w *jsonWriter) step(n int) {
	w.progress(int64(w.done), int64(w.total))
	w.done += n
}

// value writes an element or a part of one: at once where that takes little memory.
func (w *jsonWriter) value(d dtype.DType, b []byte) (err error) {
	if len(b) > block {
		return w.large(d, b)
	}
	if w.txt, err = appendJSON(w.txt[:0], d, b); err != nil {
		return err
	}
	w.begun = true
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
			w.txt = append(AppendString(append(w.txt[:0], sep...), f.Name), ':')
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
	for part := range slices.Chunk(b, block) { // whole characters
		if d.Kind() == dtype.KindVoid {
			w.txt = hex.AppendEncode(w.txt[:0], part)
		} else if w.txt, err = appendPoints(w.txt[:0], render.AllPoints(d, part)); err != nil {
			return err
		}
		w.out.Write(w.txt)
	}
	return w.put('"')
}

// Memory returns the bytes of a, which has no dimensions, without a copy.
func Memory(a array.Array) ([]byte, error) {
	a, err := a.Reshape(1)
	if err == nil {
		a, err = a.Reinterpret(dtype.Uint8)
	}
	if err != nil {
		return nil, err
	}
	v, err := array.As[uint8](a)
	if err != nil {
		return nil, err
	}
	return v.Data()
}

// Gather returns the elements of a one after the other, in C order, as they are in
// memory, in buf if that is long enough.
func Gather(a array.Array, buf []byte) ([]byte, error) {
	n := a.NBytes()
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	dst, err := array.FromBytes(buf[:n], a.DType(), index.C, a.Shape()...)
	if err != nil {
		return nil, err
	}
	return buf[:n], array.Copy(dst, a)
}
