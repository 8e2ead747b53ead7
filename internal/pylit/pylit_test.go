package pylit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// dump returns a value in a canonical notation: integers in decimal, integers that overflow int as
// 99999999999999999999, strings as Python quotes them, and other numbers and bytes unchanged.
func dump(v Value) string {
	var b strings.Builder
	appendDump(&b, v)
	return b.String()
}

func appendDump(b *strings.Builder, v Value) {
	brackets := ""
	switch v.Kind() {
	case Str:
		b.Write(AppendQuote(nil, v.Str()))
	case Int:
		if n, ok := v.Int(); ok {
			fmt.Fprint(b, n)
		} else {
			b.WriteString(big)
		}
	case Bool:
		b.WriteString([]string{"False", "True"}[b2i(v.Bool())])
	case None:
		b.WriteString("None")
	case Number, Bytes:
		b.WriteString(v.Text())
	case Tuple:
		brackets = "()"
	case List:
		brackets = "[]"
	case Dict, Set:
		brackets = "{}"
	}
	if brackets == "" {
		return
	}
	b.WriteByte(brackets[0])
	n := 0
	for c := v.First(); c.Kind() != Invalid; c = v.After(c) {
		appendDump(b, c)
		b.WriteByte(",:"[b2i(v.Kind() == Dict && n%2 == 0)])
		n++
	}
	b.WriteByte(brackets[1])
	if n != v.Len() {
		fmt.Fprintf(b, "!Len %d", v.Len())
	}
}

