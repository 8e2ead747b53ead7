package objects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// scalar returns opcodes for a scalar of NumPy.
func scalar(code, order, data string) string {
	state := "K\x03U\x01" + order + "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00t"
	if code[0] == 'M' || code[0] == 'm' {
		state = "K\x04U\x01" + order + "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00}(U\x01sK\x01K\x01K\x01t\x86t"
	}
	return "cnumpy.core.multiarray\nscalar\n(cnumpy\ndtype\n(U" + string(rune(len(code))) + code + "\x89\x88tR(" + state + "bU" +
		string(rune(len(data))) + data + "tR"
}

// TestValues tests the Go value, the text and the JSON of each opcode and each type.
func TestValues(t *testing.T) {
	wide := new(big.Int).Lsh(big.NewInt(1), 63)
	datetime := func(s, zone string) string {
		return "cdatetime\ndatetime\n(U\x0a" + s + zone + "tR"
	}
	zone := func(seconds, name string) string {
		return "cdatetime\ntimezone\n(cdatetime\ntimedelta\n(" + seconds + "tR" + name + "tR"
	}
	const day, noon = "\x07\xe4\x02\x1d\x00\x00\x00\x00\x00\x00", "\x07\xe4\x82\x1d\x0c\x01\x02\x00\x00\x03"
	for _, tt := range []struct {
		name, opcodes string
		want          any
		text, json    string
	}{
		{"None", "N", nil, "None", "null"},
		{"NEWTRUE", "\x88", true, "True", "true"},
		{"NEWFALSE", "\x89", false, "False", "false"},
		{"INT of a bool", "I01\n", true, "True", "true"},
		{"INT of another bool", "I00\n", false, "False", "false"},
		{"INT", "I-12\n", int64(-12), "-12", "-12"},
		{"INT, sign", "I+7\n", int64(7), "7", "7"},
		{"INT, wide", "I9223372036854775808\n", wide, "9223372036854775808", "9223372036854775808"},
		{"LONG", "L5L\n", int64(5), "5", "5"},
		{"LONG without L", "L-5\n", int64(-5), "-5", "-5"},
		{"BININT", "J\xfe\xff\xff\xff", int64(-2), "-2", "-2"},
		{"BININT1", "K\xff", int64(255), "255", "255"},
		{"BININT2", "M\x01\xff", int64(0xff01), "65281", "65281"},
		{"LONG1, empty", "\x8a\x00", int64(0), "0", "0"},
		{"LONG1, negative", "\x8a\x01\x80", int64(-128), "-128", "-128"},
		{"LONG1, int64", "\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80", int64(math.MinInt64), "-9223372036854775808",
			"-9223372036854775808"},
		{"LONG1, wide", "\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00", wide, "9223372036854775808", "9223372036854775808"},
		{"LONG4", "\x8b\x02\x00\x00\x00\x00\x01", int64(256), "256", "256"},
		{"FLOAT", "F-1.5e3\n", -1500.0, "-1500.0", "-1500.0"},
		{"FLOAT, infinity", "F-inf\n", math.Inf(-1), "-inf", `"-Infinity"`},
		{"BINFLOAT", "G\x3f\xf8\x00\x00\x00\x00\x00\x00", 1.5, "1.5", "1.5"},
		{"BINFLOAT, large", "G\x43\x41\xc3\x79\x37\xe0\x80\x00", 1e16, "1e+16", "1e+16"},

		{"STRING", `S'a\'\\\x41\101\0\n\q"'` + "\n", "a'\\AA\x00\n\\q\"", `'a\'\\AA\x00\n\\q"'`, `"a'\\AA\u0000\n\\q\""`},
		{"STRING, double quotes", `S"it's"` + " \n", "it's", `"it's"`, `"it's"`},
		{"STRING, Latin-1", "S'\\xe9'\n", "é", "'é'", `"é"`},
		{"BINSTRING", "T\x02\x00\x00\x00a\xe9", "aé", "'aé'", `"aé"`},
		{"SHORT_BINSTRING", "U\x01a", "a", "'a'", `"a"`},
		{"UNICODE", "Va\xe9\\u20ac\\U0001d6fc\\n\\\n", "aé€𝛼\\n\\", `'aé€𝛼\\n\\'`, `"aé€𝛼\\n\\"`},
		{"UNICODE, surrogates", "V\\ud835\\udefc\n", "𝛼", "'𝛼'", `"𝛼"`},
		{"UNICODE, escaped backslash", "V\\\\u0041\n", `\\u0041`, `'\\\\u0041'`, `"\\\\u0041"`},
		{"BINUNICODE", "X\x02\x00\x00\x00\xc3\xa9", "é", "'é'", `"é"`},
		{"SHORT_BINUNICODE", "\x8c\x01x", "x", "'x'", `"x"`},
		{"BINUNICODE8", "\x8d" + length(8, 1) + "x", "x", "'x'", `"x"`},
		{"BINUNICODE, long", "X" + length(4, 2000) + strings.Repeat("é", 1000), strings.Repeat("é", 1000),
			"'" + strings.Repeat("é", 1000) + "'",
			`"` + strings.Repeat("é", 1000) + `"`},
		{"SHORT_BINBYTES", "C\x04a\xff\n'", []byte("a\xff\n'"), `b"a\xff\n'"`, `"aÿ\n'"`},
		{"BINBYTES", "B\x03\x00\x00\x00'\"\\", []byte("'\"\\"), `b'\'"\\'`, `"'\"\\"`},
		{"BINBYTES8", "\x8e" + length(8, 2) + "\t\r", []byte("\t\r"), `b'\t\r'`, `"\t\r"`},
		{"BYTEARRAY8", "\x96" + length(8, 1) + "a", []byte("a"), "b'a'", `"a"`},
		{"bytes", "c__builtin__\nbytes\n)R", []byte{}, "b''", `""`},
		{"_codecs.encode", "c_codecs\nencode\n(X\x03\x00\x00\x00a\xc3\xbfX\x07\x00\x00\x00latin-1tR", []byte("a\xff"),
			`b'a\xff'`, `"aÿ"`},
		{"bytearray", "cbuiltins\nbytearray\n)R", []byte{}, "b''", `""`},
		{"bytearray of bytes", "cbuiltins\nbytearray\nC\x01a\x85R", []byte("a"), "b'a'", `"a"`},
		{"bytearray of text", "c__builtin__\nbytearray\n(U\x02a\xe9U\x07latin-1tR", []byte("a\xe9"), `b'a\xe9'`, `"aé"`},

		{"EMPTY_LIST", "]", List{}, "[]", "[]"},
		{"LIST", "(NK\x01l", List{nil, int64(1)}, "[None, 1]", "[null,1]"},
		{"APPEND", "]NaK\x01a", List{nil, int64(1)}, "[None, 1]", "[null,1]"},
		{"EMPTY_TUPLE", ")", Tuple{}, "()", "[]"},
		{"TUPLE", "(NNNNt", Tuple{nil, nil, nil, nil}, "(None, None, None, None)", "[null,null,null,null]"},
		{"TUPLE1", "N\x85", Tuple{nil}, "(None,)", "[null]"},
		{"TUPLE2", "NK\x01\x86", Tuple{nil, int64(1)}, "(None, 1)", "[null,1]"},
		{"TUPLE3", "K\x01K\x02K\x03\x87", Tuple{int64(1), int64(2), int64(3)}, "(1, 2, 3)", "[1,2,3]"},
		{"EMPTY_DICT", "}", Dict{}, "{}", "{}"},
		{"DICT", "(U\x01aK\x01d", Dict{{"a", int64(1)}}, "{'a': 1}", `{"a":1}`},
		{"SETITEM", "}U\x01aNsU\x01b\x88s", Dict{{"a", nil}, {"b", true}}, "{'a': None, 'b': True}", `{"a":null,"b":true}`},
		{"keys of other kinds", "}(U\x01aNNK\x01u", Dict{{"a", nil}, {nil, int64(1)}}, "{'a': None, None: 1}",
			`[["a",null],[null,1]]`},
		{"equal keys", "}(K\x01K\x0a\x88K\x14F1.0\nK\x1eu", Dict{{int64(1), int64(30)}}, "{1: 30}", "[[1,30]]"},
		{"equal complex keys", "}(F0.0\nNc__builtin__\ncomplex\n(F-0.0\nF0.0\ntRK\x01u", Dict{{0.0, int64(1)}}, "{0.0: 1}",
			"[[0.0,1]]"},
		{"keys that differ", "}(U\x011NC\x011NK\x01NF1.5\nNK\x01\x85NNNc__builtin__\ncomplex\n(F1.0\nF1.0\ntRNu",
			Dict{{"1", nil}, {[]byte("1"), nil}, {int64(1), nil}, {1.5, nil}, {Tuple{int64(1)}, nil}, {nil, nil}, {1 + 1i, nil}},
			"{'1': None, b'1': None, 1: None, 1.5: None, (1,): None, None: None, (1+1j): None}",
			`[["1",null],["1",null],[1,null],[1.5,null],[[1],null],[null,null],[[1.0,1.0],null]]`},
		{"wide keys", "}(L9223372036854775808L\nNF9223372036854775808\n\x88u", Dict{{wide, true}},
			"{9223372036854775808: True}",
			"[[9223372036854775808,true]]"},
		{"tuples as keys", "}(K\x01K\x02\x86NK\x01K\x02\x86\x88u", Dict{{Tuple{int64(1), int64(2)}, true}}, "{(1, 2): True}",
			"[[[1,2],true]]"},
		{"OrderedDict", "ccollections\nOrderedDict\n)RU\x01aK\x01s", Dict{{"a", int64(1)}}, "{'a': 1}", `{"a":1}`},
		{"OrderedDict of pairs", "ccollections\nOrderedDict\n](](U\x01aK\x01eU\x01bK\x02\x86e\x85R", Dict{{"a", int64(1)},
			{"b", int64(2)}},
			"{'a': 1, 'b': 2}", `{"a":1,"b":2}`},
		{"EMPTY_SET", "\x8f", Set{}, "set()", "[]"},
		{"ADDITEMS", "\x8f(K\x02K\x01F2.0\n\x90", Set{int64(2), int64(1)}, "{2, 1}", "[2,1]"},
		{"FROZENSET", "(K\x01K\x01\x91", Set{int64(1)}, "{1}", "[1]"},
		{"set", "c__builtin__\nset\n](K\x01K\x01U\x01ae\x85R", Set{int64(1), "a"}, "{1, 'a'}", `[1,"a"]`},
		{"empty set", "cbuiltins\nset\n)R", Set{}, "set()", "[]"},
		{"frozenset as an item", "\x8f(cbuiltins\nfrozenset\n](K\x01K\x02e\x85R(K\x02K\x01\x91\x90", Set{Set{int64(1),
			int64(2)}}, "{{1, 2}}", "[[1,2]]"},
		{"complex", "c__builtin__\ncomplex\n(F1.0\nF-2.5\ntR", 1 - 2.5i, "(1-2.5j)", "[1.0,-2.5]"},
		{"imaginary", "c__builtin__\ncomplex\n(F0.0\nF2.0\ntR", 2i, "2j", "[0.0,2.0]"},

		{"datetime", datetime(day, ""), time.Date(2020, 2, 29, 0, 0, 0, 0, Naive), "datetime.datetime(2020, 2, 29, 0, 0)",
			`"2020-02-29T00:00:00"`},
		{"datetime, second of two", datetime(noon, ""), time.Date(2020, 2, 29, 12, 1, 2, 3000, Naive),
			"datetime.datetime(2020, 2, 29, 12, 1, 2, 3)", `"2020-02-29T12:01:02.000003"`},
		{"datetime, UTC", datetime(noon, zone("K\x00K\x00K\x00", "")), time.Date(2020, 2, 29, 12, 1, 2, 3000, time.UTC),
			"datetime.datetime(2020, 2, 29, 12, 1, 2, 3, tzinfo=datetime.timezone.utc)", `"2020-02-29T12:01:02.000003Z"`},
		{"datetime, zone", datetime(day, zone("K\x00M\x10\x0eK\x00", "U\x03CET")), time.Date(2020, 2, 29, 0, 0, 0, 0,
			time.FixedZone("CET", 3600)),
			"datetime.datetime(2020, 2, 29, 0, 0, tzinfo=datetime.timezone(datetime.timedelta(seconds=3600), 'CET'))",
			`"2020-02-29T00:00:00+01:00"`},
		{"date", "cdatetime\ndate\n(U\x04\x07\xe4\x02\x1dtR", time.Date(2020, 2, 29, 0, 0, 0, 0, Date),
			"datetime.date(2020, 2, 29)", `"2020-02-29"`},
		{"timedelta", "cdatetime\ntimedelta\n(J\xff\xff\xff\xffK\x3cM\xf4\x01tR",
			-24*time.Hour + time.Minute + 500*time.Microsecond,
			"datetime.timedelta(days=-1, seconds=60, microseconds=500)", "-86339.9995"},
		{"timedelta, longest", "cdatetime\ntimedelta\n(J\xff\xa0\x01\x00J\x84\x4e\x01\x00J\xf7\x0a\x0d\x00tR",
			math.MaxInt64 / time.Microsecond * time.Microsecond,
			"datetime.timedelta(days=106751, seconds=85636, microseconds=854775)", "9223372036.854775"},
		{"timedelta, most negative", "cdatetime\ntimedelta\n(J\x00\x5f\xfe\xffM\xfb\x02J\x49\x37\x02\x00tR",
			-(math.MaxInt64 / time.Microsecond * time.Microsecond),
			"datetime.timedelta(days=-106752, seconds=763, microseconds=145225)", "-9223372036.854775"},
		{"timedelta, 0", "cdatetime\ntimedelta\n(K\x00K\x00K\x00tR", time.Duration(0), "datetime.timedelta(0)", "0"},

		{"bool_", scalar("b1", "|", "\x01"), true, "True", "true"},
		{"int16, big-endian", scalar("i2", ">", "\xff\x00"), int64(-256), "-256", "-256"},
		{"uint64", scalar("u8", "<", "\x00\x00\x00\x00\x00\x00\x00\x80"), wide, "9223372036854775808", "9223372036854775808"},
		{"uint8", scalar("u1", "|", "\xff"), int64(255), "255", "255"},
		{"float32", scalar("f4", "<", "\x00\x00\xc0\x3f"), 1.5, "1.5", "1.5"},
		{"float16", scalar("f2", "<", "\x00\x3e"), 1.5, "1.5", "1.5"},
		{"complex64", scalar("c8", ">", "\x3f\xc0\x00\x00\x00\x00\x00\x00"), complex(1.5, 0), "(1.5+0j)", "[1.5,0.0]"},
		{"str_", scalar("U2", "<", "\xe9\x00\x00\x00\x00\x00\x00\x00"), "é", "'é'", `"é"`},
		{"bytes_", scalar("S3", "|", "a\xff\x00"), []byte("a\xff"), `b'a\xff'`, `"aÿ"`},

		{"POP", "NK\x010", nil, "None", "null"},
		{"POP of MARK", "N(0", nil, "None", "null"},
		{"POP_MARK", "N(NN1", nil, "None", "null"},
		{"DUP", "N20", nil, "None", "null"},
		{"PUT, GET", "K\x05p7\n0g7\n", int64(5), "5", "5"},
		{"BINPUT, BINGET", "K\x05q\x070h\x07", int64(5), "5", "5"},
		{"LONG_BINPUT, LONG_BINGET", "K\x05r\x07\x00\x00\x000j\x07\x00\x00\x00", int64(5), "5", "5"},
		{"MEMOIZE", "K\x05\x94K\x06\x9400h\x01", int64(6), "6", "6"},
		{"STACK_GLOBAL", "\x8c\x08builtins\x8c\x03set\x93)R", Set{}, "set()", "[]"},
		{"FRAME", "\x95" + length(8, 2) + "K\x05", int64(5), "5", "5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := elements(t, 1, tt.opcodes)[0]
			equal := cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
			if d := cmp.Diff(tt.want, v, equal); d != "" {
				t.Errorf("want -, got +\n%s", d)
			}
			if got := strings.TrimSuffix(strings.TrimPrefix(List{v}.String(), "["), "]"); got != tt.text {
				t.Errorf("prints %s, want %s", got, tt.text)
			}
			b, err := marshal(v)
			if err != nil || string(b) != tt.json || !json.Valid(b) {
				t.Errorf("JSON %s, %v; want %s", b, err, tt.json)
			}
			if w, ok := tt.want.(time.Time); ok && v.(time.Time).Location().String() != w.Location().String() {
				t.Errorf("location %v, want %v", v.(time.Time).Location(), w.Location())
			}
		})
	}
}

