package dtype

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func TestParseCodes(t *testing.T) {
	type want struct {
		Kind  Kind
		Order ByteOrder
		Size  int
		Unit  string
		Str   string
	}
	native, code := Native, "<"
	if Native == BigEndian {
		code = ">"
	}
	for in, want := range map[string]want{
		"|b1":             {KindBool, NotApplicable, 1, "", "|b1"},
		"<b1":             {KindBool, NotApplicable, 1, "", "|b1"}, // as NumPy reads it
		"b1":              {KindBool, NotApplicable, 1, "", "|b1"},
		"|i1":             {KindInt, NotApplicable, 1, "", "|i1"},
		">u1":             {KindUint, NotApplicable, 1, "", "|u1"},
		"<i2":             {KindInt, LittleEndian, 2, "", "<i2"},
		">i4":             {KindInt, BigEndian, 4, "", ">i4"},
		"<u8":             {KindUint, LittleEndian, 8, "", "<u8"},
		"<f2":             {KindFloat, LittleEndian, 2, "", "<f2"},
		">f4":             {KindFloat, BigEndian, 4, "", ">f4"},
		"f8":              {KindFloat, native, 8, "", code + "f8"},
		"=f8":             {KindFloat, native, 8, "", code + "f8"},
		"<c8":             {KindComplex, LittleEndian, 8, "", "<c8"},
		">c16":            {KindComplex, BigEndian, 16, "", ">c16"},
		"<f16":            {KindFloat, LittleEndian, 16, "", "<f16"},
		">c32":            {KindComplex, BigEndian, 32, "", ">c32"},
		"|S10":            {KindBytes, NotApplicable, 10, "", "|S10"},
		"<S0":             {KindBytes, NotApplicable, 0, "", "|S0"},
		"S2147483647":     {KindBytes, NotApplicable, 1<<31 - 1, "", "|S2147483647"},
		"<U5":             {KindUnicode, LittleEndian, 20, "", "<U5"},
		"U5":              {KindUnicode, native, 20, "", code + "U5"},
		">U0":             {KindUnicode, BigEndian, 0, "", ">U0"},
		"<U536870911":     {KindUnicode, LittleEndian, 1<<31 - 4, "", "<U536870911"},
		"|V3":             {KindVoid, NotApplicable, 3, "", "|V3"},
		"<M8":             {KindDatetime, LittleEndian, 8, "1 generic", "<M8"},
		"<M8[s]":          {KindDatetime, LittleEndian, 8, "1 s", "<M8[s]"},
		">m8[25ms]":       {KindTimedelta, BigEndian, 8, "25 ms", ">m8[25ms]"},
		"<m8[1as]":        {KindTimedelta, LittleEndian, 8, "1 as", "<m8[as]"},
		"<M8[7D]":         {KindDatetime, LittleEndian, 8, "7 D", "<M8[7D]"},
		"M8[2147483647Y]": {KindDatetime, native, 8, "2147483647 Y", code + "M8[2147483647Y]"},
		"<m8[generic]":    {KindTimedelta, LittleEndian, 8, "1 generic", "<m8"},
		"<m8[3generic]":   {KindTimedelta, LittleEndian, 8, "1 generic", "<m8"}, // as in NumPy
		"'<f8'":           {KindFloat, LittleEndian, 8, "", "<f8"},
		" ( '<' 'f8' ) ":  {KindFloat, LittleEndian, 8, "", "<f8"},
	} {
		t.Run(in, func(t *testing.T) {
			d, err := Parse(in)
			if err != nil {
				t.Errorf("%s: %v", in, err)
				return
			}
			got := struct {
				Kind  Kind
				Order ByteOrder
				Size  int
				Unit  string
				Str   string
			}{d.Kind(), d.ByteOrder(), d.ItemSize(), "", d.String()}
			if d.Kind() == KindDatetime || d.Kind() == KindTimedelta {
				count, u := d.Unit()
				got.Unit = fmt.Sprint(count, " ", u)
			}
			if got != want {
				t.Errorf("%s: %+v, want %+v", in, got, want)
			}
			if descr, err := d.Descr(); err != nil || descr != "'"+want.Str+"'" {
				t.Errorf("%s: Descr is %s (%v)", in, descr, err)
			}
			if e, err := Parse(d.String()); err != nil || !e.Equal(d) {
				t.Errorf("%s is written as %v and read as %v (%v)", in, d, e, err)
			}
			if got, want := d.GoString(), `dtype.MustParse("`+want.Str+`")`; got != want {
				t.Errorf("%s: GoString is %s, want %s", in, got, want)
			}
		})
	}
}

// describe formats a field in a few words: offset, title/name, type.
func describe(d DType) string {
	var b strings.Builder
	switch d.Kind() {
	case KindStructured:
		b.WriteString("{")
		for f := range d.Fields() {
			name := f.Name
			if f.Title != "" {
				name = f.Title + "/" + name
			}
			fmt.Fprintf(&b, "%d %s %s; ", f.Offset, name, describe(f.Type))
		}
		fmt.Fprintf(&b, "%d}", d.ItemSize())
	case KindSubarray:
		fmt.Fprintf(&b, "%v%s", d.SubShape(), describe(d.Base()))
	default:
		b.WriteString(d.String())
	}
	return b.String()
}

