package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/descr"
	"github.com/ndmap/ndmap/internal/filekind"
	"github.com/ndmap/ndmap/internal/pylit"
)

// PrefixLen is the maximum number of bytes that [Span] needs: magic, version and length.
const PrefixLen = len(Magic) + 2 + 4

// Span reads the magic, the version and the length field at the start of a file, and returns the start and the end of
// the text of the header. b is the whole file, or at least its first [PrefixLen] bytes. If the header is longer than
// limit bytes, Span returns an error; limit 0 means the default of the version. If the file is of another kind, and b
// shows which, the error names that kind.
func Span(b []byte, limit int) (version [2]uint8, start, end int, err error) {
	n := min(len(b), len(Magic))
	switch {
	case len(b) == 0 || string(b[:n]) != Magic[:n]:
		if msg := filekind.Describe(b[:min(len(b), filekind.HeadLen)], filekind.NPY); msg != "" {
			return version, 0, 0, &Error{Msg: msg}
		}
		return version, 0, 0, &Error{Part: "header", Unknown: true,
			Msg: fmt.Sprintf("not a .npy file: it starts with %q; want the magic %q", b[:n], Magic)}
	case n < len(Magic):
		return version, 0, 0, errorf(n, "the file ends inside the magic")
	case len(b) < n+2:
		return version, 0, 0, errorf(len(b), "the file ends inside the version")
	}
	version = [2]uint8{b[n], b[n+1]}
	start = n + 2
	max, field := Limit2, 4
	switch version {
	case [2]uint8{1, 0}:
		max, field = Limit1, 2
	case [2]uint8{2, 0}, [2]uint8{3, 0}:
	default:
		return version, 0, 0, errorf(n, "format version (%d, %d) is unknown; want (1, 0), (2, 0) or (3, 0)", version[0],
			version[1])
	}
	if len(b) < start+field {
		return version, 0, 0, errorf(len(b), "the file ends inside the length of the header")
	}
	length := uint32(0)
	if field == 2 {
		length = uint32(binary.LittleEndian.Uint16(b[start:]))
	} else {
		length = binary.LittleEndian.Uint32(b[start:])
	}
	if limit > 0 {
		max = limit
	}
	max = min(max, math.MaxInt-start-field) // so that end does not overflow
	if int64(length) > int64(max) {
		return version, 0, 0, errorf(start,
			"the header length is %d bytes, more than the limit of %d; a larger limit can be set (MaxHeader)",
			length,
			max)
	}
	start += field
	return version, start, start + int(length), nil
}

// Parse reads the header at the start of b, which is the whole file or at least its header. It does not keep b. It
// allocates memory in proportion to the length of the text, which limit bounds as in [Span]. The numbers in the text do
// not increase it.
//
// Parse does not read the data; see [Header.Within]. It returns an error for a dtype with Python objects.
func Parse(b []byte, limit int) (Header, error) { return parse(b, limit, false) }

// ParseObjects is like Parse, but accepts a dtype with Python objects. The data is then a pickle of unknown length, and
// NBytes is 0.
func ParseObjects(b []byte, limit int) (Header, error) { return parse(b, limit, true) }

func parse(b []byte, limit int, objects bool) (Header, error) {
	version, start, end, err := Span(b, limit)
	if err != nil {
		return Header{}, err
	}
	if end > len(b) {
		return Header{}, errorf(len(b), "the file ends %d bytes before the end of the header", end-len(b))
	}
	h := Header{Version: version, DataOffset: end}
	dict, err := pylit.Parse(string(b[start:end]), syntax(version))
	if err == nil {
		err = h.read(dict, objects)
	}
	if err != nil {
		e := err.(*pylit.Error)
		return Header{}, errorf(start+e.Pos, "%s", e.Msg)
	}
	return h, nil
}

// ReadHeader reads the header at the start of a stream, and no byte after it, and parses it with parse, which is
// [Parse] or [ParseObjects]. If the stream ends too early, the error is an [Error] with Ended set. It returns the
// errors of r.
func ReadHeader(r io.Reader, parse func(b []byte, limit int) (Header, error)) (Header, error) {
	head := make([]byte, PrefixLen-2, PrefixLen)
	switch n, err := io.ReadFull(r, head); {
	case n == 0 && IsEOF(err):
		return Header{}, &Error{Part: "header", Msg: "the stream ends here", Ended: err}
	case IsEOF(err):
		_, _, _, bad := Span(head[:n], 0)
		if e := bad.(*Error); e.Offset == int64(n) { // the bytes so far are correct
			e.Ended = err
		}
		return Header{}, bad
	case err != nil:
		return Header{}, err
	}
	prefix := head
	if strings.HasPrefix(string(head), Magic) {
		prefix = append(head, 0, 0) // versions 2 and 3 have a longer length field
	}
	_, start, end, err := Span(prefix, 0)
	if err != nil {
		return Header{}, err
	}
	if start > len(head) {
		head = head[:start]
		if n, err := io.ReadFull(r, head[PrefixLen-2:]); err != nil {
			return Header{}, ended(PrefixLen-2+n, err)
		}
		if _, _, end, err = Span(head, 0); err != nil {
			return Header{}, err
		}
	}
	text := make([]byte, end-start) // bounded by the limit for headers
	if n, err := io.ReadFull(r, text); err != nil {
		return Header{}, ended(start+n, err)
	}
	return parse(append(head, text...), 0)
}

