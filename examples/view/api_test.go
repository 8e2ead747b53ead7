package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/first"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// An info holds those parts of the server's description of an array that tests use.
type info struct {
	Name, Status, Message, DType, Kind, Order, Base string
	Version                                         int
	Shape                                           []int
	DataOffset                                      *int
	Inflated, Numeric, RGB                          bool
	Fields                                          []struct{ Name, DType, Kind string }
	First                                           first.View
}

// fillRamp sets element i, in C order, to i modulo 127, which every dtype of numbers can represent.
func fillRamp(a array.Array) {
	v, err := array.Cast[complex128](a)
	if err != nil {
		panic(err)
	}
	i := 0
	for block := range v.Update(index.C) {
		for k := range block {
			block[k] = complex(float64(i%127), 0)
			i++
		}
	}
}

// TestValue tests the text, the value and the file position of elements, for all dtypes of numbers, both orders, and
// files and archives. The bytes at the position must decode to the element.
func TestValue(t *testing.T) {
	dir := t.TempDir()
	arrays := map[string]array.Array{}
	names := []string{}
	for _, d := range []string{"?", "i1", "u1", "<i2", ">i2", "<u4", ">i4", "<i8", ">u8", "<f2", ">f2", "<f4", ">f8",
		"<c8", ">c16"} {
		for _, order := range []index.Order{index.C, index.F} {
			f, err := array.New(dtype.MustParse(d), order, 5, 4, 7)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			fillRamp(f.Array)
			name := fmt.Sprintf("%s%d%v", f.DType().Kind(), f.ItemSize(), order)
			if f.DType().ByteOrder() == dtype.BigEndian {
				name += "big"
			}
			arrays[name], names = f.Array, append(names, name)
			if err := array.Save(filepath.Join(dir, name+".npy"), f.Array); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, cfg := range map[string]npz.SaveConfig{"stored": {}, "deflated": {Compress: true}} {
		if err := cfg.Save(filepath.Join(dir, name+".npz"), arrays); err != nil {
			t.Fatal(err)
		}
	}
	s := enter(t, dir)
	r := oracle.Rand(t, 2)
	for _, name := range names {
		a := arrays[name]
		for _, in := range [][]string{{name + ".npy"}, {"stored.npz", name}, {"deflated.npz", name}} {
			id := s.id(append([]string{filepath.Base(dir)}, in...)...)
			for range 3 {
				i, j, k := r.IntN(5), r.IntN(4), r.IntN(7)
				var got struct {
					Text  string
					Byte  *int
					Value *float64
				}
				s.getJSON(&got, fmt.Sprintf("/api/array/%s/value?at=%d,%d,%d", id, i, j, k))
				el, err := a.Select(index.At(i), index.At(j), index.At(k))
				if err != nil {
					t.Fatal(err)
				}
				if want := fmt.Sprint(el); got.Text != want {
					t.Errorf("%v: element %d, %d, %d is %s, want %s", in, i, j, k, got.Text, want)
				}
				want := float64(((i*4+j)*7 + k) % 127)
				if a.DType().Kind() == dtype.KindBool {
					want = min(want, 1)
				}
				if a.DType().Kind() == dtype.KindComplex != (got.Value == nil) || got.Value != nil && *got.Value != want {
					t.Errorf("%v: element %d, %d, %d has value %v, want %v", in, i, j, k, got.Value, want)
				}
				if in[0] == "deflated.npz" {
					if got.Byte != nil {
						t.Errorf("%v: element %d, %d, %d of a compressed member has the file position %d", in, i, j, k, *got.Byte)
					}
					continue
				}
				f, err := array.OpenRaw(filepath.Join(dir, in[0]), array.ReadOnly, int64(*got.Byte), a.DType(), index.C)
				if err != nil {
					t.Fatal(err)
				}
				if there, want := fmt.Sprint(f.Array), fmt.Sprint(el); there != want {
					t.Errorf("%v: the element at byte %d is %s, want %s", in, *got.Byte, there, want)
				}
				f.Close()
			}
		}
	}
}

// TestTiles compares tiles of .npy files and archive members with the known elements.
func TestTiles(t *testing.T) {
	dir := t.TempDir()
	f, err := array.New(dtype.MustParse(">i2"), index.F, 600, 3, 700)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fillRamp(f.Array)
	at := func(i, j, k int) float32 { return float32(((i*3+j)*700 + k) % 127) }
	if err := array.Save(filepath.Join(dir, "a.npy"), f.Array); err != nil {
		t.Fatal(err)
	}
	if err := (npz.SaveConfig{Compress: true}).Save(filepath.Join(dir, "d.npz"),
		map[string]array.Array{"a": f.Array}); err != nil {
		t.Fatal(err)
	}
	rgb := save(t, filepath.Join(dir, "rgb.npy"), "u1", index.C, fillRamp, 300, 400, 3)
	s := enter(t, filepath.Join(dir, "a.npy"), filepath.Join(dir, "d.npz"), rgb)
	for _, id := range []string{s.id("a.npy"), s.id("d.npz", "a")} {
		// A transposed tile of level 0 in the corner.
		got := s.tile(id, "y=2&x=0&at=0,1,0&level=0&row=2&col=2")
		if got.rows != 700-512 || got.cols != 600-512 || got.flags != 1 {
			t.Fatalf("%d × %d, flags %d", got.rows, got.cols, got.flags)
		}
		for i, x := range got.values {
			if want := at(512+i%got.cols, 1, 512+i/got.cols); x != want {
				t.Fatalf("pixel %d is %v, want %v", i, x, want)
			}
		}
		// The means of 2 × 4 elements.
		got = s.tile(id, "y=0&x=2&at=0,2,0&level=2&ylevel=1&row=1&col=0&how=mean")
		for i, x := range got.values {
			sum := float32(0)
			for y := range 2 {
				for x := range 4 {
					sum += at(512+i/got.cols*2+y, 2, i%got.cols*4+x)
				}
			}
			if x != sum/8 {
				t.Fatalf("pixel %d is %v, want %v", i, x, sum/8)
			}
		}
	}
	b := s.get("/api/array/" + s.id("rgb.npy") + "/tile?y=0&x=1&channels=2&level=0&row=1&col=1")
	le := binary.LittleEndian
	if head := []uint32{le.Uint32(b[4:]), le.Uint32(b[8:]), le.Uint32(b[12:]), le.Uint32(b[16:]),
		le.Uint32(b[20:])}; !slices.Equal(head, []uint32{44, 144, 3, 1, 1}) {
		t.Fatalf("a tile of colours begins with %v", head)
	}
	for i, x := range b[40:] {
		if want := uint8((((256+i/3/144)*400+256+i/3%144)*3 + i%3) % 127); x != want {
			t.Fatalf("byte %d is %d, want %d", i, x, want)
		}
	}
}

func TestLine(t *testing.T) {
	dir := t.TempDir()
	path := save(t, filepath.Join(dir, "a.npy"), "<f4", index.C, func(a array.Array) {
		fillRamp(a)
		v, err := array.As[float32](a)
		if err != nil {
			t.Fatal(err)
		}
		v.SetAt(float32(math.NaN()), 1, 17)
		v.SetAt(float32(math.Inf(1)), 1, 40)
	}, 2, 10_000)
	s := enter(t, path)
	at := func(k int) float64 {
		switch k {
		case 17:
			return math.NaN()
		case 40:
			return math.Inf(1)
		}
		return float64((10_000 + k) % 127)
	}
	for _, test := range []struct{ from, to, n, count, step, flags int }{
		{0, 10_000, 100, 100, 100, 1},
		{3, 9_999, 64, 64, 157, 1},
		{10, 60, 100, 50, 1, 1 | 8},
		{9_990, 20_000, 100, 10, 1, 1 | 8}, // past the end
		{10_000, 10_000, 5, 0, 1, 1 | 8},
		{0, 20, 19, 10, 2, 1},
	} {
		b := s.get(fmt.Sprintf("/api/array/%s/line?x=1&at=1,0&from=%d&to=%d&n=%d", s.id("a.npy"), test.from, test.to, test.n))
		le := binary.LittleEndian
		count, flags := int(le.Uint32(b[4:])), int(le.Uint32(b[8:]))
		from, step := math.Float64frombits(le.Uint64(b[16:])), math.Float64frombits(le.Uint64(b[24:]))
		if string(b[:4]) != "NDL1" || count != test.count || flags != test.flags || from != float64(test.from) ||
			step != float64(test.step) {
			t.Errorf("%+v: got %d from %v in steps of %v, flags %d", test, count, from, step, flags)
			continue
		}
		values := []float64{}
		for b := b[32:]; len(b) > 0; b = b[8:] {
			values = append(values, math.Float64frombits(le.Uint64(b)))
		}
		want := []float64{}
		for _, pick := range []func(a, b float64) float64{math.Min, math.Max} {
			for k := range count {
				x := math.NaN()
				for i := test.from + k*test.step; i < min(test.from+(k+1)*test.step, test.to, 10_000); i++ {
					if math.IsNaN(x) {
						x = at(i)
					} else if y := at(i); !math.IsNaN(y) {
						x = pick(x, y)
					}
				}
				want = append(want, x)
			}
			if flags&8 != 0 {
				break
			}
		}
		if !slices.EqualFunc(values, want, func(x, y float64) bool { return x == y || x != x && y != y }) {
			t.Errorf("%+v: got %v, want %v", test, values, want)
		}
	}
}

// TestRows compares tables of records, texts, times and other elements with the text that NumPy prints.
func TestRows(t *testing.T) {
	oracle.Need(t)
	dir := t.TempDir()
	python(t, dir, `
import numpy as np
np.save("struct.npy", np.array([(1, b"<img onerror=1>", [1, 2], (3, -1)), (2, b"\xff", [3, 4], (5, 6))],
	dtype=[("<img onerror=2>", ">i4"), ("t", "S20"), ("v", "f4", (2,)), ("in", [("p", "i1"), ("q", "i8")])]))
np.save("text.npy", np.array([["a", "ß\n"], ["<img onerror=3>", ""]]))
np.save("time.npy", np.array(["2026-11-22T08:00", "NaT"], "M8[s]"))
np.save("span.npy", np.array([1, "NaT"], "m8[D]"))
np.save("zero.npy", np.array(2.5))
np.save("none.npy", np.zeros((3, 0, 2)))
np.save("void.npy", np.array([b"ab"], "V2"))
np.save("long.npy", np.array(["x" * 100000]))
np.save("bool.npy", np.array([[True, False]]))
np.save("cube.npy", np.arange(24).reshape(2, 3, 4))
`)
	s := enter(t, dir)
	long := ""
	for range 1000 {
		long += "x"
	}
	type table struct {
		From    int
		Rows    [][]string
		Columns []string
	}
	for _, test := range []struct {
		file, query string
		want        table
	}{
		{"struct.npy", "axis=0", table{0, [][]string{{"1", "<img onerror=1>", "[1. 2.]", "(3, -1)"}, {"2", "\u00ff",
			"[3. 4.]", "(5, 6)"}}, []string{"<img onerror=2>", "t", "v", "in"}}},
		{"struct.npy", "axis=0&from=1&colfrom=1&colcount=2", table{1, [][]string{{"\u00ff", "[3. 4.]"}}, []string{"t", "v"}}},
		{"struct.npy", "axis=0&field=in", table{0, [][]string{{"3", "-1"}, {"5", "6"}}, []string{"p", "q"}}},
		{"struct.npy", "axis=0&field=in&field=q", table{0, [][]string{{"-1"}, {"6"}}, []string{"value"}}},
		{"struct.npy", "axis=0&cols=1&field=v", table{0, [][]string{{"1.0", "2.0"}, {"3.0", "4.0"}}, []string{"0", "1"}}},
		{"text.npy", "axis=0&cols=1", table{0, [][]string{{"a", "ß "}, {"<img onerror=3>", ""}}, []string{"0", "1"}}},
		{"time.npy", "axis=0", table{0, [][]string{{"2026-11-22T08:00:00"}, {"NaT"}}, []string{"value"}}},
		{"span.npy", "axis=0", table{0, [][]string{{"1 days"}, {"NaT"}}, []string{"value"}}},
		{"zero.npy", "axis=-1", table{0, [][]string{{"2.5"}}, []string{"value"}}},
		{"none.npy", "axis=0&cols=1&at=0,0,1", table{0, [][]string{{}, {}, {}}, []string{}}},
		{"none.npy", "axis=1&at=0,0,1", table{0, [][]string{}, []string{"value"}}},
		{"void.npy", "axis=0", table{0, [][]string{{`b'\x61\x62'`}}, []string{"value"}}},
		{"long.npy", "axis=0", table{0, [][]string{{long + "…"}}, []string{"value"}}},
		{"bool.npy", "axis=1&cols=0", table{0, [][]string{{"True"}, {"False"}}, []string{"0"}}},
		{"cube.npy", "axis=2&cols=0&at=0,1,0&from=2&count=100&colfrom=1", table{2, [][]string{{"18"}, {"19"}},
			[]string{"1"}}},
	} {
		var got table
		s.getJSON(&got, "/api/array/"+s.id(filepath.Base(dir), test.file)+"/rows?"+test.query)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s?%s: %s", test.file, test.query, diff)
		}
	}
	var i info
	s.getJSON(&i, "/api/array/"+s.id(filepath.Base(dir), "none.npy"))
	if got := s.tile(s.id(filepath.Base(dir), "none.npy"), "y=0&x=1&at=0,0,1&level=3&row=0&col=0"); got.rows != 1 ||
		got.cols != 0 || !slices.Equal(i.Shape, []int{3, 0, 2}) {
		t.Errorf("without elements: shape %v, a tile of %d × %d", i.Shape, got.rows, got.cols)
	}
}

// python runs a Python program in a folder and returns its output.
func python(t testing.TB, dir, program string) string {
	t.Helper()
	path, _, ok := oracle.Python()
	if !ok {
		t.Fatal("no NumPy")
	}
	cmd := command(path, "-c", program)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(out)
}

// TestJobs compares histograms and moments with NumPy's results.
func TestJobs(t *testing.T) {
	oracle.Need(t)
	dir := t.TempDir()
	want := python(t, dir, `
import numpy as np, json
r = np.random.default_rng(1)
a = r.normal(size=(40, 3, 50)).astype(">f4")
np.save("a.npy", a)
a[3, 1, 4] = np.nan
a[5, 1, 4] = np.inf
a[6, 1, 4] = -np.inf
np.save("odd.npy", a)
z = r.normal(size=(30, 40)) + 1j * r.normal(size=(30, 40))
np.save("z.npy", z)
b = np.load("a.npy")
def h(x, bins, range=None):
	counts, edges = np.histogram(x.astype("f8"), bins, range)
	return {"counts": counts.tolist(), "edges": edges.tolist()}
def m(x): return {"count": int(x.size), "min": float(x.min()), "max": float(x.max()), "mean": float(x.astype("f8").mean()), "std": float(x.astype("f8").std())}
f = a[np.isfinite(a)]
print(json.dumps([h(b, 10), h(b[2:9, 1, 10:20], 7), h(b, 5, (-1, 1)), h(f, 10), h(np.zeros(3), 4), m(b), m(b[2:9, 1, 10:20].T), m(abs(z)), m(z.imag)]))
np.save("same.npy", np.zeros(3))
`)
	type result struct {
		Counts              []int
		Edges               []float64
		Below, Above        int
		Count, NaN          int
		Min, Max, Mean, Std float64
	}
	var wants []result
	if err := json.Unmarshal([]byte(want), &wants); err != nil {
		t.Fatal(err)
	}
	s := enter(t, dir)
	region := `"region":{"y":0,"x":2,"at":[0,1,0],"y0":2,"y1":9,"x0":10,"x1":20}`
	for i, test := range []struct {
		file, body   string
		below, above int
	}{
		{"a.npy", `{"kind":"histogram","bins":10}`, 0, 0},
		{"a.npy", `{"kind":"histogram","bins":7,` + region + `}`, 0, 0},
		{"a.npy", `{"kind":"histogram","bins":5,"lo":-1,"hi":1}`, -1, -1},
		{"odd.npy", `{"kind":"histogram","bins":10}`, 1, 1},
		{"same.npy", `{"kind":"histogram","bins":4,"lo":null,"hi":null,"region":null}`, 0, 0},
		{"a.npy", `{"kind":"moments"}`, 0, 0},
		{"a.npy", `{"kind":"moments",` + region + `}`, 0, 0},
		{"z.npy", `{"kind":"moments"}`, 0, 0},
		{"z.npy", `{"kind":"moments","part":"imag"}`, 0, 0},
	} {
		got := s.job(s.id(filepath.Base(dir), test.file), test.body)
		if !got.Done || got.Progress != 1 || got.Error != "" {
			t.Errorf("%s %s: %+v", test.file, test.body, got)
			continue
		}
		var r result
		if err := json.Unmarshal(got.Result, &r); err != nil {
			t.Fatal(err)
		}
		if test.below >= 0 && (r.Below != test.below || r.Above != test.above) {
			t.Errorf("%s %s: %d below and %d above, want %d and %d", test.file, test.body, r.Below, r.Above, test.below,
				test.above)
		}
		if test.below < 0 && r.Below+r.Above+sum(r.Counts) != 40*3*50 {
			t.Errorf("%s %s: %d below, %d above and counts %v do not add up to all elements", test.file, test.body, r.Below,
				r.Above, r.Counts)
		}
		r.Below, r.Above = 0, 0
		if diff := cmp.Diff(wants[i], r, cmp.Comparer(func(x, y float64) bool {
			return math.Abs(x-y) <= 1e-12*max(1,
				math.Abs(x))
		})); diff != "" {
			t.Errorf("%s %s: %s", test.file, test.body, diff)
		}
	}
}

func sum(s []int) (n int) {
	for _, x := range s {
		n += x
	}
	return n
}

type status struct {
	Done     bool
	Progress float64
	Error    string
	Result   json.RawMessage
}

// unsafeHeader returns the header fields that requests with side effects require.
func (s *session) unsafeHeader() map[string]string {
	return map[string]string{"Origin": s.base}
}

// job runs a job and waits for its end.
func (s *session) job(id, body string) (st status) {
	s.t.Helper()
	code, b := s.request("POST", "/api/array/"+id+"/job", body, s.unsafeHeader())
	var job struct{ Job string }
	if err := json.Unmarshal(b, &job); code != 200 || err != nil {
		s.t.Fatalf("job %s: %d %s", body, code, b)
	}
	for !st.Done {
		s.getJSON(&st, "/api/job/"+job.Job+"?wait=1")
	}
	return st
}

// TestCancel tests that a job for an array of 1 TiB can be cancelled, and that its id is unknown afterwards.
func TestCancel(t *testing.T) {
	s := enter(t, sparse(t, "large.npy", "<f4", 1<<18, 1<<18))
	code, b := s.request("POST", "/api/array/"+s.id("large.npy")+"/job", `{"kind":"histogram","bins":16}`,
		s.unsafeHeader())
	var job struct{ Job string }
	if err := json.Unmarshal(b, &job); code != 200 || err != nil {
		t.Fatalf("%d %s", code, b)
	}
	var st status
	for st.Progress == 0 {
		if s.getJSON(&st, "/api/job/"+job.Job); st.Done {
			t.Fatalf("the job ended too early: %+v", st)
		}
	}
	if code, b := s.request("DELETE", "/api/job/"+job.Job, "", s.unsafeHeader()); code != 204 {
		t.Fatalf("%d %s", code, b)
	}
	if code, _ := s.request("GET", "/api/job/"+job.Job, "", nil); code != 404 {
		t.Errorf("a cancelled job is answered with %d, want 404", code)
	}
}

// TestCopyAndSave tests that the NumPy code to copy selects the elements that are saved, and that the Go code to copy
// compiles.
func TestCopyAndSave(t *testing.T) {
	oracle.Need(t)
	dir := t.TempDir()
	python(t, dir, `
import numpy as np
a = np.arange(5 * 6 * 7, dtype=">i2").reshape(5, 6, 7)
np.save("it's \"a\" ß.npy", a)
np.savez("d.npz", **{"the one": np.asfortranarray(a)})
s = np.zeros((5, 6), [("x", "f4"), ("in", [("y.z", "i8", (7,))])])
s["in"]["y.z"] = a
np.save("s.npy", s)
`)
	s := enter(t, dir)
	var statements []string
	for _, test := range []struct {
		names    []string
		query    string
		projects []string
	}{
		{[]string{`it's "a" ß.npy`}, "y=0&x=2&at=0,3,0&y0=1&y1=4&x0=2&x1=7", nil},
		{[]string{`it's "a" ß.npy`}, "y=2&x=0&at=0,3,0&y0=1&y1=4&x0=2&x1=5", nil},
		{[]string{`it's "a" ß.npy`}, "x=1&at=2,0,4&x0=2&x1=6", nil},
		{[]string{"d.npz", "the one"}, "y=1&x=2&at=4,0,0&y0=0&y1=6&x0=0&x1=0", nil},
		{[]string{"s.npy"}, "y=2&x=0&at=0,3,0&y0=1&y1=4&x0=2&x1=5&field=in&field=y.z", nil},
		{[]string{`it's "a" ß.npy`}, "y=0&x=2&at=0,0,0&y0=1&y1=4&x0=2&x1=7",
			[]string{`"op":"sum","along":[{"axis":1,"from":2,"to":6}]`}},
		{[]string{"d.npz", "the one"}, "x=1&at=0,0,0&x0=0&x1=6",
			[]string{`"op":"max","along":[{"axis":2,"from":0,"to":3},{"axis":0,"from":1,"to":5}]`}},
		{[]string{"s.npy"}, "x=1&at=0,0,0&x0=1&x1=6", []string{
			`"field":["in","y.z"],"op":"min","along":[{"axis":2,"from":3,"to":7}]`,
			`"op":"mean","along":[{"axis":0,"from":0,"to":4}]`}},
	} {
		id := s.id(append([]string{filepath.Base(dir)}, test.names...)...)
		for _, p := range test.projects {
			id = s.project(id, p)
		}
		var text struct{ Go, NumPy string }
		s.getJSON(&text, "/api/array/"+id+"/copy?"+test.query)
		saved := filepath.Join(t.TempDir(), "part.npy")
		if err := os.WriteFile(saved, s.get("/api/array/"+id+"/save?"+test.query), 0o600); err != nil {
			t.Fatal(err)
		}
		if out := python(t, dir, "import numpy as np, os\na = "+text.NumPy+"\nb = np.load("+fmt.Sprintf("%q",
			saved)+")\nassert a.shape == b.shape and a.dtype == b.dtype and (a == b).all()\nprint(b.size)"); out == "" {
			t.Error("nothing was compared")
		}
		statements = append(statements, text.Go)
	}
	checkGo(t, statements...)
}