func TestParseStructured(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
		descr          string // expected result of Descr if it differs from in
	}{
		{"one field", "[('x', '<f4')]", "{0 x <f4; 4}", ""},
		{"packed, unaligned", "[('a', '|i1'), ('b', '>f8'), ('c', '|S3')]", "{0 a |i1; 1 b >f8; 9 c |S3; 12}", ""},
		{"no field", "[]", "{0}", ""},
		{"padding only", "[('', '|V8')]", "{8}", ""},
		{"padding before, between and after", "[('', '|V1'), ('a', '<i4'), ('', '|V2'), ('b', '<i4'), ('', '|V7')]",
			"{1 a <i4; 7 b <i4; 18}", ""},
		{"padding in two parts and as a block", "[('', '|V1'), ('', '|V2'), ('', '<f4', (2,)), ('a', '|b1'), ('', '|V0')]",
			"{11 a |b1; 12}", "[('', '|V11'), ('a', '|b1')]"},
		{"a field without a name", "[('a', '<i4'), ('', '<i4'), ('b', '<i4')]", "{0 a <i4; 4  <i4; 8 b <i4; 12}", ""},
		{"a structured field without a name", "[('', [('x', '|u1')])]", "{0  {0 x |u1; 1}; 1}", ""},
		{"a void field with a name", "[('x', '|V4')]", "{0 x |V4; 4}", ""},
		{"nested", "[('pos', [('x', '<f4'), ('y', '<f4')]), ('n', [('m', [('k', '|u1')])])]",
			"{0 pos {0 x <f4; 4 y <f4; 8}; 8 n {0 m {0 k |u1; 1}; 1}; 9}", ""},
		{"a block", "[('v', '<f4', (3,))]", "{0 v [3]<f4; 12}", ""},
		{"a block of two dimensions", "[('v', '<f4', (2, 3)), ('w', '|u1')]", "{0 v [2 3]<f4; 24 w |u1; 25}", ""},
		{"a block by a number", "[('v', '<f4', 3)]", "{0 v [3]<f4; 12}", "[('v', '<f4', (3,))]"},
		{"one is no block", "[('v', '<f4', 1), ('w', '<f4', ()), ('u', '<f4', (1,))]", "{0 v <f4; 4 w <f4; 8 u [1]<f4; 12}",
			"[('v', '<f4'), ('w', '<f4'), ('u', '<f4', (1,))]"},
		{"a block of blocks", "[('c', ('<f8', (5,)), (2,))]", "{0 c [2][5]<f8; 80}", ""},
		{"a block as a pair", "[('c', ('<f8', (5,)))]", "{0 c [5]<f8; 40}", "[('c', '<f8', (5,))]"},
		{"a block of structs", "[('a', [('x', '|i1'), ('', '|V3')], (2, 2))]", "{0 a [2 2]{0 x |i1; 4}; 16}", ""},
		{"an empty block", "[('a', '<f8', (2, 0)), ('b', '|b1')]", "{0 a [2 0]<f8; 0 b |b1; 1}", ""},
		{"a block of empty structs", "[('a', [], (2, 3))]", "{0 a [2 3]{0}; 0}", ""},
		{"types without bytes", "[('a', '|S0'), ('b', '<U0'), ('c', '|V0')]", "{0 a |S0; 0 b <U0; 0 c |V0; 0}", ""},
		{"titles", "[(('t', 'b'), '>i2', (2, 1)), (('u', 'c'), '|S1')]", "{0 t/b [2 1]>i2; 4 u/c |S1; 5}", ""},
		{"a title, no name", "[(('t', ''), '|V4')]", "{0 t/ |V4; 4}", ""},
		{"an empty title", "[(('', 'x'), '|V4'), ('y', '<i2')]", "{0 x |V4; 4 y <i2; 6}", "[('x', '|V4'), ('y', '<i2')]"},
		{"names of all kinds",
			`[('é', '|b1'), ('整形', '|b1'), ("it's", '|b1'), ('a\\b\n', '|b1'), (' ', '|b1'), ('\x00', '|b1')]`,
			"{0 é |b1; 1 整形 |b1; 2 it's |b1; 3 a\\b\n |b1; 4   |b1; 5 \x00 |b1; 6}", ""},
		{"datetimes", "[('t', '<M8[us]'), ('d', '>m8[25s]')]", "{0 t <M8[us]; 8 d >m8[25s]; 16}", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := Parse(tt.in)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				return
			}
			if diff := cmp.Diff(tt.want, describe(d)); diff != "" {
				t.Errorf("%s: want -, got +\n%s", tt.name, diff)
			}
			want := tt.descr
			if want == "" {
				want = tt.in
			}
			descr, err := d.Descr()
			if descr != want || err != nil || d.String() != want {
				t.Errorf("%s: Descr is %s (%v), want %s", tt.name, descr, err, want)
			}
			if e, err := Parse(descr); err != nil || !e.Equal(d) || !d.Equal(e) {
				t.Errorf("%s is written as %s and read as %v (%v)", tt.name, descr, e, err)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", `dtype: "" at byte 0: the end where a value should be`},
		{"u", `dtype: unknown dtype "u"; want one like <f8, |b1, |S10 or <M8[us]`},
		{"<", `dtype: unknown dtype "<"; want one like <f8, |b1, |S10 or <M8[us]`},
		{"float80", `dtype: unknown dtype "float80"; want one like <f8, |b1, |S10 or <M8[us]`},
		{"<float64", `dtype: unknown dtype "<float64"; want one like <f8, |b1, |S10 or <M8[us]`},
		{"q8", `dtype: unknown dtype "q8"; want one like <f8, |b1, |S10 or <M8[us]`},
		{"datetime64[ns", `dtype: dtype "datetime64[ns": "[ns" is not a time unit; want one like [s] or [25ms]`},
		{"str", `dtype: dtype "str" has no length; want one like 'U10'`},
		{"bytes", `dtype: dtype "bytes" has no length; want one like 'S10'`},
		{"V", `dtype: dtype "V" has no length; want one like 'V10'`},
		{"intp",
			`dtype: dtype "intp" has the size of C's long or of a pointer, which differs between machines; want int64`},
		{"ulong",
			`dtype: dtype "ulong" has the size of C's long or of a pointer, which differs between machines; want uint64`},
		{"longdouble",
			`dtype: dtype "longdouble" is C's long double, which differs between machines; want float64, or 'f16'`},
		{"clongdouble",
			`dtype: dtype "clongdouble" is C's long double, which differs between machines; want complex128, or 'c32'`},
		{"object", `dtype: dtype "object" is a Python object: its data is a pickle, and unpickling runs code`},
		{"[('x', 'str')]", `dtype: "[('x', 'str')]" at byte 7: dtype "str" has no length; want one like 'U10'`},
		{"<f3", `dtype: unknown dtype "<f3": no float has 3 bytes`},
		{"<i16", `dtype: unknown dtype "<i16": no int has 16 bytes`},
		{"|b2", `dtype: unknown dtype "|b2": no bool has 2 bytes`},
		{"<c4", `dtype: unknown dtype "<c4": no complex has 4 bytes`},
		{"<f+8", `dtype: unknown dtype "<f+8"; want one like <f8, |b1, |S10 or <M8[us]`},
		{"<f 8", `dtype: unknown dtype "<f 8"; want one like <f8, |b1, |S10 or <M8[us]`},
		{"<f8 ", `dtype: unknown dtype "<f8 "; want one like <f8, |b1, |S10 or <M8[us]`},
		{"<f8[s]", `dtype: unknown dtype "<f8[s]"; want one like <f8, |b1, |S10 or <M8[us]`},
		{"|O",
			`dtype: dtype "|O" is a Python object: its data is a pickle, and unpickling runs code; package objects reads plain values, or save it from NumPy with a fixed dtype`},
		{"O8",
			`dtype: dtype "O8" is a Python object: its data is a pickle, and unpickling runs code; package objects reads plain values, or save it from NumPy with a fixed dtype`},
		{"|S2147483648", `dtype: dtype "|S2147483648": size 2147483648 is too large`},
		{"<U536870912", `dtype: dtype "<U536870912" has more than 2147483647 bytes`},
		{"<f99999999999999999999", `dtype: dtype "<f99999999999999999999": size 99999999999999999999 is too large`},
		{"S", `dtype: dtype "S" has no length; want one like 'S10'`},
		{strings.Repeat("x", 50), `dtype: unknown dtype "` + strings.Repeat("x",
			40) + `…"; want one like <f8, |b1, |S10 or <M8[us]`},
		{"<M4[s]", `dtype: unknown dtype "<M4[s]": a datetime has 8 bytes`},
		{"<M8[", `dtype: dtype "<M8[": "[" is not a time unit; want one like [s] or [25ms]`},
		{"<M8[]", `dtype: dtype "<M8[]": "[]" is not a time unit; want one like [s] or [25ms]`},
		{"<M8[25]", `dtype: dtype "<M8[25]": "[25]" is not a time unit; want one like [s] or [25ms]`},
		{"<M8[s]x", `dtype: dtype "<M8[s]x": "[s]x" is not a time unit; want one like [s] or [25ms]`},
		{"<M8[S]", `dtype: dtype "<M8[S]": unknown time unit "S"; want one of Y M W D h m s ms us ns ps fs as`},
		{"<M8[ s]", `dtype: dtype "<M8[ s]": unknown time unit " s"; want one of Y M W D h m s ms us ns ps fs as`},
		{"<M8[s/3]", `dtype: dtype "<M8[s/3]": "[s/3]" is not a whole number of a smaller time unit`},
		{"<M8[D/0]", `dtype: dtype "<M8[D/0]": "[D/0]" is not a whole number of a smaller time unit`},
		{"<M8[D/]", `dtype: dtype "<M8[D/]": "[D/]" is not a whole number of a smaller time unit`},
		{"<M8[2147483647D/2]",
			`dtype: dtype "<M8[2147483647D/2]": "[2147483647D/2]" is not a whole number of a smaller time unit`},
		{"<M08[s]", `dtype: unknown dtype "<M08[s]": a datetime has 8 bytes`},
		{"<M8[0s]", `dtype: dtype "<M8[0s]": invalid count 0 of time units; want 1 to 2147483647`},
		{"<M8[2147483648s]", `dtype: dtype "<M8[2147483648s]": invalid count 2147483648 of time units; want 1 to 2147483647`},

		{"[", `dtype: "[" at byte 0: '[' is never closed by ']'`},
		{"'<f8", `dtype: "'<f8" at byte 0: unterminated string`},
		{"'<f3'", `dtype: "'<f3'" at byte 0: unknown dtype "<f3": no float has 3 bytes`},
		{"('<f8', '|S4', 3)",
			`dtype: "('<f8', '|S4', 3)" at byte 0: ('<f8', '|S4', 3) is not a sub-array; want (dtype, shape)`},
		{"()", `dtype: "()" at byte 0: () is not a sub-array; want (dtype, shape)`},
		{"[('x', 4)]",
			`dtype: "[('x', 4)]" at byte 7: an integer where a dtype should be; want a string like '<f8' or a list of fields`},
		{"[('x', {})]",
			`dtype: "[('x', {})]" at byte 7: a dict where a dtype should be; want a string like '<f8' or a list of fields`},
		{"['x']", `dtype: "['x']" at byte 1: 'x' is not a field; want (name, dtype) or (name, dtype, shape)`},
		{"[['x', '<f8']]",
			`dtype: "[['x', '<f8']]" at byte 1: ['x', '<f8'] is not a field; want (name, dtype) or (name, dtype, shape)`},
		{"[('x',)]", `dtype: "[('x',)]" at byte 1: ('x',) is not a field; want (name, dtype) or (name, dtype, shape)`},
		{"[('x', '<f8', (2,), 3)]",
			`dtype: "[('x', '<f8', (2,), 3)]" at byte 1: ('x', '<f8', (2,), 3) is not a field; want (name, dtype) or (name, dtype, shape)`},
		{"[(1, '<f8')]", `dtype: "[(1, '<f8')]" at byte 2: 1 is not a field name; want a string or (title, name)`},
		{"[(b'x', '<f8')]", `dtype: "[(b'x', '<f8')]" at byte 2: b'x' is not a field name; want a string or (title, name)`},
		{"[(['t', 'x'], '<f8')]",
			`dtype: "[(['t', 'x'], '<f8')]" at byte 2: ['t', 'x'] is not a field name; want a string or (title, name)`},
		{"[(('t', 'x', 'y'), '<f8')]",
			`dtype: "[(('t', 'x', 'y'), '<f8')]" at byte 2: ('t', 'x', 'y') is not a field name; want a string or (title, name)`},
		{"[((1, 'x'), '<f8')]",
			`dtype: "[((1, 'x'), '<f8')]" at byte 2: (1, 'x') is not a field name; want a string or (title, name) of strings`},
		{"[(('', ''), '|V4')]",
			`dtype: "[(('', ''), '|V4')]" at byte 2: the empty title of field "" is the name of a field, or the title of another`},
		{"[(('', 'x'), '<f8'), (('', 'y'), '<f8')]",
			`dtype: "[(('', 'x'), '<f8'), (('', 'y'), '<f8')]" at byte 22: the empty title of field "y" is the name of a field, or the title of another`},
		{"[(('', 'x'), '<f8'), ('', '<f8')]",
			`dtype: "[(('', 'x'), '<f8'), ('', '<f8')]" at byte 22: field "" has the name or title of another field`},
		{"[('x', '<f8'), ('x', '<f4')]",
			`dtype: "[('x', '<f8'), ('x', '<f4')]" at byte 16: field "x" has the name or title of another field`},
		{"[('', '<f8'), ('', '<f4')]",
			`dtype: "[('', '<f8'), ('', '<f4')]" at byte 15: field "" has the name or title of another field`},
		{"[('x', '<f8'), (('x', 'y'), '<f4')]",
			`dtype: "[('x', '<f8'), (('x', 'y'), '<f4')]" at byte 16: the title "x" of field "y" is the name of a field, or the title of another`},
		{"[(('t', 'x'), '<f8'), ('t', '<f4')]",
			`dtype: "[(('t', 'x'), '<f8'), ('t', '<f4')]" at byte 23: field "t" has the name or title of another field`},
		{"[(('x', 'x'), '<f8')]",
			`dtype: "[(('x', 'x'), '<f8')]" at byte 2: the title "x" of field "x" is the name of a field, or the title of another`},
		{"[('x', '<f8', {'a': 1})]",
			`dtype: "[('x', '<f8', {'a': 1})]" at byte 14: a dict where the shape of a sub-array should be; want a tuple`}, // what NumPy writes of metadata
		{"[('x', '<f8', (2.0,))]",
			`dtype: "[('x', '<f8', (2.0,))]" at byte 15: a non-integer number where a dimension should be`},
		{"[('x', '<f8', (True,))]", `dtype: "[('x', '<f8', (True,))]" at byte 15: a boolean where a dimension should be`},
		{"[('x', '<f8', -1)]", `dtype: "[('x', '<f8', -1)]" at byte 14: sub-array dimension -1 is negative`},
		{"[('x', '<f8', (2, -1))]", `dtype: "[('x', '<f8', (2, -1))]" at byte 14: sub-array dimension -1 is negative`},
		{"[('x', '<f8', (0, 2147483648))]", ""}, // below: not the same on 32 bits
		{"[('x', '<f8', (99999999999999999999,))]",
			`dtype: "[('x', '<f8', (99999999999999999999,))]" at byte 15: dimension 99999999999999999999 overflows int`},
		{"[('x', '<f8', (65536, 65536))]",
			`dtype: "[('x', '<f8', (65536, 65536))]" at byte 14: a sub-array of shape (65536, 65536) has more than 2147483647 bytes`},
		{"[('x', [], (65536, 65536))]",
			`dtype: "[('x', [], (65536, 65536))]" at byte 11: a sub-array of shape (65536, 65536) has more than 2147483647 bytes`},
		{"[('x', '<f8', (2147483647, 2147483647, 2147483647, 0))]",
			`dtype: "[('x', '<f8', (2147483647, 2147483647, 2…" at byte 14: a sub-array of shape (2147483647, 2147483647, 2147483647, 0) has more than 2147483647 bytes`},
		{"[('x', '<f8', (" + strings.Repeat("1,", 33) + "))]",
			`dtype: "[('x', '<f8', (1,1,1,1,1,1,1,1,1,1,1,1,1…" at byte 14: a sub-array of 33 dimensions; want at most 32`},
		{"[('x', '|S0', (3,))]", `dtype: "[('x', '|S0', (3,))]" at byte 7: a sub-array of |S0, which has 0 bytes`},
		{"[('x', '|S0', ())]", `dtype: "[('x', '|S0', ())]" at byte 7: a sub-array of |S0, which has 0 bytes`},
		{"[('x', '|S0', [3])]", `dtype: "[('x', '|S0', [3])]" at byte 7: a sub-array of |S0, which has 0 bytes`},
		{"[('x', '|S0', '<i4')]", `dtype: "[('x', '|S0', '<i4')]" at byte 7: a sub-array of |S0, which has 0 bytes`},
		{"[('x', '|S0', True)]", `dtype: "[('x', '|S0', True)]" at byte 7: a sub-array of |S0, which has 0 bytes`},
		{"('|S0', -1)", `dtype: "('|S0', -1)" at byte 8: size -1 of |S0; want 0 to 2147483647`},
		{"('|S0', -99999999999999999999)",
			`dtype: "('|S0', -99999999999999999999)" at byte 8: size -99999999999999999999 of |S0; want 0 to 2147483647`},
		{"('|S0', 2147483648)", `dtype: "('|S0', 2147483648)" at byte 8: size 2147483648 of |S0; want 0 to 2147483647`},
		{"('|S0', 99999999999999999999)",
			`dtype: "('|S0', 99999999999999999999)" at byte 8: size 99999999999999999999 of |S0; want 0 to 2147483647`},
		{"('<U0', 536870912)", `dtype: "('<U0', 536870912)" at byte 8: size 536870912 of <U0; want 0 to 536870911`},
		{"[('x', '<f8', [])]",
			`dtype: "[('x', '<f8', [])]" at byte 14: an empty list where the shape of a sub-array should be; want a tuple`},
		{"(('<i4', (0,)), [])",
			`dtype: "(('<i4', (0,)), [])" at byte 16: an empty list where the shape of a sub-array should be; want a tuple`},
		{"('<f8', '<i8')",
			`dtype: "('<f8', '<i8')" at byte 8: a string where the shape of a sub-array should be; want a tuple`},
		{"('<f8', [[2]])", `dtype: "('<f8', [[2]])" at byte 9: a list where a dimension should be`},
		{"('<f8', [True])", `dtype: "('<f8', [True])" at byte 9: a boolean where a dimension should be`},
		{"(('<i4', (0,)), 5)",
			`dtype: "(('<i4', (0,)), 5)" at byte 0: ('<i4', (0,)) with 5 bytes of padding can only be the dtype of a field`},
		{"((('<i4', (0,)), 5), (2,))",
			`dtype: "((('<i4', (0,)), 5), (2,))" at byte 1: ('<i4', (0,)) with 5 bytes of padding cannot be the base of a sub-array`},
		{"[('x', (('<i4', (0,)), 2147483647)), ('y', '|b1')]",
			`dtype: "[('x', (('<i4', (0,)), 2147483647)), ('y…" at byte 37: the fields have more than 2147483647 bytes`},
		{"[('x', ('<f8', (0,)), (2,))]",
			`dtype: "[('x', ('<f8', (0,)), (2,))]" at byte 7: a sub-array of ('<f8', (0,)), which has 0 bytes`},
		{"[('x', '|S2147483647'), ('y', '|b1')]",
			`dtype: "[('x', '|S2147483647'), ('y', '|b1')]" at byte 24: the fields have more than 2147483647 bytes`},
	} {
		d, err := Parse(tt.in)
		if err == nil {
			t.Errorf("%s is accepted as %v", tt.in, d)
		} else if tt.want != "" && err.Error() != tt.want {
			t.Errorf("%s:\n got %v\nwant %s", tt.in, err, tt.want)
		}
	}
}

