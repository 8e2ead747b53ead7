package main

import (
	"bufio"
	"flag"
	"fmt"

	"github.com/ndmap/ndmap/examples/npy/jsontext"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
)

var infoCommand = command{
	name: "info", args: "[-json] FILE...", min: 1, max: -1,
	about: "Says what is in the headers of the files.",
	flags: func(set *flag.FlagSet) runner {
		in := rawFlags(set)
		asJSON := set.Bool("json", false, "print one JSON object per line")
		return func(e *env, files []string) error {
			if err := in.check(); err != nil {
				return err
			}
			first := true
			for _, path := range files {
				f, err := e.open(path, in)
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
				f.close()
				first = false
			}
			return nil
		}
	},
}

// info writes what is in the header, for people.
func info(out *bufio.Writer, f *input) {
	order := "C (the last index is fastest)"
	if f.order == index.F {
		order = "Fortran (the first index is fastest)"
	}
	line := func(name, format string, args ...any) { writeLine(out, name, format, args...) }
	line("file", "%s", f.path)
	if f.major == 0 {
		line("format", "no header")
	} else {
		line("format", "version %d.%d", f.major, f.minor)
	}
	line("dtype", "%s: %s", f.DType(), words.DType(f.DType()))
	for field := range f.DType().Fields() {
		line("  field", "%s: %s at byte %d", field.Name, field.Type, field.Offset)
	}
	line("shape", "%s", words.Shape(f.Shape()))
	line("order", "%s", order)
	line("elements", "%d of %s", f.Size(), words.Bytes(f.ItemSize()))
	line("data", "%s from byte %d", words.Bytes(f.NBytes()), f.dataOffset)
	if words.HasLongDouble(f.DType()) {
		line("note", "long doubles differ from machine to machine; their bytes are shown as they are, in hexadecimal")
	}
}

func writeLine(out *bufio.Writer, name, format string, args ...any) {
	fmt.Fprintf(out, "%-13s %s\n", name, words.Printable(fmt.Sprintf(format, args...)))
}

// appendInfo appends what info -json says of a file.
func appendInfo(b []byte, f *input) []byte {
	b = append(b, `{"path":`...)
	b = jsontext.AppendString(b, f.path)
	if b = append(b, `,"version":`...); f.major == 0 { // there is no header
		b = append(b, "null"...)
	} else {
		b = fmt.Appendf(b, "[%d,%d]", f.major, f.minor)
	}
	b = append(b, `,"descr":`...)
	b = jsontext.AppendDescr(b, f.DType())
	b = append(b, `,"shape":`...)
	b = jsontext.AppendInts(b, f.Shape())
	b = fmt.Appendf(b, `,"fortran_order":%t,"data_offset":%d,"itemsize":%d,"size":%d,"nbytes":%d}`,
		f.order == index.F, f.dataOffset, f.ItemSize(), f.Size(), f.NBytes())
	return append(b, '\n')
}
