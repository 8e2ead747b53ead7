package array

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMarshalJSON(t *testing.T) {
	floats := must(FromSlice([]float64{1, 0.1, math.NaN(), math.Inf(1), math.Inf(-1), 1e300}, 2, 3))
	records := must(FromSlice([]trade{{1e9, 1, -2, [2]float32{0.5, 97}, 3}, {TS: -1}}))
	file := must(New(dtype.Int8, index.C, 2))
	for _, tt := range []struct {
		v    any
		want string
	}{
		{floats, `[[1.0,0.1,"NaN"],["Infinity","-Infinity",1e+300]]`},
		{floats.T(), `[[1.0,"Infinity"],[0.1,"-Infinity"],["NaN",1e+300]]`},
		{floats.Array(), `[[1.0,0.1,"NaN"],["Infinity","-Infinity",1e+300]]`},
		{must(Cast[int16](must(FromSlice([]float64{1.5, -2})).Array())), `[1,-2]`},
		{floats.Index(0).Index(1), `0.1`},
		{must(FromSlice([]dtype.Half{0x6C04, 0x7BFF})), `[4112.0,65504.0]`},
		{must(FromSlice([]bool{true, false})), `[true,false]`},
		{must(FromSlice([]complex64{1 + 2i})), `[[1.0,2.0]]`},
		{must(FromSlice([]float64{}, 2, 0)), `[[],[]]`},
		{records, `[{"ts":1000000000,"id":1,"side":-2,"price":[0.5,97.0],"size":3},` +
			`{"ts":-1,"id":0,"side":0,"price":[0.0,0.0],"size":0}]`},
		{must(FromBytes([]byte("a<bc\x00\x00"), dtype.Bytes(3), index.C, 2)), `["a\u003cb","c"]`},
		{must(Stack(floats.Array(), floats.Array())),
			`[[[1.0,0.1,"NaN"],["Infinity","-Infinity",1e+300]],[[1.0,0.1,"NaN"],["Infinity","-Infinity",1e+300]]]`},
		{file, `[0,0]`},
		{Array{}, `null`},
		{View[int]{}, `null`},
		{struct{ W View[float64] }{floats.Index(0)}, `{"W":[1.0,0.1,"NaN"]}`},
	} {
		if got, err := json.Marshal(tt.v); err != nil || string(got) != tt.want {
			t.Errorf("%#v is %s, %v; want %s", tt.v, got, err, tt.want)
		}
	}
	many := must(FromSlice(make([]int8, jsonElements+1)))
	for _, v := range []any{many, many.Array(), must(Cast[int](many.Array()))} {
		_, err := json.Marshal(v)
		if err == nil || !strings.Contains(err.Error(),
			"array: 1048577 elements are more than the 1048576 that MarshalJSON supports; use array.WriteJSON") {
			t.Error(err)
		}
	}
	if b, err := json.Marshal(must(many.Select(index.Range(0, jsonElements)))); err != nil ||
		len(b) != 2*jsonElements+1 {
		t.Error(len(b), err)
	}
	file.Close()
	if _, err := json.Marshal(file); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if !isEmulated() {
		path := tempPath(t)
		check(t, Save(path, floats.Array()))
		f := must(Open(path, mmap.ReadOnly))
		defer f.Close()
		truncate(t, path, 0)
		cast := must(Cast[int](f.Array))
		for _, v := range []any{f, cast} {
			if _, err := json.Marshal(v); func() bool { _, ok := errors.AsType[*mmap.FaultError](err); return !ok }() {
				t.Errorf("truncated: %v", err)
			}
		}
	}
}

