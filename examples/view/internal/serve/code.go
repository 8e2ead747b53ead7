package serve

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/examples/view/internal/source"
)

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
		"go":    goText(src, r.q["field"], s, p.at, p.field.NDim()),
		"numpy": pythonText(src, r.q["field"], s, p.at, p.field.NDim()),
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

// A goCode collects Go statements.
type goCode struct{ strings.Builder }

// add adds a statement that may fail, and a check of its error.
func (c *goCode) add(format string, args ...any) {
	fmt.Fprintf(c, format, args...)
	c.WriteString("\nif err != nil {\n\treturn err\n}\n")
}

func goText(src *source.Array, fields []string, s shownPart, at []int, n int) string {
	var c goCode
	name, isRemote := c.array(src, fields)
	part := "part"
	if isRemote {
		part = "remote"
	}
	c.add("%s, err := %s.Select(%s)", part, name, strings.Join(s.axes(at, n, "index.At(%d)", "index.Range(%d, %d)"), ", "))
	if isRemote {
		c.add("part, err := %s.Read(ctx)", part)
	}
	if s.y > s.x {
		c.WriteString("part = part.T()\n")
	}
	return c.String()
}

// array adds statements that open src and select a field. It returns the expression of the array, and whether that is
// an array.Remote.
func (c *goCode) array(src *source.Array, fields []string) (name string, isRemote bool) {
	if of, p := src.Projected(); of != nil {
		return c.projection(of, p), false
	}
	name, isRemote = "a", source.IsURL(src.Path)
	if isRemote {
		c.add("f, err := httpat.Open(ctx, nil, %s)", strconv.Quote(src.Path))
		if src.Member == "" {
			c.add("a, err := array.OpenReaderAt(f, f.Size())")
		} else {
			c.add("archive, err := %s.NewReader(f, f.Size())", packageOf(src.Path))
			c.add("a, err := archive.Remote(%s)", strconv.Quote(src.Member))
		}
	} else if src.HasObjects() {
		c.objects(src)
	} else if src.Member == "" {
		c.add("f, err := array.Open(%s, array.ReadOnly)", strconv.Quote(src.Path))
		c.WriteString("defer f.Close()\n")
		name = "f.Array"
	} else {
		c.add("archive, err := %s.Open(%s, array.ReadOnly)", packageOf(src.Path), strconv.Quote(src.Path))
		c.WriteString("defer archive.Close()\n")
		c.add("a, err := archive.Array(%s)", strconv.Quote(src.Member))
	}
	for i, f := range fields {
		op := "="
		if i == 0 && name != "a" {
			op = ":="
		}
		c.add("a, err %s %s.Field(%s)", op, name, strconv.Quote(f))
		name = "a"
	}
	return name, isRemote
}

// objects adds statements that read the Python objects of src and convert them to an array a.
func (c *goCode) objects(src *source.Array) {
	if src.Member == "" {
		c.add("values, err := objects.Open(%s)", strconv.Quote(src.Path))
	} else {
		c.add("archive, err := npz.Open(%s, array.ReadOnly)", strconv.Quote(src.Path))
		c.WriteString("defer archive.Close()\n")
		c.add("values, err := objects.ReadMember(archive, %s)", strconv.Quote(src.Member))
	}
	c.add("a, err := values.Regular()")
}

// packageOf returns the package that opens an archive.
func packageOf(path string) string {
	if source.IsTensors(path) {
		return "safetensors"
	}
	return "npz"
}

// projection adds statements that compute the projection p of an array. It returns the variable of the projection.
func (c *goCode) projection(of *source.Array, p source.Projection) string {
	const name = "projected"
	from, isRemote := c.array(of, p.Field)
	op := p.Op.String()
	reduction := fmt.Sprintf("array.Reduction{Op: array.Op%s, Axes: %#v, SkipNaN: true}", strings.ToUpper(op[:1])+op[1:],
		p.Axes())
	ranges := strings.Join(alongTexts(p, "index.Colon", "index.Range(%d, %d)"), ", ")
	switch {
	case isRemote:
		c.add("selected, err := %s.Select(%s)", from, ranges)
		c.add("%s, err := %s.OfRemote(ctx, selected)", name, reduction)
	case from == name:
		c.add("%s, err = %s.Select(%s)", name, from, ranges)
		c.add("%s, err = %s.Of(%s)", name, reduction, name)
	default:
		c.add("%s, err := %s.Select(%s)", name, from, ranges)
		c.add("%s, err = %s.Of(%s)", name, reduction, name)
	}
	for _, k := range slices.Sorted(slices.Values(p.Axes())) {
		c.add("%s, err = %s.ExpandDims(%d)", name, name, k)
	}
	return name
}

// alongTexts returns the texts of selectors for the axes up to the last one of p: all for axes without a projection,
// and the formatted range of indices for the axes of p.
func alongTexts(p source.Projection, all, format string) []string {
	texts := slices.Repeat([]string{all}, 1+slices.Max(p.Axes()))
	for _, x := range p.Along {
		texts[x.Axis] = fmt.Sprintf(format, x.From, x.To)
	}
	return texts
}

func pythonText(src *source.Array, fields []string, s shownPart, at []int, n int) string {
	text := fmt.Sprintf("%s[%s]", pythonArray(src, fields), strings.Join(s.axes(at, n, "%d", "%d:%d"), ", "))
	if s.y > s.x {
		text += ".T"
	}
	return text
}

// pythonArray returns a NumPy expression for a field of src.
func pythonArray(src *source.Array, fields []string) string {
	if of, p := src.Projected(); of != nil {
		axes := make([]string, len(p.Along))
		for i, k := range p.Axes() {
			axes[i] = strconv.Itoa(k)
		}
		return fmt.Sprintf("np.nan%v(%s[%s], axis=(%s,), keepdims=True)", p.Op, pythonArray(of, p.Field),
			strings.Join(alongTexts(p, ":", "%d:%d"), ", "), strings.Join(axes, ", "))
	}
	var b strings.Builder
	if source.IsURL(src.Path) {
		load := "np.load(io.BytesIO(urllib.request.urlopen(%s).read()))"
		if source.IsTensors(src.Path) {
			load = "safetensors.numpy.load(urllib.request.urlopen(%s).read())"
		}
		fmt.Fprintf(&b, load, pythonQuote(src.Path))
		if src.Member != "" {
			fmt.Fprintf(&b, "[%s]", pythonQuote(src.Member))
		}
	} else if src.HasObjects() {
		fmt.Fprintf(&b, "np.load(%s, allow_pickle=True)", pythonQuote(src.Path))
		if src.Member != "" {
			fmt.Fprintf(&b, "[%s]", pythonQuote(src.Member))
		}
	} else if src.Member == "" {
		fmt.Fprintf(&b, "np.load(%s, mmap_mode=\"r\")", pythonQuote(src.Path))
	} else if source.IsTensors(src.Path) {
		fmt.Fprintf(&b, "safetensors.numpy.load_file(%s)[%s]", pythonQuote(src.Path), pythonQuote(src.Member))
	} else {
		fmt.Fprintf(&b, "np.load(%s)[%s]", pythonQuote(src.Path), pythonQuote(src.Member))
	}
	for _, f := range fields {
		fmt.Fprintf(&b, "[%s]", pythonQuote(f))
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
