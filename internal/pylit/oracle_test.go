package pylit

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/internal/oracle"
)

// python is a program that runs ast.literal_eval on texts. For each text it returns the value in the notation of
// coarse, or an empty string if Python rejects the text, and the entry that may apply to the text in the list of
// literals that Parse rejects.
//
// The value comes from the syntax tree, because a Python dict or set forgets the order of its items and duplicates.
// Items that cannot be hashed are not an error of the text.
const python = `
import ast, re, warnings
warnings.simplefilter("ignore")

BIG = "99999999999999999999"

def number(v):
    if not isinstance(v, int): return "number"
    return str(v) if -1 << BITS <= v < 1 << BITS else BIG

class Judge(ast.NodeVisitor):
    def __init__(self, text):
        self.text = text
        self.why = "name" if "\\N" in text else ""
        self.lines = re.findall(rb"[^\r\n]*(?:\r\n|\r|\n|$)", text.encode())

    # The text between two places, without comments.
    def source(self, a, b):
        lines = self.lines[a[0]-1:b[0]]
        lines[-1] = lines[-1][:b[1]]
        lines[0] = lines[0][a[1]:]
        return b"".join(re.sub(rb"#[^\r\n]*", b"#", l) for l in lines)

    def whole(self, n):
        # Before, in and behind the value.
        before = self.source((1, 0), (n.lineno, n.col_offset))
        after = self.source((n.end_lineno, n.end_col_offset), (len(self.lines), len(self.lines[-1])))
        if isinstance(n, (ast.Constant, ast.UnaryOp)): after += b"".join(self.lines)
        if re.search(rb"\\[\r\n]|\f|\r(?!\n)", before + b" " + after): self.why = "outside of brackets"
        if isinstance(n, ast.Tuple):
            inside = ast.parse("[" + self.text + "\n]", mode="eval").body.elts
            if len(inside) != 1 or ast.dump(inside[0]) != ast.dump(n): self.why = "tuple without parentheses"
        return self.visit(n)

    def visit_Constant(self, n):
        v = n.value
        if v is Ellipsis: self.why = "ellipsis"
        if isinstance(v, str):
            if any(0xD800 <= ord(c) < 0xE000 for c in v): self.why = "surrogate"
            return repr(v)
        if isinstance(v, bool) or v is None: return repr(v)
        return "bytes" if isinstance(v, bytes) else number(v)

    def generic_visit(self, n): raise ValueError(n)

    def visit_UnaryOp(self, n):
        ast.literal_eval(ast.Expression(n))
        m = n.operand
        if b"(" in self.source((n.lineno, n.col_offset), (m.lineno, m.col_offset)): self.why = "sign before parentheses"
        return number(-m.value if isinstance(n.op, ast.USub) else m.value)

    def visit_BinOp(self, n):
        ast.literal_eval(ast.Expression(n))
        self.why = "sum"
        return "number"

    def visit_Call(self, n):
        ast.literal_eval(ast.Expression(n))
        self.why = "empty set"
        return "{}"

    def visit_Tuple(self, n):
        return "(" + self.items(n.elts) + ")"

    def visit_List(self, n): return "[" + self.items(n.elts) + "]"
    def visit_Set(self, n): return "{" + self.items(n.elts) + "}"
    def items(self, s): return "".join(self.visit(n) + "," for n in s)

    def visit_Dict(self, n):
        return "{" + "".join(self.visit(k) + ":" + self.visit(v) + "," for k, v in zip(n.keys, n.values)) + "}"

def judge(text):
    try:
        ast.literal_eval(text)
    except TypeError as e:
        if "unhashable" not in str(e): return "", ""
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return "", ""
    text = text.lstrip(" \t")
    j = Judge(text)
    try:
        return j.whole(ast.parse(text, mode="eval").body), j.why
    except ValueError:  # a set or dict with unhashable items may contain what is not a literal
        return "", ""

out = [judge(text) for text in x]
`

// TestOracle compares Parse with ast.literal_eval on random literals. Some of the literals are damaged.
func TestOracle(t *testing.T) {
	p := oracle.Start(t)
	r, n := oracle.Rand(t, 0), oracle.Cases(t, 10000)
	if err := p.Run("BITS = x", strconv.IntSize-1, nil); err != nil {
		t.Fatal(err)
	}
	accepted, refused := 0, map[string]int{}
	for n > 0 {
		texts := make([]string, 1000)
		for i := range texts {
			g := generator{r: r}
			g.value(4)
			texts[i] = g.b.String()
			for range r.IntN(4) {
				texts[i] = damage(r, texts[i])
			}
			texts[i] = strings.ToValidUTF8(texts[i], "?")
		}
		n -= len(texts)
		var out [][2]string
		if err := p.Run(python, texts, &out); err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			v, err := Parse(text, Config{})
			want, why, got := out[i][0], out[i][1], ""
			if err == nil {
				got = coarseDump(v)
				accepted++
			}
			if err != nil && want != "" && why != "" {
				refused[why]++
			} else if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%q: %v; Python's -, ours +\n%s", text, err, d)
			}
		}
	}
	t.Logf("%d accepted; refused: %v", accepted, refused)
}

