package source

import (
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

func clipped(s string) string {
	if r := []rune(s); len(r) > maxNamed {
		return string(r[:maxNamed]) + "…"
	}
	return s
}

// Describe returns what is said of a, which has that shape. The error is what is wrong with it; all else is returned.
func (a *Array) Describe(shape []int) (*Description, error) {
	d, said := a.read()
	if d.Axes != nil && len(d.Axes) != len(shape) {
		said.note(`"axes" has %d entries, and the array %d dimensions: want one for each, null for one without a name`,
			len(d.Axes), len(shape))
		d.Axes = nil
	}
	if d.Axes == nil {
		d.Axes = make([]Axis, len(shape))
	}
	if a.Member != "" {
		a.members(d.Axes, shape)
	}
	for k := range d.Axes {
		x := &d.Axes[k]
		if x.Texts != nil && len(x.Texts) != shape[k] {
			said.note("axis %d: %d values, and the array has %d elements there: want one for each", k, len(x.Texts), shape[k])
			x.Texts = nil
		}
		if x.values != "" {
			a.findValues(x, k, shape[k], said)
		}
	}
	return d, said.err()
}

// findValues finds the array that is named as what lies along axis k, which has n elements.
func (a *Array) findValues(x *Axis, k, n int, said *sidecar) {
	b := a.beside(x.values)
	if b == nil {
		said.note("axis %d: no other array %q is listed beside it: correct the name, or open that file, too", k,
			clipped(x.values))
		return
	}
	shape, err := b.header()
	switch want := "· " + strconv.Itoa(n); {
	case err != nil:
		said.note("axis %d: %s cannot be read: %s", k, b.Name, Of(b.Path, err))
	case !strings.HasSuffix(shape, want) || strings.Contains(shape, "×"):
		said.note("axis %d: %s is %s, and the array has %d elements there: want an array of one dimension, with one for each",
			k, b.Name, shape, n)
	default:
		x.Values = b
	}
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

// header returns dtype and shape of a, as the listing has them.
func (a *Array) header() (string, error) {
	if a.Member == "" {
		l := lister{s: a.set, headers: map[string]header{}}
		h := l.header(a.at)
		return h.summary, h.err
	}
	all, err := a.archive()
	if i := slices.Index(all.names, a.Member); i >= 0 {
		return all.summaries[i], nil
	}
	return "", err
}

// archive lists what is in the archive of a.
func (a *Array) archive() (listing, error) {
	l := lister{s: a.set, archives: map[string]listing{}}
	return l.members(a.at)
}

// members gives axes their values: the members of one dimension that have their names; where axes have no names, those
// whose length only that axis has, and that no other such member has.
func (a *Array) members(axes []Axis, shape []int) {
	all, err := a.archive()
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
