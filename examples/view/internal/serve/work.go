package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/view/internal/job"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/examples/view/internal/source"
	"github.com/ndmap/ndmap/examples/view/internal/summary"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A jobBody describes a computation that the page requests.
type jobBody struct {
	Kind   string   `json:"kind"`
	Bins   int      `json:"bins"`
	Lo     *float64 `json:"lo"`
	Hi     *float64 `json:"hi"`
	Region *struct {
		Y  int   `json:"y"`
		X  int   `json:"x"`
		At []int `json:"at"`
		Y0 int   `json:"y0"`
		Y1 int   `json:"y1"`
		X0 int   `json:"x0"`
		X1 int   `json:"x1"`
	} `json:"region"`
	Field []string `json:"field"`
	Part  string   `json:"part"`
	Base  string   `json:"base"`

	Minus   string `json:"minus"`
	MinusAt []int  `json:"minusAt"`

	Op    string         `json:"op"`
	Along []source.Along `json:"along"`
	Page  string         `json:"page"` // identifies the page that requests a projection
}

// maxPage is the maximum length of jobBody.Page.
const maxPage = 64

// jobKinds are the values of jobBody.Kind.
var jobKinds = []string{"box", "histogram", "moments", "projection", "range"}

// projectionOps are the operations of projections.
var projectionOps = []array.Op{array.OpMean, array.OpMax, array.OpMin, array.OpSum, array.OpStd}

// startJob starts to compute a histogram, moments, the statistics of a box, a projection, or a range.
func (r *request) startJob() (answer, error) {
	var body jobBody
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&body); err != nil {
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // its message would name Go types
			return nil, fmt.Errorf("the body is not a job: %q cannot be a JSON %s", e.Field, e.Value)
		}
		return nil, fmt.Errorf("the body is not a job: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the body has text after the job")
	}
	if !slices.Contains(jobKinds, body.Kind) {
		return nil, fmt.Errorf("kind %s: want box, histogram, moments, projection or range", clip(body.Kind))
	}
	if body.Kind == "projection" {
		return r.startProjection(&body)
	}
	bins := summary.Bins{N: body.Bins, Lo: math.NaN(), Hi: math.NaN()}
	if body.Lo != nil {
		bins.Lo = *body.Lo
	}
	if body.Hi != nil {
		bins.Hi = *body.Hi
	}
	if body.Kind == "range" && !(bins.Lo >= 0 && bins.Lo <= bins.Hi && bins.Hi <= 100) {
		return nil, fmt.Errorf("lo=%v, hi=%v: want percentiles with 0 <= lo <= hi <= 100", bins.Lo, bins.Hi)
	}
	if err := bins.Check(); body.Kind == "histogram" && err != nil {
		return nil, err
	}
	part, err := pick.ParsePart(body.Part)
	if err != nil {
		return nil, err
	}
	var at []int
	if body.Region != nil {
		at = body.Region.At
	}
	p, err := r.pickField(body.Field, part, body.Base, at, subtrahend{body.Minus, body.MinusAt})
	if err != nil {
		return nil, err
	}
	a, err := p.field, pick.Numbers(p.field.Array)
	if g := body.Region; err == nil && g != nil {
		a, err = region(a, at, g.Y, g.X, g.Y0, g.Y1, g.X0, g.X1)
	}
	if err == nil {
		a, err = a.Part(part)
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return r.start("", p, func(ctx context.Context, progress func(float64) error) (any, error) {
		switch body.Kind {
		case "box":
			return summary.BoxOf(ctx, a, p.read, progress)
		case "moments":
			return summary.Moments(ctx, a, p.read, progress)
		case "range":
			return rangeOf(ctx, a, p.read, bins, progress)
		default:
			return summary.Histogram(ctx, a, p.read, bins, progress)
		}
	})
}

