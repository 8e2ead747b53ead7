package npy

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// pairDescrs returns descrs with pairs of a type and a shape. It combines every type in a list with every shape in
// another list, in every position where a pair is allowed. NumPy's dtype accepts many pairs: the shape may be a list;
// for a type of 0 bytes it is a size; and an empty list is a type without fields.
func pairDescrs() (descrs []string) {
	types := []string{
		"'|S0'", "'<U0'", "'>U0'", "'|V0'", "'S0'", "'U0'", "'|S'", "'S'", "'>U'", "'V'",
		"'|S3'", "'<U2'", "'|V5'", "'<i4'", "'>f8'",
		"[]", "[('a', '<i4')]", "[('a', '|S0')]", "[('', '|V2')]", "[('', '|V0')]", "[('a', [])]",
		"('<i4', (0,))", "('<i4', 2)", "([], (2,))", "(([], (2,)), 1)", "('|S0', 4)", "('|S0', [])",
		"((('<i4', [2, 0]), 0), 3)",
	}
	shapes := []string{
		"()", "(0,)", "(1,)", "(2,)", "(2, 3)", "(2, 0)", "[]", "[0]", "[1]", "[2]", "[2, 3]", "0", "1", "2", "-1",
		"None", "True", "[True]", "2.0", "''", "'<i4'", "('<i4', ())", "[('b', '<i4')]", "[[2]]", "{}", "{2}",
	}
	in := func(s, d, shape string) string { return strings.NewReplacer("D", d, "N", shape).Replace(s) }
	for _, d := range types {
		for _, place := range []string{"D", "[('x', D)]", "[('', D)]", "[(('t', ''), D)]", "[('x', D), ('y', '<i2')]"} {
			descrs = append(descrs, in(place, d, ""))
		}
		for _, n := range shapes {
			for _, place := range []string{
				"(D, N)", "[('x', (D, N))]", "[('x', D, N)]", "[('', D, N)]", "[(('t', 'x'), D, N)]", "[(('t', ''), (D, N))]",
				"[('x', D, N), ('', (D, N)), ('y', '<i2')]", "[('x', (D, N), ())]", "[('x', (D, N), [])]", "[('x', (D, N), [2])]",
				"[('x', (D, N), 3)]",
				"[('s', [('x', D, N), ('y', '<i2')], [2])]", "[('s', [('x', D, N)], 2)]",
			} {
				descrs = append(descrs, in(place, d, n))
			}
		}
	}
	slices.Sort(descrs)
	return slices.Compact(descrs)
}

// TestFamily tests each header of family: Parse reads it like NumPy, or both reject it, or it is one of refusals. For
// the headers that Parse reads, New writes the same header as numpy.save, except for a few dtypes that numpy.save
// replaces with others. For these, NumPy must read the header that New writes.
func TestFamily(t *testing.T) {
	p := startJudge(t)
	var files [][]byte
	each := 4 // test every fourth descr, or all of them with more than the usual number of cases
	if oracle.Cases(t, each) > each {
		each = 1
	}
	for i, descr := range pairDescrs() {
		if i%each != 0 {
			continue
		}
		files = append(files, file(3, 0, "{'descr': "+descr+", 'fortran_order': False, 'shape': (2,), }"))
	}
	text := func(b []byte) string { return strings.TrimRight(string(b[bytes.IndexByte(b, '{'):]), " \n") }
	accepted, refused := 0, map[string]int{}
	var read, written [][]byte
	var want []*verdict
	for i, v := range ask(t, p, files) {
		wrong, refusal := numpyDifference(files[i], v)
		if wrong != "" {
			t.Errorf("%s: %s", text(files[i]), wrong)
		}
		if v != nil {
			accepted++
		}
		if refusal != "" {
			refused[refusal]++
		}
		if v == nil || wrong != "" || refusal != "" {
			continue
		}
		h, err := Parse(files[i], 0)
		if err != nil {
			t.Fatal(err)
		}
		if otherNative(h) {
			continue
		}
		_, b, err := New(h.DType, h.Order, h.Shape)
		if err != nil {
			t.Errorf("%s is read, but not written: %v", text(files[i]), err)
			continue
		}
		read, written, want = append(read, files[i]), append(written, b), append(want, v)
	}
	otherwise := 0
	var resaved [][]byte
	if err := p.Run("out = [resave(b64(b)) for b in x]", read, &resaved); err != nil {
		t.Fatal(err)
	}
	for i, v := range ask(t, p, written) {
		switch b := resaved[i]; {
		case v == nil || v.Canon != want[i].Canon:
			t.Errorf("%s is written as %s, which NumPy reads as %+v", text(read[i]), text(written[i]), v)
		case b == nil:
			otherwise++
		case string(b) != string(written[i]):
			t.Errorf("%s is written as %s, by NumPy as %s", text(read[i]), text(written[i]), text(b))
		}
	}
	t.Logf("%d headers: NumPy accepts %d, Parse reads %d, and refuses on purpose:", len(files), accepted, len(read))
	for _, r := range slices.Sorted(maps.Keys(refused)) {
		t.Logf("%6d %s", refused[r], r)
	}
	t.Logf("%d are written in ways in which numpy.save cannot write them", otherwise)
}

