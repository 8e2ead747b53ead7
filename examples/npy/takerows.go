package main

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/where"
	"github.com/ndmap/ndmap/index"
)

// A choice is the rows of an array that take takes: all of them, or those at some positions.
type choice struct {
	env    *env
	source array.Array // rows with all fields
	array  array.Array // rows with the chosen fields, which may have padding between them
	dtype  dtype.DType // dtype of the result
	batch  int         // maximum number of positions in a batch

	// batches yields the positions in order, in batches, which may be empty. A batch is valid until the next one. It is
	// nil if all rows are taken.
	batches batches
	list    []int // the positions, or nil if batches finds them or is nil
	count   int   // number of rows, or -1 if it is known only after the last batch
}

type batches = iter.Seq2[[]int, error]

// batchBytes is the approximate number of bytes of the rows in a batch.
const batchBytes = 1 << 20

// mostInBatch is the maximum number of rows in a batch.
const mostInBatch = 1 << 16

// choose returns the rows of a that t takes.
func (e *env) choose(t *taking, a array.Array) (*choice, error) {
	if a.NDim() == 0 {
		return nil, errors.New("the array has no dimensions, and so no rows")
	}
	n := a.Len(0)
	c := &choice{env: e, source: a, array: a, dtype: a.DType(), batch: mostInBatch, count: n}
	if bytes := a.NBytes(); bytes > 0 {
		c.batch = max(1, min(mostInBatch, batchBytes/(bytes/n)))
	} else if n > mostEmpty {
		return nil, errors.New("too many rows of zero bytes")
	}
	if err := c.keepFields(t.fields); err != nil {
		return nil, err
	}
	if t.rows != nil {
		return c, c.at(t.rows)
	}
	if len(t.conditions) > 0 {
		f, err := where.New(a, t.conditions...)
		if _, ok := errors.AsType[where.ValueError](err); ok {
			err = usageError{err}
		}
		if err != nil {
			return nil, err
		}
		c.search(c.matching(f))
	}
	if t.unique {
		c.search(c.distinct())
	}
	if t.sort != nil {
		if err := c.sort(*t.sort, t.desc, t.n); err != nil {
			return nil, err
		}
	}
	switch {
	case t.sample >= 0:
		return c, c.sample(t.sample, rand.New(rand.NewPCG(t.seed, 0)))
	case t.n >= 0:
		return c, c.limit(t.n)
	}
	return c, nil
}

// keepFields reduces the rows of c to the fields of the given names, or to all fields if names is nil. The dtype of the
// result then has no padding.
func (c *choice) keepFields(names []string) (err error) {
	if names == nil {
		return nil
	}
	var fields []string
	for f := range c.dtype.Fields() {
		fields = append(fields, f.Name)
	}
	fields, names = where.Quoted(fields), slices.Clone(names)
	for k, name := range names {
		found, ok := where.FindName(name, func(s string) bool { _, ok := c.dtype.Field(s); return ok })
		switch {
		case ok:
			names[k] = found
		case slices.Contains(where.Fields(c.dtype), found):
			return fmt.Errorf("field %s is nested; -fields takes whole fields: %s", found, strings.Join(fields, ", "))
		default:
			return where.MissingField(found, fields)
		}
	}
	if c.array, err = array.Fields(c.array, names...); err == nil {
		c.dtype, err = c.array.DType().Packed()
	}
	return err
}

// at sets the choice to the rows that sel selects. Only a list of several selectors takes memory for each row.
func (c *choice) at(sel []index.Selector) error {
	all, err := index.NewLayout([]int{c.count}, 1, index.C) // the offset of an element is its position
	if err != nil {
		return err
	}
	list := []int{}
	for _, s := range sel {
		part, start, err := all.Select(s)
		if err == nil && part.NDim() == 0 {
			part, err = part.ExpandDims(0)
		}
		if err != nil {
			return err
		}
		n, stride := part.Len(0), part.Stride(0)
		if n > 1 && len(sel) == 1 {
			c.array, err = c.array.Select(s)
			c.count = n
			return err
		}
		for i := range n {
			list = append(list, start+i*stride)
		}
	}
	c.setList(list)
	return nil
}

// setList sets the choice to the rows at the positions in list.
func (c *choice) setList(list []int) {
	c.list, c.count = list, len(list)
	c.batches = func(yield func([]int, error) bool) {
		for rows := range slices.Chunk(list, c.batch) {
			if !yield(rows, nil) {
				return
			}
		}
	}
}

// search reduces the choice to some of its rows.
func (c *choice) search(some batches) { c.batches, c.count = some, -1 }

