package npy

import "regexp"

// What NumPy's reader accepts and ours refuses, on purpose. Each has a name, by
// which facts in testdata/judge.py says that a header has it, a reason, and what
// the error then says: a refusal with another message is not covered.
var refusals = []struct {
	name, reason string
	message      *regexp.Regexp
}{
	{"object", "its data is a pickle, and unpickling runs code", regexp.MustCompile("is a Python object")},
	{"byte order", "without a byte order, or with '=', it is that of the machine that wrote the file, which the file does not say", regexp.MustCompile("has no byte order|has the byte order of")},
	{"code", "the code of a type is spelled as no NumPy writes it: names (float), letters (d), lists with commas, blanks and signs in numbers, no number ('<f'), fractions of units (s/4), no units (0s), sizes over an int (NumPy reads 4294967304 as 8)",
		regexp.MustCompile("unknown dtype|is too large|has more than|unit")},
	{"sub-array", "NumPy adds its dimensions to those of the shape when it makes the array, and never writes one", regexp.MustCompile("outside of a field")},
	{"key twice", "which of the two counts is a matter of Python", regexp.MustCompile("is there twice")},
	{"boolean dimension", "True for 1 is a slip of Python's types", regexp.MustCompile("is a boolean; want an integer")},
	{"dimension", "NumPy refuses it, too, when it makes the array: negative, too many, or more bytes than memory", regexp.MustCompile("negative|overflows int|more than 64|past the largest")},
	{"container", "fields are tuples and structured types are lists of them; NumPy takes whatever Python can unpack: ['x', '<f8'], 'xb', sets, dicts, and pairs with a third part", regexp.MustCompile(`is no field|where a dtype should be|is no sub-array|the name set is no literal`)},
	{"title", "a title is a string, and not empty", regexp.MustCompile(`is no field name|is empty|the name set is no literal|where ',' or|where a value should be`)},
	{"second type", "a pair is of a type and a shape; NumPy takes a second type in its place, for the size or the fields: ('|S0', '<i4') is |S4, None is <f8, {} is []", regexp.MustCompile("where the shape of a sub-array should be|where a dimension should be|which has 0 bytes")},
	{"negative size", "('|V0', -1) is an element of -1 bytes; NumPy only reads it where it is no field", regexp.MustCompile("size .* want 0 to")},
	{"block of empty blocks", "((('<i4', (0,)), 5), (2,)) has 10 bytes and no elements; what NumPy writes of it, it cannot read", regexp.MustCompile("a sub-array of sub-arrays of no elements")},
	{"escape by name", `\N{DIGIT ONE} takes a table of all names of characters`, regexp.MustCompile("escapes by name")},
	{"surrogate", "half of a pair is no character, and has no UTF-8", regexp.MustCompile("bad escape")},
	{"sign before parentheses", "+(3)", regexp.MustCompile("should follow the sign")},
	{"outside of brackets", "a form feed, a continued line and a carriage return alone are read differently there by Python's own tokenizers", regexp.MustCompile("where a value should be|before the value|after the end of the value|a last line of white space")},
}

// deliberate reports whether a refusal with that message is one of refusals, and
// which.
func deliberate(facts []string, message string) (name string, ok bool) {
	for _, r := range refusals {
		for _, f := range facts {
			if f == r.name && r.message.MatchString(message) {
				return f, true
			}
		}
	}
	return "", false
}