func TestMustParse(t *testing.T) {
	defer func() {
		if err, _ := recover().(error); err == nil ||
			err.Error() != `dtype: unknown dtype "<x8"; want one like <f8, |b1, |S10 or <M8[us]` {
			t.Errorf("panic %v", err)
		}
	}()
	MustParse("<x8")
}

func TestEqual(t *testing.T) {
	all := []string{
		"|b1", "|i1", "|u1", "<i2", ">i2", "<u2", "<f2", "<f8", ">f8", "<c8", "<f16", "|S8", "|S9", "|V8", "<U2", ">U2",
		"<M8", "<m8", "<M8[s]", "<M8[2s]", "<M8[ms]", ">M8[s]",
		"[]", "[('', '|V8')]", "[('x', '<f4'), ('', '|V4')]", "[('', '|V4'), ('x', '<f4')]", "[('x', '<f4'), ('y', '<f4')]",
		"[('x', '<f4'), ('y', '>f4')]", "[('y', '<f4'), ('x', '<f4')]",
		"[(('x', 'a'), '<f4'), ('y', '<f4')]", "[('a', '<f4'), ('y', '<f4')]", "[('x', '<f4', (2,))]",
		"[('x', '<f4', (1, 2))]", "[('x', ('<f4', (2,)), (1,))]", "[('x', '<i4', (2,))]",
		"[('x', [('y', '<f8')])]", "[('y', [('x', '<f8')])]",
	}
	for i, s := range all {
		for j, u := range all {
			d, e := MustParse(s), MustParse(u)
			if got := d.Equal(e); got != (i == j) || got != (d == e) {
				t.Errorf("%s equal to %s: %t, and == %t", s, u, got, d == e)
			}
		}
	}
	if !(DType{}).Equal(DType{}) || (DType{}).Equal(Bool) {
		t.Error("the zero DType must equal itself, and no other DType")
	}
}

