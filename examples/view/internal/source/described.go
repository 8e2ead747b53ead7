package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Limits of what is said of an array beside its file.
const (
	maxDescription = 1 << 20 // bytes
	maxLabels      = 1000
	maxNamed       = 200 // characters of a name
)

// A Description says what the elements of an array and its axes mean. It is in NAME.npy.json, or in DATA.npz.json for
// each member; the axes of the members of an archive may also be other members.
type Description struct {
	Unit   string            `json:"unit"`
	Axes   []Axis            `json:"axes"`
	Origin string            `json:"origin"` // "lower" if the first row is below
	Aspect float64           `json:"aspect"` // height of an element over its width
	Labels map[string]string `json:"labels"` // of integers
}

// An Axis has a name, a unit, and what lies at its indices: texts, numbers, or an array of one dimension.
type Axis struct {
	Name   string
	Unit   string
	Start  float64
	Step   float64  // 0 if there are no such numbers
	Texts  []string // nil if there are none
	Values *Array   // nil if there is none
	values string   // its name
}

// UnmarshalJSON reads the name alone, or an object with name, unit, and values: their list, the name of an array, or
// an object with start and step.
func (x *Axis) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &x.Name) == nil {
		return nil
	}
	var o struct {
		Name, Unit string
		Values     json.RawMessage
	}
	if err := json.Unmarshal(b, &o); err != nil {
		return err
	}
	x.Name, x.Unit = o.Name, o.Unit
	if o.Values == nil || json.Unmarshal(o.Values, &x.values) == nil {
		return nil
	}
	var each []any
	if json.Unmarshal(o.Values, &each) == nil {
		x.Texts = make([]string, len(each))
		for i, v := range each {
			if n, ok := v.(float64); ok {
				x.Texts[i] = strconv.FormatFloat(n, 'g', -1, 64)
			} else {
				x.Texts[i] = clipped(fmt.Sprint(v))
			}
		}
		return nil
	}
	var even struct{ Start, Step float64 }
	if err := json.Unmarshal(o.Values, &even); err != nil || even.Step == 0 {
		return fmt.Errorf("the values of axis %.40q are no list, no name of an array, and no start and step", x.Name)
	}
	x.Start, x.Step = even.Start, even.Step
	return nil
}

func clipped(s string) string {
	if r := []rune(s); len(r) > maxNamed {
		return string(r[:maxNamed]) + "…"
	}
	return s
}

// Describe returns what is said of a, which has that shape. The error is for a file beside it that makes no sense.
func (a *Array) Describe(shape []int) (*Description, error) {
	d, err := a.read()
	if err != nil {
		return &Description{}, err
	}
	if d.Axes != nil && len(d.Axes) != len(shape) {
		return &Description{}, fmt.Errorf("%s.json: %d axes of an array with %d dimensions", filepath.Base(a.Path),
			len(d.Axes), len(shape))
	}
	if d.Axes == nil {
		d.Axes = make([]Axis, len(shape))
	}
	if a.Member != "" {
		a.members(d.Axes, shape)
	}
	for k := range d.Axes {
		x := &d.Axes[k]
		x.Name, x.Unit = clipped(x.Name), clipped(x.Unit)
		if x.Texts != nil && len(x.Texts) != shape[k] {
			return &Description{}, fmt.Errorf("%s.json: axis %d has %d values, and %d elements", filepath.Base(a.Path), k,
				len(x.Texts), shape[k])
		}
		if x.values != "" {
			x.Values = a.beside(x.values)
		}
	}
	if !(d.Aspect >= 1.0/64 && d.Aspect <= 64) {
		d.Aspect = 1
	}
	if len(d.Labels) > maxLabels {
		d.Labels = nil
	}
	for k, s := range d.Labels {
		d.Labels[k] = clipped(s)
	}
	d.Unit = clipped(d.Unit)
	return d, nil
}

// read reads the file beside that of a, if there is one.
func (a *Array) read() (*Description, error) {
	d := &Description{}
	f, err := place{a.at.folder, a.at.name + ".json"}.open()
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return d, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return d, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxDescription+1))
	if err == nil && len(b) > maxDescription {
		err = fmt.Errorf("more than %d bytes", maxDescription)
	}
	if err == nil && a.Member != "" {
		each := map[string]json.RawMessage{}
		if err = json.Unmarshal(b, &each); err == nil {
			if b = each[a.Member]; b == nil {
				return d, nil
			}
		}
	}
	if err == nil {
		err = json.Unmarshal(b, d)
	}
	if err != nil {
		return &Description{}, fmt.Errorf("%s.json: %w", filepath.Base(a.Path), err)
	}
	return d, nil
}

// beside returns the array of that name in the folder or the archive of a, if it is in the list.
func (a *Array) beside(name string) *Array {
	id := idOf(a.Path, name)
	if a.Member == "" {
		id = idOf(filepath.Join(filepath.Dir(a.Path), name), "")
	}
	b, err := a.set.Array(id)
	if err != nil || b == a {
		return nil
	}
	return b
}

// members gives axes their values: the members of one dimension that have their names; where axes have no names, those
// whose length only that axis has, and that no other such member has.
func (a *Array) members(axes []Axis, shape []int) {
	l := lister{s: a.set, headers: map[string]header{}, archives: map[string]listing{}}
	all, err := l.members(a.at)
	if err != nil {
		return
	}
	named := slices.ContainsFunc(axes, func(x Axis) bool { return x.Name != "" })
	for k := range axes {
		x, length, found := &axes[k], strconv.Itoa(shape[k]), []string{}
		for i, name := range all.names {
			if _, dims, _ := strings.Cut(all.summaries[i], " · "); dims == length && name != a.Member && (!named ||
				name == x.Name) {
				found = append(found, name)
			}
		}
		unique := 0
		for _, n := range shape {
			if n == shape[k] {
				unique++
			}
		}
		if len(found) == 1 && (named || unique == 1) && x.Texts == nil && x.Step == 0 && x.values == "" {
			x.Name, x.values = found[0], found[0]
		}
	}
}

// Even returns what lies at index i where values have equal steps, without the digits that rounding leaves.
func (x Axis) Even(i int) string {
	v := x.Start + float64(i)*x.Step
	digits := 6 + int(math.Max(0, math.Ceil(math.Log10(math.Max(math.Abs(v), math.Abs(x.Start))/math.Abs(x.Step)))))
	return strconv.FormatFloat(round(v, digits), 'g', -1, 64)
}

func round(v float64, digits int) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', min(digits, 17), 64), 64)
	if err != nil {
		return v
	}
	return r
}