const big = "99999999999999999999"

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestParse(t *testing.T) {
	python3, python2 := Config{}, Config{Encoding: Latin1, Filter: true}
	for _, tt := range []struct {
		name string
		cfg  Config
		in   string
		want string
	}{
		{"names", python3, "[True, False, None]", "[True,False,None,]"},
		{"integers", python3, "[0, 00, 0_0, 7, 10, 1_000, -3, +4, - 5]", "[0,0,0,7,10,1000,-3,4,-5,]"},
		{"other bases", python3, "[0x1F, 0Xff, 0x_1_f, 0o17, 0O_7, 0b101, 0B1, -0x10, 0b_1_0]",
			"[31,255,31,15,7,5,1,-16,2,]"},
		{"too large for an int", python3, "[99999999999999999999, -0x1_0000_0000_0000_0000, 0b" + strings.Repeat("1",
			70) + "]", "[" + strings.Repeat(big+",", 3) + "]"},
		{"other numbers", python3, "[1.5, .5, 5., 1e5, 1E-5, 1.5e+5, 07.5, 0_7e1, 2j, 1.5J, 07j, 1_0.0_1]",
			"[1.5,.5,5.,1e5,1E-5,1.5e+5,07.5,0_7e1,2j,1.5J,07j,1_0.0_1,]"},
		{"a sign, a comment with digits, a number", python3, "(- # 9\n 5,)", "(-5,)"},
		{"Python 2's long integers", python2, "[10L, 10 L, 10\tL\fL L, 0x1FL, 10 \\\nL, 10\\\r\nL]", "[10,10,10,31,10,10,]"},
		{"a line of white space that NumPy's filter drops", python2, "1\n  ", "1"},
		{"tuples", python3, "[(), (1,), (1,2), (1,2,), ((),), ( )]", "[(),(1,),(1,2,),(1,2,),((),),(),]"},
		{"groups are what is in them", python3, "((('a')), [(1)], ((2), ((3))), {('k'): (4)})",
			"('a',[1,],(2,3,),{'k':4,},)"},
		{"lists", python3, "[[], [1], [1,], [[2], 3]]", "[[],[1,],[1,],[[2,],3,],]"},
		{"dicts and sets", python3, "[{}, {'a': 1}, {'a': 1, 'b': {2: 3},}, {1}, {1, 2,}]",
			"[{},{'a':1,},{'a':1,'b':{2:3,},},{1,},{1,2,},]"},
		{"no white space", python3, "{'a':[1,(2,3)],'b':'c'}", "{'a':[1,(2,3,),],'b':'c',}"},
		{"all white space", python3, " \t( \t\n\r\f1 # one\n,\\\n2\\\r\n,# two\r3\\\r)  \n \t\f\r\n # end\n \t#", "(1,2,3,)"},
		{"lines before the value", python3, "\n  # comment\n\t\n\r\n1", "1"},
		{"200 brackets", python3, strings.Repeat("[", 200) + strings.Repeat("]", 200), strings.Repeat("[",
			200) + "]" + strings.Repeat(",]", 199)},

		{"quotes", python3, `['a', "b", '''c''', """d""", 'it"s', "it's", ''' ' '' \''' ''', '', "", '''''', """"""]`,
			`['a','b','c','d','it"s',"it's"," ' '' ''' ",'','','','',]`},
		{"prefixes", python3, `[u'a', U"b", r'\n', R"\'", b'x', Br'\x', rB"y"]`, `['a','b','\\n',"\\'",b'x',Br'\x',rB"y",]`},
		{"joined", python3, "['a' 'b', 'a'\"b\"u'c'\n  r'\\d' '''e''', ('a'\n#c\n'b')]", `['ab','abc\\de','ab',]`},
		{"escapes", python3, `'\a\b\f\n\r\t\v\\\'\"'`, `'\x07\x08\x0c\n\r\t\x0b\\\'"'`},
		{"escapes by number", python3, `'\0\7\77\101\1012\477\777 \x41\u00e9\u4E2D\U0001F600'`, `'\x00\x07?AA2Ŀǿ Aé中😀'`},
		{"unknown escapes", python3, `'\d\8\ \é'`, `'\\d\\8\\ \\é'`},
		{"a continued string", python3, "['a\\\nb', 'a\\\r\nb', 'a\\\rb', r'a\\\nb', '''a\nb\r\nc\rd''']",
			`['ab','ab','ab','a\\\nb','a\nb\nc\nd',]`},
		{"UTF-8", python3, "'é中😀'", "'é中😀'"},
		{"Latin-1", python2, "['\xe9', '\xc3\xa9\\u4e2d', r'\xff']", "['é','Ã©中','ÿ',]"},
		{"any byte in a comment", python2, "1 # \xff\x01", "1"},
		{"a NUL by escape", python3, `'\x00'`, `'\x00'`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := Parse(tt.in, tt.cfg)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				return
			}
			if d := cmp.Diff(tt.want, dump(v)); d != "" {
				t.Errorf("%s: want -, got +\n%s", tt.name, d)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	python3, python2 := Config{}, Config{Encoding: Latin1, Filter: true}
	for _, tt := range []struct {
		cfg  Config
		in   string
		want string
	}{
		{python3, "", "byte 0: the end where a value should be"},
		{python3, "  \n # nothing\n", "byte 14: the end where a value should be"},
		{python3, "1 2", "byte 2: '2' after the end of the value"},
		{python3, "1\n,", "byte 2: ',' after the end of the value"},
		{python3, "\n 1", "byte 1: ' ' before the value"},
		{python3, "\n\t[", "byte 1: '\\t' before the value"},
		{python3, "\f1", "byte 0: '\\f' before the value"},
		{python3, "\r1", "byte 0: '\\r' where a value should be"},
		{python3, "1\r", "byte 1: '\\r' after the end of the value"},
		{python3, "\\\n1", "byte 0: '\\\\' where a value should be"},
		{python3, "1\\\n", "byte 1: '\\\\' after the end of the value"},
		{python3, "1\n  ", "byte 2: the last line is white space without a line end"},
		{python3, "'a'\n'b'", "byte 4: '\\'' after the end of the value"},
		{python3, "-\n5", "byte 1: '\\n' where a number should follow the sign"},
		{python3, "[1, \\ 2]", "byte 4: '\\\\' where a value should be"},
		{python3, "\v1", "byte 0: '\\v' where a value should be"},
		{python3, "\u00a01", "byte 0: '\\u00a0' where a value should be"},
		{python3, "'a\xff'", "byte 2: a byte that is not UTF-8"},
		{python3, "'\xed\xa0\x80'", "byte 1: a byte that is not UTF-8"},
		{python2, "\xff", "byte 0: 'ÿ' where a value should be"},
		{python3, "['a\x00']", "byte 3: a NUL byte"},

		{python3, "x", "byte 0: the name x is not a literal"},
		{python3, "__import__('os')", "byte 0: the name __import__ is not a literal"},
		{python3, strings.Repeat("x", 100), "byte 0: the name " + strings.Repeat("x", 40) + "… is not a literal"},
		{python3, "[true]", "byte 1: the name true is not a literal"},
		{python3, "...", "byte 0: '.' where a value should be"},
		{python3, "set()", "byte 0: the name set is not a literal"},
		{python3, "1+2j", "byte 1: '+' after the end of the value"},
		{python3, "-(5)", "byte 1: '(' where a number should follow the sign"},
		{python3, "--5", "byte 1: '-' where a number should follow the sign"},
		{python3, "-True", "byte 1: 'T' where a number should follow the sign"},
		{python3, "-", "byte 1: the end where a number should follow the sign"},
		{python3, "-.", "byte 1: . is not a number"},
		{python3, "07", "byte 0: 07 is not a number"},
		{python3, "0_7", "byte 0: 0_7 is not a number"},
		{python3, "1_", "byte 0: 1_ is not a number"},
		{python3, "1__0", "byte 0: 1__0 is not a number"},
		{python3, "1.5_", "byte 0: 1.5_ is not a number"},
		{python3, "1_.5", "byte 0: 1_.5 is not a number"},
		{python3, "1._5", "byte 0: 1._5 is not a number"},
		{python3, "1e", "byte 0: 1e is not a number"},
		{python3, "1e+", "byte 0: 1e+ is not a number"},
		{python3, "1ej", "byte 0: 1ej is not a number"},
		{python3, "1e_5", "byte 0: 1e_5 is not a number"},
		{python3, "0x", "byte 0: 0x is not a number"},
		{python3, "0x__1", "byte 0: 0x__1 is not a number"},
		{python3, "0o8", "byte 0: 0o8 is not a number"},
		{python3, "0b12", "byte 0: 0b12 is not a number"},
		{python3, "0x1p4", "byte 0: 0x1p4 is not a number"},
		{python3, "1.2.3", "byte 0: 1.2.3 is not a number"},
		{python3, "1jj", "byte 0: 1jj is not a number"},
		{python3, "1if", "byte 0: 1if is not a number"},
		{python3, "10L", "byte 0: 10L is not a number"}, // Python 3 does not write such integers
		{python2, "[10\nL]", "byte 4: 'L' where ',' or ']' should be"},
		{python2, "[10 # L\nL]", "byte 8: 'L' where ',' or ']' should be"},
		{python2, "[10 LL]", "byte 4: 'L' where ',' or ']' should be"},
		{python2, "[10 L\xe9]", "byte 4: 'L' where ',' or ']' should be"},
		{python2, "1.5L", "byte 3: 'L' after the end of the value"},
		{python2, "L", "byte 0: the name L is not a literal"},

		{python3, "(", "byte 0: '(' is never closed by ')'"},
		{python3, "[1, 2", "byte 0: '[' is never closed by ']'"},
		{python3, "[1, (2, ", "byte 4: '(' is never closed by ')'"},
		{python3, "{'a': 1", "byte 0: '{' is never closed by '}'"},
		{python3, "{'a':", "byte 0: '{' is never closed by '}'"},
		{python3, "(1]", "byte 2: ']' where ',' or ')' should be"},
		{python3, "[1 2]", "byte 3: '2' where ',' or ']' should be"},
		{python3, "(,)", "byte 1: ',' where a value should be"},
		{python3, "[1,,2]", "byte 3: ',' where a value should be"},
		{python3, "{'a': 1, 'b'}", "byte 12: '}' where ':' should follow the key 'b'"},
		{python3, "{'a', 'b': 1}", "byte 9: ':' where ',' or '}' should be"},
		{python3, "{'a': }", "byte 6: '}' where a value should be"},
		{python3, "{**x}", "byte 1: '*' where a value should be"},
		{python3, "]", "byte 0: ']' where a value should be"},
		{python3, strings.Repeat("(", 201), "byte 200: brackets nested deeper than 200"},

		{python3, "'abc", "byte 0: unterminated string"},
		{python3, "['abc]", "byte 1: unterminated string"},
		{python3, "'a\nb'", "byte 0: unterminated string"},
		{python3, "'a\rb'", "byte 0: unterminated string"},
		{python3, `'a\'`, "byte 0: unterminated string"},
		{python3, `r'a\'`, "byte 0: unterminated string"},
		{python3, "'''a''", "byte 0: unterminated string"},
		{python3, "'''", "byte 0: unterminated string"},
		{python3, "f'x'", "byte 0: a string with the prefix f is not a literal"},
		{python3, "ur'x'", "byte 0: a string with the prefix ur is not a literal"},
		{python3, "rbx'x'", "byte 0: the name rbx is not a literal"},
		{python3, "'a' b'b'", "byte 0: cannot join strings and bytes"},
		{python3, "'a' f'b'", "byte 4: a string with the prefix f is not a literal"},
		{python3, "b'é'", "byte 2: a bytes literal may contain only ASCII characters"},
		{python3, `'ab\x4'`, "byte 3: truncated escape"},
		{python3, `'\x4g'`, `byte 1: invalid escape \x4g`},
		{python3, `'\u123'`, "byte 1: truncated escape"},
		{python3, `'\ud800'`, `byte 1: invalid escape \ud800`}, // half of a surrogate pair
		{python3, `'\ud83d\ude00'`, `byte 1: invalid escape \ud83d`},
		{python3, `'\U00110000'`, `byte 1: invalid escape \U00110000`},
		{python3, `'\Uffffffff'`, `byte 1: invalid escape \Uffffffff`},
		{python3, `'\x+1'`, `byte 1: invalid escape \x+1`},
		{python3, `b'\x1'`, "byte 2: truncated escape"},
		{python3, `'\N{DIGIT ONE}'`, `byte 1: escapes by name (\N{…}) are not supported`},
	} {
		v, err := Parse(tt.in, tt.cfg)
		if err == nil {
			t.Errorf("%.60q is accepted as %s", tt.in, dump(v))
		} else if err.Error() != tt.want {
			t.Errorf("%.60q:\n got %v\nwant %s", tt.in, err, tt.want)
		}
	}
}

// TestPositions tests the positions of values and their text.
func TestPositions(t *testing.T) {
	src := " {'a' : ( -5 ,(\"x\"\n'y')), 'b':[0x1, True]} # end"
	v, err := Parse(src, Config{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var walk func(v Value)
	walk = func(v Value) {
		got = append(got, fmt.Sprintf("%d %v %s", v.Pos(), v.Kind(), v.Text()))
		for c := v.First(); c.Kind() != Invalid; c = v.After(c) {
			walk(c)
		}
	}
	walk(v)
	want := []string{
		"1 a dict {'a' : ( -5 ,(\"x\"\n'y')), 'b':[0x1, True]}",
		"2 a string 'a'",
		"8 a tuple ( -5 ,(\"x\"\n'y'))",
		"10 an integer -5",
		"15 a string \"x\"\n'y'",
		"26 a string 'b'",
		"30 a list [0x1, True]",
		"31 an integer 0x1",
		"36 a boolean True",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("want -, got +\n%s", d)
	}
	if k := (Value{}).Kind(); k != Invalid {
		t.Errorf("the zero Value is %v", k)
	}
}

func TestExcerpt(t *testing.T) {
	for _, tt := range []struct {
		cfg      Config
		in, want string
	}{
		{Config{}, "[1, 'x']", "[1, 'x']"},
		{Config{}, "'\x1b[2J\u202e é'", `'\x1b[2J\u202e é'`},
		{Config{}, "['a',\n\t'b']", `['a',\n\t'b']`},
		{Config{Encoding: Latin1}, "'\xe9\x9b'", `'é\u009b'`},
		{Config{Encoding: Latin1}, "'\xc3\xa9'", "'Ã©'"},
		{Config{}, "'" + strings.Repeat("é", 50) + "'", "'" + strings.Repeat("é", 39) + "…"},
		{Config{}, "'" + strings.Repeat("x", 38) + "'", "'" + strings.Repeat("x", 38) + "'"},
	} {
		v, err := Parse(tt.in, tt.cfg)
		if err != nil {
			t.Error(err)
		} else if got := v.Excerpt(); got != tt.want {
			t.Errorf("%q: %s, want %s", tt.in, got, tt.want)
		}
	}
}

func TestIsASCII(t *testing.T) {
	for s, want := range map[string]bool{"": true, "a\x00\x7f": true, "a\x80": false, "\xff": false, "é": false} {
		if got := isASCII(s); got != want {
			t.Errorf("isASCII(%q) = %v, want %v", s, got, want)
		}
	}
}

func TestInt(t *testing.T) {
	for in, want := range map[string]int{
		fmt.Sprint(maxInt):                     maxInt,
		fmt.Sprint(-maxInt - 1):                -maxInt - 1,
		fmt.Sprintf("%#x", maxInt):             maxInt,
		fmt.Sprintf("-0b%b", maxInt):           -maxInt,
		fmt.Sprintf("%#b", maxInt):             maxInt,
		"-0":                                   0,
		"0x" + strings.Repeat("0", 50):         0,
		"0o" + strings.Repeat("0_", 50) + "17": 15,
	} {
		t.Run(in, func(t *testing.T) {
			v, err := Parse(in, Config{})
			if err != nil {
				t.Error(err)
				return
			}
			if got, ok := v.Int(); got != want || !ok {
				t.Errorf("%s is %d, %t", in, got, ok)
			}
		})
	}
	for _, in := range []string{
		fmt.Sprint(uint(maxInt) + 1), fmt.Sprintf("-%d", uint(maxInt)+2), fmt.Sprintf("%#x", uint(maxInt)+1),
		fmt.Sprint(^uint(0)), strings.Repeat("9", 1000),
	} {
		v, err := Parse(in, Config{})
		if err != nil {
			t.Error(err)
		} else if n, ok := v.Int(); ok {
			t.Errorf("%s is %d, want an overflow", in, n)
		}
	}
}

// TestQuote tests that AppendQuote writes strings like Python's repr, and that Parse reads them.
func TestQuote(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", `''`}, {"a", `'a'`}, {"it's", `"it's"`}, {`"`, `'"'`}, {`'"`, `'\'"'`}, {`a\b`, `'a\\b'`},
		{"\n\r\t", `'\n\r\t'`}, {"\x00\x1f\x7f\u0080\u009f", `'\x00\x1f\x7f\x80\x9f'`},
		{"é中😀", `'é中😀'`}, {"\u00a0\u00ad\u3000\u2028\u200b\ue000", `'\xa0\xad\u3000\u2028\u200b\ue000'`},
		{"\U000e0001\U0010ffff", `'\U000e0001\U0010ffff'`},
	} {
		if got := string(AppendQuote(nil, tt.in)); got != tt.want {
			t.Errorf("AppendQuote(%q) is %s, want %s", tt.in, got, tt.want)
		}
		if v, err := Parse(tt.want, Config{}); err != nil || v.Str() != tt.in {
			t.Errorf("%s is read as %q (%v)", tt.want, v.Str(), err)
		}
	}
}

const ordinary = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }                                                          \n"

func TestAllocs(t *testing.T) {
	oracle.CountsAllocations(t)
	n := testing.AllocsPerRun(100, func() {
		v, err := Parse(ordinary, Config{Encoding: Latin1, Filter: true})
		if err != nil {
			t.Fatal(err)
		}
		for c := v.First(); c.Kind() != Invalid; c = v.After(c) {
			if c.Kind() == Str && c.Str() == "" || c.Kind() == Tuple && c.Len() != 2 {
				t.Fatal(dump(v))
			}
		}
	})
	if n != 1 {
		t.Errorf("%v allocations, want 1", n)
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for range b.N {
		if _, err := Parse(ordinary, Config{Encoding: Latin1, Filter: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// FuzzPylit tests that no text makes the parser panic, and that Parse reads accepted values again from the output of
// dump.
func FuzzPylit(f *testing.F) {
	f.Add(ordinary, true, false)
	f.Add("[('x', '<f4'), (('t', 'n'), \"|V4\", (2L, 0x3)), {1: -2.5e3, b'': u'\\u00e9' r\"\\\"}]", false, true)
	f.Add("(- # 9\n 5, '''a\r\n''' \"\\N{A}\\777\\x41\", 10 L \\\n L, 0b1_0, 1j, {1, 2,},)", true, true)
	f.Fuzz(func(t *testing.T, src string, latin1, long bool) {
		v, err := Parse(src, Config{Encoding(b2i(latin1)), long})
		if err != nil {
			if e := err.(*Error); e.Pos < 0 || e.Pos > len(src) || len(e.Msg) > 300 {
				t.Fatalf("%q: %v", src, err)
			}
			return
		}
		text := dump(v)
		w, err := Parse(text, Config{UTF8, true})
		if err != nil && !strings.Contains(src, "#") { // dump keeps comments in bytes and numbers
			t.Fatalf("%q is written as %q: %v", src, text, err)
		}
		if err == nil && dump(w) != text {
			t.Fatalf("%q is written as %q, and that as %q", src, text, dump(w))
		}
	})
}
