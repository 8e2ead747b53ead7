package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/first"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/examples/view/internal/plane"
	"github.com/ndmap/ndmap/examples/view/internal/source"
	"github.com/ndmap/ndmap/examples/view/internal/summary"
	"github.com/ndmap/ndmap/examples/view/internal/table"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A jsonInt is an integer that JSON encodes as a number if JavaScript can represent it, or else as a string.
type jsonInt int

// MarshalJSON implements json.Marshaler.
func (n jsonInt) MarshalJSON() ([]byte, error) {
	s := strconv.Itoa(int(n))
	if x := int64(n); x > 1<<53 || x < -1<<53 {
		return json.Marshal(s)
	}
	return []byte(s), nil
}

func jsonInts(s []int) []jsonInt {
	e := make([]jsonInt, len(s))
	for i, n := range s {
		e[i] = jsonInt(n)
	}
	return e
}

// An info describes an array to the page.
type info struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Version    int64     `json:"version"`
	Status     string    `json:"status"`
	Message    string    `json:"message,omitempty"`
	Files      int       `json:"files"` // number of earlier files at the same path
	DType      string    `json:"dtype"`
	Objects    string    `json:"objects,omitempty"` // dtype in the file, if the elements are Python objects
	Kind       string    `json:"kind"`
	BigEndian  bool      `json:"bigEndian"`
	ItemSize   jsonInt   `json:"itemsize"`
	Shape      []jsonInt `json:"shape"`
	Strides    []jsonInt `json:"strides"`
	Order      string    `json:"order"`
	DataOffset *jsonInt  `json:"dataOffset"` // null if the array is not stored uncompressed in a file
	NBytes     jsonInt   `json:"nbytes"`
	Inflated   bool      `json:"inflated"`
	// Projected reports whether the array is a projection. Projectable reports whether projections of it can be computed.
	Projected   bool       `json:"projected"`
	Projectable bool       `json:"projectable"`
	Fields      []field    `json:"fields"`
	Numeric     bool       `json:"numeric"`
	RGB         bool       `json:"rgb"`      // the elements can be shown as colours
	Channels    int        `json:"channels"` // axis of the channels of colours, or -1
	First       first.View `json:"first"`
	Base        string     `json:"base"` // number that the page should ask to subtract from 64-bit integers

	Unit      string            `json:"unit"`
	Axes      []axisInfo        `json:"axes"`
	FlipY     bool              `json:"flipY"`
	Aspect    float64           `json:"aspect"`
	Labels    map[string]string `json:"labels"`
	Described string            `json:"described,omitempty"` // error in the description file
}

type field struct {
	Name   string    `json:"name"`
	DType  string    `json:"dtype"`
	Kind   string    `json:"kind"`
	Offset jsonInt   `json:"offset"`
	Shape  []jsonInt `json:"shape"`
	// Numeric reports whether the field can be drawn. Fields are its nested fields.
	Numeric bool    `json:"numeric"`
	Fields  []field `json:"fields,omitempty"`
}

var kinds = map[dtype.Kind]string{
	dtype.KindBool: "bool", dtype.KindInt: "int", dtype.KindUint: "uint", dtype.KindFloat: "float",
	dtype.KindComplex: "complex",
	dtype.KindBytes:   "bytes", dtype.KindUnicode: "str", dtype.KindDatetime: "datetime", dtype.KindTimedelta: "timedelta",
	dtype.KindVoid: "void", dtype.KindStructured: "struct",
	dtype.KindBFloat16: "float", dtype.KindFloat8E4M3FN: "float", dtype.KindFloat8E5M2: "float",
}

const (
	maxDTypeText = 10_000 // maximum length of a dtype's text in bytes
	maxInfoField = 2_000  // maximum number of fields in an info
)

func dtypeText(d dtype.DType) string {
	s := d.String()
	if len(s) > maxDTypeText {
		s = s[:maxDTypeText] + "…"
	}
	return s
}