func TestWithOrder(t *testing.T) {
	for _, tt := range []struct{ in, little, big string }{
		{"|b1", "|b1", "|b1"}, {"|S4", "|S4", "|S4"}, {"<f8", "<f8", ">f8"}, {">U3", "<U3", ">U3"}, {"<M8[5s]", "<M8[5s]",
			">M8[5s]"}, {">c32", "<c32", ">c32"},
		{"[('a', '<f4'), ('b', '>f4', (2,)), ('c', [('d', '>i2'), ('', '|V2'), ('e', '|S2')])]",
			"[('a', '<f4'), ('b', '<f4', (2,)), ('c', [('d', '<i2'), ('', '|V2'), ('e', '|S2')])]",
			"[('a', '>f4'), ('b', '>f4', (2,)), ('c', [('d', '>i2'), ('', '|V2'), ('e', '|S2')])]"},
	} {
		d := MustParse(tt.in)
		little, big := d.WithByteOrder(LittleEndian), d.WithByteOrder(BigEndian)
		if little.String() != tt.little || big.String() != tt.big || d.String() != tt.in {
			t.Errorf("%s: %v and %v", tt.in, little, big)
		}
		if !d.WithByteOrder(NotApplicable).Equal(d) {
			t.Errorf("%s: not kept", tt.in)
		}
		plain := tt.little == tt.big
		if native := d.WithByteOrder(Native).IsNative(); !native || big.IsNative() != (plain || Native == BigEndian) ||
			little.IsNative() != (plain || Native == LittleEndian) {
			t.Errorf("%s: IsNative is wrong", tt.in)
		}
	}
	if mixed := MustParse("[('a', '<f4'), ('b', '>f4', (2,))]"); mixed.IsNative() {
		t.Errorf("%v is native", mixed)
	}
}