// startProjection starts to compute a projection. It stops the projection that the same page has started before. The
// result of the job is the id of the projection, which is an array like those in the listing.
func (r *request) startProjection(body *jobBody) (answer, error) {
	if body.Page == "" || len(body.Page) > maxPage {
		return nil, fmt.Errorf("page has %d bytes: want 1 to %d, the same in all requests of a page", len(body.Page), maxPage)
	}
	op, err := array.ParseOp(body.Op)
	if err != nil || !slices.Contains(projectionOps, op) {
		return nil, fmt.Errorf("op %s: want mean, max, min, sum or std", clip(body.Op))
	}
	p, err := r.pickField(body.Field, pick.Whole, "", nil, subtrahend{})
	if err != nil {
		return nil, err
	}
	a, err := r.s.set.Array(r.PathValue("id"))
	var q *source.Projecting
	if err == nil {
		q, err = a.Project(p.Lease, p.field.Array, source.Projection{Field: body.Field, Op: op, Along: body.Along})
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return r.start(body.Page, p, func(ctx context.Context, progress func(float64) error) (any, error) {
		id, err := q.Compute(ctx, progress)
		return map[string]string{"id": id}, err
	})
}

// start starts a job of owner that uses p, and responds with its id. It closes p when the job has ended.
func (r *request) start(owner string, p *pickedField, work job.Work) (answer, error) {
	id, err := r.s.jobs.Start(owner, func(ctx context.Context, progress func(float64) error) (result any, err error) {
		err = mmap.Guard(func() error {
			result, err = work(ctx, progress)
			return err
		})
		if fault, ok := errors.AsType[*mmap.FaultError](err); ok {
			err = faultError(fault)
		}
		return result, err
	}, p.Close)
	if err != nil {
		return nil, err
	}
	return map[string]string{"job": id}, nil
}

// rangeOf returns the range of a. The page starts this job without being asked to, so rangeOf uses a sample if a has
// too many elements on a web server.
func rangeOf(ctx context.Context, a pick.Array, read pick.Reading, b summary.Bins,
	progress func(float64) error) (*summary.Range, error) {
	all := true
	if a.IsFar() && !summary.MayReadAll(a) {
		var err error
		if a, all, err = summary.Sample(ctx, a); err != nil {
			return nil, err
		}
	}
	x, err := summary.RangeOf(ctx, a, read, b.Lo, b.Hi, progress)
	if err != nil {
		return nil, err
	}
	x.Sampled = !all
	return x, nil
}

// job responds with the status of a job. With wait=1 it waits until the job is done, but only for reportEvery, so that
// the page can show the progress.
func (r *request) job() (answer, error) {
	wait, err := r.flag("wait")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), reportEvery)
	defer cancel()
	status, err := r.s.jobs.Status(ctx, r.PathValue("id"), wait)
	if err != nil {
		return nil, err
	}
	return status, nil
}

func (r *request) cancelJob() (answer, error) {
	return nil, r.s.jobs.Cancel(r.PathValue("id"))
}

// region returns the elements between y0 and y1 on axis y and between x0 and x1 on axis x. If y is -1, it returns a
// part of a row.
func region(a pick.Array, at []int, y, x, y0, y1, x0, x1 int) (pick.Array, error) {
	if err := a.Axis("x", x); err != nil {
		return pick.Array{}, err
	}
	axes, sel := []int{x}, []index.Selector{index.Range(x0, x1)}
	if err := checkRange("x", x0, x1, a.Len(x)); err != nil {
		return pick.Array{}, err
	}
	if y != -1 {
		if err := a.Axis("y", y); err != nil {
			return pick.Array{}, err
		}
		if err := checkRange("y", y0, y1, a.Len(y)); err != nil {
			return pick.Array{}, err
		}
		axes, sel = []int{y, x}, []index.Selector{index.Range(y0, y1), index.Range(x0, x1)}
	}
	a, err := a.Show(at, axes...)
	if err != nil {
		return pick.Array{}, err
	}
	return a.Select(sel...)
}

func checkRange(name string, from, to, n int) error {
	if from < 0 || from > to || to > n {
		return fmt.Errorf("%s0=%d, %s1=%d: want 0 <= %s0 <= %s1 <= %d", name, from, name, to, name, name, n)
	}
	return nil
}
