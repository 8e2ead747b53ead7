package main

import (
	"bufio"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/render"
	"github.com/ndmap/ndmap/mmap"
)

var infoCommand = command{
	name: "info", args: "[-json] FILE...", min: 1, max: -1,
	about: "Says what is in the headers of the files.",
	flags: func(set *flag.FlagSet) runner {
		asJSON := set.Bool("json", false, "print one JSON object per line")
		return func(e *env, files []string) error {
			first := true
			for _, path := range files {
				f, err := array.Open(path, mmap.ReadOnly)
				if err != nil {
					e.note(path, err)
					continue
				}
				switch {
				case *asJSON:
					e.out.Write(appendInfo(nil, f))
				case !first:
					e.out.WriteByte('\n')
					fallthrough
				default:
					info(e.out, f)
				}
				f.Close()
				first = false
			}
			return nil
		}
	},
}

// info writes what is in the header, for people.
func info(out *bufio.Writer, f *array.File) {
	major, minor := f.Version()
	order := "C (the last index is fastest)"
	if f.Order() == index.F {
		order = "Fortran (the first index is fastest)"
	}
	line := func(name, format string, args ...any) { writeLine(out, name, format, args...) }
	line("file", "%s", f.Path())
	line("format", "version %d.%d", major, minor)
	line("dtype", "%s: %s", f.DType(), describe(f.DType()))
	for field := range f.DType().Fields() {
		line("  field", "%s: %s at byte %d", field.Name, field.Type, field.Offset)
	}
	line("shape", "%s", shapeText(f.Shape()))
	line("order", "%s", order)
	line("elements", "%d of %s", f.Size(), byteCount(f.ItemSize()))
	line("data", "%s from byte %d", byteCount(f.NBytes()), f.DataOffset())
	if hasLongDouble(f.DType()) {
		line("note", "long doubles differ from machine to machine; their bytes are shown as they are, in hexadecimal")
	}
}

func writeLine(out *bufio.Writer, name, format string, args ...any) {
	fmt.Fprintf(out, "%-13s %s\n", name, fmt.Sprintf(format, args...))
}

func byteCount(n int) string {
	if n == 1 {
		return "1 byte"
	}
	s := strconv.Itoa(n) + " bytes"
	for i, unit := range []string{"EiB", "PiB", "TiB", "GiB", "MiB", "KiB"} {
		if size := 1 << (60 - 10*i); n >= size && size > 0 {
			return fmt.Sprintf("%s (%.1f %s)", s, float64(n)/float64(size), unit)
		}
	}
	return s
}

// describe is the dtype in words.
func describe(d dtype.DType) string {
	order := ""
	switch d.Order() {
	case dtype.LittleEndian:
		order = ", little-endian"
	case dtype.BigEndian:
		order = ", big-endian"
	}
	bits := 8 * d.ItemSize()
	switch d.Kind() {
	case dtype.KindBool:
		return "boolean"
	case dtype.KindInt:
		return fmt.Sprintf("signed integer of %d bits%s", bits, order)
	case dtype.KindUint:
		return fmt.Sprintf("unsigned integer of %d bits%s", bits, order)
	case dtype.KindFloat, dtype.KindComplex:
		name := "floating point number"
		if d.Kind() == dtype.KindComplex {
			name = "complex number"
		}
		if d.IsLongDouble() {
			return fmt.Sprintf("long double %s of %d bits%s", name, bits, order)
		}
		return fmt.Sprintf("%s of %d bits%s", name, bits, order)
	case dtype.KindBytes:
		return fmt.Sprintf("text of up to %s", byteCount(d.ItemSize()))
	case dtype.KindUnicode:
		return fmt.Sprintf("text of up to %d code points%s", d.ItemSize()/4, order)
	case dtype.KindVoid:
		return "bytes without meaning"
	case dtype.KindDatetime:
		return "time since 1970 in " + render.Ticks(d) + order
	case dtype.KindTimedelta:
		return "duration in " + render.Ticks(d) + order
	}
	return fmt.Sprintf("structure of %d fields", d.NumField())
}

// hasLongDouble reports whether there is a long double in d.
func hasLongDouble(d dtype.DType) bool {
	for f := range d.Fields() {
		if hasLongDouble(f.Type) {
			return true
		}
	}
	return d.Base().IsLongDouble() || d.Kind() == dtype.KindSubarray && hasLongDouble(d.Base())
}

// appendInfo appends what info -json says of a file.
func appendInfo(b []byte, f *array.File) []byte {
	major, minor := f.Version()
	b = append(b, `{"path":`...)
	b = appendString(b, f.Path())
	b = fmt.Appendf(b, `,"version":[%d,%d],"descr":`, major, minor)
	b = appendDescr(b, f.DType())
	b = append(b, `,"shape":`...)
	b = appendInts(b, f.Shape())
	b = fmt.Appendf(b, `,"fortran_order":%t,"data_offset":%d,"itemsize":%d,"size":%d,"nbytes":%d}`,
		f.Order() == index.F, f.DataOffset(), f.ItemSize(), f.Size(), f.NBytes())
	return append(b, '\n')
}

// appendDescr appends d as it is in the header: a string, or the list of fields.
func appendDescr(b []byte, d dtype.DType) []byte {
	if d.Kind() != dtype.KindStructured {
		return appendString(b, d.String())
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
			b = appendString(b, f.Title)
			b = append(b, ',')
			b = appendString(b, f.Name)
			b = append(b, ']')
		} else {
			b = appendString(b, f.Name)
		}
		b = append(b, ',')
		b = appendDescr(b, f.Type.Base())
		if f.Type.Kind() == dtype.KindSubarray {
			b = append(b, ',')
			b = appendInts(b, f.Type.SubShape())
		}
		b = append(b, ']')
		sep = ","
		end = f.Offset + f.Type.ItemSize()
	}
	pad(d.ItemSize())
	return append(b, ']')
}

func appendInts(b []byte, s []int) []byte {
	b = append(b, '[')
	for i, n := range s {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return append(b, ']')
}

// shapeText is a shape, or an index, as Python writes a tuple: (), (3,), (2, 3).
func shapeText(s []int) string {
	text := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(s)), ", "), "[]")
	if len(s) == 1 {
		text += ","
	}
	return "(" + text + ")"
}
