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

// maxFields is the maximum depth of nested fields in a request.
const maxFields = 32

// A request is an HTTP request with its parsed parameters.
type request struct {
	*http.Request
	s *Server
	q url.Values
}

func newRequest(s *Server, r *http.Request) (*request, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("invalid query: %v", err)
	}
	for name, values := range q {
		if len(values) > 1 && name != "field" {
			return nil, fmt.Errorf("%s is given %d times; want at most once", clip(name), len(values))
		}
	}
	return &request{r, s, q}, nil
}

// clip quotes s for a message, and shortens it if it is long.
func clip(s string) string {
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return strconv.Quote(s)
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// integer parses text as a decimal integer between least and most. It accepts only the canonical form, without plus
// sign or leading zeros.
func integer(name, text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text {
		return 0, fmt.Errorf("%s=%s: want an integer without a plus sign or leading zeros", name, clip(text))
	}
	if n < least || n > most {
		return 0, fmt.Errorf("%s=%d: want %d to %d", name, n, least, most)
	}
	return n, nil
}

// integer returns the required parameter name, an integer from least to most.
func (r *request) integer(name string, least, most int) (int, error) {
	if !r.q.Has(name) {
		return 0, fmt.Errorf("%s is missing", name)
	}
	return integer(name, r.q.Get(name), least, most)
}

// optionalInteger returns the parameter name, an integer from least to most, or missing if the request does not have
// it.
func (r *request) optionalInteger(name string, least, most, missing int) (int, error) {
	if !r.q.Has(name) {
		return missing, nil
	}
	return integer(name, r.q.Get(name), least, most)
}

// float returns the parameter name, a number between least and most, or missing if the request does not have it.
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

// flag reports whether the parameter name is 1. If the request does not have it, flag returns false.
func (r *request) flag(name string) (bool, error) {
	n, err := r.optionalInteger(name, 0, 1, 0)
	return n == 1, err
}

// axis returns the parameter name, the number of an axis or -1, or missing if the request does not have it.
func (r *request) axis(name string, missing int) (int, error) {
	return r.optionalInteger(name, -1, index.MaxDims-1, missing)
}

// at returns the parameter name, a position along the axes that are not shown, or nil if the request does not have it.
func (r *request) at(name string) ([]int, error) {
	return r.integers(name, index.MaxDims, "an array has at most %d dimensions")
}

// integers returns the parameter name, up to most integers with commas between them, or nil if the request does not
// have it. limit is the format of the message about most.
func (r *request) integers(name string, most int, limit string) ([]int, error) {
	if !r.q.Has(name) {
		return nil, nil
	}
	all := []int{}
	if r.q.Get(name) == "" {
		return all, nil
	}
	parts := strings.Split(r.q.Get(name), ",")
	if len(parts) > most {
		return nil, fmt.Errorf("%s has %d entries: "+limit, name, len(parts), most)
	}
	for _, p := range parts {
		n, err := integer(name, p, 0, math.MaxInt)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

// A pickedField is the field that a request selects. It can be used until Close.
type pickedField struct {
	*source.Lease
	field pick.Array
	read  pick.Reading
	at    []int
	minus *source.Lease // nil unless the field is a difference
}

// Close releases the arrays.
func (p *pickedField) Close() {
	p.Lease.Close()
	if p.minus != nil {
		p.minus.Close()
	}
}

// A subtrahend identifies the array to subtract, or no array if id is empty. at is the position in this array along the
// axes that are not shown; nil means the same position as in the other array.
type subtrahend struct {
	id string
	at []int
}

// pick returns the field that the request selects.
func (r *request) pick() (*pickedField, error) {
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
	return r.pickField(r.q["field"], part, r.q.Get("base"), at, subtrahend{r.q.Get("minus"), minusAt})
}

func (r *request) pickField(fields []string, part pick.Part, base string, at []int, minus subtrahend) (*pickedField,
	error) {
	if len(fields) > maxFields {
		return nil, fmt.Errorf("field is given %d times; want at most %d", len(fields), maxFields)
	}
	a, err := r.s.set.Array(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	l, err := a.Use()
	if err != nil {
		return nil, err
	}
	p := &pickedField{Lease: l, read: pick.Reading{Part: part}, at: at}
	if p.field, err = locatedArray(l).Field(fields); err == nil {
		p.field, err = r.ticksIfRequested(p.field)
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

// subtract subtracts the array minus, or its field with the path fields, from p.field.
func (r *request) subtract(p *pickedField, fields []string, minus subtrahend) error {
	b, err := r.s.set.Array(minus.id)
	if err != nil {
		return err
	}
	if p.minus, err = b.Use(); err != nil {
		return err
	}
	field := locatedArray(p.minus)
	if field.DType().NumField() > 0 {
		if field, err = field.Field(fields); err != nil {
			return err
		}
	}
	if field, err = r.ticksIfRequested(field); err == nil {
		p.field, err = p.field.Less(field, minus.at)
	}
	return err
}

// ticksIfRequested returns the integers that store the times in a if the request has ticks=1. Otherwise it returns a.
func (r *request) ticksIfRequested(a pick.Array) (pick.Array, error) {
	if yes, err := r.flag("ticks"); err != nil || !yes {
		return a, err
	}
	return a.Ticks()
}

// locatedArray returns the array of l together with its location in the file.
func locatedArray(l *source.Lease) pick.Array {
	return pick.Array{Array: l.Array, Map: l.Map, Offset: int(l.DataOffset), Far: l.Far}
}
