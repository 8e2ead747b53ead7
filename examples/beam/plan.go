package main

import (
	"fmt"
	"os"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
)

// A job is the reduction of a set of files.
type job struct {
	reduction
	Out       string // path of the file to write
	PartBytes int    // approximate number of bytes in an element of the pipeline
}

// A part is an element of the pipeline: a range of the first axis of a file.
type part struct {
	Path   string
	Lo, Hi int
	At     int // position of the part along the first axis of the result; 0 if that axis is reduced
	Size   int64
	Time   int64 // modification time of the file, in nanoseconds
}

// plan reads the headers of the files, completes j.reduction, and returns the parts.
func (j *job) plan(files []string) ([]part, error) {
	first, err := array.Open(files[0], array.ReadOnly)
	if err != nil {
		return nil, err
	}
	defer first.Close()
	if first.NDim() == 0 {
		return nil, fmt.Errorf("%s: an array without dimensions cannot be joined; use npy reduce", files[0])
	}
	if err := j.resolve(first.Array); err != nil {
		return nil, err
	}
	var parts []part
	rows := 0
	for _, path := range files {
		if parts, rows, err = j.appendParts(parts, rows, path, first.Array); err != nil {
			return nil, err
		}
	}
	if len(parts) == 0 { // a sum of no elements needs a part, too
		path := atomicfile.Absolute(files[0])
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		return []part{{Path: path, Size: info.Size(), Time: info.ModTime().UnixNano()}}, nil
	}
	return parts, nil
}

// appendParts appends the parts of the file at path. rows is the number of rows in the preceding files.
func (j *job) appendParts(parts []part, rows int, path string, first array.Array) ([]part, int, error) {
	path = atomicfile.Absolute(path)           // absolute, because workers have other working directories
	f, err := array.Open(path, array.ReadOnly) // an error if the file is truncated
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	have, want := f.DType().WithByteOrder(dtype.Native), first.DType().WithByteOrder(dtype.Native)
	if !have.Equal(want) || f.NDim() != first.NDim() || !slices.Equal(f.Shape()[1:], first.Shape()[1:]) {
		return nil, 0, fmt.Errorf("%s: dtype %v and shape %v cannot be joined to dtype %v and shape %v along axis 0", path,
			have, f.Shape(), want,
			first.Shape())
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	step := max(1, j.PartBytes/max(1, f.NBytes()/max(1, f.Len(0))))
	if f.Order() == index.F { // a range is a run of bytes in each column: make it 64 KiB or more
		step = max(step, 64<<10/f.ItemSize())
	}
	for lo := 0; lo < f.Len(0); lo += step {
		p := part{Path: path, Lo: lo, Hi: min(lo+step, f.Len(0)), Size: info.Size(), Time: info.ModTime().UnixNano()}
		if !j.reducesFirst() {
			p.At = rows + lo
		}
		parts = append(parts, p)
	}
	return parts, rows + f.Len(0), nil
}
