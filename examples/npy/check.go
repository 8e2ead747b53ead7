package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

var checkCommand = command{
	name: "check", args: "FILE...", min: 1, max: -1,
	about: "Checks headers, sizes and those elements that not all bytes stand for: booleans\nand text. The exit status is 1 if any file is bad.",
	flags: func(set *flag.FlagSet) runner {
		return func(e *env, files []string) error {
			for _, path := range files {
				var ok string
				err := mmap.Guard(func() (err error) {
					ok, err = checkFile(path, &e.bar)
					return err
				})
				if err != nil {
					e.note(path, err)
					continue
				}
				e.bar.end()
				fmt.Fprintf(e.out, "%s: ok %s\n", path, ok)
				if err := e.out.Flush(); err != nil { // the next file may take long
					return fileError{"standard output", err}
				}
			}
			return nil
		}
	},
}

// checkFile is a line about a file, or what is wrong with it.
func checkFile(path string, bar *bar) (string, error) {
	f, err := array.Open(path, mmap.ReadOnly)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := f.Map().Advise(0, f.Map().Len(), mmap.Sequential); err != nil {
		return "", err
	}
	data := f.Map().Bytes()[f.DataOffset():]
	if err := checkElements(f, data[:f.NBytes()], bar); err != nil {
		return "", err
	}
	notes := []string{fmt.Sprintf("dtype %v, shape %s, order %v", f.DType(), dtype.AppendShape(nil, f.Shape()), f.Order())}
	if n := len(data) - f.NBytes(); n > 0 {
		notes = append(notes, fmt.Sprintf("%s after the data, which readers ignore", byteCount(n)))
	}
	if hasLongDouble(f.DType()) {
		notes = append(notes, "long doubles, which differ from machine to machine")
	}
	return strings.Join(notes, "; "), nil
}

// checkElements looks for elements that are no values. data is all elements, as
// they follow one another in the file.
func checkElements(f *array.File, data []byte, bar *bar) error {
	leaves := appendLeaves(nil, f.DType(), "", 0)
	size := f.ItemSize()
	if len(leaves) == 0 || size == 0 {
		return nil
	}
	const some = 1 << 20 // so many bytes are checked until the bar is shown again
	for i, next := 0, 0; i < len(data); i += size {
		if i >= next {
			bar.show(int64(i), int64(len(data)))
			next = i + some
			if f.DType().Kind() == dtype.KindBool {
				i += goodBools(data[i:min(next, len(data))])
				if i == len(data) {
					break
				}
			}
		}
		for _, l := range leaves {
			at, msg := l.wrong(data[i+l.off : i+l.off+l.d.ItemSize()])
			if msg == "" {
				continue
			}
			idx := make([]int, f.NDim())
			index.Unravel(i/size, f.Shape(), idx, f.Order())
			return &array.FormatError{Path: f.Path(), Part: "data", Offset: int64(f.DataOffset() + i + l.off + at),
				Msg: fmt.Sprintf("element %s%s: %s", dtype.AppendShape(nil, idx), l.name, msg)}
		}
	}
	return nil
}

// goodBools is how many booleans at the start of b are good, eight by eight.
func goodBools(b []byte) (n int) {
	for ; len(b)-n >= 8 && binary.LittleEndian.Uint64(b[n:])&^0x0101010101010101 == 0; n += 8 {
	}
	return n
}

// A leaf is a boolean or text at an offset of each element.
type leaf struct {
	d    dtype.DType
	name string // of the field, with a space before it
	off  int
}

func appendLeaves(s []leaf, d dtype.DType, name string, off int) []leaf {
	switch d.Kind() {
	case dtype.KindBool, dtype.KindUnicode:
		s = append(s, leaf{d, name, off})
	case dtype.KindStructured:
		for f := range d.Fields() {
			path := " field " + f.Name
			if name != "" {
				path = name + "." + f.Name
			}
			s = appendLeaves(s, f.Type, path, off+f.Offset)
		}
	case dtype.KindSubarray:
		if one := appendLeaves(nil, d.Base(), name, 0); len(one) > 0 && d.Base().ItemSize() > 0 {
			for i := 0; i < d.ItemSize(); i += d.Base().ItemSize() {
				for _, l := range one {
					s = append(s, leaf{l.d, l.name, off + i + l.off})
				}
			}
		}
	}
	return s
}

// wrong is what is wrong with the bytes of a leaf, and at which of them, or "".
func (l *leaf) wrong(b []byte) (at int, msg string) {
	if l.d.Kind() == dtype.KindBool {
		if b[0] > 1 {
			return 0, fmt.Sprintf("the boolean is %d; want 0 or 1", b[0])
		}
		return 0, ""
	}
	for i := 0; i < len(b); i += 4 {
		if err := badText(uint32(uintOf(l.d, b[i:i+4]))); err != nil {
			return i, err.Error()
		}
	}
	return 0, ""
}
