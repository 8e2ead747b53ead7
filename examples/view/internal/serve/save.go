package serve

import (
	"context"
	"fmt"
	"io"
	"math"
	"mime"
	"path/filepath"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
)

// A shownPart describes the part of an array with indices from y0 to y1 on axis y, and from x0 to x1 on axis x. If y is
// -1, it describes a part of axis x only.
type shownPart struct {
	y, x, y0, y1, x0, x1 int
}

func (r *request) parseShown() (s shownPart, err error) {
	for _, p := range []struct {
		to       *int
		name     string
		least    int
		optional bool
	}{
		{&s.x, "x", 0, false}, {&s.y, "y", -1, true}, {&s.x0, "x0", 0, false}, {&s.x1, "x1", 0, false},
		{&s.y0, "y0", 0, true}, {&s.y1, "y1", 0, true},
	} {
		if p.optional && (p.name == "y" || s.y == -1) {
			*p.to, err = r.optionalInteger(p.name, p.least, math.MaxInt, p.least)
		} else {
			*p.to, err = r.integer(p.name, p.least, math.MaxInt)
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// selectFrom returns the shown part of the field that p holds.
func (s shownPart) selectFrom(p *pickedField) (pick.Array, error) {
	return region(p.field, p.at, s.y, s.x, s.y0, s.y1, s.x0, s.x1)
}

// save responds with the shown part as a .npy file.
func (r *request) save() (answer, error) {
	s, err := r.parseShown()
	if err != nil {
		return nil, err
	}
	p, err := r.pick()
	if err != nil {
		return nil, err
	}
	sending := false
	defer func() { // also runs after a page fault
		if !sending {
			p.Close()
		}
	}()
	a, err := s.selectFrom(p)
	if err == nil && a.Minus != nil {
		a, err = difference(r.Context(), a, p.read)
	}
	if err == nil && a.NBytes() > maxSave {
		err = fmt.Errorf("the part has %d bytes: want at most %d", a.NBytes(), maxSave)
	}
	if err == nil {
		err = a.Fetch(r.Context())
	}
	if err != nil {
		return nil, err
	}
	src, err := r.s.set.Array(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	size, err := array.EncodedSize(a.Array)
	if err != nil {
		return nil, err
	}
	sending = true
	name := strings.TrimSuffix(filepath.Base(src.Name), ".npy") + "-part.npy"
	return &stream{
		header: map[string]string{
			"Content-Type":        "application/octet-stream",
			"Content-Disposition": mime.FormatMediaType("attachment", map[string]string{"filename": name}),
			"Content-Length":      decimal(size),
			"X-Version":           decimal(p.Version),
		},
		write: func(w io.Writer) error { return array.Write(w, a.Array) },
		end:   p.Close,
	}, nil
}

// difference computes a difference and returns it as float64.
func difference(ctx context.Context, a pick.Array, read pick.Reading) (pick.Array, error) {
	if a.Size() > maxDifference {
		return a, fmt.Errorf("the difference has %d elements: want at most %d", a.Size(), maxDifference)
	}
	a, err := a.Part(read.Part)
	if err != nil {
		return a, err
	}
	if err := a.Fetch(ctx); err != nil {
		return a, err
	}
	v, err := a.Floats(read)
	return pick.Array{Array: v.Array()}, err
}