func TestStruct(t *testing.T) {
	f := func(name string, d DType, offset int) Field { return Field{Name: name, Type: d, Offset: offset} }
	i4 := MustParse("<i4")
	tooLarge := math.MaxInt32
	tooLarge++ // negative if an int has 32 bits
	for _, tt := range []struct {
		name     string
		itemsize int
		fields   []Field
		want     string // expected result of describe, or the error
		descr    string // expected result of Descr, or the error
	}{
		{"nothing", -1, nil, "{0}", "[]"},
		{"padding", 8, nil, "{8}", "[('', '|V8')]"},
		{"offsets", -1, []Field{f("a", i4, 1), f("b", i4, 6)}, "{1 a <i4; 6 b <i4; 10}",
			"[('', '|V1'), ('a', '<i4'), ('', '|V1'), ('b', '<i4')]"},
		{"itemsize", 16, []Field{f("a", i4, 0)}, "{0 a <i4; 16}", "[('a', '<i4'), ('', '|V12')]"},
		{"overlap", -1, []Field{f("a", i4, 0), f("b", i4, 2)}, "{0 a <i4; 2 b <i4; 6}",
			`dtype: field "b" at offset 2 starts before byte 4, where the field before it ends; a header can only describe fields in the order of their offsets`},
		{"out of order", -1, []Field{f("a", i4, 4), f("b", i4, 0)}, "{4 a <i4; 0 b <i4; 8}",
			`dtype: field "b" at offset 0 starts before byte 8, where the field before it ends; a header can only describe fields in the order of their offsets`},
		{"void without a name", -1, []Field{f("", Void(4), 0)}, "{0  |V4; 4}",
			"dtype: the field of dtype |V4 at offset 0 has no name; it would be read as padding"},
		{"overlap inside", -1, []Field{f("a", must(Struct(-1, f("b", i4, 0), f("c", i4, 0))), 0)},
			"{0 a {0 b <i4; 0 c <i4; 4}; 4}",
			`dtype: field "c" at offset 0 starts before byte 4, where the field before it ends; a header can only describe fields in the order of their offsets`},
		{"overlap inside a block", -1, []Field{f("a", must(SubarrayOf(must(Struct(-1, f("b", i4, 0), f("c", i4, 0))), 2)),
			0)}, "{0 a [2]{0 b <i4; 0 c <i4; 4}; 8}",
			`dtype: field "c" at offset 0 starts before byte 4, where the field before it ends; a header can only describe fields in the order of their offsets`},
		{"too small", 7, []Field{f("a", i4, 4)},
			"dtype: itemsize 7 is too small; the fields end at byte 8", ""},
		{"too large", tooLarge, []Field{f("a", i4, 4)},
			"dtype: itemsize 2147483648 is too large; want at most 2147483647", ""},
		{"half of what fits", 1 << 30, nil, "{1073741824}", "[('', '|V1073741824')]"},
		{"negative offset", -1, []Field{f("a", i4, -1)},
			`dtype: field "a" at offset -1 does not lie within an element of at most 2147483647 bytes`, ""},
		{"large offset", -1, []Field{f("a", i4, 1<<31-4)},
			`dtype: field "a" at offset 2147483644 does not lie within an element of at most 2147483647 bytes`, ""},
		{"no type", -1, []Field{f("a", DType{}, 0)}, `dtype: field "a" has no type`, ""},
		{"two of a name", -1, []Field{f("a", i4, 0), f("a", i4, 4)},
			`dtype: field "a" has the name or title of another field`, ""},
		{"not UTF-8", -1, []Field{f("a\xff", i4, 0)}, `dtype: the name or title of field "a\xff" is not UTF-8`, ""},
		{"title", -1, []Field{{"a", "t", i4, 0}}, "{0 t/a <i4; 4}", "[(('t', 'a'), '<i4')]"},
		{"its own title", -1, []Field{{"a", "a", i4, 0}},
			`dtype: the title "a" of field "a" is the name of a field, or the title of another`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.itemsize < -1 {
				t.Skip("an int of 32 bits cannot be too large")
			}
			d, err := Struct(tt.itemsize, tt.fields...)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				got = describe(d)
			}
			if got != tt.want {
				t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
			}
			if err != nil {
				return
			}
			descr, err := d.Descr()
			if err != nil {
				descr = err.Error()
			}
			if descr != tt.descr {
				t.Errorf("%s: Descr:\n got %s\nwant %s", tt.name, descr, tt.descr)
			}
		})
	}
	if _, err := (DType{}).Descr(); err == nil || err.Error() != "dtype: the zero DType is invalid" {
		t.Errorf("Descr of the zero DType: %v", err)
	}
	if s := (DType{}).String(); s != "invalid" {
		t.Errorf("the zero DType is %s", s)
	}
}

