package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

func init() {
	register.DoFn1x3[part, int, []byte, error](&reduceFn{})
	register.Combiner1[[]byte](&mergeFn{})
	register.DoFn2x1[[]byte, func(*int, *[]byte) bool, error](&writeFn{})
	register.Iter2[int, []byte]()
}

// pipeline returns a pipeline that reduces the parts. The values between its steps are .npy files in memory, encoded by
// array.Write and decoded by array.Read, together with their position in the result.
func (j job) pipeline(parts []part) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	all := beam.Reshuffle(s, beam.CreateList(s, parts)) // distributes the parts among workers
	reduced := beam.ParDo(s, &reduceFn{j.reduction}, all)
	merged := beam.CombinePerKey(s, &mergeFn{j.reduction}, reduced)
	beam.ParDo0(s, &writeFn{j.reduction, j.Out}, beam.Impulse(s), beam.SideInput{Input: merged})
	return p
}

// A runner may repeat a step, after a failure or because a worker is slow. Repeating a step gives the same result as
// long as the files do not change.

type reduceFn struct{ R reduction }

// ProcessElement maps the file of a part and reduces the part. If the file is missing, or has changed since the work
// began, the error names the file.
func (fn *reduceFn) ProcessElement(p part) (at int, partial []byte, err error) {
	err = array.Use(p.Path, func(f *array.File) error { // returns page faults, and changes to the file, as errors
		if f.NDim() == 0 || f.Len(0) < p.Hi {
			return fmt.Errorf("%s: has shape %v, but had at least %d rows when the work began", p.Path, f.Shape(), p.Hi)
		}
		if info, err := f.Stat(); err != nil {
			return err
		} else if info.Size() != p.Size || info.ModTime().UnixNano() != p.Time {
			return fmt.Errorf("%s: has changed since the work began",
				p.Path) // the result must not combine two versions of a file
		}
		rows, err := f.Select(index.Range(p.Lo, p.Hi))
		if err != nil {
			return err
		}
		a, err := fn.R.reducePart(rows)
		if err == nil {
			partial, err = encode(a)
		}
		return err
	})
	return p.At, partial, err
}

type mergeFn struct{ R reduction }

func (fn *mergeFn) MergeAccumulators(a, b []byte) ([]byte, error) {
	x, err := decode(a)
	if err != nil {
		return nil, err
	}
	y, err := decode(b)
	if err != nil {
		return nil, err
	}
	z, err := fn.R.merge(x, y)
	if err != nil {
		return nil, err
	}
	return encode(z)
}

type writeFn struct {
	R   reduction
	Out string
}

// ProcessElement assembles the results and saves the final result. It replaces an existing file: the directory belongs
// to this job, so the file is from an earlier attempt of the same step.
func (fn *writeFn) ProcessElement(_ []byte, next func(*int, *[]byte) bool) error {
	partials := map[int]array.Array{}
	var at int
	var b []byte
	for next(&at, &b) {
		a, err := decode(b)
		if err != nil {
			return err
		}
		partials[at] = a
	}
	d, err := dtype.Parse(fn.R.DType)
	if err != nil {
		return err
	}
	last := slices.Max(slices.Collect(maps.Keys(partials)))
	shape := partials[last].Shape()
	if !fn.R.reducesFirst() {
		shape[0] += last
	}
	dst, err := newArray(d, shape)
	if err != nil {
		return err
	}
	for at, a := range partials {
		to := dst
		if !fn.R.reducesFirst() {
			to, err = dst.Select(index.Range(at, at+a.Len(0)))
		}
		if err == nil {
			err = fn.R.result(to, a)
		}
		if err != nil {
			return err
		}
	}
	return array.Save(fn.Out, dst)
}

func encode(a array.Array) ([]byte, error) {
	var b bytes.Buffer
	err := array.Write(&b, a)
	return b.Bytes(), err
}

func decode(b []byte) (array.Array, error) { return array.Read(bytes.NewReader(b)) }
