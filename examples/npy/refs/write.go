package refs

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/jsontext"
)

// Write writes the references, one per line. It calls progress with the number of references written; if progress
// returns an error, Write stops. The memory that Write needs does not depend on the number of references.
func (p *Plan) Write(w io.Writer, progress func(done, total int64) error) error {
	e := &encoder{Plan: p, out: bufio.NewWriterSize(w, 1<<16), progress: progress}
	e.out.WriteString(`{"version":1,"refs":{` + "\n")
	e.text(".zgroup", []byte(`{"zarr_format":2}`))
	for _, a := range p.Arrays() {
		e.out.WriteString(",\n")
		e.text(a.Name+"/.zarray", e.zarray(a))
		e.out.WriteString(",\n")
		e.text(a.Name+"/.zattrs", e.zattrs(a))
		for _, at := range a.parts {
			if err := e.part(a, at); err != nil {
				return err
			}
		}
	}
	e.out.WriteString("\n}}\n")
	return e.out.Flush()
}

// An encoder writes references.
type encoder struct {
	*Plan
	out      *bufio.Writer
	progress func(done, total int64) error
	done     int // number of references written
	line     []byte
}

// text writes a metadata file of the group, with value as its text.
func (e *encoder) text(key string, value []byte) {
	e.line = jsontext.AppendString(e.line[:0], key)
	e.line = append(e.line, ':')
	e.line = jsontext.AppendString(e.line, string(value))
	e.out.Write(e.line)
}

// zarray returns the metadata of an array. It has no fill value, because xarray would read zeros as NaN if the fill
// value were 0.0.
func (e *encoder) zarray(a *Array) []byte {
	b := []byte(`{"zarr_format":2,"shape":`)
	b = jsontext.AppendInts(b, a.Shape)
	b = append(b, `,"chunks":`...)
	b = jsontext.AppendInts(b, a.Chunks)
	b = append(b, `,"dtype":`...)
	b = jsontext.AppendDescr(b, e.DType)
	b = fmt.Appendf(b, `,"order":"%v","fill_value":null,"compressor":null,"filters":null}`, e.Order)
	return ascii(b)
}

// ascii escapes all characters of JSON strings outside ASCII, which zarr does not read in metadata.
func ascii(text []byte) []byte {
	var b []byte
	for _, c := range string(text) {
		switch hi, lo := utf16.EncodeRune(c); {
		case c < utf8.RuneSelf:
			b = append(b, byte(c))
		case hi == utf8.RuneError: // a single UTF-16 unit
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = fmt.Appendf(b, `\u%04x\u%04x`, hi, lo)
		}
	}
	return b
}

// zattrs returns the attributes of an array: the names of its axes, which xarray requires. The axis along which tail
// continues data gets another name in tail, because its length differs.
func (e *encoder) zattrs(a *Array) []byte {
	b := []byte(`{"_ARRAY_DIMENSIONS":[`)
	for axis := range a.Shape {
		if axis > 0 {
			b = append(b, ',')
		}
		name := "dim"
		if a != &e.Data && axis == a.Axis {
			name = "tail"
		}
		b = fmt.Appendf(b, `"%s_%d"`, name, axis)
	}
	b = append(b, ']')
	if a != &e.Data {
		b = fmt.Appendf(b, `,"continues":"%s","axis":%d`, e.Data.Name, a.Axis)
	}
	return append(b, '}')
}

// part writes the references to the chunks of a part.
func (e *encoder) part(a *Array, at part) error {
	shape := e.memoryShape(at.source.Shape)
	stride := e.strides(shape)
	prefix := jsontext.AppendString([]byte{}, a.Name+"/")
	prefix = append([]byte(",\n"), prefix[:len(prefix)-1]...) // without the closing quote
	root, path := cutRoot(at.source.URL)
	escaped := jsontext.AppendString(nil, path)[1:] // without the opening quote
	var elements array.Array
	if at.copied {
		var done func()
		var err error
		if elements, done, err = at.source.Open(); err != nil {
			return err
		}
		defer done()
	}
	before := make([]int, e.split) // indices along the axes before the split
	chunk := make([]int, len(a.Shape))
	for {
		row := at.source.Offset
		for k, i := range before {
			row += int64(i) * int64(stride[k])
			chunk[e.axis(k)] = i
		}
		if e.joined != Single && e.joinInMemory() != e.split {
			chunk[e.join] = at.origin
			if k := e.joinInMemory(); 0 <= k && k < e.split {
				chunk[e.join] += before[k]
			}
		}
		for c := range at.count {
			if axis := e.axis(e.split); axis >= 0 {
				chunk[axis] = at.first + c
			}
			e.line = appendKey(append(e.line[:0], prefix...), chunk)
			start := at.start + c*at.step
			if at.copied {
				b, err := e.padChunk(elements, shape, before, start)
				if err != nil {
					return err
				}
				e.line = append(e.line, `":"base64:`...)
				e.line = base64.StdEncoding.AppendEncode(e.line, b)
				e.line = append(e.line, '"')
			} else {
				e.line = jsontext.AppendString(append(e.line, `":[`...), root)
				e.line = a.marks.append(e.line[:len(e.line)-1], root, chunk, at.number)
				e.line = append(e.line, escaped...)
				e.line = strconv.AppendInt(append(e.line, ','), row+int64(start)*int64(stride[e.split]), 10)
				e.line = strconv.AppendInt(append(e.line, ','), int64(at.step)*int64(stride[e.split]), 10)
				e.line = append(e.line, ']')
			}
			if _, err := e.out.Write(e.line); err != nil {
				return err
			}
			if e.done++; e.done%1024 == 0 {
				if err := e.progress(int64(e.done), int64(e.Refs)); err != nil {
					return err
				}
			}
		}
		if !nextIndex(before, shape) {
			return nil
		}
	}
}

// appendKey appends the numbers of a chunk along all axes.
func appendKey(b []byte, chunk []int) []byte {
	if len(chunk) == 0 {
		return append(b, '0')
	}
	for axis, i := range chunk {
		if axis > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendInt(b, int64(i), 10)
	}
	return b
}

// nextIndex advances i to the following index in C order. It returns false after the last index.
func nextIndex(i, shape []int) bool {
	for k := len(i) - 1; k >= 0; k-- {
		if i[k]++; i[k] < shape[k] {
			return true
		}
		i[k] = 0
	}
	return false
}

// padChunk returns the elements of a partial chunk, padded with zeros. The chunk begins at the indices before, and at
// start along the split.
func (e *encoder) padChunk(elements array.Array, shape, before []int, start int) ([]byte, error) {
	full := make([]int, len(shape)) // the shape of a chunk
	from := make([]index.Selector, len(shape))
	to := make([]index.Selector, len(shape))
	size := e.DType.ItemSize()
	for k := range shape {
		full[k] = e.Data.Chunks[e.axis(k)]
		size *= full[k]
		lo := 0
		switch {
		case k < e.split:
			lo = before[k]
		case k == e.split:
			lo = start
		}
		n := min(full[k], shape[k]-lo)
		from[k], to[k] = index.Range(lo, lo+n), index.Range(0, n)
	}
	if e.Order == index.F {
		slices.Reverse(full)
		slices.Reverse(from)
		slices.Reverse(to)
	}
	b := make([]byte, size)
	dst, err := array.FromBytes(b, e.DType, e.Order, full...)
	if err == nil {
		dst, err = dst.Select(to...)
	}
	if err == nil {
		elements, err = elements.Select(from...)
	}
	if err == nil {
		err = array.Copy(dst, elements)
	}
	return b, err
}
