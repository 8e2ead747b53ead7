package main

import (
	"flag"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/render"
	"github.com/ndmap/ndmap/mmap"
)

var printCommand = command{
	name: "print", args: "[-select S] [-field F] [-json] FILE", min: 1, max: 1,
	about: "Prints the elements as NumPy prints them, large arrays summarized, or all of\nthem as JSON.",
	flags: func(set *flag.FlagSet) runner {
		part := partFlags(set)
		asJSON := set.Bool("json", false, "print all selected elements as nested JSON lists")
		return func(e *env, files []string) error {
			f, err := array.Open(files[0], mmap.ReadOnly)
			if err != nil {
				return err
			}
			defer f.Close()
			a, err := part.of(f.Array)
			if err != nil {
				return err
			}
			if *asJSON {
				if e.terminal {
					e.bar = bar{} // the output would be in its way
				}
				return writeJSON(e.out, a, &e.bar)
			}
			s, err := text(a)
			if err != nil {
				return err
			}
			e.out.WriteString(s)
			return e.out.WriteByte('\n')
		}
	},
}

// A part is what flags choose of an array.
type part struct {
	sel   []index.Selector
	given bool
	field string
}

// partFlags declares the flags that choose a part of an array.
func partFlags(set *flag.FlagSet) *part {
	p := new(part)
	set.Func("select", "the `selection` of elements, as between NumPy's brackets", func(s string) (err error) {
		p.sel, err = index.Parse(s)
		p.given = true
		return err
	})
	set.StringVar(&p.field, "field", "", "the `field` of structures: pos, or pos.x for one in another")
	return p
}

// of is the part of a.
func (p *part) of(a array.Array) (array.Array, error) {
	a, err := a.Select(p.sel...)
	if err == nil && p.field != "" {
		a, err = a.Field(p.field)
	}
	return a, err
}

// text returns a as NumPy prints it.
func text(a array.Array) (string, error) {
	return render.Array{DType: a.DType(), Shape: a.Shape(), Append: func(dst []byte, sel []index.Selector) ([]byte, error) {
		part, err := a.Select(sel...)
		if err != nil {
			return dst, err
		}
		b, err := gather(part, nil)
		return append(dst, b...), err
	}}.Text()
}

// gather returns the elements of a one after the other, in C order, as they are in
// memory.
func gather(a array.Array, buf []byte) ([]byte, error) {
	n := a.NBytes()
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	dst, err := array.FromBytes(buf[:n], a.DType(), index.C, a.Shape()...)
	if err != nil {
		return nil, err
	}
	return buf[:n], array.Copy(dst, a)
}
