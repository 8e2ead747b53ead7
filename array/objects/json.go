package objects

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"strconv"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/jsontext"
)

// WriteJSON writes v to w as JSON:
//
//   - None is null; integers have all their digits; floats are written as by [array.WriteJSON], with "NaN", "Infinity"
//     and "-Infinity"; a complex number is [re, im]
//   - bytes are a string with one character for each byte, as in arrays of dtype S
//   - a list, a tuple and a set are arrays
//   - a dict is an object if all its keys are text, and otherwise an array of [key, value]
//   - a time is text, "2006-01-02T15:04:05.999999Z07:00", without the zone if it has none, and a date is "2006-01-02"; a
//     timedelta is the number of its seconds
//   - an array is nested arrays, with the elements of a structured dtype as objects
//
// It returns the errors of w and of [array.WriteJSON]. It is an error if a container contains itself, if the values are
// nested more than 1,000 deep, or if the text has more than about 1 GiB.
func WriteJSON(w io.Writer, v any) error {
	out := bufio.NewWriter(w)
	j := jsonWriter{out: out, left: maxJSON}
	if err := j.value(v, 1); err != nil {
		return err
	}
	return out.Flush()
}

// MarshalJSON implements [json.Marshaler] with [WriteJSON], for up to about 64 MiB of text.
func (a Array) MarshalJSON() ([]byte, error) { return marshal(a) }

// MarshalJSON implements [json.Marshaler] with [WriteJSON], for up to about 64 MiB of text.
func (l List) MarshalJSON() ([]byte, error) { return marshal(l) }

// MarshalJSON implements [json.Marshaler] with [WriteJSON], for up to about 64 MiB of text.
func (t Tuple) MarshalJSON() ([]byte, error) { return marshal(t) }

// MarshalJSON implements [json.Marshaler] with [WriteJSON], for up to about 64 MiB of text.
func (s Set) MarshalJSON() ([]byte, error) { return marshal(s) }

// MarshalJSON implements [json.Marshaler] with [WriteJSON], for up to about 64 MiB of text.
func (d Dict) MarshalJSON() ([]byte, error) { return marshal(d) }

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	j := jsonWriter{out: &b, left: maxText}
	err := j.value(v, 1)
	return b.Bytes(), err
}

// A jsonWriter writes values as JSON.
type jsonWriter struct {
	out  io.Writer
	left int // number of bytes that may still be written
	path path
}

func (j *jsonWriter) write(b []byte) error {
	_, err := j.Write(b)
	return err
}

// Write implements [io.Writer].
func (j *jsonWriter) Write(b []byte) (int, error) {
	if j.left -= len(b); j.left < 0 {
		return 0, errTooLong
	}
	return j.out.Write(b)
}

// value writes a value that is nested depth levels deep.
func (j *jsonWriter) value(v any, depth int) error {
	if depth > maxDepth {
		return errTooDeep
	}
	switch v := v.(type) {
	case List:
		return j.list(placeOf(v), v, depth)
	case Tuple:
		return j.list(placeOf(v), v, depth)
	case Set:
		return j.list(placeOf(v), v, depth)
	case Dict:
		return j.dict(v, depth)
	case Array:
		return j.array(v, depth)
	case array.Array:
		j.left -= arrayCost
		return array.WriteJSON(j, v)
	}
	b, err := appendScalar(nil, v)
	if err != nil {
		return err
	}
	return j.write(b)
}

// appendScalar appends a value that contains no other values.
func appendScalar(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int64:
		return strconv.AppendInt(b, v, 10), nil
	case *big.Int:
		return v.Append(b, 10), nil
	case float64:
		return jsontext.AppendFloat(b, v, 8), nil
	case complex128:
		b = jsontext.AppendFloat(append(b, '['), real(v), 8)
		b = jsontext.AppendFloat(append(b, ','), imag(v), 8)
		return append(b, ']'), nil
	case string:
		return jsontext.AppendString(b, v), nil
	case []byte:
		return jsontext.AppendString(b, latin1(v)), nil
	case time.Time:
		layout := "2006-01-02T15:04:05.999999999"
		switch v.Location() {
		case Date:
			layout = time.DateOnly
		case Naive:
		default:
			layout += "Z07:00"
		}
		return append(v.AppendFormat(append(b, '"'), layout), '"'), nil
	case time.Duration:
		seconds := big.NewRat(int64(v), int64(time.Second))
		n, _ := seconds.FloatPrec()
		return append(b, seconds.FloatString(n)...), nil
	}
	text, err := json.Marshal(v)
	return append(b, text...), err
}

// within calls write to write the container at a place. It returns an error if the container is being written already.
func (j *jsonWriter) within(at place, write func() error) error {
	j.left -= containerCost
	if !j.path.enter(at) {
		return errors.New("objects: a container contains itself, which JSON cannot represent")
	}
	defer j.path.leave(at)
	return write()
}

// list writes the items of a container.
func (j *jsonWriter) list(at place, items []any, depth int) error {
	return j.within(at, func() error {
		return j.items('[', len(items), ']', func(i int) error { return j.value(items[i], depth+1) })
	})
}

// items writes n items between brackets.
func (j *jsonWriter) items(begin byte, n int, end byte, write func(i int) error) error {
	if err := j.write([]byte{begin}); err != nil {
		return err
	}
	for i := range n {
		if i > 0 {
			if err := j.write([]byte{','}); err != nil {
				return err
			}
		}
		if err := write(i); err != nil {
			return err
		}
	}
	return j.write([]byte{end})
}

func (j *jsonWriter) dict(v Dict, depth int) error {
	isObject := true
	for _, p := range v {
		_, isText := p.Key.(string)
		isObject = isObject && isText
	}
	return j.within(placeOf(v), func() error {
		if isObject {
			return j.items('{', len(v), '}', func(i int) error {
				if err := j.name(v[i].Key.(string)); err != nil {
					return err
				}
				return j.value(v[i].Value, depth+1)
			})
		}
		return j.items('[', len(v), ']', func(i int) error {
			pair := []any{v[i].Key, v[i].Value}
			return j.items('[', 2, ']', func(k int) error { return j.value(pair[k], depth+1) })
		})
	})
}

// name writes the name of a member of an object.
func (j *jsonWriter) name(s string) error { return j.write(append(jsontext.AppendString(nil, s), ':')) }

func (j *jsonWriter) array(a Array, depth int) error {
	if err := a.check(); err != nil {
		return err
	}
	values := a.Values
	var axis func(k int) error
	axis = func(k int) error {
		if k == len(a.Shape) {
			v := values[0]
			values = values[1:]
			return j.element(a.DType, v, depth+1)
		}
		return j.items('[', a.Shape[k], ']', func(int) error { return axis(k + 1) })
	}
	return j.within(placeOf(a.Values), func() error { return axis(0) })
}

// element writes an element of an array of the given dtype, or a field of one. A structure is an object.
func (j *jsonWriter) element(t dtype.DType, v any, depth int) error {
	record, ok := v.(Tuple)
	if n := t.NumField(); n == 0 || !ok || len(record) != n {
		return j.value(v, depth)
	}
	return j.items('{', len(record), '}', func(i int) error {
		f := t.FieldAt(i)
		if err := j.name(f.Name); err != nil {
			return err
		}
		return j.element(f.Type, record[i], depth+1)
	})
}
