package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/render"
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
	notes := []string{fmt.Sprintf("dtype %v, shape %s, order %v", f.DType(), shapeText(f.Shape()), f.Order())}
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
	leaves := appendLeaves(nil, f.DType(), 1, "", 0)
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
			at, name, msg := l.wrong(data[i : i+size])
			if msg == "" {
				continue
			}
			idx := make([]int, f.NDim())
			index.Unravel(i/size, f.Shape(), idx, f.Order())
			return &array.FormatError{Path: f.Path(), Part: "data", Offset: int64(f.DataOffset() + i + at),
				Msg: fmt.Sprintf("element %s%s: %s", shapeText(idx), name, msg)}
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

// A leaf is booleans or text at an offset of each element, one after the other; or
// structures there, that have leaves of their own.
type leaf struct {
	d      dtype.DType // of one
	name   string      // of the field, with a space before it
	off, n int
	leaves []leaf // of each
}

// appendLeaves appends the leaves of n items of dtype d, one after the other from off
// on. How many n is, the header says; there are no more leaves than fields.
func appendLeaves(s []leaf, d dtype.DType, n int, name string, off int) []leaf {
	switch d.Kind() {
	case dtype.KindBool, dtype.KindUnicode:
		s = append(s, leaf{d, name, off, n, nil})
	case dtype.KindStructured:
		var leaves []leaf
		for f := range d.Fields() {
			path := " field " + f.Name
			if name != "" {
				path = name + "." + f.Name
			}
			leaves = appendLeaves(leaves, f.Type, 1, path, f.Offset)
		}
		if len(leaves) > 0 {
			s = append(s, leaf{d, name, off, n, leaves})
		}
	case dtype.KindSubarray:
		if size := d.Base().ItemSize(); size > 0 {
			s = appendLeaves(s, d.Base(), n*(d.ItemSize()/size), name, off)
		}
	}
	return s
}

// wrong is what is wrong with a leaf of the element b, at which of its bytes, and the
// name of the field; msg is "" if nothing is.
func (l *leaf) wrong(b []byte) (at int, name, msg string) {
	size := l.d.ItemSize()
	for start := l.off; start < l.off+l.n*size; start += size {
		item := b[start : start+size]
		for k := range l.leaves {
			if at, name, msg := l.leaves[k].wrong(item); msg != "" {
				return start + at, name, msg
			}
		}
		switch l.d.Kind() {
		case dtype.KindBool:
			if item[0] > 1 {
				return start, l.name, fmt.Sprintf("the boolean is %d; want 0 or 1", item[0])
			}
		case dtype.KindUnicode:
			for i := 0; i < size; i += 4 {
				if err := render.CheckPoint(uint32(render.Uint(l.d, item[i:i+4]))); err != nil {
					return start + i, l.name, err.Error()
				}
			}
		}
	}
	return 0, "", ""
}
