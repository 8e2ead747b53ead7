// Package objects reads NumPy arrays of Python objects (dtype O) without running code.
//
// NumPy stores such an array as a pickle: a program for a stack machine, which may call any function of Python.
// numpy.load therefore refuses it, unless allow_pickle is set. This package executes only the part of the language that
// makes plain values and NumPy arrays. Anything else is an error that names it.
//
//	a, err := objects.Open("params.npy") // numpy.save("params.npy", {"lr": 0.1, "layers": [64, 32]})
//	if err != nil { … }
//	lr, ok := a.Values[0].(objects.Dict).Get("lr")
//	fmt.Println(a) // {'lr': 0.1, 'layers': [64, 32]}
//
//	z, err := npz.Open("model.npz", array.ReadOnly) // numpy.savez("model.npz", params={"lr": 0.1}, w=…)
//	if err != nil { … }
//	a, err = objects.ReadMember(z, "params")
//
// # Tasks
//
//   - read a .npy file of objects: the package's Example, [Open]
//   - read it from a stream: [Read]
//   - read a member of an archive: [ReadMember]
//   - print values as Python does: the String methods, [WriteText]
//   - write values as JSON: [WriteJSON], or [encoding/json]
//   - make a numeric array of objects that are all alike: [Array.Regular]
//
// # Values
//
//	Python                                  Go
//	None                                    nil
//	bool                                    bool
//	int                                     int64, or *big.Int if it does not fit
//	float                                   float64
//	complex                                 complex128
//	str                                     string, in UTF-8
//	bytes, bytearray                        []byte
//	list, tuple                             List, Tuple
//	dict, collections.OrderedDict           Dict
//	set, frozenset                          Set
//	datetime.datetime, datetime.date        time.Time, see Naive and Date
//	datetime.timedelta                      time.Duration
//	numpy.ndarray                           array.Array, or Array if it holds objects
//	numpy.bool_, int64, float32, str_, …    the Go value of the Python type, with the same value
//	numpy.datetime64, void, longdouble, …   array.Array of no dimensions
//
// Equal objects that Python shares are shared here, too: a list that occurs twice is one slice, and a list may contain
// itself. Text of Python 2 is decoded as Latin-1. Lone surrogates, which UTF-8 cannot represent, are an error, as are a
// timedelta that time.Duration cannot represent and an integer of more than 4,300 digits.
//
// # Security
//
// A pickle is untrusted input. No name in it is looked up in anything but a fixed list. An [OpenConfig] limits the
// number of values and the number of bytes before memory is allocated for them. Values are nested at most 1,000 deep.
// Shared values can make the text of a small pickle very long: printing and JSON have limits of their own.
//
// # Goroutines
//
// The values of this package are plain data. Several goroutines may read them at the same time.
package objects

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/pylit"
)

// An Array is a NumPy array of Python objects.
type Array struct {
	DType  dtype.DType // |O, or a structured dtype with such fields
	Shape  []int
	Values []any // the elements in C order; an element of a structured dtype is a Tuple of its fields
}

// The containers of Python. Their elements are values as the package documentation lists them.
type (
	List  []any
	Tuple []any
	Set   []any  // a set or a frozenset, without duplicates, in the order of the pickle
	Dict  []Pair // in the order of insertion; no two keys are equal
)

// A Pair is a key of a [Dict] and its value.
type Pair struct{ Key, Value any }

// Get returns the value of a key that is a string. ok is false if no such key exists. Get compares all keys one by one.
func (d Dict) Get(key string) (value any, ok bool) {
	i := slices.IndexFunc(d, func(p Pair) bool { return p.Key == any(key) })
	if i < 0 {
		return nil, false
	}
	return d[i].Value, true
}

// The locations of times that Python stores without a zone. The zone of all other times is an offset from UTC.
var (
	Naive = time.FixedZone("naive", 0) // of a datetime.datetime without tzinfo
	Date  = time.FixedZone("date", 0)  // of a datetime.date, whose time is midnight
)

