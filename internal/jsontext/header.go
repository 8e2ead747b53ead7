package jsontext

import (
	"fmt"
	"strconv"

	"github.com/ndmap/ndmap/dtype"
)

// AppendDescr appends d in the notation of a .npy header: a string, or a list of fields.
func AppendDescr(b []byte, d dtype.DType) []byte {
	if d.Kind() != dtype.KindStructured {
		return AppendString(b, d.String())
	}
	b = append(b, '[')
	end := 0
	sep := ""
	pad := func(to int) {
		if to > end {
			b = fmt.Appendf(b, `%s["","|V%d"]`, sep, to-end)
			sep = ","
		}
	}
	for f := range d.Fields() {
		pad(f.Offset)
		b = append(b, sep...)
		b = append(b, '[')
		if f.Title != "" {
			b = append(b, '[')
			b = AppendString(b, f.Title)
			b = append(b, ',')
			b = AppendString(b, f.Name)
			b = append(b, ']')
		} else {
			b = AppendString(b, f.Name)
		}
		b = append(b, ',')
		b = AppendDescr(b, f.Type.Base())
		if f.Type.Kind() == dtype.KindSubarray {
			b = append(b, ',')
			b = AppendInts(b, f.Type.SubShape())
		}
		b = append(b, ']')
		sep = ","
		end = f.Offset + f.Type.ItemSize()
	}
	pad(d.ItemSize())
	return append(b, ']')
}

// AppendInts appends a list of integers.
func AppendInts(b []byte, s []int) []byte {
	b = append(b, '[')
	for i, n := range s {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return append(b, ']')
}
