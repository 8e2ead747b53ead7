package refs

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// A disk maps URLs to files in memory.
type disk map[string][]byte

// source returns an array of random bytes in a file below base, usually in a file of its own.
func (d disk) source(t *testing.T, r *rand.Rand, base string, dt dtype.DType, order index.Order, shape ...int) Source {
	t.Helper()
	_, size, err := index.Size(shape, dt.ItemSize())
	if err != nil {
		t.Fatal(err)
	}
	s := Source{URL: fmt.Sprintf("%s%d%s.npy", base, r.IntN(100), strings.Repeat("-", len(d))), DType: dt, Order: order,
		Shape: shape}
	if r.IntN(4) == 0 {
		s.URL = base + "a.npz" // the bytes of several arrays are appended to this file
	}
	s.Name = path.Base(s.URL)
	b := d[s.URL]
	s.Offset = int64(len(b) + r.IntN(200))
	for len(b) < int(s.Offset)+size {
		b = append(b, byte(r.Uint32()))
	}
	d[s.URL] = b
	s.Open = func() (array.Array, func(), error) {
		a, err := array.FromBytes(b[s.Offset:], dt, order, shape...)
		return a, func() {}, err
	}
	return s
}

// A zarray is the metadata of an array.
type zarray struct {
	Shape, Chunks []int
	Order         string
	DType         any
	Fill          any `json:"fill_value"`
}

// read reads an array of the group by the plain rules of Zarr's specification: every chunk is complete. It returns the
// elements in C order.
func (d disk) read(refs map[string]any, name string, size int) (z zarray, elements [][]byte, err error) {
	if err := json.Unmarshal([]byte(refs[name+"/.zarray"].(string)), &z); err != nil {
		return z, nil, err
	}
	whole := size
	for _, n := range z.Chunks {
		whole *= n
	}
	cache := map[string][]byte{}
	for i := range allIndices(z.Shape) {
		var key []string
		at := 0
		axes := slices.Collect(func(yield func(int) bool) {
			for k := range i {
				if z.Order == "F" {
					k = len(i) - 1 - k
				}
				if !yield(k) {
					return
				}
			}
		})
		for k := range i {
			key = append(key, strconv.Itoa(i[k]/z.Chunks[k]))
		}
		for _, k := range axes {
			at = at*z.Chunks[k] + i[k]%z.Chunks[k]
		}
		if len(key) == 0 {
			key = []string{"0"}
		}
		id := name + "/" + strings.Join(key, ".")
		chunk, ok := cache[id]
		if !ok {
			switch ref := refs[id].(type) {
			case string:
				chunk, err = base64.StdEncoding.DecodeString(strings.TrimPrefix(ref, "base64:"))
			case []any:
				chunk = d[plainURL(ref[0].(string))][int(ref[1].(float64)):][:int(ref[2].(float64))]
			}
			if err != nil || len(chunk) != whole {
				return z, nil, fmt.Errorf("chunk %s has %d bytes, want %d: %v", id, len(chunk), whole, err)
			}
			cache[id] = chunk
		}
		elements = append(elements, chunk[at*size:][:size])
	}
	return z, elements, nil
}

// plainURL returns a URL without those path segments that do not change the directory.
func plainURL(s string) string {
	if !strings.Contains(s, "://") {
		return path.Clean(s)
	}
	u, err := url.Parse(s)
	if err != nil {
		panic(err)
	}
	if u.Scheme != "s3" {
		u.Path, u.RawPath = path.Clean(u.Path), ""
	}
	return u.String()
}

// isAscending reports whether URL and offset of the references to the chunks of an array ascend in the order in which
// Zarr requests them: with the URLs as they are, and with plain URLs.
func isAscending(refs map[string]any, name string, z zarray) (asIs, asPlain bool) {
	asIs, asPlain = true, true
	count := slices.Clone(z.Shape)
	for k := range count {
		count[k] = (z.Shape[k] + z.Chunks[k] - 1) / z.Chunks[k]
	}
	var last []any
	for i := range allIndices(count) {
		id := appendKey([]byte(name+"/"), i)
		ref, ok := refs[string(id)].([]any)
		if !ok {
			continue // copied
		}
		if last != nil {
			later := func(u, v string) bool { return u < v || u == v && last[1].(float64) < ref[1].(float64) }
			u, v := last[0].(string), ref[0].(string)
			asIs = asIs && later(u, v)
			asPlain = asPlain && later(plainURL(u), plainURL(v))
		}
		last = ref
	}
	return asIs, asPlain
}

