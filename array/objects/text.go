package objects

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/pylit"
	"github.com/ndmap/ndmap/internal/render"
)

// Limits of the text of a value. Shared values can make it exponentially longer than the pickle.
const (
	maxString = 1 << 20 // of the String methods
	maxText   = 1 << 26 // of WriteText and MarshalJSON
	maxJSON   = 1 << 30 // of WriteJSON
)

// Containers and arrays count more bytes than their text has, for the work that they take.
const (
	containerCost = 32
	arrayCost     = 512
)

// WriteText writes v to w as Python's print shows it: a text as it is, other values like repr, and arrays as NumPy's
// print shows them. Within other values, arrays are in parentheses after the word array. A container within itself is
// [...]. A bytearray, a frozenset and an OrderedDict appear as the simpler type.
//
// It returns the errors of w. It is an error if the text has more than about 64 MiB, or if the values are nested more
// than 1,000 deep.
func WriteText(w io.Writer, v any) error {
	out := bufio.NewWriter(w)
	t := texter{out: out, left: maxText}
	t.top(v)
	return errors.Join(t.err, out.Flush())
}

// String returns a as Python's print shows it. A text of more than 1 MiB is cut.
func (a Array) String() string { return text(a) }

// String returns l as Python's repr shows it. A text of more than 1 MiB is cut.
func (l List) String() string { return text(l) }

// String returns t as Python's repr shows it. A text of more than 1 MiB is cut.
func (t Tuple) String() string { return text(t) }

// String returns s as Python's repr shows it. A text of more than 1 MiB is cut.
func (s Set) String() string { return text(s) }

// String returns d as Python's repr shows it. A text of more than 1 MiB is cut.
func (d Dict) String() string { return text(d) }

// text returns the text of v. If it is too long, it ends with "…".
func text(v any) string {
	var b strings.Builder
	t := texter{out: &b, left: maxString}
	if t.top(v); t.err != nil {
		b.WriteString("…")
	}
	return b.String()
}

// A texter writes the text of values to out, which reports its errors later.
type texter struct {
	out  io.Writer
	left int // number of bytes that may still be written
	err  error
	path path
}

// A path holds the containers that contain the current value.
type path map[place]bool

// A place identifies a container by the address and the number of its elements.
type place struct {
	first any
	n     int
}

// placeOf returns the place of v, a slice. A container without elements has none.
func placeOf[T any](v []T) place {
	if len(v) == 0 {
		return place{}
	}
	return place{&v[0], len(v)}
}

// enter adds a container to p. ok is false if p contains it already.
func (p *path) enter(at place) (ok bool) {
	if *p == nil {
		*p = path{}
	}
	if at.n > 0 && (*p)[at] {
		return false
	}
	(*p)[at] = true
	return true
}

func (p path) leave(at place) { delete(p, at) }

var (
	errTooLong = errors.New("objects: the text is too long; write the values one by one")
	errTooDeep = fmt.Errorf("objects: the values are nested more than %d deep", maxDepth)
)

// write writes s, or the start of it if it is too long.
func (t *texter) write(s string) {
	if t.err != nil {
		return
	}
	if len(s) > t.left {
		t.fail(errTooLong)
		s = strings.ToValidUTF8(s[:max(t.left, 0)], "")
	}
	t.left -= len(s)
	io.WriteString(t.out, s)
}

// fail records the first error.
func (t *texter) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

// top writes a value that is not part of another one.
func (t *texter) top(v any) {
	switch v := v.(type) {
	case string:
		t.write(v)
	case array.Array:
		t.write(fmt.Sprint(v))
	case Array:
		t.array(v, 1)
	default:
		t.value(v, 1)
	}
}

