package where

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/value"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// elements returns an array of one dimension with the given elements, as the tool reads them, separated by blanks.
func elements(t *testing.T, d dtype.DType, text string) array.Array {
	t.Helper()
	fields := strings.Fields(text)
	a, err := array.New(d, index.C, len(fields))
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range fields {
		x, err := value.Parse(d, strings.ReplaceAll(s, "_", " "))
		if err == nil {
			err = array.Copy(a.Index(i), x)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return a.Array
}

// match returns the positions of the rows of a that satisfy the condition.
func match(a array.Array, condition string) (rows []int, err error) {
	c, err := Parse(condition)
	if err != nil {
		return nil, err
	}
	f, err := New(a, c)
	if err != nil {
		return nil, err
	}
	mask := make([]bool, a.Len(0))
	err = f.Match(mask, a)
	for i, ok := range mask {
		if ok {
			rows = append(rows, i)
		}
	}
	return rows, err
}

// TestMatch tests conditions on the elements of one dimension, in both byte orders.
func TestMatch(t *testing.T) {
	for _, tt := range []struct{ dtype, elements, condition, want string }{
		{"i1", "-128 -1 0 1 127", "> -1", "2 3 4"},
		{"i1", "-128 -1 0 1 127", ">= -1", "1 2 3 4"},
		{"i1", "-128 -1 0 1 127", "< 1000", "0 1 2 3 4"},
		{"i1", "-128 -1 0 1 127", "> 1000", ""},
		{"i1", "-128 -1 0 1 127", "<= -1.5", "0"},
		{"i1", "-128 -1 0 1 127", "< -0.5", "0 1"},
		{"i1", "-128 -1 0 1 127", "= 1.0", "3"},
		{"i1", "-128 -1 0 1 127", "= 0.5", ""},
		{"i1", "-128 -1 0 1 127", "!= 0.5", "0 1 2 3 4"},
		{"i1", "-128 -1 0 1 127", "!= 1", "0 1 2 4"},
		{"i1", "-128 -1 0 1 127", "= nan", ""},
		{"i1", "-128 -1 0 1 127", "!= nan", "0 1 2 3 4"},
		{"i1", "-128 -1 0 1 127", "< inf", "0 1 2 3 4"},
		{"i1", "-128 -1 0 1 127", "<= -inf", ""},
		{"i1", "-128 -1 0 1 127", "= 0x7f", "4"},
		{"i8", "-9223372036854775808 9223372036854775806 9223372036854775807", "> 9223372036854775806", "2"},
		{"i8", "-9223372036854775808 9223372036854775806 9223372036854775807", "< 9223372036854775806.5", "0 1"},
		{"i8", "-9223372036854775808 9223372036854775806 9223372036854775807", "= 9223372036854775808", ""},
		{"i8", "-9223372036854775808 9223372036854775806 9223372036854775807", "!= 9223372036854775808", "0 1 2"},
		{"i8", "-9223372036854775808 9223372036854775806 9223372036854775807", "<= -9223372036854775808", "0"},
		{"i8", "-9223372036854775808 9223372036854775806 9223372036854775807", "< -9223372036854775808", ""},
		{"i8", "-9223372036854775808 9223372036854775806 9223372036854775807", "> 1e-400", "1 2"},
		{"i8", "-9223372036854775808 9223372036854775806 9223372036854775807", "> 1e999999999", ""},
		{"i8", "-9223372036854775808 9223372036854775806 9223372036854775807", ">= -1e300", "0 1 2"},
		{"u8", "0 9007199254740993 18446744073709551615", "= 9007199254740992", ""},
		{"u8", "0 9007199254740993 18446744073709551615", "> 9007199254740992", "1 2"},
		{"u8", "0 9007199254740993 18446744073709551615", ">= 18446744073709551615", "2"},
		{"u8", "0 9007199254740993 18446744073709551615", "> 18446744073709551615", ""},
		{"u8", "0 9007199254740993 18446744073709551615", "> -1", "0 1 2"},
		{"u8", "0 9007199254740993 18446744073709551615", "< 0", ""},
		{"f8", "-inf -1 -0.0 0 1 inf nan", "> -1", "2 3 4 5"},
		{"f8", "-inf -1 -0.0 0 1 inf nan", "< 0", "0 1"},
		{"f8", "-inf -1 -0.0 0 1 inf nan", "<= -0", "0 1 2 3"},
		{"f8", "-inf -1 -0.0 0 1 inf nan", "= 0", "2 3"},
		{"f8", "-inf -1 -0.0 0 1 inf nan", "!= 0", "0 1 4 5 6"},
		{"f8", "-inf -1 -0.0 0 1 inf nan", "= nan", "6"},
		{"f8", "-inf -1 -0.0 0 1 inf nan", "!= NaN", "0 1 2 3 4 5"},
		{"f8", "-inf -1 -0.0 0 1 inf nan", ">= nan", ""},
		{"f8", "-inf -1 -0.0 0 1 inf nan", "< inf", "0 1 2 3 4"},
		{"f8", "-inf -1 -0.0 0 1 inf nan", ">= inf", "5"},
		{"f8", "-inf -1 -0.0 0 1 inf nan", "> inf", ""},
		{"f8", "-inf -1 -0.0 0 1 inf nan", "< -inf", ""},
		{"f8", "-inf -1 -0.0 0 1 inf nan", "<= -inf", "0"},
		{"f8", "-inf -1 -0.0 0 1 inf nan", "> -inf", "1 2 3 4 5"},
		{"f4", "0.1 0.2 3.4028235e38 inf", "= 0.1", "0"},
		{"f4", "0.1 0.2 3.4028235e38 inf", "> 0.1", "1 2 3"},
		{"f4", "0.1 0.2 3.4028235e38 inf", "> 1e300", "3"},
		{"f4", "0.1 0.2 3.4028235e38 inf", "< 1e300", "0 1 2"},
		{"f2", "0.1 0.2 65504 nan", "<= 0.1", "0"},
		{"f2", "0.1 0.2 65504 nan", "= nan", "3"},
		{"f2", "0.1 0.2 65504 nan", "< 1e9", "0 1 2"},
		{"bfloat16", "0.1 0.2 nan", "= 0.1", "0"},
		{"float8_e5m2", "0.1 2 nan", "< 2", "0"},
		{"c8", "0.1+1j 1 nan nan+nanj", "= 0.1+1j", "0"},
		{"c16", "0.1+1j 1 nan nan+nanj", "!= 1", "0 2 3"},
		{"c16", "0.1+1j 1 nan nan+nanj", "= nan", "2 3"},
		{"c16", "0.1+1j 1 nan nan+nanj", "!= nan", "0 1"},
		{"c16", "inf+nanj inf-infj nan+infj", "= nan", "0 2"},
		{"?", "true false true", "= true", "0 2"},
		{"?", "true false true", "!= 1", "1"},
		{"?", "true false true", "< True", "1"},
		{"?", "true false true", "> FALSE", "0 2"},
		{"M8[D]", "2024-01-30 2024-01-31 NaT", "> 2024-01-30T12:00", "1"},
		{"M8[D]", "2024-01-30 2024-01-31 NaT", "<= 2024-01-30T12:00", "0"},
		{"M8[D]", "2024-01-30 2024-01-31 NaT", "= 2024-01-30", "0"},
		{"M8[D]", "2024-01-30 2024-01-31 NaT", "!= 2024-01-30", "1 2"},
		{"M8[D]", "2024-01-30 2024-01-31 NaT", "= nat", "2"},
		{"M8[D]", "2024-01-30 2024-01-31 NaT", "!= NaT", "0 1"},
		{"M8[D]", "2024-01-30 2024-01-31 NaT", "< nat", ""},
		{"M8[D]", "2024-01-30 2024-01-31 NaT", "< 99999999999999999999", "0 1"},
		{"M8[D]", "2024-01-30 2024-01-31 NaT", "< -99999999999999999999", ""},
		{"M8[M]", "2024-01 2024-02", "< 2024-01-02", "0"},
		{"M8[M]", "2024-01 2024-02", "= 2024-01-02", ""},
		{"M8[2M]", "2024-01 2024-03", "> 2024-02", "1"},
		{"M8[Y]", "2023 2024", ">= 2023-12-31T23:59:59.999", "1"},
		{"M8[ns]", "2024-01-01T00:00:00.000000001", "> 2024", "0"},
		{"m8[s]", "5 75 NaT", "> 5_seconds", "1"},
		{"m8[s]", "5 75 NaT", "<= 75", "0 1"},
		{"m8", "5 NaT", "= NaT", "1"},
		{"S3", "a ab abc b", "< ab", "0"},
		{"S3", "a ab abc b", "= ab", "1"},
		{"S3", "a ab abc b", ">= abcd", "3"},
		{"S3", "a ab abc b", "!= abcd", "0 1 2 3"},
		{"S3", "a b'\\xff' b'b\\x00c'", "= ÿ", "1"},
		{"S3", "a b'\\xff' b'b\\x00c'", "> b", "1 2"},
		{"S3", "a b'\\xff' b'b\\x00c'", "= b'b\\x00c'", "2"},
		{"S3", "a b'\\xff' b'b\\x00c'", "<= 名", "0 1 2"},
		{"S3", "a b'\\xff'", "= 'b'", ""},
		{"U2", "a é 名 \U0001d6fc", "> é", "2 3"},
		{"U2", "a é 名 \U0001d6fc", "<= 名", "0 1 2"},
		{"U2", "a é 名 \U0001d6fc", "= \U0001d6fc", "3"},
		{"U2", "a é 名 \U0001d6fc", "> ''", "0 1 2 3"},
		{"V2", "00ff ff00", "= 00ff", "0"},
		{"V2", "00ff ff00", "!= b'\\x00\\xff'", "1"},
	} {
		for _, order := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} {
			d := dtype.MustParse(tt.dtype).WithByteOrder(order)
			t.Run(fmt.Sprintf("%v %s", d, tt.condition), func(t *testing.T) {
				got, err := match(elements(t, d, tt.elements), strings.ReplaceAll(tt.condition, "_", " "))
				if text := strings.Trim(fmt.Sprint(got), "[]"); err != nil || text != tt.want {
					t.Errorf("of %s: %s, %v, want %s", tt.elements, text, err, tt.want)
				}
			})
		}
	}
}

// TestMatchLongDoubles tests conditions on long doubles of x86.
func TestMatchLongDoubles(t *testing.T) {
	b := make([]byte, 32)
	copy(b[7:], []byte{0xC0, 0xFF, 0x3F})    // 1.5
	copy(b[16+7:], []byte{0x80, 0x00, 0xC0}) // -2
	for _, tt := range []struct{ dtype, condition, want string }{
		{"<f16", "> 0", "[0]"},
		{"<f16", "= -2", "[1]"},
		{"<c32", "= 1.5-2j", "[0]"},
		{"<c32", "!= 1.5-2j", "[]"},
	} {
		d := dtype.MustParse(tt.dtype)
		a, err := array.FromBytes(b, d, index.C, len(b)/d.ItemSize())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := match(a, tt.condition); err != nil || fmt.Sprint(got) != tt.want {
			t.Errorf("%v %s: %v, %v, want %s", d, tt.condition, got, err, tt.want)
		}
	}
}

// TestColumns tests columns of structures and of several dimensions.
func TestColumns(t *testing.T) {
	d := dtype.MustParse("[('a', [('b', '<i4', (2, 3)), ('c d', '<f4')]), ('x=1', '|i1'), ('n.m', '|i1'), ('.', '|i1'), ('it\\'s', '|i1')]")
	a, err := array.New(d, index.C, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{"a.b", "a.c d", "x=1", "n.m", ".", "it's"} {
		f, err := a.Field(field)
		if err == nil && f.NDim() > 1 {
			f, err = f.Select(index.Colon, index.At(1), index.At(2))
		}
		if err != nil {
			t.Fatal(err)
		}
		one, err := value.Parse(f.DType(), "1")
		if err == nil {
			err = array.Copy(f.Index(2), one)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, condition := range []string{"a.b[1,2] = 1", " a.b [ 1 , -1 ]>0", "a.c d = 1", `"x=1" = 1`, "'x=1'!=0",
		"n.m = 1",
		"'.' = 1", "it's = 1", `"it's">0`} {
		t.Run(condition, func(t *testing.T) {
			if got, err := match(a.Array, condition); err != nil || fmt.Sprint(got) != "[2]" {
				t.Errorf("%v, %v, want [2]", got, err)
			}
		})
	}
	m, err := array.New(dtype.Int16, index.F, 3, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name      string
		a         array.Array
		condition string
		want      string
	}{
		{"no field", a.Array, "> 1", `the rows are structures; name a field: a, a.b, a.c d, "x=1", n.m, ".", it's`},
		{"structure", a.Array, "a = 1", "field a is a structure; name one of its fields: a.b, a.c d"},
		{"shape", a.Array, "a.b > 1", "field a.b has shape (2, 3); name one of its values, such as a.b[0,0]"},
		{"too many indices", a.Array, "n.m[0] > 1", "field n.m has a single value; remove the brackets of n.m[0]"},
		{"near", a.Array, "a.d = 1", `no field "a.d"; did you mean a.b?`},
		{"quotes missing", a.Array, "x=1 > 0", `no field "x"; the fields are a, a.b, a.c d, "x=1", n.m, ".", it's`},
		{"nothing near", a.Array, "hello = 1", `no field "hello"; the fields are a, a.b, a.c d, "x=1", n.m, ".", it's`},
		{"index", a.Array, "a.b[1,3] = 1", "index 3 out of range for axis 2 with length 3"},
		{"no index", m.Array, ". = 1", "a row has shape (2, 2); name one of its values, such as [0,0]"},
		{"few indices", m.Array, "[1] = 1", "a row has shape (2, 2); name one of its values, such as [0,0]"},
		{"no fields", m.Array, "x = 1", `no field "x": the elements are not structures`},
		{"no rows", m.Index(0).Index(0).Index(0), "= 1", "the array has no dimensions, and so no rows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := match(tt.a, tt.condition)
			if err == nil || !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
			if _, ok := errors.AsType[ValueError](err); ok {
				t.Error("the error is a ValueError")
			}
		})
	}
}

// TestParseErrors tests text that is not a condition, and values that do not suit their column.
func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ dtype, condition, want string }{
		{"", "", "no operator; want FIELD OP VALUE"},
		{"", "x", "no operator; want FIELD OP VALUE"},
		{"", "'x = 3'", "no operator"},
		{"", "x !! 3", "unknown operator"},
		{"", "x =! 3", "unknown operator"},
		{"", "x ==", "no value"},
		{"", "x <> 3", "unknown operator"},
		{"", "x === 3", "unknown operator"},
		{"", "[1 > 3", "invalid column"},
		{"", "[] > 3", "invalid column"},
		{"", "x[1:2] > 3", `invalid column "[1:2]"; want integers in brackets`},
		{"<i4", "= x", "want a number"},
		{"<i4", "> 1 and < 3", "want a number; each -where has one condition"},
		{"<f8", "> 1 && x = 2", "want a number, nan or inf; each -where has one condition"},
		{"<i4", "= 1/3", "want a number"},
		{"<i4", "= 1e-99999999", "want a number"},
		{"<i4", "= 0" + strings.Repeat("0", 5000), "want a number"},
		{"<f8", "= x", "want a number, nan or inf"},
		{"<f8", "= 1e400", "want a number, nan or inf"},
		{"<c8", "= x", "want a complex number, such as 1+2j"},
		{"<c8", "< 1", "dtype <c8 has no order; want = or !="},
		{"|b1", "= 2", "want true or false"},
		{"<M8[s]", "= x", "want NaT, or a time such as"},
		{"<M8[s]", "= 2024-02-30", "no such date or time of day"},
		{"<M8", "= 2024", "a dtype without a unit has no value except NaT"},
		{"<m8[s]", "= 1.5", "want NaT or the number of seconds, an integer of 64 bits"},
		{"<m8[s]", "= " + strings.Repeat("9", 5000), "5000 bytes, but the text of a time has at most 4096"},
		{"|V2", "> 00ff", "dtype |V2 has no order; want = or !="},
		{"|V2", "= 00", "want 2 bytes"},
	} {
		t.Run(tt.dtype+tt.condition[:min(20, len(tt.condition))], func(t *testing.T) {
			d := dtype.Float64
			if tt.dtype != "" {
				d = dtype.MustParse(tt.dtype)
			}
			a, err := array.New(d, index.C, 1)
			if err != nil {
				t.Fatal(err)
			}
			_, err = match(a.Array, tt.condition)
			_, isValue := errors.AsType[ValueError](err)
			if err == nil || !strings.Contains(err.Error(), tt.want) || isValue != (tt.dtype != "") {
				t.Errorf("%v (%T), want %s", err, err, tt.want)
			}
		})
	}
}

// TestColumnString tests that ParseColumn reads what String writes.
func TestColumnString(t *testing.T) {
	for _, c := range []Column{{}, {field: "a.b"}, {field: "a b", index: []int{1, -2}}, {index: []int{0}}, {field: "."},
		{field: "x=1"}, {field: "it's"}, {field: " x"}, {field: "a[0]"}, {field: `x"0`}, {field: `"a\b"=`}} {
		got, err := ParseColumn(c.String())
		if err != nil || fmt.Sprint(got) != fmt.Sprint(c) {
			t.Errorf("%v: %v, %v", c, got, err)
		}
	}
}

// TestMatchBlocks tests that a Filter can match blocks of different lengths.
func TestMatchBlocks(t *testing.T) {
	a := elements(t, dtype.Float64, "1 2 3 4 5 6 7")
	c1, err1 := Parse("> 2")
	c2, err2 := Parse("!= 5")
	f, err := New(a, c1, c2)
	if err := errors.Join(err, err1, err2); err != nil {
		t.Fatal(err)
	}
	var got []bool
	for _, r := range [][2]int{{0, 4}, {4, 5}, {5, 7}, {7, 7}} {
		part, err := a.Select(index.Range(r[0], r[1]))
		mask := make([]bool, r[1]-r[0])
		if err == nil {
			err = f.Match(mask, part)
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, mask...)
	}
	if fmt.Sprint(got) != "[false false true true false true true]" {
		t.Error(got)
	}
}

// TestQuote tests that conditions and sort keys read a quoted name as the field of this name.
func TestQuote(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"price", "price"}, {"pos.x", "pos.x"}, {"a b", "a b"}, {" a ", `" a "`}, {".", `"."`}, {"a=b", `"a=b"`},
		{"a<b>", `"a<b>"`}, {"a!", `"a!"`}, {"v[0]", `"v[0]"`}, {"it's", "it's"}, {"'", `"'"`}, {"'a'", `"'a'"`},
		{`"a"`, `""a""`},
		{`"='`, `'"=''`}, {`"='=`, ""}, {`say "a"`, `say "a"`}, {`"a"=`, `'"a"='`}, {"", ""}, {"$(x)", "$(x)"},
		{"a,b", `"a,b"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Quote(tt.name)
			if got != tt.want || ok != (tt.want != "") {
				t.Fatalf("got %q, %v, want %q", got, ok, tt.want)
			}
			if !ok {
				return
			}
			c, err := ParseColumn(got)
			if err != nil || c.field != tt.name || c.index != nil {
				t.Errorf("column %q: %v, %v", got, c, err)
			}
			cond, err := Parse(got + " >= 1")
			if err != nil || cond.column.field != tt.name || cond.op != ">=" {
				t.Errorf("condition %q: %v, %v", got, cond, err)
			}
		})
	}
}

// FuzzParse tests that parsing and evaluating a condition never panics. It also tests that a condition with the text of
// its column is the same condition.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "> 0.5", "[2] >= nan", "a.b[-1, 0] == 0x7f", "'x=1' != true", `"it's"<"b "`, "t > 2024-01-31T12:30", "t = nat",
		"s <= b'\\xff'", "u = \U0001d6fc", "c = 1+2j", "v = 00ff", "x = 1e999999999", "m < -9223372036854775808", "[[1] = 1",
	} {
		f.Add(s)
	}
	d := dtype.MustParse("[('a', [('b', '<i8', (2, 3))]), ('x', '|u1'), ('x=1', '?'), (\"it's\", 'S3'), ('h', '<f2'), " +
		"('t', '>M8[7D]'), ('m', '<m8[ns]'), ('s', 'S2'), ('u', '>U2'), ('c', '<c8'), ('v', 'V2'), ('g', '<f16')]")
	records, err := array.New(d, index.C, 2)
	if err != nil {
		f.Fatal(err)
	}
	matrix, err := array.New(dtype.Float32, index.F, 2, 3)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := Parse(s)
		if err != nil {
			return
		}
		again, err := Parse(c.column.String() + s[indexUnquoted(s, "=!<>"):])
		if err != nil || fmt.Sprint(again) != fmt.Sprint(c) {
			t.Fatalf("Parse(%q) = %v, but with the text of its column %v, %v", s, c, again, err)
		}
		for _, a := range []array.Array{records.Array, matrix.Array, matrix.Index(0)} {
			if _, err := match(a, s); err != nil && err.Error() == "" {
				t.Fatalf("Parse(%q): an error without text", s)
			}
		}
	})
}

// TestNames tests lists of fields.
func TestNames(t *testing.T) {
	for _, tt := range []struct {
		list string
		want []string
	}{
		{"", []string{""}}, {"a", []string{"a"}}, {"a, b ", []string{"a", " b "}}, {" b", []string{" b"}},
		{`"x,y",a`, []string{"x,y", "a"}}, {`a, 'x,y'`, []string{"a", "x,y"}}, {"it's,a", []string{"it's", "a"}},
		{`"q"`, []string{`"q"`}}, {"a,", []string{"a", ""}}, {`"x,y`, []string{`"x,y`}},
	} {
		names := Names(tt.list)
		for k, name := range names {
			names[k], _ = FindName(name, func(s string) bool { return slices.Contains([]string{"a", " b ", " b", `"q"`}, s) })
		}
		if !slices.Equal(names, tt.want) {
			t.Errorf("%q: %q, want %q", tt.list, names, tt.want)
		}
	}
}