// allIndices yields the indices of a shape in C order.
func allIndices(shape []int) func(func([]int) bool) {
	return func(yield func([]int) bool) {
		if slices.Contains(shape, 0) {
			return
		}
		for i := make([]int, len(shape)); yield(i) && nextIndex(i, shape); {
		}
	}
}

// want returns the shape and the elements, in C order, of the sources joined like by numpy.stack or numpy.concatenate.
func (d disk) want(cfg Config, sources []Source) (shape []int, elements [][]byte) {
	shape = slices.Clone(sources[0].Shape)
	axis := cfg.Axis
	switch cfg.Join {
	case Stack:
		if axis < 0 {
			axis += len(shape) + 1
		}
		shape = slices.Insert(shape, axis, len(sources))
	case Concat:
		if axis < 0 {
			axis += len(shape)
		}
		for _, s := range sources[1:] {
			shape[axis] += s.Shape[axis]
		}
	}
	for i := range allIndices(shape) {
		i, which := slices.Clone(i), 0
		switch cfg.Join {
		case Stack:
			which = i[axis]
			i = slices.Delete(i, axis, axis+1)
		case Concat:
			for i[axis] >= sources[which].Shape[axis] {
				i[axis] -= sources[which].Shape[axis]
				which++
			}
		}
		s := sources[which]
		lay, _ := index.NewLayout(s.Shape, s.DType.ItemSize(), s.Order)
		at := int(s.Offset)
		for k, stride := range lay.Strides() {
			at += i[k] * stride
		}
		elements = append(elements, d[s.URL][at:][:s.DType.ItemSize()])
	}
	return shape, elements
}

// TestRandom tests that random sources, joined in all ways and divided into chunks of any size, are read back as the
// same array, with data and tail put together. It counts the sources that are rejected.
func TestRandom(t *testing.T) {
	r := oracle.Rand(t, 0)
	outcomes := map[string]int{}
	for i := range oracle.Cases(t, 1500) {
		d := disk{}
		dt := dtype.MustParse([]string{"<f8", ">i2", "|u1", "|S3", "[('a', '<i2'), ('b', '|V1')]"}[r.IntN(5)])
		order := index.Order(r.IntN(2))
		shape := make([]int, r.IntN(5))
		for k := range shape {
			shape[k] = 1 + r.IntN(7)
			if r.IntN(40) == 0 {
				shape[k] = 0
			}
		}
		cfg := Config{Join: Join(r.IntN(3)), Chunk: 1 + r.IntN(1<<r.IntN(9))}
		n := 1
		switch {
		case cfg.Join == Concat && len(shape) == 0:
			cfg.Join = Single
		case cfg.Join == Concat:
			n, cfg.Axis = 1+r.IntN(4), r.IntN(2*len(shape))-len(shape)
		case cfg.Join == Stack:
			n, cfg.Axis = 1+r.IntN(4), r.IntN(2*len(shape)+2)-len(shape)-1
		}
		sources := make([]Source, n)
		base := []string{"/", "/d/", "C:/d/", "file:///d/", "https://host/", "http://host:80/d/", "s3://bucket/d/"}[r.IntN(7)]
		usual := slices.Clone(shape)
		for k := range sources {
			if axis := cfg.Axis; cfg.Join == Concat && (r.IntN(4) == 0 || k == n-1) {
				shape = slices.Clone(usual)
				shape[(axis+len(shape))%len(shape)] = r.IntN(6)
			} else {
				shape = usual
			}
			sources[k] = d.source(t, r, base, dt, order, shape...)
		}
		limit := []int{0, 40, MaxCopied}[r.IntN(3)]
		plan, err := cfg.plan(sources, limit)
		if err != nil {
			outcomes["refused"]++
			continue
		}
		if err := d.check(plan, cfg, sources); err != nil {
			t.Fatalf("case %d: %+v, at most %d copied, %v of %v: %v", i, cfg, limit, dt, shapes(sources), err)
		}
		if plan.Unordered {
			outcomes["unordered"]++
		}
		if len(plan.Data.marks.widths) > 0 {
			outcomes["marked"]++
		}
		if plan.Data.marks.sources {
			outcomes["marked by source"]++
		}
		switch {
		case plan.Tail != nil:
			outcomes["tail"]++
		case plan.Copied > limit:
			t.Fatalf("%d bytes are copied, want at most %d", plan.Copied, limit)
		case plan.Copied > 0:
			outcomes["copied"]++
		default:
			outcomes["whole"]++
		}
	}
	t.Log(outcomes)
	for _, what := range []string{"refused", "tail", "copied", "whole", "unordered", "marked", "marked by source"} {
		if outcomes[what] == 0 {
			t.Errorf("no case was %s", what)
		}
	}
}

