// Package jsontext writes arrays, and what there is to say of them, as JSON.
package jsontext

import (
	"bufio"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// block is how many bytes of an array are formatted at a time.
const block = 1 << 16

// Write writes a line of a as nested lists in C order, and reports how many of its bytes
// are done. It needs memory for one block, whatever the size of a. After an error, what
// was written is a line too.
func Write(out *bufio.Writer, a array.Array, progress func(done, total int64)) (err error) {
	w := jsonWriter{out: out, progress: progress, total: a.NBytes()}
	defer func() { // also after a page fault
		if w.begun {
			out.WriteByte('\n')
		}
	}()
	return w.array(a)
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
	case a.NDim() == 0 || a.NBytes() <= block:
		return w.block(a, false)
	case a.NBytes()/a.Dim(0) > block: // part by part
		w.put('[')
		for i := range a.Dim(0) {
			if i > 0 {
				w.put(',')
			}
			if err := w.array(a.Index(i)); err != nil {
				return err
			}
		}
		return w.put(']')
	}
	step := block / (a.NBytes() / a.Dim(0)) // so many parts at a time
	w.put('[')
	for lo := 0; lo < a.Dim(0); lo += step {
		some, err := a.Select(index.Range(lo, min(lo+step, a.Dim(0))))
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
	w.progress(int64(w.done), int64(w.total))
	w.done += len(w.raw)
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
		if w.txt, err = appendJSON(w.txt[:0], d, b[:n]); err != nil {
			return nil, err
		}
		w.begun = true
		_, err = w.out.Write(w.txt)
		return b[n:], err
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