// value writes a value that is nested depth levels deep, as repr does.
func (t *texter) value(v any, depth int) {
	if depth > maxDepth {
		t.fail(errTooDeep)
	}
	if t.err != nil {
		return
	}
	switch v := v.(type) {
	case nil:
		t.write("None")
	case bool:
		t.write(strings.ToUpper(strconv.FormatBool(v)[:1]) + strconv.FormatBool(v)[1:])
	case int64:
		t.write(strconv.FormatInt(v, 10))
	case *big.Int:
		t.write(v.String())
	case float64:
		t.write(render.Float(v, 8))
	case complex128:
		t.write(complexText(v))
	case string:
		t.write(string(pylit.AppendQuote(nil, v)))
	case []byte:
		t.write(bytesText(v))
	case time.Time:
		t.write(timeText(v))
	case time.Duration:
		t.write(durationText(v))
	case List:
		t.container(placeOf(v), "[", v, "]", depth)
	case Tuple:
		end := ")"
		if len(v) == 1 {
			end = ",)"
		}
		t.container(placeOf(v), "(", v, end, depth)
	case Set:
		if len(v) == 0 {
			t.write("set()")
			return
		}
		t.container(placeOf(v), "{", v, "}", depth)
	case Dict:
		t.dict(v, depth)
	case array.Array:
		t.left -= arrayCost
		t.write("array(" + arrayText(v) + ")")
	case Array:
		t.left -= arrayCost
		t.write("array(")
		t.array(v, depth)
		t.write(")")
	default:
		t.write(fmt.Sprint(v))
	}
}

// container writes the items of a container.
func (t *texter) container(at place, begin string, items []any, end string, depth int) {
	t.left -= containerCost
	t.write(begin)
	if !t.path.enter(at) {
		t.write("..." + end[len(end)-1:])
		return
	}
	defer t.path.leave(at)
	for i, item := range items {
		if i > 0 {
			t.write(", ")
		}
		t.value(item, depth+1)
		if t.err != nil {
			return
		}
	}
	t.write(end)
}

func (t *texter) dict(v Dict, depth int) {
	t.left -= containerCost
	t.write("{")
	if at := placeOf(v); t.path.enter(at) {
		defer t.path.leave(at)
		for i, p := range v {
			if i > 0 {
				t.write(", ")
			}
			t.value(p.Key, depth+1)
			t.write(": ")
			t.value(p.Value, depth+1)
			if t.err != nil {
				return
			}
		}
	} else {
		t.write("...")
	}
	t.write("}")
}