// TestWriteJSON tests that the JSON of random arrays decodes to lists of the same shape.
func TestWriteJSON(t *testing.T) {
	r := oracle.Rand(t, 47)
	for range oracle.Cases(t, 300) {
		c := randomStream(r)
		var b bytes.Buffer
		if err := WriteJSON(&b, c.a); err != nil {
			if k := c.a.DType().Kind(); k != dtype.KindUnicode {
				t.Fatalf("%+v: %v", c.a, err)
			}
			continue
		}
		var x any
		d := json.NewDecoder(&b)
		d.UseNumber()
		check(t, d.Decode(&x))
		if got := shapeOf(x); c.a.Size() > 0 && !reflect.DeepEqual(got[:min(len(got), c.a.NDim())], c.a.Shape()) {
			t.Fatalf("%+v is %v", c.a, x)
		}
		if _, err := d.Token(); err != io.EOF {
			t.Fatal("more data follows the JSON value")
		}
	}
	large := must(FromSlice(make([]uint8, 300_000), 3, 100_000))
	var b strings.Builder
	check(t, WriteJSON(&b, large.Array()))
	row := "[" + strings.Repeat("0,", 99_999) + "0]"
	if b.String() != "["+row+","+row+","+row+"]" {
		t.Errorf("%d bytes", b.Len())
	}
	stop := errors.New("stop")
	if err := WriteJSON(&limitedWriter{10, stop}, large.Array()); err != stop {
		t.Error(err)
	}
	endless := must(FromBytes(nil, dtype.Void(0), index.C, 1<<30))
	if err := WriteJSON(io.Discard, endless); err == nil ||
		err.Error() != "array: 1073741825 values and lists in 0 bytes of elements are too many to print; select some of them" {
		t.Error(err)
	}
}

// TestWriteJSONText tests that invalid text is refused before anything is written, at any position in the array, and
// that surrogates are escaped.
func TestWriteJSONText(t *testing.T) {
	for _, tt := range []struct {
		name  string
		d     string
		shape []int
		at    int // byte offset of the bad code point
	}{
		{"last of many", "<U1", []int{3, 40_000}, 4 * (3*40_000 - 1)},
		{"large element", "<U100000", []int{2}, 4 * 150_000},
		{"field of a large structure", "[('n', '<i4', (40000,)), ('s', '<U2')]", []int{2}, 2*(4*40_000+8) - 4},
		{"no dimensions", "<U3", []int{}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := dtype.MustParse(tt.d)
			n := d.ItemSize()
			for _, length := range tt.shape {
				n *= length
			}
			b := make([]byte, n)
			a := must(FromBytes(b, d, index.C, tt.shape...))
			copy(b[tt.at:], "\x3d\xd8\x00\x00")
			var out strings.Builder
			if err := WriteJSON(&out, a); err != nil || strings.Count(out.String(), `\ud83d`) != 1 {
				t.Errorf("a surrogate: %v, %d bytes", err, out.Len())
			}
			copy(b[tt.at:], "\x00\x00\x11\x00")
			out.Reset()
			err := WriteJSON(&out, a)
			if err == nil || !strings.Contains(err.Error(), "0x110000 is not a code point") || out.Len() != 0 {
				t.Errorf("%v after %d bytes", err, out.Len())
			}
		})
	}
}

// shapeOf returns the lengths of nested lists.
func shapeOf(x any) (shape []int) {
	list, ok := x.([]any)
	if !ok {
		return []int{}
	}
	shape = append(shape, len(list))
	if len(list) > 0 {
		shape = append(shape, shapeOf(list[0])...)
	}
	return shape
}

// TestSlog tests that a log record contains the elements of a small array, and no elements of a large one.
func TestSlog(t *testing.T) {
	large := must(New(dtype.Int8, index.C, jsonElements+1))
	defer large.Close()
	for _, tt := range []struct {
		v          any
		json, text string
	}{
		{must(FromSlice([]int8{1, 2})), `{"a":[1,2]}`, `a="dtype |i1, shape (2,), order C\n[1 2]"`},
		{large, `{"a":"!ERROR:json: error calling MarshalJSON for type *array.File: ` +
			`array: 1048577 elements are more than the 1048576 that MarshalJSON supports; use array.WriteJSON"}`,
			`a="dtype |i1, shape (1048577,), order C\n[0 0 0 ... 0 0 0]"`},
		{Array{}, `{"a":null}`, `a="<no array>"`},
	} {
		options := &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key != "a" {
				return slog.Attr{}
			}
			return a
		}}
		var json, text strings.Builder
		slog.New(slog.NewJSONHandler(&json, options)).Info("x", "a", tt.v)
		slog.New(slog.NewTextHandler(&text, options)).Info("x", "a", tt.v)
		if got := strings.TrimSpace(json.String()); got != tt.json {
			t.Errorf("JSON %s, want %s", got, tt.json)
		}
		if got := strings.TrimSpace(text.String()); got != tt.text {
			t.Errorf("text %s, want %s", got, tt.text)
		}
	}
}