func must(d DType, err error) DType {
	if err != nil {
		panic(err)
	}
	return d
}

func TestPacked(t *testing.T) {
	d, err := Packed(Field{Name: "a", Type: Int8, Offset: 77}, Field{Name: "b", Type: MustParse("<f8")}, Field{Name: "c",
		Type: Bytes(3)})
	if want := "{0 a |i1; 1 b <f8; 9 c |S3; 12}"; err != nil || describe(d) != want {
		t.Errorf("%s (%v), want %s", describe(d), err, want)
	}
	_, err = Packed(Field{Name: "a", Type: Void(1<<31 - 1)}, Field{Name: "b", Type: Int8}, Field{Name: "c", Type: Int8})
	if want := `dtype: field "b" at offset 2147483647 does not lie within an element of at most 2147483647 bytes`; err == nil ||
		err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestStructCopies tests that a DType does not keep the slices of the caller.
func TestStructCopies(t *testing.T) {
	fields := []Field{{Name: "a", Type: Int8}}
	d := must(Struct(-1, fields...))
	shape := []int{2, 3}
	e := must(SubarrayOf(Int8, shape...))
	fields[0].Name, shape[0] = "b", 7
	e.SubShape()[1] = 7
	if d.FieldAt(0).Name != "a" || !cmp.Equal(e.SubShape(), []int{2, 3}) {
		t.Errorf("%v %v", d, e)
	}
}

func TestFields(t *testing.T) {
	d := MustParse("[('x', '<f4'), ('', '|V4'), (('title', 'y'), '<i2', (2,)), ('', '<u1')]")
	if n := d.NumField(); n != 3 {
		t.Errorf("%d fields", n)
	}
	for i, f := range map[string]int{"x": 0, "y": 1, "title": 1, "": 2} {
		t.Run(i, func(t *testing.T) {
			if got, ok := d.Field(i); !ok || got.Offset != d.FieldAt(f).Offset {
				t.Errorf("field %q is %+v, %t", i, got, ok)
			}
		})
	}
	for _, name := range []string{"z", "X", "y.0"} {
		if f, ok := d.Field(name); ok || f != (Field{}) {
			t.Errorf("field %q is %+v", name, f)
		}
	}
	n := 0
	for f := range d.Fields() {
		if n++; f.Name == "y" {
			break
		}
	}
	if n != 2 {
		t.Errorf("the loop went on after break: %d", n)
	}
	if Int8.NumField() != 0 || must(SubarrayOf(d, 2)).NumField() != 0 {
		t.Error("fields of a type that is not structured")
	}
	if f, ok := Int8.Field(""); ok {
		t.Errorf("Int8 has a field: %v", f)
	}
}

func TestSubarrayOf(t *testing.T) {
	for _, tt := range []struct {
		base  DType
		shape []int
		want  string
	}{
		{Int8, nil, "|i1"},
		{Int8, []int{2, 3}, "[2 3]|i1"},
		{Int8, []int{0}, "[0]|i1"},
		{MustParse("[]"), []int{5}, "[5]{0}"},
		{DType{}, []int{2}, "dtype: the sub-array has the zero DType as its base"},
		{Bytes(0), []int{2}, "dtype: a sub-array of |S0, which has 0 bytes"},
		{Int8, []int{-1}, "dtype: sub-array dimension -1 is negative"},
		{Int8, make([]int, 33), "dtype: a sub-array of 33 dimensions; want at most 32"},
		{Int8, []int{1 << 16, 1 << 15}, "dtype: a sub-array of shape (65536, 32768) has more than 2147483647 bytes"},
		{Int8, []int{1 << 16, 1 << 15, 0}, "[65536 32768 0]|i1"},
	} {
		d, err := SubarrayOf(tt.base, tt.shape...)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = describe(d)
		}
		if got != tt.want {
			t.Errorf("%v %v: %s, want %s", tt.base, tt.shape, got, tt.want)
		}
	}
	d := must(SubarrayOf(MustParse("<f8"), 2))
	if s := d.String(); s != "('<f8', (2,))" || d.Base().String() != "<f8" || Int8.Base() != Int8 ||
		Int8.SubShape() != nil {
		t.Errorf("%s, base %v", s, d.Base())
	}
	if e, err := Parse(d.String()); err != nil || !e.Equal(d) {
		t.Errorf("%v is read as %v (%v)", d, e, err)
	}
}

