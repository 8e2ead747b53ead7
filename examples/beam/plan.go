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

// A job is a reduction of files.
type job struct {
	reduction
	Out       string // the file to write
	PartBytes int    // about how many bytes one element of the pipeline has
}

// A part is an element of the pipeline: a range of the first axis of a file.
type part struct {
	Path   string
	Lo, Hi int
	At     int // where the result begins along the first axis of the whole one; 0 if that axis is reduced
	Size   int64
	Time   int64 // when the file was last changed, in nanoseconds
}

// plan returns the parts of the files, of which it reads the headers, and completes j.reduction.
func (j *job) plan(files []string) ([]part, error) {
	first, err := array.Open(files[0], array.ReadOnly)
	if err != nil {
		return nil, err
	}
	defer first.Close()
	if first.NDim() == 0 {
		return nil, fmt.Errorf("%s: it has no axis along which files are joined; npy reduce takes it", files[0])
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
	if len(parts) == 0 { // no elements have a sum, too
		path := atomicfile.Absolute(files[0])
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		return []part{{Path: path, Size: info.Size(), Time: info.ModTime().UnixNano()}}, nil
	}
	return parts, nil
}

// appendParts appends the parts of a file that follows so many rows of others.
func (j *job) appendParts(parts []part, rows int, path string, first array.Array) ([]part, int, error) {
	path = atomicfile.Absolute(path)           // a worker has a working directory of its own
	f, err := array.Open(path, array.ReadOnly) // an error if the file is shorter than its header says
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	have, want := f.DType().WithByteOrder(dtype.Native), first.DType().WithByteOrder(dtype.Native)
	if !have.Equal(want) || f.NDim() != first.NDim() || !slices.Equal(f.Shape()[1:], first.Shape()[1:]) {
		return nil, 0, fmt.Errorf("%s: %v %v does not continue files of %v %v along axis 0", path, have, f.Shape(), want,
			first.Shape())
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	step := max(1, j.PartBytes/max(1, f.NBytes()/max(1, f.Len(0))))
	if f.Order() == index.F { // a range is not one run of bytes, but one in each column: of 64 KiB or more
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
