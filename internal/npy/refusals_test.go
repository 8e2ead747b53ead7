package npy

import (
	"regexp"
	"testing"
)

// refusals lists headers that NumPy's reader accepts and Parse deliberately rejects. Each entry has a reason and a
// pattern that the error message must match. testdata/judge.py reports the names of the entries that apply to a header.
var refusals = []struct {
	name, reason string
	message      *regexp.Regexp
	examples     []string // each is the text after 'descr': in a header
}{
	{"object", "its data is a pickle, and unpickling runs code", regexp.MustCompile("is a Python object"),
		[]string{"'|O'", "[('x', '<f8'), ('', '|O', (3,))]"}},
	{"code",
		"the code of a type is spelled as no writer spells it: lists with commas or numbers before types, blanks and signs in numbers, no units (0s), sizes over an int (NumPy reads 4294967304 as 8)",
		regexp.MustCompile("unknown dtype|is too large|has more than|unit"),
		[]string{"'i4,f8'", "'2i4'", "'<f+8'", "'<M8[0s]'", "'<M8[s/ 4]'", "'<f4294967304'"}},
	{"sub-array", "NumPy adds its dimensions to those of the shape when it makes the array, and never writes one",
		regexp.MustCompile("can only be the dtype of a field|outside of a field"),
		[]string{"('<f8', (2,))", "('<f8', [2])", "(([], (2,)), 1)"}},
	{"key twice", "it depends on Python which value counts", regexp.MustCompile("duplicate key"),
		[]string{"'<f8', 'descr': '<i4'"}},
	{"boolean dimension", "True for 1 is a slip of Python's types", regexp.MustCompile("is a boolean; want an integer"),
		[]string{"'<f8', 'fortran_order': False, 'shape': (True,)}#"}},
	{"dimension", "NumPy refuses it, too, when it makes the array: negative, too many, or more bytes than memory",
		regexp.MustCompile("negative|overflows int|more than 64|past the largest"),
		[]string{"'<f8', 'fortran_order': False, 'shape': (-1,)}#",
			"'<f8', 'fortran_order': False, 'shape': (9223372036854775807, 2)}#"}},
	{"container",
		"fields are tuples and structured types are lists of them; NumPy takes whatever Python can unpack: ['x', '<f8'], 'xb', sets, dicts, and pairs with a third part", regexp.MustCompile(`is not a field|where a dtype should be|is not a sub-array|the name set is not a literal`),
		[]string{"[['x', '<f8']]", "{('x', '<f8')}", "[('x', ('<f8', (2,), 0))]"}},
	{"title", "a title is a string",
		regexp.MustCompile(`is not a field name|the name set is not a literal|where ',' or|where a value should be`),
		[]string{"[((5, 'x'), '<f8')]"}},
	{"second type",
		"a pair is of a type and a shape; NumPy takes a second type in its place, for the size or the fields: ('|S0', '<i4') is |S4, None is <f8, {} is []", regexp.MustCompile("where the shape of a sub-array should be|where a dimension should be|which has 0 bytes"),
		[]string{"('|S0', '<i4')", "('<i4', '<f4')", "[('x', '<f8', None)]", "[('x', '<f8', '')]", "[('x', '|S0', {})]",
			"[('x', ('<i4', (0,)), [])]"}},
	{"size", "NumPy's sizes overflow: ('|V0', -1) is |V-1, ('<U0', 1073741824) is <U0",
		regexp.MustCompile("size .* want 0 to"),
		[]string{"('|V0', -1)", "('<U0', 1073741824)"}},
	{"block of empty blocks",
		"((('<i4', (0,)), 5), (2,)) has 10 bytes and no elements; what NumPy writes of it, it cannot read",
		regexp.MustCompile("cannot be the base of a sub-array"),
		[]string{"[('x', (('<i4', (0,)), 5), (2,))]"}},
	{"escape by name", `\N{DIGIT ONE} takes a table of all names of characters`, regexp.MustCompile("escapes by name"),
		[]string{`'\N{LESS-THAN SIGN}f8'`}},
	{"surrogate", "half of a pair is no character, and has no UTF-8", regexp.MustCompile("invalid escape"),
		[]string{`[('\ud800', '<f8')]`}},
	{"sign before parentheses", "+(3)", regexp.MustCompile("should follow the sign"),
		[]string{"[('x', '<f8', +(3))]"}},
	{"outside of brackets",
		"a form feed, a continued line and a carriage return alone are read differently there by Python's own tokenizers",
		regexp.MustCompile("where a value should be|before the value|after the end of the value|the last line is white space"),
		[]string{"'<f8', 'fortran_order': False, 'shape': (2,)}\\\n#"}},
}

// refusalFor reports whether one of refusals covers an error with the given message, and returns the name of that
// entry.
func refusalFor(facts []string, message string) (name string, ok bool) {
	for _, r := range refusals {
		for _, f := range facts {
			if f == r.name && r.message.MatchString(message) {
				return f, true
			}
		}
	}
	return "", false
}

// TestRefusals tests that NumPy accepts each of the examples, and that Parse rejects it for the given reason.
func TestRefusals(t *testing.T) {
	p := startJudge(t)
	for _, r := range refusals {
		for _, descr := range r.examples {
			b := header(descr, "False", "(2,)")
			v := ask(t, p, [][]byte{b})[0]
			if v == nil {
				t.Errorf("%s: NumPy refuses %s", r.name, descr)
				continue
			}
			if wrong, name := numpyDifference(b, v); wrong != "" || name != r.name {
				t.Errorf("%s: %s is refused for %q; %s", r.name, descr, name, wrong)
			}
		}
	}
}
