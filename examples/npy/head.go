package main

import (
	"errors"
	"flag"
	"math/big"
	"strconv"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/internal/render"
)

var headCommand = command{
	name: "head", args: "[-n N] [-select S] [-field F] [-as D] [-json | -csv] FILE", min: 1, max: 1,
	description: `Head prints the first elements along the first axis, as npy print does, and records
as a table. With -json or -csv, it prints them as npy print -json and -csv do. It reads
only the elements that it prints, however long the file is. It reads standard input only
up to the last of these elements, and requests only these elements of a URL.`,
	examples: `npy head trades.npy
npy head -n 2 -select ':, :5' temperature.npy
npy head -n 3 -field price trades.npy
npy head -n 3 -csv trades.npy
npy head -n 1 -raw '<u2' -shape -1,48,64 -offset 512 frames.raw`,
	flags: func(set *flag.FlagSet) runner {
		return rowsRunner(set, "first", func(n, length int) (lo, hi int) { return 0, min(n, length) })
	},
}

// rowsRunner declares the flags of head and tail, and returns their runner. which returns the range of positions on an
// axis of the given length that -n n selects.
func rowsRunner(set *flag.FlagSet, end string, which func(n, length int) (lo, hi int)) runner {
	part, in, form, n := partFlags(set), rawFlags(set), formFlags(set), 10
	set.Func("n", "print the "+end+" `N` elements along the first axis (default 10)", func(s string) (err error) {
		if n, err = strconv.Atoi(s); err != nil || n < 0 {
			return errors.New("want a non-negative integer")
		}
		return nil
	})
	return func(e *env, files []string) error {
		if err := form.check(); err != nil {
			return err
		}
		part.selectRows(func(length int) (lo, hi int) { return which(n, length) })
		if v, ok, err := e.openObjects(files[0], in); err != nil {
			return err
		} else if ok {
			return e.printObjects(v, part, form)
		}
		f, err := e.locate(files[0], in, part)
		if err != nil {
			return err
		}
		defer f.close()
		if !form.isText() {
			return e.writeForm(f, form)
		}
		h := f.header()
		if cells, err := cellsOf(h.dtype); err == nil && h.dtype.NumField() > 0 && len(h.shape) < 2 {
			if err := e.load(f); err != nil {
				return err
			}
			return e.writeTable(f.Array, cells)
		}
		return e.writeInput(f)
	}
}

// writeTable writes records as a table. a has at most one dimension.
func (e *env) writeTable(a array.Array, cells []cell) error {
	t := e.newRecordTable(cells)
	if err := t.writeRecords(a); err != nil {
		return err
	}
	t.end()
	return nil
}

// A recordTable is a table of records.
type recordTable struct {
	*table
	cells []cell
}

func (e *env) newRecordTable(cells []cell) recordTable {
	titles, left := make([]string, len(cells)), make([]bool, len(cells))
	for k, c := range cells {
		titles[k], left[k] = words.Printable(c.name), c.isLeftAligned()
	}
	return recordTable{e.newTable(titles, left), cells}
}

// end writes the titles of a table without rows.
func (t recordTable) end() {
	if !t.begun {
		t.write(nil)
	}
}

// writeRecords writes the records of a, which has at most one dimension. It may be called several times.
func (t recordTable) writeRecords(a array.Array) error {
	cells := t.cells
	if err := checkCells(a, a.DType(), cells); err != nil {
		return err
	}
	return blocks(a, a.DType(), func(b []byte, n int) error {
		var rows []row
		for i := range n {
			b := b[i*a.ItemSize():]
			r := row{text: make([]string, len(cells))}
			for k, c := range cells {
				text, err := c.text(nil, b)
				if err != nil {
					return err
				}
				r.text[k] = words.Printable(string(text))
				item := b[c.off : c.off+c.d.ItemSize()]
				if size, ok := render.FloatSize(c.d); ok { // with the digits that print shows
					r.text[k] = render.Float(render.Real(c.d, item), size)
				} else if c.d.Kind() == dtype.KindTimedelta && string(text) != "NaT" {
					r.text[k] = render.Amount(c.d, big.NewInt(render.Int(c.d, item)))
				}
			}
			rows = append(rows, r)
		}
		t.write(rows)
		return nil
	})
}