// fieldsOf returns the fields of d, including nested ones. It stops when it has used up *left fields.
func fieldsOf(d dtype.DType, left *int, depth int) []field {
	fields := []field{}
	for f := range d.Fields() {
		if *left--; *left < 0 || depth > maxFields {
			break
		}
		base, shape := f.Type, []int{}
		for ; base.Kind() == dtype.KindSubarray; base = base.Base() {
			shape = append(shape, base.SubShape()...)
		}
		fields = append(fields, field{
			Name: f.Name, DType: dtypeText(base), Kind: kinds[base.Kind()], Offset: jsonInt(f.Offset), Shape: jsonInts(shape),
			Numeric: pick.IsNumber(base), Fields: fieldsOf(base, left, depth+1),
		})
	}
	return fields
}

func (r *request) sources() (answer, error) {
	return struct {
		Sources []*source.Node `json:"sources"`
	}{r.s.set.Tree()}, nil
}

func (r *request) info() (answer, error) {
	a, err := r.s.set.Array(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	l, isArray, err := a.UseObjects()
	if errors.Is(err, source.ErrBusy) {
		return nil, err
	}
	if err != nil {
		state := a.State()
		return &info{ID: a.ID, Name: a.Name, Version: state.Version, Status: source.Failed, Message: source.Of(a.Path, err),
			Files: state.Files,
			Shape: []jsonInt{}, Strides: []jsonInt{}, Fields: []field{},
			First: first.Choose(first.Facts{})}, nil
	}
	defer l.Close()
	if !isArray && len(r.q["field"]) == 0 {
		return objectInfo(a, l), nil
	}
	if !isArray {
		return nil, fmt.Errorf("no field %s: %w", clip(r.q["field"][0]), source.ErrObjects)
	}
	part, err := locatedArray(l).Field(r.q["field"])
	if err != nil {
		return nil, err
	}
	if part, err = r.ticksIfRequested(part); err != nil {
		return nil, err
	}
	return infoOf(r.Context(), a, l, part, r.q["field"]), nil
}

// infoOf returns the info about part, which is the array a or a field of it with the path fields.
func infoOf(ctx context.Context, a *source.Array, l *source.Lease, part pick.Array, fields []string) *info {
	d, left := part.DType(), maxInfoField
	i := &info{
		ID: a.ID, Name: a.Name, Version: l.Version, Status: l.Status, Message: l.Message, Files: l.Files,
		DType: dtypeText(d), Kind: kinds[d.Kind()], BigEndian: d.ByteOrder() == dtype.BigEndian,
		ItemSize: jsonInt(part.ItemSize()),
		Shape:    jsonInts(part.Shape()), Strides: jsonInts(part.Strides()), Order: l.Order.String(),
		NBytes:   jsonInt(part.NBytes()),
		Inflated: l.Inflated, Projected: l.Projected, Projectable: source.Projectable(d),
		Fields: fieldsOf(d, &left, 0), Numeric: pick.IsNumber(d),
	}
	if !l.Inflated && !l.Projected {
		offset := jsonInt(l.DataOffset)
		i.DataOffset = &offset
	}
	var base uint64
	if err := mmap.Guard(func() (err error) {
		base, err = pick.FindBase(ctx, part)
		return err
	}); err != nil {
		base = 0
	}
	i.Base = pick.BaseText(base, d)
	i.Channels = channelsOf(ctx, part)
	i.RGB = i.Channels >= 0
	i.First = first.Choose(factsOf(ctx, locatedArray(l), part, fields, base, i.Channels))
	i.describe(a, l.Shape())
	if l.Objects != nil {
		i.Objects, i.First.Mode = dtypeText(l.Objects.DType), "table"
	}
	return i
}

// objectInfo returns the info about a, whose elements are Python objects that only a tree can show.
func objectInfo(a *source.Array, l *source.Lease) *info {
	text := dtypeText(l.Objects.DType)
	i := &info{ID: a.ID, Name: a.Name, Version: l.Version, Status: l.Status, Message: l.Message, Files: l.Files,
		DType: text, Objects: text, Kind: "object", Shape: jsonInts(l.Objects.Shape), Strides: []jsonInt{}, Order: "C",
		Inflated: true, Fields: []field{}, First: first.Choose(first.Facts{Shape: l.Objects.Shape})}
	i.First.Mode = "tree"
	return i
}

// Limits for arrays whose elements may be colours
const (
	leastSide  = 16 // minimum number of rows and of columns of images that are stored as one plane for each channel
	leastLight = 16 // the greatest integers of colours that are not all nearly black
)

// channelsOf returns the axis of the channels if the elements of a may be colours, or else -1. It is the last axis, or
// the axis before rows and columns. Integers near 0 are masks or labels. A few planes may also be frames, so their
// numbers must look like pixels: bytes, or floats from 0 to 1, some of them light, and a fourth plane must be mostly
// opaque.
func channelsOf(ctx context.Context, a pick.Array) int {
	n, d := a.NDim(), a.DType()
	if n < 3 || !plane.Colours(d) {
		return -1
	}
	isFloat := d.Kind() == dtype.KindFloat
	inRange := func(least, most float64) bool {
		r := sampleRange(ctx, a)
		return r != nil && *r.Min >= 0 && least <= *r.Max && *r.Max <= most
	}
	if c := a.Len(n - 1); c == 3 || c == 4 {
		if isFloat && inRange(0, 1) || !isFloat && (a.IsFar() || inRange(leastLight, math.MaxUint16)) {
			return n - 1
		}
	}
	c := a.Len(n - 3)
	if c != 3 && c != 4 || min(a.Len(n-2), a.Len(n-1)) < leastSide {
		return -1
	}
	if isFloat && c == 3 && inRange(0.5, 1) || d.ItemSize() == 1 && inRange(128, 255) && (c == 3 || isOpaque(ctx, a)) {
		return n - 3
	}
	return -1
}

// isOpaque reports whether at least half of the sampled pixels of a are opaque. The bytes of a are planes of red,
// green, blue and alpha.
func isOpaque(ctx context.Context, a pick.Array) bool {
	sel, k := make([]index.Selector, a.NDim()), a.NDim()-3
	for i := range sel {
		sel[i] = index.Colon
	}
	sel[k] = index.At(3)
	alpha, err := a.Select(sel...)
	if err != nil {
		return false
	}
	alpha.Offset += 3 * a.Strides()[k]
	r := sampleRange(ctx, alpha)
	return r != nil && *r.Lo == 255
}

// sampleRange returns the range of a sample of a, whose Lo and Hi are its median. It returns nil if no element is
// finite, or if the sample cannot be read.
func sampleRange(ctx context.Context, a pick.Array) (r *summary.Range) {
	err := mmap.Guard(func() error {
		few, _, err := summary.Sample(ctx, a)
		if err == nil {
			r, err = summary.RangeOf(ctx, few, pick.Reading{}, 50, 50, func(float64) error { return nil })
		}
		return err
	})
	if err != nil || r.Min == nil || r.Max == nil {
		return nil
	}
	return r
}

// changes waits until the version of the array differs from the version that the page knows, and responds with the new
// info. After watchFor it responds with no content.
func (r *request) changes() (answer, error) {
	a, err := r.s.set.Array(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	version, err := r.integer("version", 0, math.MaxInt)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), watchFor)
	defer cancel()
	if !a.Wait(ctx, int64(version)) {
		return nil, nil
	}
	return r.info()
}

