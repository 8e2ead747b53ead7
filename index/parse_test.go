package index

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want []Selector
	}{
		{"", nil},
		{"  ", nil},
		{"0", []Selector{At(0)}},
		{"-1", []Selector{At(-1)}},
		{"+3", []Selector{At(3)}},
		{"- 1", []Selector{At(-1)}}, // as in Python
		{"-0", []Selector{At(0)}},
		{"00", []Selector{At(0)}}, // only zero may have leading zeros
		{"0_0", []Selector{At(0)}},
		{"1_000", []Selector{At(1000)}},
		{":", []Selector{Colon}},
		{"::", []Selector{Colon}},
		{"::1", []Selector{Colon}},
		{": :", []Selector{Colon}},
		{"1:", []Selector{From(1)}},
		{":1", []Selector{To(1)}},
		{"1:2", []Selector{Range(1, 2)}},
		{"1:2:", []Selector{Range(1, 2)}},
		{"1::2", []Selector{From(1).Every(2)}},
		{"::-1", []Selector{Reverse()}},
		{"-3:-1_0:-2", []Selector{Range(-3, -10).Every(-2)}},
		{" 1 : 2 : 3 ", []Selector{Range(1, 2).Every(3)}},
		{"None:None:None", []Selector{Colon}},
		{"None:3", []Selector{To(3)}},
		{"2:None", []Selector{From(2)}},
		{"2::None", []Selector{From(2)}},
		{"None", []Selector{NewAxis}},
		{"newaxis, np.newaxis,numpy.newaxis", []Selector{NewAxis, NewAxis, NewAxis}},
		{"...", []Selector{Ellipsis}},
		{"1:10:2, ..., ::-1, None, -1", []Selector{Range(1, 10).Every(2), Ellipsis, Reverse(), NewAxis, At(-1)}},
		{"[1:10:2, ..., ::-1, None, -1]", []Selector{Range(1, 10).Every(2), Ellipsis, Reverse(), NewAxis, At(-1)}},
		{"1,", []Selector{At(1)}},
		{"[1 , :]", []Selector{At(1), Colon}},
		{"[None]", []Selector{NewAxis}}, // a[[None]] is an error in NumPy
		{"[\n\t0,\r\n\t1:\f]", []Selector{At(0), From(1)}},
		{strconv.Itoa(math.MaxInt), []Selector{At(math.MaxInt)}},
		{strconv.Itoa(math.MinInt), []Selector{At(math.MinInt)}},
		{"99999999999999999999:", []Selector{From(math.MaxInt)}},
		{"::99999999999999999999999999999999999999999", []Selector{Every(math.MaxInt)}},
		{"::-99999999999999999999999999999999999999999", []Selector{Every(-math.MaxInt)}},
		{"-99999999999999999999:3", []Selector{Range(math.MinInt, 3)}},
	} {
		got, err := Parse(tt.in)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("Parse(%q) = %v, %v, want %v", tt.in, got, err, tt.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{",", `index: selection "," at character 1: want an integer, ':', '...' or None`},
		{"[,]", `index: selection "[,]" at character 2: want an integer, ':', '...', None or ']'`},
		{"1,,2", `index: selection "1,,2" at character 3: want an integer, ':', '...' or None`},
		{"x", `index: selection "x" at character 1: want an integer, ':', '...' or None`},
		{"1x", `index: selection "1x" at character 2: want ':' or ','`},
		{"1 2", `index: selection "1 2" at character 3: want ':' or ','`},
		{"1.5", `index: selection "1.5" at character 2: want ':' or ','`},
		{"0x10", `index: selection "0x10" at character 2: want ':' or ','`},
		{"1:x", `index: selection "1:x" at character 3: want an integer, ':' or ','`},
		{"1:2x", `index: selection "1:2x" at character 4: want ':' or ','`},
		{"1:2:x", `index: selection "1:2:x" at character 5: want an integer or ','`},
		{"1:2:3:4", `index: selection "1:2:3:4" at character 6: want ','`},
		{"None None", `index: selection "None None" at character 6: want ':' or ','`},
		{"... 1", `index: selection "... 1" at character 5: want ','`},
		{"..", `index: selection ".." at character 1: want an integer, ':', '...' or None`},
		{"....", `index: selection "...." at character 4: want ','`},
		{"newaxis:", `index: selection "newaxis:" at character 8: want ','`},
		{"Nones", `index: selection "Nones" at character 1: want an integer, ':', '...' or None`},
		{"np.newaxis_", `index: selection "np.newaxis_" at character 1: want an integer, ':', '...' or None`},
		{"Noné", `index: selection "Noné" at character 1: want an integer, ':', '...' or None`},
		{"+", `index: selection "+" at the end: want a digit`},
		{"--1", `index: selection "--1" at character 2: want a digit`},
		{"1:-:", `index: selection "1:-:" at character 4: want a digit`},
		{"1_", `index: selection "1_" at the end: want a digit`},
		{"1__0", `index: selection "1__0" at character 3: want a digit`},
		{"_1", `index: selection "_1" at character 1: want an integer, ':', '...' or None`},
		{"1, 007", `index: selection "1, 007" at character 4: leading zeros are not allowed`},
		{"1, 2, ::0", `index: selection "1, 2, ::0" at character 9: slice step is zero`},
		{"::-0", `index: selection "::-0" at character 3: slice step is zero`},
		{"..., 1, ...", `index: selection "..., 1, ..." at character 9: more than one '...'`},
		{"[1", `index: selection "[1" at the end: want ':', ',' or ']'`},
		{"[1,", `index: selection "[1," at the end: want an integer, ':', '...', None or ']'`},
		{"[1:2:3", `index: selection "[1:2:3" at the end: want ',' or ']'`},
		{"[1]]", `index: selection "[1]]" at character 4: want nothing after ']'`},
		{"[1], 2", `index: selection "[1], 2" at character 4: want nothing after ']'`},
		{"1]", `index: selection "1]" at character 2: want ':' or ','`},
		{"[]",
			`index: selection "[]" at character 1: a list of indices; want them without brackets, for one of each axis, or a slice`}, // a[[]] has no rows
		{"[0]",
			`index: selection "[0]" at character 1: a list of indices; want them without brackets, for one of each axis, or a slice`},
		{" [0, -1,]",
			`index: selection " [0, -1,]" at character 2: a list of indices; want them without brackets, for one of each axis, or a slice`},
		{"[[1]]", `index: selection "[[1]]" at character 2: want an integer, ':', '...', None or ']'`},
		{"(1)", `index: selection "(1)" at character 1: want an integer, ':', '...' or None`},
		{"99999999999999999999", `index: selection "99999999999999999999" at character 1: index out of range of int`},
		{"0, -99999999999999999999", `index: selection "0, -99999999999999999999" at character 4: index out of range of int`},
		{"1\x00", `index: selection "1\x00" at character 2: want ':' or ','`},
		{"é, 1", `index: selection "é, 1" at character 1: want an integer, ':', '...' or None`},
		{"1:é",
			`index: selection "1:é" at character 3: want an integer, ':' or ','`}, // the error quotes a character, not a byte
	} {
		got, err := Parse(tt.in)
		if err == nil {
			t.Errorf("Parse(%q) = %v, want error %s", tt.in, got, tt.want)
		} else if err.Error() != tt.want {
			t.Errorf("Parse(%q): error\n %s\nwant\n %s", tt.in, err, tt.want)
		}
		if got != nil {
			t.Errorf("Parse(%q) = %v with an error", tt.in, got)
		}
	}
}

