package serve

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/examples/view/internal/source"
	"github.com/ndmap/ndmap/index"
)

// maxFields is how deep a field may be.
const maxFields = 32

// A request is one with its parameters.
type request struct {
	*http.Request
	s *Server
	q url.Values
}

func newRequest(s *Server, r *http.Request) (*request, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("the query cannot be read: %v", err)
	}
	for name, values := range q {
		if len(values) > 1 && name != "field" {
			return nil, fmt.Errorf("%s is given %d times", clip(name), len(values))
		}
	}
	return &request{r, s, q}, nil
}

// clip returns s as text for a message.
func clip(s string) string {
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return strconv.Quote(s)
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// integer reads a whole number in decimal, with no sign but that of a negative one.
func integer(name, text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text {
		return 0, fmt.Errorf("%s=%s: want a whole number", name, clip(text))
	}
	if n < least || n > most {
		return 0, fmt.Errorf("%s=%d: want %d to %d", name, n, least, most)
	}
	return n, nil
}

// integer returns a parameter that must be there.
func (r *request) integer(name string, least, most int) (int, error) {
	if !r.q.Has(name) {
		return 0, fmt.Errorf("%s is missing", name)
	}
	return integer(name, r.q.Get(name), least, most)
}

// optional returns a parameter, or what it is if it is not there.
func (r *request) optional(name string, least, most, missing int) (int, error) {
	if !r.q.Has(name) {
		return missing, nil
	}
	return integer(name, r.q.Get(name), least, most)
}

// float returns a parameter within bounds, or what it is if it is not there.
func (r *request) float(name string, least, most, missing float64) (float64, error) {
	if !r.q.Has(name) {
		return missing, nil
	}
	x, err := strconv.ParseFloat(r.q.Get(name), 64)
	if err != nil || math.IsNaN(x) {
		return 0, fmt.Errorf("%s=%s: want a number", name, clip(r.q.Get(name)))
	}
	if x < least || x > most {
		return 0, fmt.Errorf("%s=%v: want %v to %v", name, x, least, most)
	}
	return x, nil
}

// flag reports whether a parameter is 1.
func (r *request) flag(name string) (bool, error) {
	n, err := r.optional(name, 0, 1, 0)
	return n == 1, err
}

// axis returns the number of an axis, or missing.
func (r *request) axis(name string, missing int) (int, error) {
	return r.optional(name, -1, index.MaxDims-1, missing)
}

// at returns the position along the axes that are not shown, nil if it is not given.
func (r *request) at(name string) ([]int, error) {
	if !r.q.Has(name) {
		return nil, nil
	}
	at := []int{}
	if r.q.Get(name) == "" {
		return at, nil
	}
	parts := strings.Split(r.q.Get(name), ",")
	if len(parts) > index.MaxDims {
		return nil, fmt.Errorf("%s has %d entries: an array has at most %d dimensions", name, len(parts), index.MaxDims)
	}
	for _, p := range parts {
		n, err := integer(name, p, 0, math.MaxInt)
		if err != nil {
			return nil, err
		}
		at = append(at, n)
	}
	return at, nil
}

// A picked array is the field that a request names, ready to be used until Close.
type picked struct {
	*source.Lease
	field pick.Array
	read  pick.Reading
	at    []int
	minus *source.Lease // nil unless the field is a difference
}

// Close ends the use of what was picked.
func (p *picked) Close() {
	p.Lease.Close()
	if p.minus != nil {
		p.minus.Close()
	}
}

// An other array is to be subtracted, where id is not "": at a position, or that of the first one.
type other struct {
	id string
	at []int
}

// pick returns what the request is about.
func (r *request) pick() (*picked, error) {
	at, err := r.at("at")
	if err != nil {
		return nil, err
	}
	minusAt, err := r.at("minusAt")
	if err != nil {
		return nil, err
	}
	part, err := pick.ParsePart(r.q.Get("part"))
	if err != nil {
		return nil, err
	}
	return r.pickField(r.q["field"], part, r.q.Get("base"), at, other{r.q.Get("minus"), minusAt})
}

func (r *request) pickField(fields []string, part pick.Part, base string, at []int, minus other) (*picked, error) {
	if len(fields) > maxFields {
		return nil, fmt.Errorf("field is given %d times", len(fields))
	}
	a, err := r.s.set.Array(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	l, err := a.Use()
	if err != nil {
		return nil, err
	}
	p := &picked{Lease: l, read: pick.Reading{Part: part}, at: at}
	if p.field, err = located(l).Field(fields); err == nil {
		p.field, err = r.ticks(p.field)
	}
	if err == nil {
		p.read.Base, err = pick.ParseBase(base, p.field.DType())
	}
	if err == nil && minus.id != "" {
		err = r.subtract(p, fields, minus)
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// subtract makes what was picked the difference to another array, or the same field of it.
func (r *request) subtract(p *picked, fields []string, minus other) error {
	b, err := r.s.set.Array(minus.id)
	if err != nil {
		return err
	}
	if p.minus, err = b.Use(); err != nil {
		return err
	}
	field := located(p.minus)
	if field.DType().NumField() > 0 {
		if field, err = field.Field(fields); err != nil {
			return err
		}
	}
	if field, err = r.ticks(field); err == nil {
		p.field, err = p.field.Less(field, minus.at)
	}
	return err
}

// ticks returns the integers that times are, if the request says ticks=1.
func (r *request) ticks(a pick.Array) (pick.Array, error) {
	if yes, err := r.flag("ticks"); err != nil || !yes {
		return a, err
	}
	return a.Ticks()
}

// located returns the array of l with its place in the file.
func located(l *source.Lease) pick.Array {
	return pick.Array{Array: l.Array, Map: l.Map, Offset: int(l.DataOffset)}
}
