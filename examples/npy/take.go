package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/examples/npy/where"
	"github.com/ndmap/ndmap/index"
)

var takeCommand = command{
	name: "take",
	args: "[-where COND] [-sort FIELD] [-desc] [-n N] [-sample N] [-seed S] [-rows 3,1,-1] [-fields a,b] [-unique] [-json | -csv] [-force] [-nosync] IN [OUT]",
	min:  1, max: 2,
	description: `Take takes rows of an array, the elements along its first axis, or records, and prints
them: records as a table, other elements as npy print does, and with -json or -csv all
of them as npy print -json and -csv do. With OUT, it writes them to a .npy file, a CSV
file, a member of an archive, or, if OUT is -, as .npy to standard output.

The steps are, in this order: -where, -unique, -sort, -sample or -n, -fields.

-where takes the rows that satisfy FIELD OP VALUE. OP is one of = != < <= > >=. FIELD is
the path of a field (pos.x), [2] for a column of two dimensions, or pos[2] for a value
of a field with a shape; in one dimension it is omitted ('> 0.5'). VALUE is a number, a
time (2024-01-31T12:30), true, false, or text, in quotes if it begins or ends with a
blank. 'x = nan' takes NaN, and 't = nat' NaT. Otherwise NaN and NaT satisfy only !=.
Integers and times are compared exactly. For floats, VALUE is rounded to their dtype, so
that float32 0.1 equals 0.1. Text is compared by code points. Several -where all hold.

-unique takes the first of rows that are equal in all fields, or in those of -fields.
All NaN are equal. It keeps the distinct rows in memory, and about 70 more bytes for
each. -sort is stable, also with -desc, and puts NaN and NaT last. It needs up to 24
bytes of memory for each row, or after -where or -unique up to 50 bytes and the sorted
field. Sort by several fields in a pipe, by the last one first. -sample takes each set of
N rows with the same probability, in the order of IN or of -sort. Other work needs
little memory, however large the files are.

A member is added to an existing archive or to a new one (OUT.npz:NAME). The header of
standard output and the directory of an archive need the number of rows, so the rows
that -where or -unique find are stored first, in memory or, if they have more than
64 MiB, in a temporary file. IN from a pipe is stored likewise. A note on standard error
says how much is stored, and where.`,
	examples: `npy take -where 'price > 100' -where 'symbol != IBM' trades.npy
npy take -sort price -desc -n 3 trades.npy
npy take -where '[2] >= 20' -n 2 temperature.npy
npy take -where 'size > 0' -fields symbol,price -csv trades.npy
npy take -unique -fields symbol trades.npy
npy take -sample 3 -seed 1 -fields time,price trades.npy sample.csv
npy take -rows 3,1,-1,5:7 trades.npy few.npy
npy take -where 'size = 0' trades.npy data.npz:idle`,
	flags: func(set *flag.FlagSet) runner {
		t := &taking{from: rawFlags(set), n: -1, sample: -1, seed: rand.Uint64()}
		set.Func("where", "take only rows that satisfy the `condition` FIELD OP VALUE; may be repeated",
			func(s string) error {
				c, err := where.Parse(s)
				t.conditions = append(t.conditions, c)
				return err
			})
		set.Func("n", "take the first `N` rows of the result", func(s string) (err error) {
			t.n, err = parseCount(s)
			return err
		})
		set.Func("rows", "take the `rows` at these positions, in this order: 3,1,-1 or 2:5,::-1", func(s string) (err error) {
			t.rows, err = parseRows(s)
			return err
		})
		set.Func("fields", "take only the `fields` of these names, in this order: a,b; names with a comma need quotes",
			func(s string) error {
				if t.fields != nil {
					return errors.New("only one -fields is allowed; separate the names by commas")
				}
				t.fields = where.Names(s)
				return nil
			})
		set.Func("sort", "sort the rows by this `field`, or '[2]' for a column, or . for one dimension",
			func(s string) error {
				if t.sort != nil {
					return errors.New("only one -sort is allowed; sort by the last field first, and pipe the rows to another npy take")
				}
				c, err := where.ParseColumn(s)
				t.sort = &c
				return err
			})
		set.BoolVar(&t.desc, "desc", false, "sort in descending order; equal rows keep their order")
		set.BoolVar(&t.unique, "unique", false, "take only the first of equal rows")
		set.Func("sample", "take `N` random rows, in order", func(s string) (err error) {
			t.sample, err = parseCount(s)
			return err
		})
		set.Func("seed", "the `seed` of -sample, for the same rows again", func(s string) (err error) {
			if t.seed, err = strconv.ParseUint(s, 10, 64); err != nil {
				return errors.New("want a non-negative integer")
			}
			t.seeded = true
			return nil
		})
		set.BoolVar(&t.force, "force", false, "replace OUT if it exists")
		t.form = formFlags(set)
		nosync := nosyncFlag(set)
		return func(e *env, files []string) error {
			t.nosync = *nosync
			if err := t.check(); err != nil {
				return usageError{err}
			}
			if len(files) > 1 && !t.form.isText() {
				return usageError{errors.New("-json and -csv print the rows; omit OUT")}
			}
			return e.take(t, files[0], append(files, "")[1])
		}
	},
}

// A taking holds the flags of take.
type taking struct {
	from          *rawInput
	conditions    []where.Condition
	rows          []index.Selector // nil unless -rows is given
	fields        []string         // nil for all
	unique        bool
	sort          *where.Column // nil unless -sort is given
	desc          bool
	n, sample     int // -1 unless given
	seed          uint64
	seeded        bool // -seed is given
	form          *form
	force, nosync bool
}

// parseCount parses a number of rows.
func parseCount(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, errors.New("want a non-negative integer")
	}
	return n, nil
}

// parseRows parses positions and slices of rows.
func parseRows(s string) ([]index.Selector, error) {
	rows := []index.Selector{}
	for item := range strings.SplitSeq(s, ",") {
		sel, err := index.Parse(item)
		switch {
		case err != nil:
			return nil, err
		case len(sel) != 1 || sel[0] == index.Ellipsis || sel[0] == index.NewAxis:
			return nil, fmt.Errorf("%q is no row; want positions and slices, such as 3,1,-1 or 2:5", item)
		}
		rows = append(rows, sel[0])
	}
	return rows, nil
}

// check returns an error if flags exclude each other.
func (t *taking) check() error {
	switch {
	case t.rows != nil && (len(t.conditions) > 0 || t.unique || t.sort != nil || t.sample >= 0 || t.n >= 0):
		return errors.New("-rows gives the rows; it excludes -where, -unique, -sort, -sample and -n")
	case t.sample >= 0 && t.n >= 0:
		return errors.New("-sample and -n are mutually exclusive")
	case t.seeded && t.sample < 0:
		return errors.New("-seed requires -sample")
	case t.desc && t.sort == nil:
		return errors.New("-desc requires -sort")
	}
	return t.form.check()
}
