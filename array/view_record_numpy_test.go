package array

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// numpyRecords makes two arrays of the same structured dtype with random padding. A program reads the first array and
// writes the second array to it. numpyRecords then checks the elements read and the bytes written.
const numpyRecords = `
def filled(r, dt, n):
    raw = bytearray(r.getrandbits(8) for _ in range(n * dt.itemsize))
    a = np.ndarray((n,), dt, buffer=raw)
    fill(r, a)
    return a, raw

def make(c):
    r = random.Random(c["Seed"])
    dt = simple(r)
    while dt.names is None or not dt.names or dt.itemsize == 0:
        dt = dtype(r, depth=3, most=6)
        if r.random() < 0.5 and dt.names:
            dt = np.dtype([(name, dt.fields[name][0]) for name in dt.names], align=r.random() < 0.5)
    n = r.choice([1, 2, 5, 40, 300])
    for path in (c["Path"] + ".npy", c["Path"] + ".from.npy"):
        a, raw = filled(r, dt, n)
        np.save(path, a)
    return None

def leaf(a, names):
    for name in names:
        a = a[name]
    return a

def compare(c):
    read = json.load(open(c["Path"] + ".json"))
    a, b = np.load(c["Path"] + ".before.npy"), np.load(c["Path"] + ".from.npy")
    want = bytearray(a.tobytes())
    w = np.ndarray(a.shape, a.dtype, buffer=want)
    for path, names in c["Leaves"].items():
        x = leaf(a, names)
        if x.dtype.kind in "mM":
            x = np.ascontiguousarray(x).view(x.dtype.str[0] + "i8")
        if x.dtype.kind in "SV" or x.dtype.str[1:] in ("f16", "c32"):
            x = np.ascontiguousarray(x)
        elif x.dtype.kind == "U":
            x = np.ascontiguousarray(x).view(x.dtype.str[0] + "u4")
            x = x.astype("=u4")
        else:
            x = x.astype(x.dtype.newbyteorder("="))
        if x.tobytes() != b64(read.get(path, "")):
            return "%s: read %r, want %r" % (names, b64(read.get(path, ""))[:100], x.tobytes()[:100])
        leaf(w, names)[...] = leaf(b, names)
    got = np.load(c["Path"] + ".npy").tobytes()
    if "direct" in read:  # all fields are written, with their padding
        return "" if same(np.load(c["Path"] + ".npy"), w) else "fields are not written"
    if got != bytes(want):
        k = next(k for k in range(len(want)) if got[k] != want[k])
        return "byte %d of element %d is %d, want %d, before %d" % (k % a.itemsize, k // a.itemsize, got[k], want[k], a.tobytes()[k])
    return ""
`

// TestRecordsNumPy reads and writes records of random dtypes made by NumPy: packed, aligned, with any offsets, nested,
// in blocks, and in both byte orders. The Go structs contain all or some of the fields, in any order. NDMAP_CASES=200
// tests a thousand dtypes.
func TestRecordsNumPy(t *testing.T) {
	oracle.OneGoroutine(t)
	p := oracle.Start(t)
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "windows" || os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("no go command that builds programs for this machine")
	}
	if err := p.Run(oracle.Random+numpyRecords+"\nimport json", nil, nil); err != nil {
		t.Fatal(err)
	}
	r := oracle.Rand(t, 60)
	const most = 60 // dtypes in one program
	for n := oracle.Cases(t, 5); n > 0; n -= most {
		checkRecords(t, p, r, min(n, most))
	}
}

// checkRecords runs TestRecordsNumPy for the given number of dtypes.
func checkRecords(t *testing.T, p *oracle.Proc, r *rand.Rand, cases int) {
	dir := t.TempDir()
	var types, calls strings.Builder
	leavesOf := map[int]map[string][]string{}
	for k := range cases {
		path := filepath.Join(dir, fmt.Sprint(k))
		var nothing any
		if err := p.Eval("make(x)", map[string]any{"Seed": r.Uint32(), "Path": path}, &nothing); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+".before.npy", must(os.ReadFile(path+".npy")), 0o666); err != nil {
			t.Fatal(err)
		}
		f := must(Open(path+".npy", mmap.ReadOnly))
		g := structWriter{Rand: r, leaves: map[string][]string{}}
		fmt.Fprintf(&types, "type T%d %s\n\n", k, g.structOf(f.DType(), "", nil))
		fmt.Fprintf(&calls, "\t\tfunc() error { return check[T%d](%d) },\n", k, k)
		leavesOf[k] = g.leaves
		f.Close()
	}
	text := fmt.Sprintf(recordsMain, types.String(), calls.String())
	program := compile(t, dir, map[string]string{"main.go": text,
		"check.go": string(must(os.ReadFile("testdata/records/check.go.txt")))})
	if out, err := exec.Command(program, dir).CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s\n%s", err, out, text)
	}
	for k := range cases {
		var msg string
		c := map[string]any{"Path": filepath.Join(dir, fmt.Sprint(k)), "Leaves": leavesOf[k]}
		if err := p.Eval("compare(x)", c, &msg); err != nil || msg != "" {
			f := must(Open(filepath.Join(dir, fmt.Sprint(k)+".npy"), mmap.ReadOnly))
			t.Errorf("%v as T%d: %s, %v\n%s", f.DType(), k, msg, err, text)
			f.Close()
		}
	}
}

