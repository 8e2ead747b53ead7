package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/mmap"
)

// A rawInput holds the flags that describe how a command opens its file: as a .npy file, with -at as a .npy file that
// starts at an offset, or with -raw as a file without a header.
type rawInput struct {
	raw    dtypeFlag // also set by -at: with either flag the path names a file, not a member of an archive
	at     int64     // offset of the .npy file
	isAt   bool      // -at was given
	shape  shapeFlag
	offset int64
	order  orderFlag
	extra  string // the first flag given that requires -raw
}

// rawFlags declares the flags of a rawInput.
func rawFlags(set *flag.FlagSet) *rawInput {
	in := &rawInput{shape: shapeFlag{counted: true}}
	needsRaw := func(name, description string, parse func(string) error) {
		set.Var(&rawFlag{in, name, parse}, name, description)
	}
	atFlag(set, in)
	set.Var(&in.raw, "raw", "FILE has no header; its elements have this `dtype`")
	needsRaw("shape", "with -raw: the `shape`; one length may be -1, for all complete rows", in.shape.Set)
	needsRaw("raworder", "with -raw: the order, `C|F`: the last or the first index varies fastest (default C)",
		in.order.Set)
	needsRaw("offset", "with -raw: the `byte` of FILE where the elements start (default 0)", func(s string) (err error) {
		in.offset, err = parseOffset(s)
		return err
	})
	return in
}

// atFlag declares the flag -at of in.
func atFlag(set *flag.FlagSet, in *rawInput) {
	set.Func("at", "read the .npy file that starts at this `byte` of FILE; npy info prints where a second array starts",
		func(s string) (err error) {
			in.raw.given, in.isAt = true, true
			in.at, err = parseOffset(s)
			return err
		})
}

func parseOffset(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0, errors.New("want a non-negative number of bytes")
	}
	return n, nil
}

// A rawFlag is a flag that requires -raw.
type rawFlag struct {
	in    *rawInput
	name  string
	parse func(string) error
}

func (f *rawFlag) String() string { return "" }
func (f *rawFlag) Set(s string) error {
	if f.in.extra == "" {
		f.in.extra = f.name
	}
	return f.parse(s)
}
func (f *rawFlag) choices() []string {
	if f.name == "raworder" {
		return f.in.order.choices()
	}
	return nil
}

// check checks that the flags are consistent. It does not open the file.
func (in *rawInput) check() error {
	switch {
	case in.isAt && (in.extra != "" || in.raw.Kind() != dtype.KindInvalid):
		return usageError{errors.New("-at and -raw are mutually exclusive: -raw reads files without a header")}
	case in.isAt:
		return nil
	case !in.raw.given && in.extra != "":
		return usageError{fmt.Errorf("-%s requires -raw, the dtype of a file without a header", in.extra)}
	case in.raw.given && !in.shape.given:
		return usageError{errors.New("-raw requires -shape; -shape -1 reads all elements")}
	case slices.Contains(in.shape.dims, -1) && (slices.Contains(in.shape.dims, 0) || in.raw.ItemSize() == 0):
		return usageError{errors.New("rows of zero bytes cannot be counted; give the length instead of -1")}
	}
	return nil
}

// open opens the file at path as the flags describe.
func (in *rawInput) open(path string, mode mmap.Mode) (*array.File, error) {
	switch {
	case in.isAt:
		return array.OpenAt(path, mode, in.at)
	case in.raw.given:
		return array.OpenRaw(path, mode, in.offset, in.raw.DType, in.order.Order, in.shape.dims...)
	}
	return array.Open(path, mode)
}