// blocks yields the positions of consecutive rows of the source, in order, and reports the progress.
func (c *choice) blocks() batches {
	n, bytes := c.source.Len(0), float64(c.source.NBytes())
	return func(yield func([]int, error) bool) {
		var rows []int
		for start := 0; start < n; start += c.batch {
			rows = rows[:0]
			for i := start; i < min(start+c.batch, n); i++ {
				rows = append(rows, i)
			}
			err := c.env.progress(int64(bytes*float64(start)/float64(n)), int64(bytes)+1)
			if !yield(rows, err) || err != nil {
				return
			}
		}
	}
}

// matching yields the positions of the rows that f matches.
func (c *choice) matching(f *where.Filter) batches {
	return func(yield func([]int, error) bool) {
		mask := make([]bool, c.batch)
		for rows, err := range c.blocks() {
			mask := mask[:len(rows)]
			var part array.Array
			if err == nil {
				part, err = c.source.Select(index.Range(rows[0], rows[0]+len(rows)))
			}
			if err == nil {
				err = f.Match(mask, part)
			}
			matches := rows[:0]
			for i, ok := range mask {
				if ok {
					matches = append(matches, rows[i])
				}
			}
			if !yield(matches, err) || err != nil {
				return
			}
		}
	}
}

// sort sorts the rows of the choice by a column, stably, and keeps the first n, or all if n is negative. NaN and NaT
// are last.
func (c *choice) sort(by where.Column, descending bool, n int) error {
	column, err := by.Of(c.source)
	if err != nil {
		return err
	}
	if c.batches != nil {
		c.list = []int{}
		for rows, err := range c.batches {
			if err != nil {
				return err
			}
			c.list = append(c.list, rows...)
		}
		if column, err = column.Take(0, c.list); err != nil {
			return err
		}
	}
	if n < 0 || n > column.Len(0) {
		n = column.Len(0)
	}
	order, err := array.TopK(column, n, !descending)
	if err != nil {
		return err
	}
	if c.batches != nil {
		for k, i := range order {
			order[k] = c.list[i]
		}
	}
	c.setList(order)
	return nil
}

// sample reduces the choice to n random rows in their order, or to all if there are fewer.
func (c *choice) sample(n int, r *rand.Rand) error {
	var list []int
	switch {
	case c.count < 0:
		var err error
		if list, err = sampleOf(c.batches, n, r); err != nil {
			return err
		}
	case n >= c.count:
		return nil
	default:
		list = randomSubset(c.count, n, r)
		for k, i := range list {
			if c.list != nil {
				list[k] = c.list[i]
			}
		}
	}
	c.setList(list)
	return nil
}

// sampleOf returns n random positions of b, or all if there are fewer, in ascending order. All sets are equally likely
// (reservoir sampling).
func sampleOf(b batches, n int, r *rand.Rand) ([]int, error) {
	var list []int
	seen := 0
	for rows, err := range b {
		if err != nil {
			return nil, err
		}
		for _, i := range rows {
			if seen++; len(list) < n {
				list = append(list, i)
			} else if k := r.IntN(seen); k < n {
				list[k] = i
			}
		}
	}
	slices.Sort(list)
	return list, nil
}

// randomSubset returns k of the n integers below n in ascending order. All sets are equally likely (Floyd's algorithm,
// Bentley 1987).
func randomSubset(n, k int, r *rand.Rand) []int {
	chosen := make(map[int]bool, k)
	for i := n - k; i < n; i++ {
		x := r.IntN(i + 1)
		if chosen[x] {
			x = i
		}
		chosen[x] = true
	}
	subset := make([]int, 0, k)
	for x := range chosen {
		subset = append(subset, x)
	}
	slices.Sort(subset)
	return subset
}

// limit limits the choice to its first n rows.
func (c *choice) limit(n int) error {
	switch {
	case c.list != nil:
		c.setList(c.list[:min(n, len(c.list))])
	case c.batches == nil:
		part, err := c.array.Select(index.To(n))
		if err != nil {
			return err
		}
		c.array, c.count = part, part.Len(0)
	default:
		c.batches = first(c.batches, n)
	}
	return nil
}

// first yields the first n positions of b.
func first(b batches, n int) batches {
	return func(yield func([]int, error) bool) {
		if n == 0 {
			return
		}
		left := n
		for rows, err := range b {
			rows = rows[:min(left, len(rows))]
			left -= len(rows)
			if !yield(rows, err) || left == 0 {
				return
			}
		}
	}
}