// value responds with one element, or with all channels of one pixel.
func (r *request) value() (answer, error) {
	p, err := r.pick()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	channels, err := r.axis("channels", -1)
	if err != nil {
		return nil, err
	}
	var axes []int
	if channels >= 0 { // all channels of a colour
		if err := p.field.Axis("channels", channels); err != nil {
			return nil, err
		}
		if n := p.field.Len(channels); n > 4 {
			return nil, fmt.Errorf("channels=%d: the axis has length %d; want at most 4", channels, n)
		}
		axes = []int{channels}
	}
	a, err := p.field.Show(p.at, axes...)
	if err == nil {
		err = a.Fetch(r.Context())
	}
	if err != nil {
		return nil, err
	}
	if a.Minus != nil {
		f, err := a.Floats(p.read)
		if err != nil {
			return nil, err
		}
		a = pick.Array{Array: f.Array()}
	}
	v := struct {
		Text  string   `json:"text"`
		Byte  *jsonInt `json:"byte"`
		Value *float64 `json:"value"`
	}{Text: table.Text(a.Array)}
	if !p.Inflated && !p.Projected && p.minus == nil {
		e := jsonInt(a.Offset)
		v.Byte = &e
	}
	part, err := a.Part(p.read.Part)
	if p.minus != nil {
		part, err = a, nil
	}
	if err != nil || channels >= 0 {
		return v, err
	}
	if x, ok := table.Number(part.Array); ok {
		v.Value = jsonFloat(x)
	}
	return v, nil
}

