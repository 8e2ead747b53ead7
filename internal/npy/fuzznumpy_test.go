package npy

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

//go:embed testdata/judge.py
var judgePy string

// startJudge starts a Python process with the functions of judge.py.
func startJudge(t *testing.T) *oracle.Proc {
	t.Helper()
	p := oracle.Start(t)
	if err := p.Run(judgePy+"\nBITS = x\n", strconv.IntSize-1, nil); err != nil {
		t.Fatal(err)
	}
	return p
}

// judgeNotation returns d in the notation of judge.py.
func judgeNotation(d dtype.DType) string {
	switch d.Kind() {
	case dtype.KindSubarray:
		return fmt.Sprint(d.SubShape()) + judgeNotation(d.Base())
	case dtype.KindStructured:
		var b strings.Builder
		b.WriteByte('{')
		for f := range d.Fields() {
			fmt.Fprintf(&b, "%d:%x:%x:%s,", f.Offset, f.Name, f.Title, judgeNotation(f.Type))
		}
		fmt.Fprintf(&b, "|%d}", d.ItemSize())
		return b.String()
	}
	return d.String()
}

// writtenArray describes an array that NumPy wrote.
type writtenArray struct {
	Header   []byte
	Canon    string
	Shape    []int
	Fortran  bool
	ItemSize int
	Error    string
}

// difference returns the first difference between Parse or New and NumPy for the header of an array, or "" if they
// agree.
func (a arraySpec) difference(w writtenArray) string {
	ours, known, err := a.Type.dtype()
	if err != nil {
		return "dtype: " + err.Error()
	}
	if w.Error != "" {
		return "NumPy: " + w.Error
	}
	h, err := Parse(w.Header, 1<<30)
	if err != nil {
		return err.Error()
	}
	order := index.C
	if w.Fortran {
		order = index.F
	}
	type view struct {
		Canon            string
		Order            index.Order
		Shape            []int
		Offset, ItemSize int
	}
	if d := cmp.Diff(view{w.Canon, order, w.Shape, len(w.Header), w.ItemSize}, view{judgeNotation(h.DType), h.Order,
		h.Shape,
		h.DataOffset, h.DType.ItemSize()}); d != "" {
		return "read: NumPy's -, ours +\n" + d
	}
	if known && !ours.Equal(h.DType) && a.Type.size() > 0 { // np.zeros replaces |S0 by |S1
		return fmt.Sprintf("made %v, read %v", ours, h.DType)
	}
	g, b, err := New(h.DType, a.order(), h.Shape)
	if err != nil {
		return "written: " + err.Error()
	}
	if a.Sparse && g.Order != a.order() {
		return "" // NumPy was told to write Fortran order for an array that is contiguous in both
	}
	if string(b) != string(w.Header) {
		return fmt.Sprintf("written: %q, NumPy's %q", b, w.Header)
	}
	if g.DataOffset != h.DataOffset || g.Version != h.Version || g.NBytes != h.NBytes {
		return fmt.Sprintf("made %+v, read %+v", g, h)
	}
	return ""
}

// smaller returns specs that are slightly simpler than a.
func (a arraySpec) smaller() (out []arraySpec) {
	for i := range a.Shape {
		b := a
		b.Shape = slices.Delete(slices.Clone(a.Shape), i, i+1)
		out = append(out, b)
	}
	if a.Fortran {
		b := a
		b.Fortran = false
		out = append(out, b)
	}
	for _, s := range a.Type.smaller() {
		b := a
		b.Type = s
		out = append(out, b)
	}
	return out
}

func (s *spec) smaller() (out []*spec) {
	if s.Code != "" {
		return nil
	}
	if s.Base != nil {
		out = append(out, s.Base)
		for _, b := range s.Base.smaller() {
			if b.size() > 0 {
				out = append(out, &spec{Base: b, Shape: s.Shape})
			}
		}
		return out
	}
	for i, f := range s.Fields {
		out = append(out, f.Type)
		t := *s
		t.Fields = slices.Delete(slices.Clone(s.Fields), i, i+1)
		out = append(out, &t)
		change := func(edit func(*field)) {
			t := *s
			t.Fields = slices.Clone(s.Fields)
			edit(&t.Fields[i])
			out = append(out, &t)
		}
		if f.Title != "" {
			change(func(f *field) { f.Title = "" })
		}
		for _, ft := range f.Type.smaller() {
			if ft.size() <= f.Type.size() {
				change(func(f *field) { f.Type = ft })
			}
		}
	}
	return out
}