// An OpenConfig has limits for reading. The functions with the names of its methods use the defaults.
type OpenConfig struct {
	// MaxValues is the maximum number of values that the pickle creates on its way, and of entries in its memo; 0 means
	// 16,777,216. A value takes up to about 200 bytes of memory. An element of an array of objects counts as two or
	// three values, and an array of numbers or text as five to ten.
	MaxValues int

	// MaxBytes is the maximum number of bytes of text, numbers of arrays and keys; 0 means 1 GiB.
	MaxBytes int64
}

// Open reads the .npy file at path, whose dtype must be O or have fields of dtype O. The file is closed when Open
// returns. A system error is a *[io/fs.PathError]. If the file does not have the .npy format, or if its pickle is
// damaged or too large, the error is an *[array.FormatError]. If the pickle contains something other than plain
// values and arrays, it is a *[NameError]. If the array has no objects, the error wraps [array.ErrDType].
func Open(path string) (Array, error) { return OpenConfig{}.Open(path) }

// Open is like the function [Open], with the limits of cfg.
func (cfg OpenConfig) Open(path string) (Array, error) {
	f, err := os.Open(path)
	if err != nil {
		return Array{}, err
	}
	defer f.Close()
	return cfg.read(f, path, "")
}

// Read reads one .npy file from r, with the errors of [Open]. Memory is allocated as the data arrives. If r is not an
// [io.ByteReader], Read reads it through a buffer, so it may read bytes after the end of the pickle.
func Read(r io.Reader) (Array, error) { return OpenConfig{}.Read(r) }

// Read is like the function [Read], with the limits of cfg.
func (cfg OpenConfig) Read(r io.Reader) (Array, error) { return cfg.read(r, "", "") }

// ReadMember reads the named member of an archive, with the errors of [Open] and of [npz.Archive.Open]. Offsets in
// errors count from the start of the member. The checksum of a compressed member is verified.
func ReadMember(a *npz.Archive, name string) (Array, error) { return OpenConfig{}.ReadMember(a, name) }

// ReadMember is like the function [ReadMember], with the limits of cfg.
func (cfg OpenConfig) ReadMember(a *npz.Archive, name string) (Array, error) {
	m, err := a.Member(name)
	if err != nil {
		return Array{}, err
	}
	f, err := a.Open(m.Name)
	if err != nil {
		return Array{}, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	v, err := cfg.read(r, a.Path(), "member "+string(pylit.AppendQuote(nil, m.Name))+": ")
	if err == nil {
		if _, err = io.Copy(io.Discard, r); err != nil { // the checksum is verified at the end
			return Array{}, err
		}
	}
	return v, err
}

// read reads a .npy file from r. The parts that errors name begin with member.
func (cfg OpenConfig) read(r io.Reader, path, member string) (Array, error) {
	in, ok := r.(reader)
	if !ok {
		in = bufio.NewReader(r)
	}
	h, err := npy.ReadHeader(in, npy.ParseObjects)
	if e, ok := errors.AsType[*npy.Error](err); ok {
		err = &array.FormatError{Path: path, Part: member + e.Part, Offset: e.Offset, Msg: e.Msg}
		if e.Ended != nil {
			err = fmt.Errorf("%w: %w", err, e.Ended)
		}
	}
	switch {
	case err != nil:
		return Array{}, err
	case !h.DType.HasObject():
		return Array{}, &array.DTypeError{Path: path, Have: h.DType, Want: object,
			Msg: member + "the array has no Python objects; package array opens it"}
	}
	d := decoder{r: in, pos: int64(h.DataOffset), path: path, part: member + "pickle", values: cfg.MaxValues,
		bytes: cfg.MaxBytes}
	if d.values <= 0 {
		d.values = 1 << 24
	}
	if d.bytes <= 0 {
		d.bytes = 1 << 30
	}
	return d.array(h.DType, h.Shape)
}

// A reader is the stream of a decoder.
type reader interface {
	io.Reader
	io.ByteReader
}

// check returns an error if the number of values does not match the shape.
func (a Array) check() error {
	n, _, err := index.Size(a.Shape, 1)
	if err == nil && n != len(a.Values) {
		err = fmt.Errorf("%w: %d values for shape %s", array.ErrShape, len(a.Values), pylit.AppendTuple(nil, a.Shape))
	}
	if err != nil {
		return fmt.Errorf("objects: %w", err)
	}
	return nil
}