// ended returns an *Error for a stream that ends at byte at of the header, if err says that the stream ended.
// Otherwise it returns err.
func ended(at int, err error) error {
	if !IsEOF(err) {
		return err
	}
	return &Error{Part: "header", Offset: int64(at), Msg: "the stream ends here", Ended: io.ErrUnexpectedEOF}
}

// IsEOF reports whether err says that a stream ended.
func IsEOF(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// syntax returns the configuration for parsing the text of a header.
func syntax(version [2]uint8) pylit.Config {
	if version[0] > 2 {
		return pylit.Config{} // UTF-8, always written by Python 3
	}
	return pylit.Config{Encoding: pylit.Latin1, Filter: true}
}

// read sets the fields of h from the three keys of the header. Each key must occur exactly once.
func (h *Header) read(dict pylit.Value, objects bool) error {
	if dict.Kind() != pylit.Dict {
		return errorAt(dict, "the header is "+dict.Kind().String()+"; want a dict with 'descr', 'fortran_order' and 'shape'")
	}
	var descr, order, shape pylit.Value
	for key := dict.First(); key.Kind() != pylit.Invalid; {
		value := dict.After(key)
		to := &descr
		name := ""
		if key.Kind() == pylit.Str {
			name = key.Str()
		}
		switch name {
		case "descr":
		case "fortran_order":
			to = &order
		case "shape":
			to = &shape
		default:
			return errorAt(key, "unexpected key "+key.Excerpt()+"; want 'descr', 'fortran_order' and 'shape'")
		}
		if to.Kind() != pylit.Invalid {
			return errorAt(key, "duplicate key '"+name+"'")
		}
		*to = value
		key = dict.After(value)
	}
	for _, k := range []struct {
		v    pylit.Value
		name string
	}{{descr, "descr"}, {order, "fortran_order"}, {shape, "shape"}} {
		if k.v.Kind() == pylit.Invalid {
			return errorAt(dict, "the key '"+k.name+"' is missing")
		}
	}
	if order.Kind() != pylit.Bool {
		return errorAt(order, "fortran_order is "+order.Kind().String()+"; want True or False")
	}
	if order.Bool() {
		h.Order = index.F
	}
	var err error
	if h.DType, h.Assumed, err = readDescr(descr, objects); err != nil {
		return err
	}
	if h.DType.Kind() == dtype.KindSubarray {
		return errorAt(descr, "a sub-array dtype outside of a field; want its dimensions in the shape")
	}
	return h.readShape(shape)
}

// readDescr converts the descr of a header to a dtype.
var readDescr = descr.Read.(func(pylit.Value, bool) (dtype.DType, bool, error))

func (h *Header) readShape(shape pylit.Value) error {
	if shape.Kind() != pylit.Tuple {
		return errorAt(shape, "the shape is "+shape.Kind().String()+"; want a tuple like (3,) or (2, 3)")
	}
	h.Shape = make([]int, 0, min(shape.Len(), index.MaxDims))
	for c := shape.First(); c.Kind() != pylit.Invalid; c = shape.After(c) {
		if c.Kind() != pylit.Int {
			return errorAt(c, "dimension "+c.Excerpt()+" is "+c.Kind().String()+"; want an integer")
		}
		n, ok := c.Int()
		switch {
		case !ok && c.Text()[0] != '-':
			return errorAt(c, "dimension "+c.Excerpt()+" overflows int")
		case !ok || n < 0:
			return errorAt(c, "dimension "+c.Excerpt()+" is negative")
		case len(h.Shape) == index.MaxDims:
			return errorAt(shape, "more than "+strconv.Itoa(index.MaxDims)+" dimensions")
		}
		h.Shape = append(h.Shape, n)
	}
	var err error
	_, h.NBytes, err = index.Size(h.Shape, h.DType.ItemSize())
	if err == nil && h.NBytes > math.MaxInt-h.DataOffset {
		return errorAt(shape, "shape "+shape.Excerpt()+" of "+clip(h.DType.String())+" ends past the largest file offset")
	}
	if err != nil {
		return errorAt(shape, err.Error())
	}
	if h.DType.HasObject() {
		h.NBytes = 0
	}
	return nil
}

func errorAt(v pylit.Value, msg string) error { return &pylit.Error{Pos: v.Pos(), Msg: msg} }

// clip shortens the text of a dtype for messages.
func clip(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}