// array writes an array of objects as NumPy's print does. The positions of its elements are printed as an array of
// integers, with the text of an element instead of its position.
func (t *texter) array(a Array, depth int) {
	at := placeOf(a.Values)
	if err := a.check(); err != nil {
		t.fail(err)
	}
	if t.err != nil {
		return
	}
	if !t.path.enter(at) {
		t.write("...")
		return
	}
	defer t.path.leave(at)
	if len(a.Shape) == 0 {
		switch v := a.Values[0]; {
		case a.DType.NumField() > 0:
			t.item(a.DType, v, depth+1)
		case depth == 1:
			t.top(v)
		default:
			t.value(v, depth+1)
		}
		return
	}
	layout, err := index.NewLayout(a.Shape, 1, index.C)
	if err != nil {
		t.fail(err)
		return
	}
	of := render.Array{DType: dtype.Int64, Shape: a.Shape, Append: func(dst []byte, sel []index.Selector) ([]byte, error) {
		part, start, err := layout.Select(sel...)
		shape := part.Shape()
		idx := make([]int, len(shape))
		for more := err == nil && part.Size() > 0; more; more = index.Next(idx, shape, index.C) {
			dst = binary.NativeEndian.AppendUint64(dst, uint64(start+part.Offset(idx...)))
		}
		return dst, err
	}}
	rest := t.left / 2 // for the text of the whole array; so arrays nested in arrays get ever less
	t.left -= rest
	text, err := of.TextOf(func(_ dtype.DType, b []byte) string {
		return t.element(a.DType, a.Values[binary.NativeEndian.Uint64(b)], depth)
	})
	if err != nil {
		t.fail(err)
	}
	err, t.err, t.left = t.err, nil, t.left+rest
	t.write(strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", 6*min(depth-1, 1))))
	if err != nil {
		t.fail(err)
	}
}

// element returns the text of an element of an array of the given dtype.
func (t *texter) element(d dtype.DType, v any, depth int) string {
	var b bytes.Buffer
	part := texter{out: &b, left: t.left, err: t.err, path: t.path}
	part.item(d, v, depth+1)
	t.left, t.err = part.left, part.err
	return b.String()
}

// item writes an element of an array, or a field of one. NumPy marks lists, to tell them from axes.
func (t *texter) item(d dtype.DType, v any, depth int) {
	if _, ok := v.(List); ok {
		t.write("list(")
		t.value(v, depth)
		t.write(")")
		return
	}
	record, ok := v.(Tuple)
	if n := d.NumField(); n == 0 || !ok || len(record) != n {
		t.value(v, depth)
		return
	}
	t.write("(")
	for i, field := range record {
		if i > 0 {
			t.write(", ")
		}
		t.item(d.FieldAt(i).Type, field, depth+1)
	}
	if len(record) == 1 {
		t.write(",")
	}
	t.write(")")
}

// arrayText returns the text of an array within other values, as repr shows its elements.
func arrayText(a array.Array) string {
	if a.NDim() == 0 { // NumPy shows a text of no dimensions without quotes
		if v, err := a.Reshape(1); err == nil {
			text := fmt.Sprint(v)
			return text[1 : len(text)-1]
		}
	}
	return strings.ReplaceAll(fmt.Sprint(a), "\n", "\n      ")
}

func complexText(c complex128) string {
	part := func(x float64) string { return strings.TrimSuffix(render.Float(x, 8), ".0") }
	im := part(imag(c))
	if real(c) == 0 && !math.Signbit(real(c)) {
		return im + "j"
	}
	if im[0] != '-' {
		im = "+" + im
	}
	return "(" + part(real(c)) + im + "j)"
}

// bytesText returns b as Python's repr shows it.
func bytesText(b []byte) string {
	q := byte('\'')
	if bytes.IndexByte(b, '\'') >= 0 && bytes.IndexByte(b, '"') < 0 {
		q = '"'
	}
	t := []byte{'b', q}
	for _, c := range b {
		switch {
		case c == q || c == '\\':
			t = append(t, '\\', c)
		case c == '\n':
			t = append(t, `\n`...)
		case c == '\r':
			t = append(t, `\r`...)
		case c == '\t':
			t = append(t, `\t`...)
		case c < ' ' || c >= 0x7f:
			t = fmt.Appendf(t, `\x%02x`, c)
		default:
			t = append(t, c)
		}
	}
	return string(append(t, q))
}

// timeText returns t as Python's repr shows it.
func timeText(t time.Time) string {
	if t.Location() == Date {
		return fmt.Sprintf("datetime.date(%d, %d, %d)", t.Year(), t.Month(), t.Day())
	}
	s := fmt.Sprintf("datetime.datetime(%d, %d, %d, %d, %d", t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute())
	micro := t.Nanosecond() / 1000
	if t.Second() > 0 || micro > 0 {
		s += fmt.Sprintf(", %d", t.Second())
	}
	if micro > 0 {
		s += fmt.Sprintf(", %d", micro)
	}
	switch zone, offset := t.Zone(); {
	case t.Location() == Naive:
	case t.Location() == time.UTC:
		s += ", tzinfo=datetime.timezone.utc"
	case zone == "":
		s += ", tzinfo=datetime.timezone(" + durationText(time.Duration(offset)*time.Second) + ")"
	default:
		s += ", tzinfo=datetime.timezone(" + durationText(time.Duration(offset)*time.Second) + ", " +
			string(pylit.AppendQuote(nil, zone)) + ")"
	}
	return s + ")"
}

// durationText returns d as Python's repr shows it.
func durationText(d time.Duration) string {
	const day = 24 * time.Hour
	days := d / day
	if d %= day; d < 0 {
		days, d = days-1, d+day
	}
	var parts []string
	for _, p := range []struct {
		unit string
		n    time.Duration
	}{{"days", days}, {"seconds", d / time.Second}, {"microseconds", d % time.Second / time.Microsecond}} {
		if p.n != 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", p.unit, p.n))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "0")
	}
	return "datetime.timedelta(" + strings.Join(parts, ", ") + ")"
}