func shapes(sources []Source) (s [][]int) {
	for _, source := range sources {
		s = append(s, source.Shape)
	}
	return s
}

// check reads the references of a plan and compares the elements.
func (d disk) check(p *Plan, cfg Config, sources []Source) error {
	var b bytes.Buffer
	if err := p.Write(&b, func(done, total int64) error { return nil }); err != nil {
		return err
	}
	var file struct {
		Version int
		Refs    map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &file); err != nil {
		return err
	}
	if file.Version != 1 || file.Refs[".zgroup"] != `{"zarr_format":2}` {
		return fmt.Errorf("version %d, group %v", file.Version, file.Refs[".zgroup"])
	}
	size := p.DType.ItemSize()
	shape, want := d.want(cfg, sources)
	z, data, err := d.read(file.Refs, "data", size)
	if err != nil {
		return err
	}
	asIs, asPlain := isAscending(file.Refs, "data", z)
	keys := 3 + count(z)
	got := data
	if p.Tail != nil {
		y, tail, err := d.read(file.Refs, "tail", size)
		if err != nil {
			return err
		}
		tailAsIs, tailAsPlain := isAscending(file.Refs, "tail", y)
		asIs, asPlain = asIs && tailAsIs, asPlain && tailAsPlain
		keys += 2 + count(y)
		axis := p.Tail.Axis
		got = nil
		for i := range allIndices(shape) {
			from, z := &data, z
			if i[axis] >= z.Shape[axis] {
				i = slices.Clone(i)
				i[axis] -= z.Shape[axis]
				from, z = &tail, y
			}
			at := 0
			for k := range i {
				at = at*z.Shape[k] + i[k]
			}
			got = append(got, (*from)[at])
		}
		z.Shape[axis] += y.Shape[axis]
	}
	if !slices.Equal(z.Shape, shape) || z.Fill != nil {
		return fmt.Errorf("shape %v, want %v; fill value %v", z.Shape, shape, z.Fill)
	}
	if asIs == p.Unordered && (!asIs || p.Copied == 0) { // the order of copied chunks is not checked
		return fmt.Errorf("in order is %v, and Unordered %v", asIs, p.Unordered)
	}
	if marked := bytes.Contains(b.Bytes(), []byte("./")); marked && asPlain && p.Copied == 0 {
		return fmt.Errorf("URLs have marks, and are in order without them")
	}
	if len(file.Refs) != keys {
		return fmt.Errorf("%d references, want %d", len(file.Refs), keys)
	}
	if !slices.EqualFunc(got, want, bytes.Equal) {
		return fmt.Errorf("got %x\nwant %x", got, want)
	}
	return nil
}

// count returns the number of chunks of an array.
func count(z zarray) int {
	n := 1
	for k := range z.Shape {
		n *= (z.Shape[k] + z.Chunks[k] - 1) / z.Chunks[k]
	}
	return n
}

// TestUnmarked tests that URLs that ascend have no marks, if each source is one chunk long along the joined axis, which
// is not the outermost one in memory.
func TestUnmarked(t *testing.T) {
	r := oracle.Rand(t, 0)
	d := disk{}
	var sources []Source
	for range 2 {
		sources = append(sources, d.source(t, r, "/d/", dtype.MustParse("|S3"), index.F, 7, 1, 1, 6))
	}
	slices.SortFunc(sources, func(a, b Source) int { return strings.Compare(a.URL, b.URL) })
	plan, err := Config{Join: Concat, Axis: 2, Chunk: 16}.plan(sources, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Data.marks.widths) > 0 || plan.Unordered {
		t.Errorf("marks %+v, Unordered %v", plan.Data.marks, plan.Unordered)
	}
}

func TestCutRoot(t *testing.T) {
	for url, want := range map[string]string{
		"/a.npy":               "/",
		"/data/a.npy":          "/",
		"C:/data/a.npy":        "C:/",
		"//server/share/a.npy": "", // Windows does not permit . after the server or the share
		"file:///data/a.npy":   "file:///",
		"file:///C:/a.npy":     "file:///C:/", // no marks before the drive
		"local:///a.npy":       "local:///",
		"file://host/a.npy":    "",
		"http://h:80/a.npy":    "http://h:80/",
		"https://h/a/b.npy":    "https://h/",
		"https://h":            "",
		"s3://bucket/a.npy":    "",
		"hdfs:///a.npy":        "",
	} {
		t.Run(url, func(t *testing.T) {
			if root, rest := cutRoot(url); root != want || root+rest != url {
				t.Errorf("%q is cut into %q and %q, want %q", url, root, rest, want)
			}
		})
	}
}
