package array

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/jsontext"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/render"
	"github.com/ndmap/ndmap/mmap"
)

// jsonElements is the maximum number of elements that MarshalJSON accepts.
const jsonElements = 1 << 20

// MarshalJSON implements [encoding/json.Marshaler] with [WriteJSON], for up to 1,048,576 elements. It returns an error
// for more elements, and for a closed or truncated file. The zero Array becomes null.
func (a Array) MarshalJSON() ([]byte, error) { return marshalJSON(a.view) }

// MarshalJSON implements [encoding/json.Marshaler] like [Array.MarshalJSON], with the elements converted to T.
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
			fmt.Errorf("%s%d elements are more than the %d that MarshalJSON supports; use array.WriteJSON",
				nd.Prefix(c.Store.Mem.Path), n, jsonElements)
	}
	var b bytes.Buffer
	err := c.CheckOpen()
	if err == nil {
		err = mmap.Guard(func() error { return WriteJSON(&b, Array{c}) })
	}
	return b.Bytes(), err
}

// WriteJSON writes a to w as nested JSON lists in C order. Numbers are JSON numbers: float64 and float32 the shortest
// that reads back as the same value of their type, narrower floats the float64 that equals them. NaN and infinities are
// "NaN", "Infinity" and "-Infinity"; complex numbers are [re, im]; text is a string; V and long doubles are hexadecimal
// strings; times are integers; structures are objects.
//
// It returns the errors of w. Text above U+10FFFF is an error, before anything is written, as are more than 1<<24 lists
// of elements without bytes. WriteJSON needs memory for one block of elements.
func WriteJSON(w io.Writer, a Array) error {
	el := a.view.MustBeSet()
	if n := render.Weight(a.DType(), a.Shape()...); n > 1<<24 && n/256 > a.NBytes() {
		return fmt.Errorf("%s%s values and lists in %d bytes of elements are too many to print; select some of them",
			nd.Prefix(el.Mem.Path), formatCount(n), a.NBytes())
	}
	return jsontext.Write(w, a.view)
}

// formatCount formats n. The largest int means that many or more.
func formatCount(n int) string {
	if n == math.MaxInt {
		return fmt.Sprintf("more than %d", n-1)
	}
	return strconv.Itoa(n)
}
