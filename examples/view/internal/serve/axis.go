package serve

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/view/internal/source"
	"github.com/ndmap/ndmap/examples/view/internal/table"
	"github.com/ndmap/ndmap/index"
)

// maxTexts is the maximum number of indices in one request.
const maxTexts = 200

// An axisInfo describes an axis to the page.
type axisInfo struct {
	Name   string `json:"name"`
	Unit   string `json:"unit"`
	Valued bool   `json:"valued"` // the description gives values for the indices
}

// describe adds the content of the description file of a. shape is the shape of a.
func (i *info) describe(a *source.Array, shape []int) {
	d, err := a.Describe(shape)
	if err != nil {
		i.Described = source.Text(err)
	}
	i.Unit, i.FlipY, i.Aspect, i.Labels = d.Unit, d.Origin == "lower", d.Aspect, d.Labels
	for _, x := range d.Axes {
		i.Axes = append(i.Axes, axisInfo{x.Name, x.Unit, x.Texts != nil || x.Step != 0 || x.Values != nil})
	}
}

// axisTexts responds with the values of an axis at the requested indices, as text.
func (r *request) axisTexts() (answer, error) {
	k, err := r.integer("axis", 0, index.MaxDims-1)
	if err != nil {
		return nil, err
	}
	parts := strings.Split(r.q.Get("index"), ",")
	if len(parts) > maxTexts {
		return nil, fmt.Errorf("index has %d entries: want at most %d", len(parts), maxTexts)
	}
	a, err := r.s.set.Array(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	l, err := a.Use()
	if err != nil {
		return nil, err
	}
	defer l.Close()
	d, wrong := a.Describe(l.Shape())
	if k >= len(d.Axes) {
		return nil, fmt.Errorf("axis=%d: the array has %d dimensions", k, len(d.Axes))
	}
	x, said := d.Axes[k], ""
	text := func(i int) string { return x.Even(i) }
	switch {
	case x.Texts != nil:
		text = func(i int) string { return x.Texts[i] }
	case x.Values != nil:
		v, err := x.Values.Use()
		if errors.Is(err, source.ErrBusy) {
			return nil, err
		}
		if err == nil {
			defer v.Close()
			if v.NDim() != 1 || v.Len(0) != l.Len(k) {
				err = fmt.Errorf("%s has shape %v, and axis %d has %d elements", x.Values.Name, v.Shape(), k, l.Len(k))
			}
		}
		if text = func(i int) string { return shortText(v.Array, i) }; err != nil {
			text, said = strconv.Itoa, source.Text(err)
		}
	case x.Step == 0 && wrong != nil: // the description was valid when the page asked for the array
		text, said = strconv.Itoa, source.Text(wrong)
	case x.Step == 0:
		return nil, fmt.Errorf("axis %d has no values", k)
	}
	texts := make([]string, len(parts))
	for j, p := range parts {
		i, err := integer("index", p, 0, math.MaxInt)
		if err != nil {
			return nil, err
		}
		if i >= l.Len(k) {
			return nil, fmt.Errorf("index=%d: axis %d has %d elements", i, k, l.Len(k))
		}
		texts[j] = text(i)
	}
	return struct {
		Texts     []string `json:"texts"`
		Described string   `json:"described,omitempty"` // error in the description file, because of which the texts are indices
	}{texts, said}, nil
}

// shortText formats element i of a. It omits the time of day of a datetime at midnight.
func shortText(a array.Array, i int) string {
	s := table.Text(a.Index(i))
	if date, time, ok := strings.Cut(s, "T"); ok && strings.Trim(time, "0:.") == "" && len(date) >= 10 {
		return date
	}
	return s
}
