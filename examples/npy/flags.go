package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// A part is the selection of elements by flags. The flags apply in the order given: after -field, -select indexes the
// axes of the field as well.
type part struct {
	steps    []step
	selected bool // -select was given
	narrowed bool // -select or -field was given
	rows     bool // only some rows are read, even from standard input, where another array may follow
	members  bool // the part selects from all members of an archive, and -as applies only to suitable ones
}

// A step selects elements of an array in memory, or of an array behind a URL before its elements are requested.
// ofRemote is nil if the step must wait until the elements are in memory.
type step struct {
	ofArray  func(array.Array) (array.Array, error)
	ofRemote func(*array.Remote) (*array.Remote, error)
}

// partFlags declares the flags that select elements of an array.
func partFlags(set *flag.FlagSet) *part {
	p, sawSelect := new(part), false
	set.Func("select",
		"the `selection` of elements, written as between NumPy's brackets; after -field, of elements of the field",
		func(s string) error {
			if sawSelect {
				return errors.New("only one -select is allowed, unless -field comes in between")
			}
			sel, err := index.Parse(s)
			if strings.TrimSpace(s) == "" { // such as the value of $UNSET
				err = errors.New("empty selection; '...' selects all elements")
			}
			p.steps = append(p.steps, step{
				ofArray:  func(a array.Array) (array.Array, error) { return a.Select(sel...) },
				ofRemote: func(a *array.Remote) (*array.Remote, error) { return a.Select(sel...) },
			})
			p.selected, p.narrowed, sawSelect = true, true, true
			return err
		})
	set.Func("field", "the `field` of structures: pos, or pos.x for a nested field", func(s string) error {
		p.steps = append(p.steps, step{
			ofArray:  func(a array.Array) (array.Array, error) { return a.Field(s) },
			ofRemote: func(a *array.Remote) (*array.Remote, error) { return a.Field(s) },
		})
		p.narrowed, sawSelect = true, false
		return nil
	})
	set.Var(&asFlag{part: p}, "as",
		"read the bytes of the elements as this `dtype`, as by NumPy's view: bfloat16 for the |V2 of ml_dtypes;\n"+
			"of a whole archive, only members whose elements are raw bytes (V) of that size")
	return p
}

// An asFlag is the flag -as of a part.
type asFlag struct {
	dtypeFlag
	part *part
}

func (f *asFlag) Set(s string) error {
	err := f.dtypeFlag.Set(s)
	d := f.DType
	f.part.steps = append(f.part.steps, step{ofArray: func(a array.Array) (array.Array, error) {
		if f.part.members && (a.DType().Kind() != dtype.KindVoid || a.ItemSize() != d.ItemSize()) {
			return a, nil
		}
		return a.Reinterpret(d)
	}})
	return err
}

// selectFrom returns the selected part of a. A nil part selects all elements.
func (p *part) selectFrom(a array.Array) (array.Array, error) {
	if p == nil {
		return a, nil
	}
	for _, s := range p.steps {
		var err error
		if a, err = s.ofArray(a); err != nil {
			return a, err
		}
	}
	return a, nil
}

// selectRows adds a step that selects a range of positions on the first axis, given its length. The step does not
// change arrays without axes.
func (p *part) selectRows(which func(length int) (lo, hi int)) {
	p.rows = true
	p.steps = append(p.steps, step{
		ofArray: func(a array.Array) (array.Array, error) {
			if a.NDim() == 0 {
				return a, nil
			}
			return a.Select(index.Range(which(a.Len(0))))
		},
		ofRemote: func(a *array.Remote) (*array.Remote, error) {
			if a.NDim() == 0 {
				return a, nil
			}
			return a.Select(index.Range(which(a.Len(0))))
		},
	})
}

// The flags of the commands that make files.

// metaFlag declares -meta.
func metaFlag(set *flag.FlagSet) map[string]string {
	meta := map[string]string{}
	set.Func("meta", "the metadata `KEY=VALUE` of a .safetensors file; may be repeated", func(s string) error {
		key, value, ok := strings.Cut(s, "=")
		_, twice := meta[key]
		switch {
		case !ok:
			return errors.New("want KEY=VALUE")
		case !utf8.ValidString(s):
			return errors.New("not valid UTF-8")
		case twice:
			return fmt.Errorf("duplicate key %q", key)
		}
		meta[key] = value
		return nil
	})
	return meta
}

// checkMeta returns an error if meta is not empty and the format of the file out cannot store metadata.
func checkMeta(meta map[string]string, out string) error {
	if len(meta) == 0 || strings.HasSuffix(out, tensorsSuffix) {
		return nil
	}
	return usageError{errors.New("-meta requires OUT to be a .safetensors file")}
}

// nosyncFlag declares -nosync.
func nosyncFlag(set *flag.FlagSet) *bool {
	return set.Bool("nosync", false, "do not wait for the disk; after a power failure, parts of OUT may be missing")
}

type dtypeFlag struct {
	dtype.DType
	given bool
}

func (f *dtypeFlag) String() string { return "" }
func (f *dtypeFlag) Set(s string) (err error) {
	f.given = true
	f.DType, err = dtype.Parse(s)
	if err == nil && f.Kind() == dtype.KindSubarray {
		err = errors.New("a file cannot have a sub-array dtype; give its dimensions with -shape")
	}
	return err
}

func (f *dtypeFlag) choices() []string {
	return strings.Fields("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 " +
		"bfloat16 float8_e4m3fn float8_e5m2 datetime64[s] datetime64[ns] timedelta64[s] timedelta64[ns]")
}

type orderFlag struct{ index.Order }

func (f *orderFlag) String() string    { return "" }
func (f *orderFlag) choices() []string { return []string{"C", "F"} }
func (f *orderFlag) Set(s string) error {
	order, err := index.ParseOrder(s)
	if err != nil || order == index.K {
		return errors.New("want C or F")
	}
	f.Order = order
	return nil
}

type shapeFlag struct {
	dims    []int
	given   bool
	counted bool // one length may be -1
}

func (f *shapeFlag) String() string { return "" }

// Set takes 3,4 and (3, 4). Nothing or () means no dimensions.
func (f *shapeFlag) Set(s string) error {
	f.dims, f.given = nil, true
	t := strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(t, "("); ok {
		if t, ok = strings.CutSuffix(inner, ")"); !ok {
			return errors.New("missing closing parenthesis")
		}
	}
	if t = strings.TrimSpace(t); t == "" {
		return nil
	}
	for dim := range strings.SplitSeq(strings.TrimSuffix(t, ","), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(dim))
		switch {
		case err == nil && n == -1 && f.counted && slices.Contains(f.dims, -1):
			return errors.New("only one length may be -1")
		case err != nil || n < 0 && !(n == -1 && f.counted):
			return fmt.Errorf("invalid axis length %q", dim)
		}
		f.dims = append(f.dims, n)
	}
	return nil
}