func TestMustParsePanics(t *testing.T) {
	if v := catch(func() { MustParse("x") }); v == nil {
		t.Error("no panic")
	}
}

// FuzzParse tests that Parse never panics, and that an accepted selection is printed so that it
// parses to the same selection, with or without brackets.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "1:10:2, ..., ::-1, None, -1", "[1, np.newaxis, ]", "1_000:+2:- 3", "1:x", "[", "]",
		"-9223372036854775808:9223372036854775807", "99999999999999999999:", "::0", "..., ...",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		sel, err := Parse(s)
		if err != nil {
			if sel != nil {
				t.Fatalf("Parse(%q) = %v with error %v", s, sel, err)
			}
			return
		}
		text, err := sel.MarshalText()
		if err != nil {
			t.Fatalf("Parse(%q) = %v, which has no text: %v", s, sel, err)
		}
		texts := []string{string(text), string(text) + " "}
		if strings.ContainsAny(string(text), ":.N") { // in brackets, integers alone are a list
			texts = append(texts, "["+string(text)+"]")
		}
		for _, text := range texts {
			back, err := Parse(text)
			if err != nil || !slices.Equal(back, sel) {
				t.Fatalf("Parse(%q) = %v, but Parse(%q) = %v, %v", s, sel, text, back, err)
			}
		}
	})
}

// TestParseBounded tests that errors about a text of any length are short, and that Parse stops at
// the maximum number of selectors.
func TestParseBounded(t *testing.T) {
	long := strings.Repeat("1, ", 1<<20)
	for _, tt := range []struct{ text, want string }{
		{long, `index: selection ..."` + strings.Repeat(", 1", 33) + `,"... at character 388: more than 129 selectors`},
		{"x" + long, `index: selection "x` + strings.Repeat("1, ",
			33) + `"... at character 1: want an integer, ':', '...' or None`},
		{strings.Repeat(" ", 1<<20) + "x", `index: selection ..."` + strings.Repeat(" ",
			99) + `x" at character 1048577: want an integer, ':', '...' or None`},
		{strings.Repeat("7", 1<<20), `index: selection "` + strings.Repeat("7",
			100) + `"... at character 1: index out of range of int`},
		{"1, " + strings.Repeat("é", 1<<10), `index: selection "1, ` + strings.Repeat("é",
			49) + `"... at character 4: want an integer, ':', '...' or None`},
		{strings.Repeat("\xff", 1<<10), `index: selection "` + strings.Repeat(`\xff`,
			100) + `"... at character 1: want an integer, ':', '...' or None`},
	} {
		_, err := Parse(tt.text)
		if err == nil || err.Error() != tt.want {
			t.Errorf("%.10s...:\n got %.300v\nwant %s", tt.text, err, tt.want)
		}
	}
	if sel, err := Parse("..., " + strings.Repeat("None, 0, ", MaxDims)); err != nil || len(sel) != 2*MaxDims+1 {
		t.Errorf("%d selectors, %v", len(sel), err)
	}
}
