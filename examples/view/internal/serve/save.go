package serve

import (
	"context"
	"fmt"
	"io"
	"math"
	"mime"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/examples/view/internal/source"
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

// copyText responds with Go and Python code that selects the shown part.
func (r *request) copyText() (answer, error) {
	s, err := r.parseShown()
	if err != nil {
		return nil, err
	}
	p, err := r.pick()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if _, err := s.selectFrom(p); err != nil {
		return nil, err
	}
	src, err := r.s.set.Array(r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return map[string]string{
		"go":    goText(src.Path, src.Member, r.q["field"], s, p.at, p.field.NDim()),
		"numpy": pythonText(src.Path, src.Member, r.q["field"], s, p.at, p.field.NDim()),
	}, nil
}

// axes returns the text of a selector for each of n axes. It formats the ranges of shown axes with part, and the
// indices in at with position.
func (s shownPart) axes(at []int, n int, position, part string) []string {
	texts := make([]string, n)
	for k := range texts {
		switch k {
		case s.x:
			texts[k] = fmt.Sprintf(part, s.x0, s.x1)
		case s.y:
			texts[k] = fmt.Sprintf(part, s.y0, s.y1)
		default:
			texts[k] = fmt.Sprintf(position, at[k])
		}
	}
	return texts
}

func goText(path, member string, fields []string, s shownPart, at []int, n int) string {
	var b strings.Builder
	check := func(result string) { fmt.Fprintf(&b, "if err != nil {\n\treturn %serr\n}\n", result) }
	name := "a"
	if source.IsURL(path) {
		fmt.Fprintf(&b, "f, err := httpat.Open(ctx, nil, %s)\n", strconv.Quote(path))
		check("")
		b.WriteString("a, err := array.OpenReaderAt(f, f.Size())\n")
		check("")
	} else if member == "" {
		fmt.Fprintf(&b, "f, err := array.Open(%s, array.ReadOnly)\n", strconv.Quote(path))
		check("")
		b.WriteString("defer f.Close()\n")
		name = "f.Array"
	} else {
		pkg := "npz"
		if source.IsTensors(path) {
			pkg = "safetensors"
		}
		fmt.Fprintf(&b, "archive, err := %s.Open(%s, array.ReadOnly)\n", pkg, strconv.Quote(path))
		check("")
		fmt.Fprintf(&b, "defer archive.Close()\na, err := archive.Array(%s)\n", strconv.Quote(member))
		check("")
	}
	for i, f := range fields {
		op := "="
		if i == 0 && name != "a" {
			op = ":="
		}
		fmt.Fprintf(&b, "a, err %s %s.Field(%s)\n", op, name, strconv.Quote(f))
		check("")
		name = "a"
	}
	part := "part"
	if source.IsURL(path) {
		part = "remote"
	}
	fmt.Fprintf(&b, "%s, err := %s.Select(%s)\n", part, name, strings.Join(s.axes(at, n, "index.At(%d)",
		"index.Range(%d, %d)"), ", "))
	check("")
	if part != "part" {
		fmt.Fprintf(&b, "part, err := %s.Read(ctx)\n", part)
		check("")
	}
	if s.y > s.x {
		b.WriteString("part = part.T()\n")
	}
	return b.String()
}

func pythonText(path, member string, fields []string, s shownPart, at []int, n int) string {
	var b strings.Builder
	if source.IsURL(path) {
		fmt.Fprintf(&b, "np.load(io.BytesIO(urllib.request.urlopen(%s).read()))", pythonQuote(path))
	} else if member == "" {
		fmt.Fprintf(&b, "np.load(%s, mmap_mode=\"r\")", pythonQuote(path))
	} else if source.IsTensors(path) {
		fmt.Fprintf(&b, "safetensors.numpy.load_file(%s)[%s]", pythonQuote(path), pythonQuote(member))
	} else {
		fmt.Fprintf(&b, "np.load(%s)[%s]", pythonQuote(path), pythonQuote(member))
	}
	for _, f := range fields {
		fmt.Fprintf(&b, "[%s]", pythonQuote(f))
	}
	fmt.Fprintf(&b, "[%s]", strings.Join(s.axes(at, n, "%d", "%d:%d"), ", "))
	if s.y > s.x {
		b.WriteString(".T")
	}
	return b.String()
}

// pythonQuote returns s as a Python literal. If s is UTF-8, the ASCII escapes of Go are valid in Python.
func pythonQuote(s string) string {
	if utf8.ValidString(s) {
		return strconv.QuoteToASCII(s)
	}
	var b strings.Builder
	b.WriteString(`os.fsdecode(b"`)
	for _, c := range []byte(s) {
		if c < ' ' || c > '~' || slices.Contains([]byte(`"\`), c) {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String() + `")`
}
