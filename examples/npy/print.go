package main

import (
	"bufio"
	"flag"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/npy/jsontext"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/render"
)

var printCommand = command{
	name: "print", args: "[-select S] [-field F] [-json] FILE", min: 1, max: 1,
	about: "Prints the elements as NumPy prints them, large arrays summarized, and of structures of\nmore than 16 KiB the beginning; or all of them as JSON.",
	examples: `npy print temperature.npy
npy print -select '-1, ::6' data.npz:temperature
npy print -json -field price -select :3 trades.npy
npy print -raw '<u2' -shape -1,48,64 -offset 512 -select '0, :4, :4' frames.raw`,
	flags: func(set *flag.FlagSet) runner {
		part, in := partFlags(set), rawFlags(set)
		asJSON := set.Bool("json", false, "print all selected elements as nested JSON lists")
		return func(e *env, files []string) error {
			f, err := e.open(files[0], in)
			if err != nil {
				return err
			}
			defer f.close()
			a, err := part.of(f.Array)
			if err != nil {
				return err
			}
			if *asJSON {
				if e.terminal {
					e.bar = term.Bar{} // the output would be in its way
				}
				return jsontext.Write(e.out, a, e.bar.Show)
			}
			if err := writeText(e.out, a); err != nil {
				return err
			}
			return e.out.WriteByte('\n')
		}
	},
}

// writeText writes a as NumPy prints it.
func writeText(out *bufio.Writer, a array.Array) error {
	return render.Array{DType: a.DType(), Shape: a.Shape(), Append: func(dst []byte, sel []index.Selector) ([]byte,
		error) {
		part, err := a.Select(sel...)
		if err != nil {
			return dst, err
		}
		b, err := jsontext.Gather(part, nil)
		return append(dst, b...), err
	}, Element: func(idx []int) ([]byte, error) {
		sel := make([]index.Selector, len(idx))
		for k, i := range idx {
			sel[k] = index.At(i)
		}
		element, err := a.Select(sel...)
		if err != nil {
			return nil, err
		}
		return jsontext.Memory(element)
	}}.WriteText(out)
}