// TestFuzzNumPyArrays tests that Parse reads the headers that NumPy writes for random arrays, and that New writes the
// same bytes.
func TestFuzzNumPyArrays(t *testing.T) {
	p := startJudge(t)
	m := maker{oracle.Rand(t, 1)}
	n := oracle.EnvInt(t, "NDMAP_FUZZ_ARRAYS", oracle.Cases(t, 500))
	failures, versions := 0, map[[2]uint8]int{}
	ask := func(as []arraySpec) []writtenArray {
		var out []writtenArray
		if err := p.Run("out = [write(a) for a in x]", as, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for done := 0; done < n; {
		as := make([]arraySpec, min(100, n-done))
		for i := range as {
			as[i] = m.array()
		}
		done += len(as)
		for i, w := range ask(as) {
			if len(w.Header) > 8 {
				versions[[2]uint8(w.Header[6:])]++
			}
			msg := as[i].difference(w)
			if msg == "" {
				continue
			}
			a := as[i]
		shrink:
			for range 100 {
				less := a.smaller()
				for j, v := range ask(less) {
					if s := less[j].difference(v); s != "" && (v.Error == "") == (w.Error == "") {
						a, w, msg = less[j], v, s
						continue shrink
					}
				}
				break
			}
			spec, _ := json.Marshal(a)
			t.Errorf("%s\n%s", spec, msg)
			if w.Error == "" {
				keepCase(t, p, w.Header)
			}
			if failures++; failures == 20 {
				t.FailNow()
			}
		}
	}
	t.Logf("%d arrays, versions %v", n, versions)
}

// A verdict describes a header as NumPy reads it. It is nil if NumPy refuses the header.
type verdict struct {
	Canon   string
	Shape   []string
	Fortran bool
	Offset  int
	Facts   []string `json:",omitempty"`
}

func ask(t *testing.T, p *oracle.Proc, files [][]byte) []*verdict {
	t.Helper()
	var out []*verdict
	if err := p.Run("out = [judge(b64(b)) for b in x]", files, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// otherNative reports whether h has numbers in the order of the machine, and that order differs from NumPy's. Tests on
// emulated big-endian processors ask the NumPy of the little-endian machine that emulates them.
func otherNative(h Header) bool { return h.Assumed && dtype.Native == dtype.BigEndian }

// numpyDifference returns the difference between Parse and NumPy for a header, or "" if they agree. If Parse refuses
// the header on purpose, it returns the name of the refusal.
func numpyDifference(b []byte, v *verdict) (wrong, refusal string) {
	h, err := Parse(b, 1<<30)
	switch {
	case err != nil && v == nil:
		return "", ""
	case err != nil:
		if name, ok := refusalFor(v.Facts, err.Error()); ok {
			return "", name
		}
		return fmt.Sprintf("NumPy accepts it as %+v; Parse returns %v", *v, err), ""
	case v == nil && strings.Contains(h.DType.String(), "float"): // only these types have names with "float"
		return "", "" // a type of ml_dtypes, such as 'f1', which NumPy does not know without that package
	case v == nil:
		return fmt.Sprintf("NumPy refuses it; Parse reads %v %v %v", h.DType, h.Order, h.Shape), ""
	}
	got := verdict{judgeNotation(h.DType), []string{}, h.Order == index.F, h.DataOffset, nil}
	for _, n := range h.Shape {
		got.Shape = append(got.Shape, strconv.Itoa(n))
	}
	want := *v
	want.Facts = nil
	if otherNative(h) {
		want.Canon = got.Canon
	}
	if d := cmp.Diff(want, got); d != "" {
		return "NumPy's -, ours +\n" + d, ""
	}
	return "", ""
}

// keepCase writes a header and NumPy's verdict to testdata/kept, as a case of TestKept, if NDMAP_KEEP=1 is set.
// Without it keepCase writes nothing, because a test should not change the working tree.
func keepCase(t *testing.T, p *oracle.Proc, b []byte) {
	t.Helper()
	if os.Getenv("NDMAP_KEEP") == "" {
		t.Log("with NDMAP_KEEP=1 it becomes a case of TestKept")
		return
	}
	hash := fnv.New32a()
	hash.Write(b)
	path := filepath.Join("testdata", "kept", fmt.Sprintf("%08x.npy", hash.Sum32()))
	j, err := json.Marshal(ask(t, p, [][]byte{b})[0])
	if err != nil {
		t.Fatal(err)
	}
	for path, b := range map[string][]byte{path: b, path[:len(path)-3] + "json": append(j, '\n')} {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("kept as %s", path)
}

// TestKept tests headers that were once read wrongly against the verdicts of NumPy.
func TestKept(t *testing.T) {
	paths, err := filepath.Glob("testdata/kept/*.npy")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files (%v)", len(paths), err)
	}
	var p *oracle.Proc
	if _, _, ok := oracle.Python(); ok && strconv.IntSize == 64 {
		p = startJudge(t)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		j, err := os.ReadFile(path[:len(path)-3] + "json")
		if err != nil {
			t.Fatal(err)
		}
		var v *verdict
		if err := json.Unmarshal(j, &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if wrong, _ := numpyDifference(b, v); wrong != "" {
			t.Errorf("%s: %q\n%s", path, b, wrong)
		}
		if p != nil {
			if d := cmp.Diff(v, ask(t, p, [][]byte{b})[0]); d != "" {
				t.Errorf("%s: the verdict of NumPy has changed:\n%s", path, d)
			}
		}
	}
}

// TestFuzzNumPyHeaders tests headers with small damages. If NumPy accepts one, Parse returns the same dtype, shape and
// order, or the header is one of refusals. If NumPy refuses it, so does Parse.
func TestFuzzNumPyHeaders(t *testing.T) {
	p := startJudge(t)
	m := maker{oracle.Rand(t, 2)}
	n := oracle.EnvInt(t, "NDMAP_FUZZ_HEADERS", oracle.Cases(t, 1500))
	accepted, failures, refused := 0, 0, map[string]int{}
	for done := 0; done < n; {
		files := make([][]byte, min(500, n-done))
		for i := range files {
			files[i] = m.damaged()
		}
		done += len(files)
		for i, v := range ask(t, p, files) {
			if v != nil {
				accepted++
			}
			wrong, refusal := numpyDifference(files[i], v)
			if refusal != "" {
				refused[refusal]++
			}
			if wrong == "" {
				continue
			}
			b := shrink(t, p, files[i])
			wrong, _ = numpyDifference(b, ask(t, p, [][]byte{b})[0])
			t.Errorf("%q: %s", b, wrong)
			keepCase(t, p, b)
			if failures++; failures == 20 {
				t.FailNow()
			}
		}
	}
	t.Logf("%d headers, NumPy accepts %d; Parse refuses these on purpose:", n, accepted)
	for _, r := range slices.Sorted(maps.Keys(refused)) {
		t.Logf("%6d %s", refused[r], r)
	}
}

// shrink removes parts of a header as long as the rest is still read wrongly.
func shrink(t *testing.T, p *oracle.Proc, b []byte) []byte {
	t.Helper()
	start := PrefixLen
	if b[6] == 1 {
		start -= 2
	}
	text := string(b[start:])
	for size := max(len(text)/2, 1); size > 0; {
		var less [][]byte
		for i := 0; i+size <= len(text); i += max(size/2, 1) {
			less = append(less, file(b[6], b[7], text[:i]+text[i+size:]))
		}
		again := false
		for i, v := range ask(t, p, less) {
			if wrong, _ := numpyDifference(less[i], v); wrong != "" {
				text, again = string(less[i][start:]), true
				break
			}
		}
		if !again {
			size /= 2
		} else {
			size = min(size, max(len(text)/2, 1))
		}
	}
	return file(b[6], b[7], text)
}

var tokens = regexp.MustCompile(`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[0-9]+|[A-Za-z_]+|[ ]+|(?s:.)`)

// damaged returns a header with up to five small changes, mostly one or two.
func (m maker) damaged() []byte {
	major, text := m.valid()
	for range pick(m.Rand, 0, 1, 1, 1, 1, 1, 2, 2, 2, 3, 4, 5) {
		text = m.damage(text)
	}
	if major == 1 && len(text) > 1<<16-1 {
		major = 2
	}
	return file(major, 0, text)
}

// valid returns the text of a header that NumPy reads, in the encoding of the version.
func (m maker) valid() (major byte, text string) {
	major = byte(1 + m.IntN(3))
	if m.IntN(3) == 0 {
		text = pick(m.Rand,
			"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }          \n",
			"{'descr': '>i4', 'fortran_order': True, 'shape': (), }",
			`{"shape":(0x10,),"fortran_order":True,"descr":"|b1"}`,
			"{'descr': [('x', '<f4', (2, 3)), (('title', 'y'), '|S5'), ('', '|V3'), ('z', [('re', '<f8'), ('im', '<f8')], 2)], 'fortran_order': False, 'shape': (10, ), }\n",
			"{u'descr': '<M8[25s]', u'fortran_order': False, u'shape': (3L, 2L)}",
			"{'descr': [('a', ('<c16', (2,)), (3,)), ('b', '>U4'), ('c', '<m8')], 'fortran_order': False, 'shape': (0, 5), }",
			"{'descr': [('x', ('|S0', 5)), ('y', [], [2]), ('', ('<i4', (0,)), 3), ('z', ('>U', []))], 'fortran_order': False, 'shape': (2,), }",
			"\n# a comment\n{'descr': r'<f8'\n, 'fortran_order': False,\n 'shape': (2, \\\n3)}\n  ",
			"{'descr': '\\x3cf8', 'fortran_order': False, 'shape': (1_000, +3)}")
	} else {
		a := m.array()
		d, known, err := a.Type.dtype()
		if err != nil || !known {
			return m.valid()
		}
		h, b, err := New(d, a.order(), a.Shape)
		if err != nil || len(b) > 2000 && m.IntN(20) > 0 {
			return m.valid()
		}
		text = string(b[PrefixLen:])
		if h.Version[0] == 1 {
			text = string(b[PrefixLen-2:])
		}
		if m.IntN(4) > 0 {
			text = strings.TrimRight(text, " \n")
		}
		switch {
		case h.Version[0] == 3:
			major = 3
		case major == 3:
			r := make([]rune, len(text))
			for i := range len(text) {
				r[i] = rune(text[i])
			}
			text = string(r)
		}
	}
	return major, text
}

// damage returns s with one small change.
func (m maker) damage(s string) string {
	i := m.IntN(len(s) + 1)
	insert := func(t string) string { return s[:i] + t + s[i:] }
	if s == "" {
		return "{"
	}
	switch m.IntN(8) {
	case 0: // replace a byte
		i = m.IntN(len(s))
		return s[:i] + string([]byte{byte(m.IntN(256))}) + s[i+1:]
	case 1: // remove a byte
		i = m.IntN(len(s))
		return s[:i] + s[i+1:]
	case 2:
		return insert(pick(m.Rand, " ", " ", "\n", "\t", "\r", "\r\n", "\f", "\\\n", "#", "# L\n", "\v", "\x00", "é", "\xa0"))
	case 3:
		return insert(pick(m.Rand, "(", ")", "[", "]", "{", "}", "'", `"`, "'''", ",", ":", "-", "+", "*", ".", "=", "|", "<",
			">", `\`))
	case 4:
		return insert(pick(m.Rand, "0", "1", "2", "9", "00", "1_0", "0x1", "L", " L", "e1", "j", "9223372036854775807"))
	}
	at := tokens.FindAllStringIndex(s, -1)
	a, b := at[m.IntN(len(at))], at[m.IntN(len(at))]
	word := func(a []int) string { return s[a[0]:a[1]] }
	switch m.IntN(4) {
	case 0: // swap two tokens
		if a[0] > b[0] {
			a, b = b, a
		}
		if a[0] == b[0] {
			return s
		}
		return s[:a[0]] + word(b) + s[a[1]:b[0]] + word(a) + s[b[1]:]
	case 1: // remove a token
		return s[:a[0]] + s[a[1]:]
	case 2: // duplicate a token
		return s[:b[0]] + word(a) + s[b[0]:]
	}
	// Replace a token.
	t := pick(m.Rand, "True", "False", "None", "0", "1", "3", "-1", "2.5", "1j", "10L", "True", "''", "'x'", "b'x'",
		"u'x'", "r'x'", "f'x'", "'<f8'", "'|S0'", "'|V0'", "'<U0'", "'=f8'", "'f8'", "'|f8'",
		"'|O'", "'O'", "'float'", "'d'", "'<d'", "'i4,f8'", "'(2,)i4'", "'|S'", "'<f 8'", "'<f+8'", "'<f08'", "'|S-1'",
		"'<f4294967304'", "'<M8[s/4]'", "'<M8[0s]'", "'<m8[generic]'", "'<M8[7generic]'",
		"'<M8[2147483648s]'", "'<M8[]'", "'?'", "'|b1'", "'<i16'", "'|a5'", "'<c8'", "'>f16'", "'<g'", "'<e'", "'|U3'",
		"'U3'", "'>S3'", "'float32'", "'=i4'", "'l'", "'|g'", "'str'", "'a5'", "'?'", "'M8[D/24]'", "'datetime64[us]'",
		"'U007'",
		"('', 'x')", "'object'", "()", "(1,)", "(0,)", "(2, 3)", "[]", "[2]", "{}", "(True,)", "(2147483648,)",
		"(99999999999999999999,)", "(-1,)", "('<f8', (2,))", "('<f8', 1)", "('<f8', ())", "('|S0', 5)", "('|S0', [])",
		"('<f8', (0,))", "'S'", "'<U'", "[('x', '<f8')]", "['x', '<f8']", "('x', '<f8')", "('t', 'x')", "(5, 'x')", "'descr'",
		"'shape'", "'fortran_order'",
		"'\\N{DIGIT ONE}'", "'\\ud800'", "'a' 'b'", "[('', '|V4')]", "('', '|V4')", "(('t', ''), '|V4')", "set()", "...",
		"lambda: 0", "__import__('os')", "1 if 1 else 2", "1+2j")
	return s[:a[0]] + t + s[a[1]:]
}