// TestPairs tests how NumPy and Parse read a pair, and how New writes it. canon is "" if both reject the pair.
func TestPairs(t *testing.T) {
	var p *oracle.Proc
	if _, _, ok := oracle.Python(); ok && strconv.IntSize == 64 {
		p = startJudge(t)
	}
	for _, tt := range []struct{ descr, canon, written string }{
		// A shape may be a list or a tuple; (type, 1) and (type, ()) denote the type itself.
		{"[('x', '<i4', [2, 3])]", "{0:78::[2 3]<i4,|24}", "[('x', '<i4', (2, 3))]"},
		{"[('x', ('<i4', [1]))]", "{0:78::[1]<i4,|4}", "[('x', '<i4', (1,))]"},
		{"[('x', '<i4', ())]", "{0:78::<i4,|4}", "[('x', '<i4')]"},
		{"[('x', '<i4', [True])]", "", ""},
		{"[('x', '<i4', [[2]])]", "", ""},
		{"[('', '<i4', [2])]", "{|8}", "[('', '|V8')]"},

		// In a pair with a type of 0 bytes, a number is the size of the type and not a shape.
		{"[('x', '|S0', 5)]", "{0:78::|S5,|5}", "[('x', '|S5')]"},
		{"('>U0', 5)", ">U5", "'>U5'"},
		{"[('', '|V0', 5)]", "{|5}", "[('', '|V5')]"},
		{"('|V0', 0)", "|V0", "'|V0'"},
		{"'S'", "|S0", "'|S0'"},
		{"[('x', '>U'), ('y', ('V', 3))]", "{0:78::>U0,0:79::|V3,|3}", "[('x', '>U0'), ('y', '|V3')]"},
		{"[('x', '|S0', (5,))]", "", ""},
		{"[('x', '|S0', ())]", "", ""},
		{"[('x', '|S0', [5])]", "", ""},
		{"[('x', '|V0', True)]", "", ""},
		{"[('x', '|V0', -1)]", "", ""},
		{"[('x', '<U0', 536870912)]", "", ""},

		// An empty list is a type without fields, which must have the same number of bytes.
		{"('|S0', [])", "{|0}", "[]"},
		{"[('', ('S0', []))]", "{0:::{|0},|0}", "[('', [])]"},
		{"[('', '|V0', [])]", "{0:::{|0},|0}", "[('', [])]"},
		{"[('x', [('a', '|S0')], [])]", "{0:78::{|0},|0}", "[('x', [])]"},
		{"[('x', '<i4', [])]", "", ""},
		{"[('x', [('a', '<i4')], [])]", "", ""},

		// Types without fields have shapes, even though they have 0 bytes.
		{"[('x', [], 1)]", "{0:78::{|0},|0}", "[('x', [])]"},
		{"[('x', [], ())]", "{0:78::{|0},|0}", "[('x', [])]"},
		{"[('x', [], [2])]", "{0:78::[2]{|0},|0}", "[('x', [], (2,))]"},

		// Sub-arrays without elements may have a size. NumPy does not write these bytes.
		{"[('x', ([], (2,)), 1), ('y', '|b1')]", "{0:78::[2]{|0},1:79::|b1,|2}",
			"[('x', [], (2,)), ('', '|V1'), ('y', '|b1')]"},
		{"[('x', (('<i4', (0,)), 5))]", "{0:78::[0]<i4,|5}", "[('x', '<i4', (0,)), ('', '|V5')]"},
		{"[('x', ((('<i4', [0]), 5), 1), ())]", "{0:78::[0]<i4,|5}", "[('x', '<i4', (0,)), ('', '|V5')]"},
		{"[('x', (('<i4', (0,)), 0), 5)]", "{0:78::[0]<i4,|5}", "[('x', '<i4', (0,)), ('', '|V5')]"},
		{"[('', ('<i4', (0,)), 5)]", "{|5}", "[('', '|V5')]"},
		{"[('x', ('<i4', (0,)), ())]", "", ""},
		{"[('x', ('<i4', (0,)), (2,))]", "", ""},
	} {
		b := header(tt.descr, "False", "(2,)")
		if p != nil {
			got := ""
			if v := ask(t, p, [][]byte{b})[0]; v != nil {
				got = v.Canon
			}
			if got != tt.canon {
				t.Errorf("%s is %q for NumPy, want %q", tt.descr, got, tt.canon)
			}
		}
		h, err := Parse(b, 0)
		if err != nil || tt.canon == "" {
			if err == nil || tt.canon != "" {
				t.Errorf("%s: %v, want %q", tt.descr, err, tt.canon)
			}
			continue
		}
		if got := judgeNotation(h.DType); got != tt.canon {
			t.Errorf("%s is %s, want %s", tt.descr, got, tt.canon)
		}
		if got, err := h.DType.Descr(); err != nil || got != tt.written {
			t.Errorf("%s is written as %s (%v), want %s", tt.descr, got, err, tt.written)
		}
	}
}