func TestSized(t *testing.T) {
	for _, tt := range []struct {
		d    DType
		want string
	}{
		{Bytes(0), "|S0"}, {Bytes(1<<31 - 1), "|S2147483647"}, {Unicode(3).WithByteOrder(BigEndian), ">U3"}, {Void(7), "|V7"},
		{Datetime(Second, 25).WithByteOrder(LittleEndian), "<M8[25s]"}, {Timedelta(Generic, 3).WithByteOrder(BigEndian),
			">m8"},
		{Datetime(Attosecond, 1).WithByteOrder(BigEndian), ">M8[as]"},
	} {
		if got := tt.d.String(); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
	for want, f := range map[string]func(){
		"dtype: invalid size -1 for bytes":          func() { Bytes(-1) },
		"dtype: invalid size 536870912 for unicode": func() { Unicode(1 << 29) },
		"dtype: invalid size -3 for void":           func() { Void(-3) },
		"dtype: invalid time unit: 0 s; want a count from 1 to 2147483647 and a unit up to Attosecond":        func() { Datetime(Second, 0) },
		"dtype: invalid time unit: -1 D; want a count from 1 to 2147483647 and a unit up to Attosecond":       func() { Timedelta(Day, -1) },
		"dtype: invalid time unit: 1 Unit(14); want a count from 1 to 2147483647 and a unit up to Attosecond": func() { Datetime(Attosecond+1, 1) },
		"dtype: no field 0 in |b1, which has 0 fields":                                                        func() { Bool.FieldAt(0) },
	} {
		t.Run(want, func(t *testing.T) {
			func() {
				defer func() {
					r := recover()
					if err, ok := r.(error); !ok || err.Error() != want || !errors.Is(err, ErrDType) {
						t.Errorf("panic with %T %v, want %s", r, r, want)
					}
				}()
				f()
			}()
		})
	}
}

func TestPredicates(t *testing.T) {
	for _, tt := range []struct {
		d                      string
		number, long, variable bool
	}{
		{"|b1", true, false, false}, {"<f2", true, false, false}, {"<c16", true, false, false}, {"<f16", false, true, false},
		{"<c32", false, true, false},
		{"|S4", false, false, true}, {"<U4", false, false, true}, {"|V4", false, false, true}, {"<M8[s]", false, false,
			false}, {"[]", false, false, false},
	} {
		d := MustParse(tt.d)
		if d.IsNumber() != tt.number || d.IsLongDouble() != tt.long || d.IsVariable() != tt.variable {
			t.Errorf("%s: number %t, long double %t, variable %t", tt.d, d.IsNumber(), d.IsLongDouble(), d.IsVariable())
		}
	}
	if (DType{}).IsNumber() {
		t.Error("the zero DType is a number")
	}
}

func TestNames(t *testing.T) {
	if got := fmt.Sprint(KindInvalid, KindBool, KindSubarray, KindObject,
		Kind(17)); got != "invalid bool subarray object Kind(17)" {
		t.Error(got)
	}
	if got := fmt.Sprint(NotApplicable, ",", LittleEndian, ",",
		BigEndian); got != "not applicable,little-endian,big-endian" {
		t.Error(got)
	}
	if got := fmt.Sprint(Generic, Year, Attosecond, Unit(14)); got != "generic Y as Unit(14)" {
		t.Error(got)
	}
}

var sink DType

func TestAllocs(t *testing.T) {
	oracle.CountsAllocations(t)
	d, e := MustParse("[('x', '<f4'), ('y', '<M8[s]', (2,))]"), MustParse("[('x', '<f4'), ('y', '<M8[s]', (2,))]")
	f8, s := MustParse("<f8"), MustParse("<M8[25s]")
	for name, f := range map[string]func(){
		"Of[float64]":   func() { sink, _ = Of[float64]() },
		"Of[Half]":      func() { sink, _ = Of[Half]() },
		"Of[bool]":      func() { sink, _ = Of[bool]() },
		"Equal":         func() { _ = d.Equal(e) },
		"IsNative":      func() { _ = d.IsNative() },
		"WithByteOrder": func() { sink = s.WithByteOrder(BigEndian) },
		"the same":      func() { sink = d.WithByteOrder(LittleEndian) },
		"M8":            func() { sink = Datetime(Second, 25) }, // s keeps this type alive
		"Field":         func() { _, _ = d.Field("y") },
		"FieldAt":       func() { _ = d.FieldAt(1) },
		"Fields": func() {
			for f := range d.Fields() {
				_ = f
			}
		},
		"Parse a code":  func() { sink, _ = Parse(">f8") },
		"Base":          func() { _ = d.FieldAt(1).Type.Base() },
		"Bytes":         func() { sink = Bytes(4) },
		"Time":          func() { _, _ = s.Time(5) },
		"Duration":      func() { _, _ = s.Duration(5) },
		"Size and kind": func() { _, _, _ = f8.ItemSize(), f8.Kind(), f8.IsNumber() },
	} {
		t.Run(name, func(t *testing.T) {
			if n := testing.AllocsPerRun(100, f); n != 0 {
				t.Errorf("%s: %v allocations, want 0", name, n)
			}
		})
	}
}

// FuzzDType tests that Parse never panics, and that an accepted dtype is written so that it reads
// back equal.
func FuzzDType(f *testing.F) {
	for _, s := range []string{"<f8", "|S10", "=U4", "<M8[25s]", ">m8",
		"[('x', '<f4'), ('', '|V4'), (('t', 'b'), '>i2', (2, 1))]", "[('é', [('x', ('<M8[7D]', 3), (2,))], 1)]", "('|V0', 1)",
		"[('x', ('|S0', 5)), ('y', [], [2]), ('', ('<i4', (0,)), 3), ('z', ('>U0', []))]", "f1", "[('x', '>f1', (2,))]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := Parse(s)
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Fatalf("%q: a long message: %v", s, err)
			}
			return
		}
		if !d.Equal(d) || d.ItemSize() < 0 || !d.WithByteOrder(Native).IsNative() {
			t.Fatalf("%q: %v", s, d)
		}
		descr, err := d.Descr()
		if err != nil {
			t.Fatalf("%q is accepted but cannot be written: %v", s, err)
		}
		e, err := Parse(d.String())
		if err != nil || !e.Equal(d) {
			t.Fatalf("%q is %v: %v (%v)", s, d, e, err)
		}
		e, err = Parse(descr) // floats of models become bytes
		if err != nil || e.ItemSize() != d.ItemSize() {
			t.Fatalf("%q is written as %q: %v (%v)", s, descr, e, err)
		}
		if again, err := e.Descr(); err != nil || again != descr {
			t.Fatalf("%q is written as %q, and that as %q (%v)", s, descr, again, err)
		}
	})
}