// TestNaN tests that NaNs are keys that differ from each other.
func TestNaN(t *testing.T) {
	v := elements(t, 1, "}(Fnan\nNFnan\nNu")[0].(Dict)
	if len(v) != 2 || v.String() != "{nan: None, nan: None}" {
		t.Error(v)
	}
	if b, err := marshal(v); string(b) != `[["NaN",null],["NaN",null]]` {
		t.Errorf("%s, %v", b, err)
	}
}

// TestArrays tests arrays within values: their dtype, shape and elements.
func TestArrays(t *testing.T) {
	frombuffer := func(args string) string {
		return "cnumpy._core.numeric\n_frombuffer\n(\x96" + length(8, 6) + "\x01\x02\x03\x04\x05\x06" + int8T + args + "tR"
	}
	for _, tt := range []struct{ name, opcodes, dtype, text, json string }{
		{"floats", newArray + "(K\x01)" + floatT + "\x89" + zeroBytes + "tb", "<f8", "array(0.)", "0.0"},
		{"C order", newArray + "(K\x01(K\x02K\x03t" + int8T + "\x89U\x06\x01\x02\x03\x04\x05\x06tb", "|i1",
			"array([[1 2 3]\n       [4 5 6]])", "[[1,2,3],[4,5,6]]"},
		{"F order", newArray + "(K\x01(K\x02K\x03t" + int8T + "\x88C\x06\x01\x02\x03\x04\x05\x06tb", "|i1",
			"array([[1 3 5]\n       [2 4 6]])", "[[1,3,5],[2,4,6]]"},
		{"_frombuffer", frombuffer("(K\x02K\x03tU\x01C"), "|i1", "array([[1 2 3]\n       [4 5 6]])", "[[1,2,3],[4,5,6]]"},
		{"_frombuffer, F order", frombuffer("(K\x02K\x03tU\x01F"), "|i1", "array([[1 3 5]\n       [2 4 6]])",
			"[[1,3,5],[2,4,6]]"},
		{"_frombuffer, axes", frombuffer("(K\x02K\x03tU\x01K(K\x01K\x00t"), "|i1",
			"array([[1 4]\n       [2 5]\n       [3 6]])", "[[1,4],[2,5],[3,6]]"},
		{"objects", newArray + "(K\x01(K\x02K\x01t" + objectT + "\x88](NU\x01aetb", "|O", "array([[None]\n       ['a']])",
			`[[null],["a"]]`},
		{"objects of no dimensions", newArray + "(K\x01)" + objectT + "\x88](U\x01aetb", "|O", "array('a')", `"a"`},
		{"no objects", newArray + "(K\x01(K\x00K\x02t" + objectT + "\x89]tb", "|O", "array([])", `[]`},
		{"a list in an array", newArray + "(K\x01(K\x02t" + objectT + "\x89](]Netb", "|O", "array([list([]) None])",
			`[[],null]`},
		{"records", newArray + "(K\x01(K\x01t" + recordT + "\x89](F1.5\n](Ne\x86etb", "[('x', '<f8'), ('o', '|O')]",
			"array([(1.5, list([None]))])", `[{"x":1.5,"o":[null]}]`},
		{"record", newArray + "(K\x01)" + recordT + "\x89](F1.5\n](Ne\x86etb", "[('x', '<f8'), ('o', '|O')]",
			"array((1.5, list([None])))", `{"x":1.5,"o":[null]}`},
		{"record of one field", newArray + "(K\x01(K\x02t" + fieldT + "\x89](]\x85K\x01\x85etb", "[('o', '|O')]",
			"array([(list([]),) (1,)])", `[{"o":[]},{"o":1}]`},
		{"datetime64", scalar("M8", "<", "\x00\x00\x00\x00\x00\x00\x00\x00"), "<M8[s]", "array('1970-01-01T00:00:00')", "0"},
		{"long double", scalar("f16", "<", strings.Repeat("\x01", 16)), "<f16",
			`array(b'` + strings.Repeat(`\x01`, 16) + `')`, `"` + strings.Repeat("01", 16) + `"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := elements(t, 1, tt.opcodes)
			var d dtype.DType
			switch a := v[0].(type) {
			case array.Array:
				d = a.DType()
			case Array:
				d = a.DType
			}
			if d.String() != tt.dtype {
				t.Errorf("dtype %v, want %v", d, tt.dtype)
			}
			if got := List(v).String(); got != "["+tt.text+"]" {
				t.Errorf("prints %s, want %s", got, tt.text)
			}
			if b, err := marshal(v[0]); err != nil || string(b) != tt.json {
				t.Errorf("JSON %s, %v; want %s", b, err, tt.json)
			}
		})
	}
}

// More dtypes.
const (
	int8T   = "cnumpy\ndtype\n(U\x02i1\x89\x88tR(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
	recordT = "cnumpy\ndtype\n(U\x03V16\x89\x88tR(K\x03U\x01|N(U\x01xU\x01ot}(U\x01x(" + floatT + "K\x00tU\x01o(" + objectT +
		"K\x08tuK\x10K\x01K?tb"
	fieldT = "cnumpy\ndtype\n(U\x02V8\x89\x88tR(K\x03U\x01|N(U\x01ot}U\x01o(" + objectT + "K\x00tsK\x08K\x01K?tb"
)

// TestShared tests that values that Python shares are shared, and that arrays do not share the memory of bytes.
func TestShared(t *testing.T) {
	v := elements(t, 2, "](K\x01eq\x00h\x00K\x02a")
	first, second := v[0].(List), v[1].(List)
	if &first[0] != &second[0] || len(first) != 2 {
		t.Errorf("%v and %v are different lists", first, second)
	}
	v = elements(t, 3, "C\x01\x07q\x00"+newArray+"(K\x01)"+int8T+"\x89h\x00tb"+newArray+"(K\x01)"+int8T+"\x89h\x00tb")
	a, err := array.As[int8](v[1].(array.Array))
	if err != nil {
		t.Fatal(err)
	}
	a.SetAt(9)
	if got := fmt.Sprint(v...); got != "[7] 9 7" {
		t.Errorf("got %s", got)
	}
}

// TestOpen tests the errors of Open and Read, and bytes after the pickle.
func TestOpen(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, content string) string {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	if _, err := Open("none.npy"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, tt := range []struct {
		content, want string
		is            error
	}{
		{fileOf("'<f8'", "()", "12345678"),
			"a.npy: the array has no Python objects; package array opens it: have dtype <f8, want |O", array.ErrDType},
		{fileOf("'|O'", "(-1,)", ""), "a.npy: header at byte 60: dimension -1 is negative", array.ErrFormat},
		{"PK\x03\x04....", "a.npy: ", array.ErrFormat},
		{"\x93NUM", "a.npy: header at byte 4: the file ends inside the magic: unexpected EOF", io.ErrUnexpectedEOF},
		{"", "a.npy: header at byte 0: the stream ends here: EOF", io.EOF},
		{fileOf("'|O'", "()", "cos\nsystem\n."), `a.npy: pickle at byte 128: "os.system" is neither`, array.ErrFormat},
	} {
		t.Run(tt.want, func(t *testing.T) {
			_, err := Open(write("a.npy", tt.content))
			if !errors.Is(err, tt.is) || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
		})
	}
	one := vectorOf(1, "K\x01")
	if a, err := Open(write("a.npy", one+"more")); err != nil || a.String() != "[1]" {
		t.Errorf("bytes after the pickle: %v, %v", a, err)
	}
	r := bytes.NewReader([]byte(one + vectorOf(1, "K\x02")))
	for i, want := range []string{"[1]", "[2]"} {
		if a, err := Read(r); err != nil || a.String() != want {
			t.Errorf("array %d: %v, %v", i, a, err)
		}
	}
	if _, err := (OpenConfig{MaxValues: 10}).Open("a.npy"); err == nil || !strings.Contains(err.Error(), "MaxValues") {
		t.Errorf("limit: %v", err)
	}
	if _, err := Open(filepath.Dir("a.npy")); err == nil {
		t.Error("a folder is opened")
	}
}

// TestRegular tests which arrays of objects are regular.
func TestRegular(t *testing.T) {
	ints := func(n ...int64) (v List) {
		for _, x := range n {
			v = append(v, x)
		}
		return v
	}
	vector := func(n ...float64) array.Array { return must(array.FromSlice(n)).Array() }
	wide := new(big.Int).Lsh(big.NewInt(1), 63)
	loop := List{nil}
	loop[0] = loop
	zero := Array{Shape: []int{}, Values: make([]any, 1)}
	zero.Values[0] = zero
	many := List{}
	for range 60 {
		many = List{many, many}
	}
	for _, tt := range []struct {
		name   string
		shape  []int
		values []any
		want   string // dtype, shape and elements, or the error
	}{
		{"bools", []int{2}, []any{true, false}, "|b1 [2] [true,false]"},
		{"ints", []int{2, 1}, []any{true, int64(-2)}, "<i8 [2 1] [[1],[-2]]"},
		{"wide ints", []int{2}, []any{wide, int64(2)}, "<u8 [2] [9223372036854775808,2]"},
		{"floats", []int{4}, []any{wide, int64(2), true, 0.5}, "<f8 [4] [9.223372036854776e+18,2.0,1.0,0.5]"},
		{"complex", []int{2}, []any{1 + 2i, int64(2)}, "<c16 [2] [[1.0,2.0],[2.0,0.0]]"},
		{"text", []int{3}, []any{"a", "𝛼é", ""}, `<U2 [3] ["a","𝛼é",""]`},
		{"no characters", []int{1}, []any{""}, `<U1 [1] [""]`},
		{"bytes", []int{2}, []any{[]byte("ab"), []byte("\xff")}, `|S2 [2] ["ab","ÿ"]`},
		{"times", []int{2}, []any{time.Date(1970, 1, 2, 0, 0, 0, 5000, Naive), time.Date(1970, 1, 1, 0, 0, 0, 0, Date)},
			"<M8[us] [2] [86400000005,0]"},
		{"dates", []int{1}, []any{time.Date(1970, 1, 2, 0, 0, 0, 0, Date)}, "<M8[D] [1] [1]"},
		{"durations", []int{1}, []any{-time.Second}, "<m8[us] [1] [-1000000]"},
		{"lists", []int{2}, []any{ints(1, 2), Tuple(ints(3, 4))}, "<i8 [2 2] [[1,2],[3,4]]"},
		{"nested lists", []int{}, []any{List{ints(1), ints(2)}}, "<i8 [2 1] [[1],[2]]"},
		{"arrays", []int{2}, []any{vector(1, 2), vector(3, 4)}, "<f8 [2 2] [[1.0,2.0],[3.0,4.0]]"},
		{"arrays of objects", []int{1}, []any{Array{Shape: []int{2}, Values: ints(1, 2)}}, "<i8 [1 2] [[1,2]]"},
		{"NUL at the end", []int{1}, []any{"a\x00"}, `objects: array: text "a\x00" ends with a NUL`},
		{"None", []int{2}, []any{int64(1), nil}, "objects: element (1,): a None has no place in an array of another dtype"},
		{"a dict", []int{1, 1}, []any{Dict{}}, "objects: element (0, 0): a dict has no place in an array of another dtype"},
		{"a set", []int{}, []any{Set{}}, "objects: element (): a set has no place in an array of another dtype"},
		{"mixed", []int{2}, []any{int64(1), "a"}, "objects: element (1,): a str where other elements are of kind number"},
		{"ragged", []int{2}, []any{ints(1), ints(1, 2)}, "objects: element (1,): length (2,) where other elements have (1,)"},
		{"shallow", []int{2}, []any{ints(1), int64(1)}, "objects: element (1,): a number where other elements are lists"},
		{"deep", []int{2}, []any{int64(1), ints(1)}, "objects: element (1,): a list where other elements are none"},
		{"ragged arrays", []int{2}, []any{vector(1), vector(1, 2)}, "objects: array: "},
		{"too wide", []int{2}, []any{wide, int64(-1)}, "objects: -1 fits neither int64 nor uint64"},
		{"nothing", []int{0}, nil, "objects: an array without elements has no dtype other than O"},
		{"empty lists", []int{1}, []any{List{}}, "objects: an array without elements has no dtype other than O"},
		{"a list in itself", []int{}, []any{loop}, "objects: element (): lists are nested more than 64 deep"},
		{"an array in itself", []int{}, []any{zero}, "objects: element (): lists are nested more than 64 deep"},
		{"many lists", []int{}, []any{many}, "objects: element (): more than 16777216 elements and lists"},
		{"wrong shape", []int{2}, []any{nil}, "objects: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.name == "many lists" {
				oracle.OneGoroutine(t)
			}
			a, err := Array{DType: object, Shape: tt.shape, Values: tt.values}.Regular()
			got := fmt.Sprint(err)
			if err == nil {
				b, err := a.MarshalJSON()
				got = fmt.Sprintf("%v %v %s", a.DType().WithByteOrder(dtype.LittleEndian), a.Shape(), b)
				if err != nil || !a.Contiguous(index.C) {
					t.Errorf("%v; contiguous: %t", err, a.Contiguous(index.C))
				}
			}
			if isError := strings.HasPrefix(tt.want, "objects: "); got != tt.want && !(isError && strings.HasPrefix(got,
				tt.want)) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