const (
	maxRows = 500
	maxCols = 200
)

// rows responds with elements as text, in rows and columns.
func (r *request) rows() (answer, error) {
	from, err := r.optionalInteger("from", 0, math.MaxInt, 0)
	if err != nil {
		return nil, err
	}
	count, err := r.optionalInteger("count", 0, maxRows, 100)
	if err != nil {
		return nil, err
	}
	colFrom, err := r.optionalInteger("colfrom", 0, math.MaxInt, 0)
	if err != nil {
		return nil, err
	}
	colCount, err := r.optionalInteger("colcount", 0, maxCols, maxCols)
	if err != nil {
		return nil, err
	}
	axis, err := r.axis("axis", -1)
	if err != nil {
		return nil, err
	}
	cols, err := r.axis("cols", -1)
	if err != nil {
		return nil, err
	}
	p, err := r.pick()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	var axes []int
	for _, x := range []struct {
		name string
		axis int
	}{{"axis", axis}, {"cols", cols}} {
		if x.axis == -1 {
			continue
		}
		if err := p.field.Axis(x.name, x.axis); err != nil {
			return nil, err
		}
		axes = append(axes, x.axis)
	}
	if axis == -1 && len(axes) > 0 {
		return nil, errors.New("cols requires axis")
	}
	a, err := p.field.Show(p.at, axes...)
	if err != nil {
		return nil, err
	}
	if a, err = a.Part(p.read.Part); err != nil {
		return nil, err
	}
	if a.NDim() > 0 {
		from = min(from, a.Len(0))
	}
	part, err := tablePart(a, from, count, colFrom, colCount)
	if err == nil {
		err = part.Fetch(r.Context())
	}
	if err != nil {
		return nil, err
	}
	if a.Minus != nil {
		return differences(part, p.read, from, colFrom, r.Context().Err)
	}
	return table.Rows(a.Array, table.Range{From: from, Count: count}, table.Range{From: colFrom, Count: colCount},
		r.Context().Err)
}

// tablePart returns the rows and columns of a that a table shows. a has up to two dimensions.
func tablePart(a pick.Array, from, count, colFrom, colCount int) (pick.Array, error) {
	var sel []index.Selector
	for k, x := range []table.Range{{From: from, Count: count}, {From: colFrom, Count: colCount}}[:a.NDim()] {
		x.From = min(x.From, a.Len(k))
		sel = append(sel, index.Range(x.From, x.From+min(x.Count, a.Len(k)-x.From)))
	}
	return a.Select(sel...)
}

// differences returns part, rows of a difference that begin at row from and column colFrom.
func differences(part pick.Array, read pick.Reading, from, colFrom int, stop func() error) (answer, error) {
	if part.NDim() == 0 {
		return nil, errors.New("minus requires axis")
	}
	v, err := part.Floats(read)
	if err != nil {
		return nil, err
	}
	t, err := table.Rows(v.Array(), table.Range{Count: maxRows}, table.Range{Count: maxCols}, stop)
	if err != nil {
		return nil, err
	}
	t.From = from
	for k := range t.Columns {
		if part.NDim() > 1 {
			t.Columns[k] = decimal(int64(colFrom + k))
		}
	}
	return t, nil
}

// jsonFloat returns a pointer to x for JSON, or nil if x is NaN or infinite, which JSON cannot represent.
func jsonFloat(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
