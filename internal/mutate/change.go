package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// A change replaces bytes of a file.
type change struct {
	file       string // relative to the module root
	line, last int    // the first and last lines of the replaced bytes
	start, end int    // offsets of the replaced bytes
	text       string // replacement
	source     string // the first line, without leading and trailing space
	what       string // "old => new", with " #2" for the second such change of the same source in the file
}

// key returns a string that identifies the change and does not depend on the surrounding lines.
func (c change) key() string { return c.file + "\n" + c.source + "\n" + c.what }

// replacement maps an operator or a name to its replacement. Assignment operators are replaced accordingly: += becomes
// -=.
var replacement = map[string]string{
	"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
	"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "&": "|", "|": "&", "^": "&", "&^": "&", "<<": ">>", ">>": "<<",
	"++": "--", "--": "++", "min": "max", "max": "min", "true": "false", "false": "true",
}

// changes returns all possible changes to a file with the content src.
func changes(file string, src []byte) (list []change, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, 0)
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(src), "\n")
	seen := map[string]int{}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	text := func(n ast.Node) string { return string(src[at(n.Pos()):at(n.End())]) }
	replace := func(from, to token.Pos, s string) {
		if old := string(src[at(from):at(to)]); old != s {
			c := change{file: file, line: fset.Position(from).Line, last: fset.Position(to).Line, start: at(from), end: at(to),
				text: s}
			c.source = strings.TrimSpace(lines[c.line-1])
			c.what = strings.Join(strings.Fields(old+" => "+s), " ")
			if seen[c.key()]++; seen[c.key()] > 1 {
				c.what += fmt.Sprintf(" #%d", seen[c.key()])
			}
			list = append(list, c)
		}
	}
	swap := func(pos token.Pos, old, suffix string) {
		if to, ok := replacement[old]; ok {
			replace(pos, pos+token.Pos(len(old+suffix)), to+suffix)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			swap(n.OpPos, n.Op.String(), "")
		case *ast.AssignStmt:
			if op, ok := strings.CutSuffix(n.Tok.String(), "="); ok {
				swap(n.TokPos, op, "=")
			}
		case *ast.IncDecStmt:
			swap(n.TokPos, n.Tok.String(), "")
		case *ast.UnaryExpr:
			if n.Op == token.NOT || n.Op == token.SUB {
				replace(n.Pos(), n.End(), text(n.X))
			}
		case *ast.IfStmt:
			// For == and !=, negation is the same change as replacing the operator.
			if b, ok := n.Cond.(*ast.BinaryExpr); !ok || b.Op != token.EQL && b.Op != token.NEQ {
				replace(n.Cond.Pos(), n.Cond.End(), "!("+text(n.Cond)+")")
			}
		case *ast.BasicLit:
			if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil && n.Kind == token.INT {
				replace(n.Pos(), n.End(), strconv.FormatInt(v+1, 10))
			}
		case *ast.Ident:
			swap(n.Pos(), n.Name, "")
		case *ast.CallExpr:
			name := text(n.Fun)
			if name == "math.Inf" && text(n.Args[0]) == "1" { // the result is the same for every positive argument
				return false
			}
			if name == "min" || name == "max" || strings.HasSuffix(name, ".Equal") { // the order does not matter
				break
			}
			for i := 1; i < len(n.Args) && !n.Ellipsis.IsValid(); i++ {
				a, b := n.Args[i-1], n.Args[i]
				replace(a.Pos(), b.End(), text(b)+string(src[at(a.End()):at(b.Pos())])+text(a))
			}
		}
		return true
	})
	return list, nil
}

// An entry in equivalent.txt describes a change that no program can notice.
type entry struct{ file, source, what, reason string }

// parseEquivalents parses equivalent.txt. Each paragraph has at least four lines: the file, the source, the change, and
// the reason. Lines that start with # are comments.
func parseEquivalents(text string) (list []entry, err error) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		var lines []string
		for line := range strings.Lines(paragraph) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		switch {
		case len(lines) == 0:
		case len(lines) < 4:
			return nil, fmt.Errorf("equivalent.txt: have %q, want file, source, change and reason", lines)
		default:
			list = append(list, entry{lines[0], lines[1], lines[2], strings.Join(lines[3:], " ")})
		}
	}
	return list, nil
}

func (e entry) key() string { return change{file: e.file, source: e.source, what: e.what}.key() }

// A lineRange is a range of lines in a file. It includes the last line.
type lineRange struct{ first, last int }

// parseDiff returns the lines that a diff without context, git diff -U0, adds to each file.
func parseDiff(diff string) (map[string][]lineRange, error) {
	added, file := map[string][]lineRange{}, ""
	for line := range strings.Lines(diff) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "+++ "); ok {
			file = strings.TrimPrefix(name, "b/")
		}
		if !strings.HasPrefix(line, "@@ ") {
			continue
		}
		f := strings.Fields(line) // @@ -1,2 +3,4 @@
		if len(f) < 4 {
			return nil, fmt.Errorf("git diff: invalid hunk header %q", line)
		}
		first, count, _ := strings.Cut(strings.TrimPrefix(f[2], "+"), ",")
		at, err := strconv.Atoi(first)
		n := 1
		if err == nil && count != "" {
			n, err = strconv.Atoi(count)
		}
		if err != nil {
			return nil, fmt.Errorf("git diff: invalid hunk header %q: %w", line, err)
		}
		if n > 0 {
			added[file] = append(added[file], lineRange{at, at + n - 1})
		}
	}
	return added, nil
}

// touches reports whether the change affects one of the lines.
func (c change) touches(lines []lineRange) bool {
	for _, s := range lines {
		if c.line <= s.last && s.first <= c.last {
			return true
		}
	}
	return false
}
