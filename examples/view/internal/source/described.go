package source

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Limits of description files
const (
	maxDescription = 1 << 20 // bytes
	maxLabels      = 1000
	maxNamed       = 200 // characters in a name
)

// A Description describes the meaning of an array's elements and axes. It is read from NAME.npy.json, or for the
// members of an archive from DATA.npz.json. Members of an archive can also be the values of other members' axes.
type Description struct {
	Unit   string            `json:"unit"`
	Axes   []Axis            `json:"axes"`
	Origin string            `json:"origin"` // "lower" if the first row is at the bottom
	Aspect float64           `json:"aspect"` // height of an element divided by its width
	Labels map[string]string `json:"labels"` // keys are integers
}

// An Axis has a name, a unit, and values for its indices: texts, evenly spaced numbers, or a one-dimensional array.
type Axis struct {
	Name   string
	Unit   string
	Start  float64
	Step   float64  // 0 unless the values are evenly spaced
	Texts  []string // nil unless the values are listed
	Values *Array   // nil unless the values are an array
	values string   // name of the array
}

func clip(s string) string {
	if r := []rune(s); len(r) > maxNamed {
		return string(r[:maxNamed]) + "…"
	}
	return s
}

// Describe returns the description of a. shape is the shape of a. The error describes problems in the description file.
// Describe returns the valid part of the description along with the error.
func (a *Array) Describe(shape []int) (*Description, error) {
	if a.of != nil {
		return a.of.describe()
	}
	d, side := a.read()
	if d.Axes != nil && len(d.Axes) != len(shape) {
		side.addProblem(`"axes" has %d entries, and the array %d dimensions: want one for each, null for one without a name`,
			len(d.Axes), len(shape))
		d.Axes = nil
	}
	if d.Axes == nil {
		d.Axes = make([]Axis, len(shape))
	}
	if a.Member != "" && a.url == "" {
		a.assignMembers(d.Axes, shape)
	}
	for k := range d.Axes {
		x := &d.Axes[k]
		if x.Texts != nil && len(x.Texts) != shape[k] {
			side.addProblem("axis %d: %d values, and the array has %d elements there: want one for each", k, len(x.Texts),
				shape[k])
			x.Texts = nil
		}
		if x.values != "" {
			a.findValues(x, k, shape[k], side)
		}
	}
	return d, side.err()
}

// findValues finds the array that the description names as the values of axis k. The axis has n elements.
func (a *Array) findValues(x *Axis, k, n int, side *sidecar) {
	b := a.sibling(x.values)
	if b == nil {
		side.addProblem("axis %d: no other array %q is listed next to it: correct the name, or open that file, too", k,
			clip(x.values))
		return
	}
	shape, err := b.header()
	switch want := "· " + strconv.Itoa(n); {
	case err != nil:
		side.addProblem("axis %d: %s cannot be read: %s", k, b.Name, Of(b.Path, err))
	case !strings.HasSuffix(shape, want) || strings.Contains(shape, "×"):
		side.addProblem("axis %d: %s is %s, and the array has %d elements there: want an array of one dimension, with one for each",
			k, b.Name, shape, n)
	default:
		x.Values = b
	}
}

// sibling returns the listed array called name in the folder or archive of a, or nil.
func (a *Array) sibling(name string) *Array {
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

// header returns the dtype and shape of a in the format of the listing.
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

// archive lists the members of the archive of a.
func (a *Array) archive() (listing, error) {
	l := lister{s: a.set, archives: map[string]listing{}}
	return l.members(a.at)
}

// assignMembers assigns one-dimensional members of the archive to axes as their values. Axes with names get the members
// of the same names. If no axis has a name, an axis gets the only member of its length, provided that no other axis has
// this length.
func (a *Array) assignMembers(axes []Axis, shape []int) {
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

// Even returns the value at index i of an axis with evenly spaced values, without digits that are rounding errors.
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