const recordsMain = `package main

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
)

var _ dtype.Half

%s
func main() {
	for k, f := range []func() error{
%s	} {
		if err := f(); err != nil {
			fmt.Println(k, err)
		}
	}
}
`

// compile builds a program of this module from files in a directory that need not exist.
func compile(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	replace := map[string]string{}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(must(os.Getwd()), "records", name)] = path
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, must(json.Marshal(map[string]any{"Replace": replace})), 0o666); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program")
	if out, err := exec.Command("go", "build", "-gcflags=-N -l -dwarf=false", "-ldflags=-s -w", "-overlay", overlay, "-o",
		program, "./records").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, files["main.go"])
	}
	return program
}

// A structWriter writes Go structs for dtypes, and records which field of the dtype each Go field represents.
type structWriter struct {
	*rand.Rand
	leaves map[string][]string
}

// structOf returns the source text of a struct with all or some fields of d, in any order.
func (g *structWriter) structOf(d dtype.DType, path string, names []string) string {
	order := g.Perm(d.NumField())
	if g.IntN(2) == 0 {
		for k := range order {
			order[k] = k
		}
	}
	all := g.IntN(2) == 0
	var s strings.Builder
	s.WriteString("struct {\n")
	for n, k := range order {
		f := d.FieldAt(k)
		if !all && g.IntN(2) == 0 || f.Name == "" {
			continue
		}
		if g.IntN(8) == 0 {
			fmt.Fprintf(&s, "_ [%d]byte\n", g.IntN(5))
		}
		name := fmt.Sprint("F", n)
		code := ""
		typ := g.typeOf(f.Type, path+"."+name, append(names[:len(names):len(names)], f.Name), &code)
		key := f.Name
		if f.Title != "" && g.IntN(2) == 0 {
			key = f.Title
		}
		fmt.Fprintf(&s, "%s %s %s\n", name, typ, strconv.Quote("npy:"+strconv.Quote(key+code)))
	}
	return s.String() + "}"
}

// typeOf returns the source text of the Go type for elements of d, and sets code to the suffix of the tag.
func (g *structWriter) typeOf(d dtype.DType, path string, names []string, code *string) string {
	n := d.ItemSize()
	if d.Kind() == dtype.KindStructured {
		return g.structOf(d, path, names)
	}
	if d.Kind() == dtype.KindSubarray {
		s := ""
		for _, n := range d.SubShape() {
			s += fmt.Sprintf("[%d]", n)
		}
		return s + g.typeOf(d.Base(), path, names, code)
	}
	if n > 0 {
		g.leaves[path] = names
	}
	if (d.IsVariable() || d.IsLongDouble() && d.IsNative() || d.Kind() == dtype.KindDatetime ||
		d.Kind() == dtype.KindTimedelta) && n > 0 && g.IntN(2) == 0 {
		*code = "," + strings.TrimLeft(d.String(), "<>|")
	}
	switch d.Kind() {
	case dtype.KindBool:
		return []string{"bool", "uint8"}[g.IntN(2)]
	case dtype.KindInt:
		return fmt.Sprint("int", 8*n)
	case dtype.KindUint:
		return fmt.Sprint("uint", 8*n)
	case dtype.KindDatetime, dtype.KindTimedelta:
		return "int64"
	case dtype.KindUnicode:
		return fmt.Sprintf("[%d]uint32", n/4)
	case dtype.KindFloat:
		if n < 16 {
			return map[int]string{2: "dtype.Half", 4: "float32", 8: "float64"}[n]
		}
	case dtype.KindComplex:
		if n < 32 {
			return fmt.Sprint("complex", 8*n)
		}
	}
	return fmt.Sprintf("[%d]byte", n)
}