// coarseDump is like dump, but without the text of bytes and of numbers that are not integers.
func coarseDump(v Value) string {
	switch v.Kind() {
	case Bytes:
		return "bytes"
	case Number:
		return "number"
	case Tuple, List, Dict, Set:
		var b strings.Builder
		b.WriteByte("([{{"[v.Kind()-Tuple])
		n := 0
		for c := v.First(); c.Kind() != Invalid; c = v.After(c) {
			b.WriteString(coarseDump(c))
			b.WriteByte(",:"[b2i(v.Kind() == Dict && n%2 == 0)])
			n++
		}
		b.WriteByte(")]}}"[v.Kind()-Tuple])
		return b.String()
	}
	if v.Kind() == Int {
		if n, ok := v.Int(); ok {
			return strconv.Itoa(n)
		}
	}
	return dump(v)
}

// A generator writes random literals.
type generator struct {
	r *rand.Rand
	b strings.Builder
}

func (g *generator) pick(s ...string) { g.b.WriteString(s[g.r.IntN(len(s))]) }

func (g *generator) space() {
	if g.r.IntN(4) == 0 {
		g.pick(" ", "  ", "\t", "\n", "\r\n", "\r", "\f", " # a 'comment' (\n", "\\\n", "#\r")
	}
}

func (g *generator) value(depth int) {
	g.space()
	defer g.space()
	k := g.r.IntN(12)
	if depth == 0 {
		k = g.r.IntN(8)
	}
	switch k {
	case 0:
		g.pick("True", "False", "None")
	case 1, 2:
		g.pick("", "", "", "-", "+", "- ", "-\n")
		g.pick("0", "1", "10", "1_000", "0x1F", "0o17", "0B101", "0x_f", "00", "9223372036854775807", "9223372036854775808",
			"123456789012345678901234567890")
	case 3:
		g.pick("", "-", "+")
		g.pick("1.5", ".5", "5.", "1e5", "1E-5", "1.5e+5", "07.5", "0_7e1", "2j", "1.5J", "07j", "1_0.0_1", "1.e1")
	case 4, 5, 6:
		g.str()
		for g.r.IntN(4) == 0 {
			g.space()
			g.str()
		}
	case 7:
		g.b.WriteByte('(')
		g.value(max(depth-1, 0))
		g.b.WriteByte(')')
	case 8:
		g.b.WriteByte('(')
		g.items(depth, 1)
		g.b.WriteByte(')')
	case 9:
		g.b.WriteByte('[')
		g.items(depth, 0)
		g.b.WriteByte(']')
	case 10:
		g.b.WriteByte('{')
		for range g.r.IntN(4) {
			g.value(depth - 1)
			g.b.WriteByte(':')
			g.value(depth - 1)
			g.b.WriteByte(',')
		}
		g.b.WriteByte('}')
	case 11:
		g.b.WriteByte('{')
		g.items(depth, 0)
		g.b.WriteByte('}')
	}
}

func (g *generator) items(depth, comma int) {
	n := g.r.IntN(4)
	for i := range n {
		g.value(depth - 1)
		if i < n-1 || n == comma || g.r.IntN(2) == 0 {
			g.b.WriteByte(',')
			g.space()
		}
	}
}

func (g *generator) str() {
	g.pick("", "", "", "", "u", "U", "r", "R", "b", "Br", "rb")
	i := g.r.IntN(4)
	q := []string{"'", `"`, "'''", `"""`}[i]
	g.b.WriteString(q)
	for range g.r.IntN(6) {
		g.pick("a", "b", "<f8", " ", "é", "中", "😀", `\n`, `\t`, `\\`, `\'`, `\"`, `\x41`, `\xe9`, `\u4e2d`, `\U0001F600`,
			`\0`, `\101`, `\777`, `\8`, `\d`, "\\\n",
			"\\\r\n", `\a`, `\u00`, `\ud800`, "#", "(", "]")
		if i > 1 {
			g.pick("", "", "\n", "\r\n", "'", `"`, "\r")
		}
	}
	g.b.WriteString(q)
}

// damage returns s with one small change.
func damage(r *rand.Rand, s string) string {
	i := r.IntN(len(s) + 1)
	j := min(len(s), i+r.IntN(3))
	tokens := []string{"", " ", "\n", "\r", "\t", "\f", "\v", "\\", "\\\n", "#", "'", `"`, "'''", "(", ")", "[", "]", "{",
		"}", ",", ":", "-", "+", ".", "_", "*", "...",
		"0", "7", "1_0", "0x", "e5", "j", "L", "True", "None", "x", "set()", "b", "r", "f", "u", `\x4`, `\N{DIGIT ONE}`, "é",
		"\u00a0", "\ufeff", "\x01", "\x7f", "if", "1 if 1 else 2"}
	return s[:i] + tokens[r.IntN(len(tokens))] + s[j:]
}
