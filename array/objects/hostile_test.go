package objects

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/internal/oracle"
)

// fileOf returns a .npy file with the given descr, shape and pickle.
func fileOf(descr, shape, pickle string) string {
	return "\x93NUMPY\x01\x00v\x00" +
		fmt.Sprintf("%-117s\n", fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': %s, }", descr, shape)) + pickle
}

// start is the offset of the pickle in files of fileOf.
const start = 128

// Parts of pickles of arrays and dtypes, in protocol 2.
const (
	newArray  = "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tU\x01btR"
	objectT   = "cnumpy\ndtype\n(U\x02O8\x89\x88tR(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb"
	floatT    = "cnumpy\ndtype\n(U\x02f8\x89\x88tR(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
	zeroBytes = "U\x08\x00\x00\x00\x00\x00\x00\x00\x00"
)

// vectorOf returns the file of an array of one dimension, whose n elements the opcodes push.
func vectorOf(n int, opcodes string) string {
	return fileOf("'|O'", fmt.Sprintf("(%d,)", n), newArray+"(K\x01(K"+string(rune(n))+"t"+objectT+"\x89]("+opcodes+"etb.")
}

// elements returns the elements of the array that vectorOf makes.
func elements(t *testing.T, n int, opcodes string) []any {
	t.Helper()
	a, err := Read(strings.NewReader(vectorOf(n, opcodes)))
	if err != nil {
		t.Fatalf("%q: %v", opcodes, err)
	}
	return a.Values
}

// length returns an integer of n bytes.
func length(n int, x uint64) string { return string(binary.LittleEndian.AppendUint64(nil, x)[:n]) }

// TestHostile tests pickles that Python would run, or that would take its memory. The error describes the mistake.
func TestHostile(t *testing.T) {
	name := func(s string) string {
		return `"` + s + `" is neither a plain value nor an array, and ndmap runs no code from a file; save the array from Python without it`
	}
	huge := length(8, 1<<62)
	for _, tt := range []struct{ name, pickle, want string }{
		{"protocol 0", "cos\nsystem\n(S'rm -r .'\ntR.", name("os.system")},
		{"protocol 1", "(cposix\nsystem\nX\x01\x00\x00\x00ao.", name("posix.system")},
		{"protocol 2", "\x80\x02cos\nsystem\nU\x01a\x85R.", name("os.system")},
		{"protocol 3", "\x80\x03cnt\nsystem\nX\x01\x00\x00\x00a\x85R.", name("nt.system")},
		{"protocol 4", "\x80\x04\x95\x16\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x8c\x06system\x93\x8c\x01a\x85R.",
			name("os.system")},
		{"protocol 5", "\x80\x05\x8c\x02os\x8c\x06system\x93\x8c\x01a\x85R.", name("os.system")},
		{"through the memo", "\x80\x04\x8c\x02os\x94\x8c\x06system\x940h\x00h\x01\x93.", name("os.system")},
		{"attribute", "\x80\x04\x8c\x05numpy\x8c\x0cndarray.data\x93.", name("numpy.ndarray.data")},
		{"other module", "cnumpy.core\nmultiarray\n.", name("numpy.core.multiarray")},
		{"eval", "c__builtin__\neval\n(S'1'\ntR.", name("__builtin__.eval")},
		{"getattr", "cbuiltins\ngetattr\n.", name("builtins.getattr")},
		{"loader", "cnumpy\nload\n.", name("numpy.load")},
		{"control characters", "c\x1b[2J\nsystem\n.", name(`\x1b[2J.system`)},
		{"INST", "(S'a'\nios\nsystem\n.", name("os.system")},
		{"INST of an array", "(inumpy\nndarray\n.", "INST of numpy.ndarray: instances are not supported"},
		{"OBJ", "(cnumpy\nndarray\no.", "instances of classes are not supported"},
		{"NEWOBJ", "cnumpy\nndarray\n)\x81.", "instances of classes are not supported"},
		{"NEWOBJ_EX", "cnumpy\nndarray\n)}\x92.", "instances of classes are not supported"},
		{"PERSID", "Pa\n.", "persistent objects, which are not part of the file, are not supported"},
		{"BINPERSID", "NQ.", "persistent objects, which are not part of the file, are not supported"},
		{"EXT1", "\x82\x01.", "names of the extension registry, which are not part of the file, are not supported"},
		{"EXT2", "\x83\x01\x00.", "names of the extension registry, which are not part of the file, are not supported"},
		{"EXT4", "\x84\x01\x00\x00\x00.",
			"names of the extension registry, which are not part of the file, are not supported"},
		{"NEXT_BUFFER", "\x97.", "buffers outside of the pickle are not supported"},
		{"READONLY_BUFFER", "\x98.", "buffers outside of the pickle are not supported"},
		{"REDUCE of text", "U\x02os)R.", "REDUCE of something that is not a function and a tuple"},
		{"REDUCE without a tuple", "c__builtin__\nset\n]R.", "REDUCE of something that is not a function and a tuple"},
		{"REDUCE of a class that cannot be called", "cnumpy\nndarray\n)R.", "numpy.ndarray has invalid arguments"},
		{"BUILD of a list", "]}b.", "BUILD of something that is neither an array nor a dtype"},
		{"BUILD with __setstate__", "]}U\x0c__setstate__cos\nsystem\nsb.", name("os.system")},
		{"BUILD of a class", "cnumpy\ndtype\n}b.", "BUILD of something that is neither an array nor a dtype"},
		{"unknown opcode", "\xff.", "unknown opcode 0xff"},
		{"unknown protocol", "\x80\x06.", "unknown protocol 6; want 0 to 5"},

		{"FRAME, huge", "\x95" + huge + "N.", "STOP precedes the end of its frame at byte 4611686018427388041"},
		{"FRAME, larger than any file", "\x95" + length(8, 1<<63) + "N.",
			"a frame of 9223372036854775808 bytes is too large"},
		{"FRAME, short", "\x95" + length(8, 3) + "U\x05aaaaa.", "the opcode crosses the end of its frame at byte 140"},
		{"FRAME within a frame", "\x95" + length(8, 20) + "\x95" + length(8, 3) + "N.", "a frame within a frame"},
		{"BINBYTES8, huge", "\x8e" + huge,
			"the pickle has too many bytes, 4611686017353646080 more than are left; a larger limit can be set (OpenConfig.MaxBytes)"},
		{"BINUNICODE8, negative", "\x8d" + length(8, 1<<64-1),
			"the pickle has too many bytes, 18446744072635809791 more than are left; a larger limit can be set (OpenConfig.MaxBytes)"},
		{"BYTEARRAY8, huge", "\x96" + huge,
			"the pickle has too many bytes, 4611686017353646080 more than are left; a larger limit can be set (OpenConfig.MaxBytes)"},
		{"BINSTRING, huge", "T" + length(4, 1<<32-1),
			"the pickle has too many bytes, 3221225471 more than are left; a larger limit can be set (OpenConfig.MaxBytes)"},
		{"LONG4, huge", "\x8b" + length(4, 1<<31-1), "an integer of 2147483647 bytes is too large"},
		{"LONG, many digits", "L" + strings.Repeat("1", 4301) + "L\n.",
			`"` + strings.Repeat("1", 100) + `…" is not an integer of at most 4300 digits`},
		{"memo, huge index", "Nr" + length(4, 1<<32-1), "the index 4294967295 of the memo is too large"},
		{"memo, decimal index", "Np99999999999\n", "the index 99999999999 of the memo is too large"},
		{"memo, negative index", "Np-1\n", "invalid index of the memo"},
		{"memo, index of text", "Npx\n", `"x" is not an integer of at most 4300 digits`},
		{"memo, no entry", "h\x00.", "the memo has no entry 0"},
		{"memo, a hole", "Nq\x050h\x00.", "the memo has no entry 0"},

		{"no value", ".", "the stack has too few values"},
		{"a value below MARK", "N(.", "the stack has too few values"},
		{"no MARK", "t.", "no MARK"},
		{"DUP of nothing", "2.", "the stack has too few values"},
		{"POP of nothing", "0.", "the stack has too few values"},
		{"APPEND to a tuple", ")Na.", "APPEND to something that is not a list"},
		{"APPENDS to nothing", "(Ne.", "the stack has too few values"},
		{"SETITEM of a list", "]NNs.", "SETITEM of something that is not a dict"},
		{"SETITEMS without a value", "}(Nu.", "a key of a dict has no value"},
		{"DICT without a value", "(Nd.", "a key of a dict has no value"},
		{"ADDITEMS to a frozenset", "(\x91(N\x90.", "ADDITEMS to something that is not a set"},
		{"STACK_GLOBAL of None", "NN\x93.", "STACK_GLOBAL of something that is not text"},

		{"list as a key", "}]Ns.", "a list, a dict, an array or a class cannot be the key of a dict or an item of a set"},
		{"list in a tuple as a key", "}]\x85Ns.",
			"a list, a dict, an array or a class cannot be the key of a dict or an item of a set"},
		{"dict as a key", "}}Ns.", "a list, a dict, an array or a class cannot be the key of a dict or an item of a set"},
		{"set as an item", "\x8f(\x8f\x90.", "a set cannot be the key of a dict or an item of a set"},
		{"bytearray as a key", "}\x96" + length(8, 0) + "Ns.", "a bytearray cannot be the key of a dict or an item of a set"},
		{"array as a key", "}" + newArray + "Ns.",
			"a list, a dict, an array or a class cannot be the key of a dict or an item of a set"},
		{"deep tuple as a key", "}" + ")" + strings.Repeat("\x85", 100_000) + "Ns.", "a key is nested more than 1000 deep"},

		{"not an array", "N.", "the pickle is not an array of Python objects"},
		{"a list", "].", "the pickle is not an array of Python objects"},
		{"an array without elements", newArray + ".", "the pickle is not an array of Python objects"},
		{"an array of numbers", newArray + "(K\x01)" + floatT + "\x89" + zeroBytes + "tb.",
			"the pickle is not an array of Python objects"},
		{"another shape", newArray + "(K\x01(K\x01t" + objectT + "\x89](Netb.",
			"the pickle has shape (1,) and dtype |O, and the header has shape () and dtype |O"},

		{"array, subclass", "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\ndtype\n(K\x00tU\x01btR.",
			"numpy.core.multiarray._reconstruct has invalid arguments"},
		{"array, no state", newArray + "Nb.", "an array has an invalid state"},
		{"array, two states", newArray + "(K\x01)" + objectT + "\x89](Netb(K\x01)" + objectT + "\x89](Netb.",
			"an array has an invalid state"},
		{"array, short state", newArray + "(K\x01)" + objectT + "\x89tb.", "an array has a state of an unknown version"},
		{"array, version 2", newArray + "(K\x02)" + objectT + "\x89](Netb.", "an array has a state of an unknown version"},
		{"array, negative length", newArray + "(K\x01(J\xff\xff\xff\xfft" + objectT + "\x89](Netb.",
			"axis 0 of an array has the length -1"},
		{"array, length that is text", newArray + "(K\x01(U\x01at" + objectT + "\x89](Netb.",
			"the shape of an array is not a tuple of at most 64 integers"},
		{"array, many dimensions", newArray + "(K\x01(" + strings.Repeat("K\x01", 65) + "t" + objectT + "\x89](Netb.",
			"the shape of an array is not a tuple of at most 64 integers"},
		{"array, huge shape",
			newArray + "(K\x01(J\x00\x00\x00\x40J\x00\x00\x00\x40t" + floatT + "\x89" + zeroBytes + "tb.",
			"overflows int"},
		{"array, hidden huge shape",
			newArray + "(K\x01(J\x00\x00\x00\x40K\x00J\x00\x00\x00\x40t" + floatT + "\x89U\x00tb.",
			"overflows int"},
		{"array, few bytes", newArray + "(K\x01(K\x02t" + floatT + "\x89" + zeroBytes + "tb.",
			"an array of shape (2,) and dtype <f8 needs 16 bytes of elements"},
		{"array, list of numbers", newArray + "(K\x01)" + floatT + "\x89]tb.",
			"an array of shape () and dtype <f8 needs 8 bytes of elements"},
		{"array, bytes of objects", newArray + "(K\x01)" + objectT + "\x89" + zeroBytes + "tb.",
			"an array of shape () and dtype |O needs a list of 1 elements"},
		{"array, long list", newArray + "(K\x01)" + objectT + "\x89](NNetb.",
			"an array of shape () and dtype |O needs a list of 1 elements"},
		{"array, order", newArray + "(K\x01)" + objectT + "K\x02](Netb.", "the order of an array is neither true nor false"},
		{"array, no dtype", newArray + "(K\x01)N\x89](Netb.", "a dtype is missing"},
		{"array, dtype without state", newArray + "(K\x01)cnumpy\ndtype\n(U\x02O8\x89\x88tR\x89](Netb.",
			"a dtype is missing"},

		{"dtype, no code", "cnumpy\ndtype\n(U\x00\x89\x88tR.", "numpy.dtype has invalid arguments"},
		{"dtype, class", "cnumpy\ndtype\n(cnumpy\ndtype\n\x89\x88tR.", "numpy.dtype has invalid arguments"},
		{"dtype, short state", "cnumpy\ndtype\n(U\x02f8\x89\x88tR(K\x03U\x01<tb.",
			"a dtype has a state of an unknown version"},
		{"dtype, version", "cnumpy\ndtype\n(U\x02f8\x89\x88tR(K\x07U\x01<NNNNNNtb.",
			"a dtype has a state of an unknown version"},
		{"dtype, byte order", "cnumpy\ndtype\n(U\x02f8\x89\x88tR(K\x03U\x01!NNNNNNtb.", "a dtype has an unknown byte order"},
		{"dtype, code", "cnumpy\ndtype\n(U\x02q8\x89\x88tR(K\x03U\x01<NNNNNNtb.",
			`unknown dtype "<q8"; want one like <f8, |b1, |S10 or <M8[us]`},
		{"dtype, name", "cnumpy\ndtype\n(U\x05float\x89\x88tR(K\x03U\x01<NNNNNNtb.", `unknown dtype "float"`},
		{"dtype, itemsize", "cnumpy\ndtype\n(U\x02f8\x89\x88tR(K\x03U\x01<NNNK\x04K\x01K\x00tb.",
			"dtype <f8 has 8 bytes, and the pickle says 4"},
		{"dtype, huge itemsize", "cnumpy\ndtype\n(U\x0bS2147483648\x89\x88tR(K\x03U\x01|NNNNNNtb.", "is too large"},
		{"dtype, unit", "cnumpy\ndtype\n(U\x02M8\x89\x88tR(K\x04U\x01<NNNNNN}(U\x05hoursK\x01K\x01K\x01t\x86tb.", "hours"},
		{"dtype, no unit", "cnumpy\ndtype\n(U\x02M8\x89\x88tR(K\x03U\x01<NNNNNNtb.", "the dtype of a time has no unit"},
		{"dtype, unit of 0", "cnumpy\ndtype\n(U\x02M8\x89\x88tR(K\x04U\x01<NNNNNN}(U\x01sK\x00K\x01K\x01t\x86tb.",
			"the dtype of a time has an invalid unit"},
		{"dtype, unit, a denominator", "cnumpy\ndtype\n(U\x02M8\x89\x88tR(K\x04U\x01<NNNNNN}(U\x01sK\x01K\x02K\x01t\x86tb.",
			"the dtype of a time has an invalid unit"},
		{"dtype, unit, events", "cnumpy\ndtype\n(U\x02M8\x89\x88tR(K\x04U\x01<NNNNNN}(U\x01sK\x01K\x01K\x02t\x86tb.",
			"the dtype of a time has an invalid unit"},
		{"dtype, unit, a large number",
			"cnumpy\ndtype\n(U\x02M8\x89\x88tR(K\x04U\x01<NNNNNN}(U\x01s\x8a\x05\x00\x00\x00\x80\x00K\x01K\x01t\x86tb.",
			"the dtype of a time has an invalid unit"},
		{"dtype, unit, no text", "cnumpy\ndtype\n(U\x02M8\x89\x88tR(K\x04U\x01<NNNNNN}(NK\x01K\x01K\x01t\x86tb.",
			"the dtype of a time has an invalid unit"},
		{"dtype, unit, short", "cnumpy\ndtype\n(U\x02M8\x89\x88tR(K\x04U\x01<NNNNNN}(U\x01sK\x01K\x01t\x86tb.",
			"the dtype of a time has an invalid unit"},
		{"dtype, field without definition", "cnumpy\ndtype\n(U\x02V8\x89\x88tR(K\x03U\x01|N(U\x01at}K\x08K\x01K\x00tb.",
			"a field of a dtype has no definition"},
		{"dtype, field outside",
			"cnumpy\ndtype\n(U\x02V8\x89\x88tR(K\x03U\x01|N(U\x01at}U\x01a(" + floatT + "K\x01tsK\x08K\x01K\x00tb.",
			"itemsize 8 is too small; the fields end at byte 9"},
		{"dtype, negative offset",
			"cnumpy\ndtype\n(U\x02V8\x89\x88tR(K\x03U\x01|N(U\x01at}U\x01a(" + floatT + "J\xff\xff\xff\xfftsK\x08K\x01K\x00tb.",
			`field "a" of a dtype has an invalid definition`},
		{"dtype, two states", objectT + "(K\x03U\x01|NNNNNNtb.", "a dtype has an invalid state"},

		{"bytes, other codec", "c_codecs\nencode\n(U\x01aU\x05rot13tR.", "_codecs.encode has invalid arguments"},
		{"bytes, other text", "c_codecs\nencode\n(X\x03\x00\x00\x00\xe2\x82\xacU\x06latin1tR.",
			"_codecs.encode has invalid arguments"},
		{"bytes of a size", "c__builtin__\nbytes\n(J\xff\xff\xff\x7ftR.", "bytes has invalid arguments"},
		{"bytearray of a size", "c__builtin__\nbytearray\n(J\xff\xff\xff\x7ftR.", "bytearray has invalid arguments"},
		{"set of text", "c__builtin__\nset\n(U\x01atR.", "set has invalid arguments"},
		{"complex of text", "c__builtin__\ncomplex\n(U\x01aU\x01btR.", "complex has invalid arguments"},
		{"OrderedDict of keys", "ccollections\nOrderedDict\n(](NetR.", "collections.OrderedDict has invalid arguments"},
		{"datetime, short", "cdatetime\ndatetime\n(U\x01atR.", "datetime.datetime has invalid arguments"},
		{"datetime, year 0", "cdatetime\ndatetime\n(U\x0a\x00\x00\x01\x01\x00\x00\x00\x00\x00\x00tR.",
			"datetime.datetime has invalid arguments"},
		{"datetime, zone of text", "cdatetime\ndatetime\n(U\x0a\x07\xe4\x01\x01\x00\x00\x00\x00\x00\x00U\x03UTCtR.",
			"datetime.datetime has invalid arguments"},
		{"date, 30 February", "cdatetime\ndate\n(U\x04\x07\xe4\x02\x1etR.", "datetime.date has invalid arguments"},
		{"timedelta, long", "cdatetime\ntimedelta\n(J\x00\xe1\xf5\x05K\x00K\x00tR.",
			"datetime.timedelta has invalid arguments: 100000000 days are more than a time.Duration covers, which is 292 years"},
		{"timedelta, one microsecond too long",
			"cdatetime\ntimedelta\n(J\xff\xa0\x01\x00J\x84\x4e\x01\x00J\xf8\x0a\x0d\x00tR.",
			"datetime.timedelta has invalid arguments: 106751 days are more than a time.Duration covers"},
		{"timedelta, one microsecond too negative",
			"cdatetime\ntimedelta\n(J\x00\x5f\xfe\xffM\xfb\x02J\x48\x37\x02\x00tR.",
			"datetime.timedelta has invalid arguments: -106752 days are more than a time.Duration covers"},
		{"timedelta, days of 64 bits", "cdatetime\ntimedelta\n(\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80K\x00K\x00tR.",
			"datetime.timedelta has invalid arguments: -9223372036854775808 days are more than a time.Duration covers"},
		{"timezone of 24 hours", "cdatetime\ntimezone\n(cdatetime\ntimedelta\n(K\x01K\x00K\x00tRtR.",
			"datetime.timezone has invalid arguments"},
		{"scalar, short", "cnumpy.core.multiarray\nscalar\n(" + floatT + "U\x01atR.",
			"numpy.core.multiarray.scalar has invalid arguments"},
		{"scalar of an object", "cnumpy.core.multiarray\nscalar\n(" + objectT + zeroBytes + "tR.",
			"numpy.core.multiarray.scalar has invalid arguments"},
		{"_frombuffer, short", "cnumpy.core.numeric\n_frombuffer\n(U\x00" + floatT + "(K\x01tU\x01CtR.",
			"numpy.core.numeric._frombuffer has invalid arguments"},
		{"_frombuffer of objects", "cnumpy.core.numeric\n_frombuffer\n(" + zeroBytes + objectT + ")U\x01CtR.",
			"numpy.core.numeric._frombuffer has invalid arguments"},

		{"text, not UTF-8", "X\x01\x00\x00\x00\xff.", `the text "\xff" is not valid UTF-8`},
		{"text, surrogate", "X\x03\x00\x00\x00\xed\xa0\x80.", `the text "\xed\xa0\x80" is not valid UTF-8`},
		{"text, escaped surrogate", "V\\ud800\n.", "the text contains a lone surrogate, which is not valid in UTF-8"},
		{"text, low surrogate", "V\\udc00\n.", "the text contains a code point that is not valid in UTF-8"},
		{"text, large code point", "V\\U00110000\n.", "the text contains a code point that is not valid in UTF-8"},
		{"text, short escape", "V\\u12\n.", "the text has an invalid escape"},
		{"string, no quotes", "Sa\n.", "a string is not in quotes"},
		{"string, one quote", "S'\n.", "a string is not in quotes"},
		{"string, short escape", "S'\\x1'\n.", "a string has an invalid escape"},
		{"string, backslash", "S'\\'\n.", "a string ends inside an escape"},
		{"float, text", "Fx\n.", `"x" is not a float`},
		{"float, hexadecimal", "F0x1p4\n.", `"0x1p4" is not a float`},
		{"float, overflow", "F1e999\n.", `"1e999" is not a float`},
		{"int, text", "I\n.", `"" is not an integer of at most 4300 digits`},
		{"int, signs", "I--1\n.", `"--1" is not an integer of at most 4300 digits`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(fileOf("'|O'", "()", tt.pickle)))
			if !errors.Is(err, array.ErrFormat) || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got  %v\nwant %s", err, tt.want)
			}
			e, isFormat := errors.AsType[*array.FormatError](err)
			n, isName := errors.AsType[*NameError](err)
			if isName != strings.HasSuffix(tt.want, "without it") || isName == isFormat ||
				isFormat && (e.Part != "pickle" || e.Offset < start) || isName && n.Offset < start {
				t.Errorf("%#v", err)
			}
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
				t.Errorf("%q has control characters", err)
			}
		})
	}
}

// TestDepth tests the limit for nested values, for values that are nested in different ways.
func TestDepth(t *testing.T) {
	for name, wrap := range map[string]string{"lists": "](%se", "tuples": "%s\x85", "dicts": "}U\x00%ss",
		"arrays": "array"} {
		t.Run(name, func(t *testing.T) {
			nested := func(n int) string {
				s := "N"
				begin, end, _ := strings.Cut(wrap, "%s")
				if name == "arrays" {
					begin, end = newArray+"(K\x01)"+objectT+"\x89](", "etb"
				}
				return strings.Repeat(begin, n) + s + strings.Repeat(end, n)
			}
			v := elements(t, 1, nested(maxDepth-1))[0]
			if text := fmt.Sprint(v); !strings.Contains(text, "None") {
				t.Errorf("prints %.100s", text)
			}
			if b, err := marshal(v); err != nil || !bytes.Contains(b, []byte("null")) {
				t.Errorf("JSON %.100s, %v", b, err)
			}
			for _, n := range []int{maxDepth, 5000} {
				_, err := Read(strings.NewReader(vectorOf(1, nested(n))))
				if err == nil || !strings.Contains(err.Error(), "the values are nested more than 1000 deep") {
					t.Errorf("%d deep: %v", n, err)
				}
			}
		})
	}
	t.Run("shared", func(t *testing.T) { // 600 lists, first alone and then in 600 others
		s := strings.Repeat("](", 600) + "N" + strings.Repeat("e", 600) + "q\x00" + strings.Repeat("](", 600) + "h\x00" +
			strings.Repeat("e", 600)
		_, err := Read(strings.NewReader(vectorOf(2, s)))
		if err == nil || !strings.Contains(err.Error(), "the values are nested more than 1000 deep") {
			t.Error(err)
		}
	})
}

// TestBombs tests small pickles of values that are shared so often that their text would fill any memory, and
// containers that contain themselves.
func TestBombs(t *testing.T) {
	doubled := func(begin, end string) string { return begin + strings.Repeat("2"+end, 100) }
	for _, tt := range []struct{ name, opcodes, text, json string }{
		{"lists", "](" + "N" + "e" + strings.Repeat("q\x000](h\x00h\x00e", 100), "[[[[[[", errTooLong.Error()},
		{"tuples", doubled(")", "\x86"), "((((((", errTooLong.Error()},
		{"dicts", "}" + strings.Repeat("q\x000}(U\x01ah\x00U\x01bh\x00u", 100), "{'a': {'a': {", errTooLong.Error()},
		{"arrays", newArray + "(K\x01)" + objectT + "\x89](Netb" +
			strings.Repeat("q\x000"+newArray+"(K\x01(K\x02t"+objectT+"\x89](h\x00h\x00etb", 100), "[array([array([",
			errTooLong.Error()},
		{"arrays of numbers", newArray + "(K\x01)" + floatT + "\x89" + zeroBytes + "tb" + doubled("", "\x86"), "((((((",
			errTooLong.Error()},
		{"list in itself", "]q\x00h\x00a", "[[...]]", "a container contains itself"},
		{"dict in itself", "}q\x00Nh\x00s", "{None: {...}}", "a container contains itself"},
		{"array in itself", newArray + "q\x00(K\x01(K\x01t" + objectT + "\x89](h\x00etb", "[array(...)]",
			"a container contains itself"},
		{"array of no dimensions in itself", newArray + "q\x00(K\x01)" + objectT + "\x89](h\x00etb", "...",
			"a container contains itself"},
		{"list in an array in itself", "]q\x00" + newArray + "(K\x01(K\x01t" + objectT + "\x89](h\x00etba",
			"[array([list([...])])]",
			"a container contains itself"},
		{"many elements of no bytes",
			newArray + "(K\x01(J\x00\x00\x00\x40tcnumpy\ndtype\n(U\x02V0\x89\x88tR(K\x03U\x01|NNNNNNtb\x89U\x00tb",
			"[b'' b'' b'' ... b'' b'' b'']", "values and lists in 0 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := elements(t, 1, tt.opcodes)[0]
			if text := fmt.Sprint(v); !strings.HasPrefix(text, tt.text) || len(text) > maxString+10 {
				t.Errorf("prints %d bytes, %.100s", len(text), text)
			}
			j := jsonWriter{out: io.Discard, left: 1 << 20}
			if err := j.value(v, 1); err == nil || !strings.Contains(err.Error(), tt.json) {
				t.Errorf("JSON: %v", err)
			}
			if oracle.Long(t) {
				begin := time.Now()
				t.Log(WriteText(io.Discard, v), WriteJSON(io.Discard, v), time.Since(begin))
			}
		})
	}
	t.Run("tuple in itself", func(t *testing.T) {
		v := elements(t, 2, "]q\x00h\x00\x85q\x01ah\x01") // a list of a tuple of the list, and the tuple
		if got := fmt.Sprint(v[0], v[1]); got != "[([...],)] ([(...)],)" {
			t.Errorf("prints %s", got)
		}
	})
}

// TestLimits tests the limits of an OpenConfig.
func TestLimits(t *testing.T) {
	many := vectorOf(1, "]("+strings.Repeat("N", 1000)+"e")
	text := vectorOf(1, "X\xe8\x03\x00\x00"+strings.Repeat("a", 1000))
	for _, tt := range []struct {
		name, file string
		cfg        OpenConfig
		want       string
	}{
		{"values", many, OpenConfig{MaxValues: 1000},
			"the pickle has too many values; a larger limit can be set (OpenConfig.MaxValues)"},
		{"enough values", many, OpenConfig{MaxValues: 1060}, ""},
		{"bytes", text, OpenConfig{MaxBytes: 1000}, "more than are left; a larger limit can be set (OpenConfig.MaxBytes)"},
		{"enough bytes", text, OpenConfig{MaxBytes: 1300}, ""},
		{"shared list as sets", vectorOf(1, "]("+strings.Repeat("N", 1000)+"eq\x00"+
			strings.Repeat("c__builtin__\nset\nh\x00\x85R0", 1000)), OpenConfig{MaxValues: 100_000}, "too many values"},
		{"shared bytes as arrays", vectorOf(1, "U\x08aaaaaaaaq\x00"+strings.Repeat(newArray+"(K\x01)"+floatT+"\x89h\x00tb0",
			1000)),
			OpenConfig{MaxBytes: 10_000}, "too many bytes"},
		{"shared tuples as a key", vectorOf(1, "})"+strings.Repeat("2\x86", 100)+"Ns"), OpenConfig{MaxBytes: 1 << 20},
			"too many bytes"},
		{"memo", vectorOf(1, "N"+strings.Repeat("\x94", 1000)), OpenConfig{MaxValues: 1000}, "too many values"},
		{"arrays", vectorOf(1, strings.Repeat(scalar("V1", "|", "a")+"0", 100)+"N"), OpenConfig{MaxValues: 2400},
			"too many values"},
		{"enough arrays", vectorOf(1, strings.Repeat(scalar("V1", "|", "a")+"0", 100)+"N"), OpenConfig{MaxValues: 2800}, ""},
		{"marks", vectorOf(1, strings.Repeat("(", 1000)), OpenConfig{MaxValues: 1000}, "too many values"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.cfg.Read(strings.NewReader(tt.file))
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestMemory tests that reading allocates memory in proportion to the bytes that arrive.
func TestMemory(t *testing.T) {
	for name, pickle := range map[string]string{
		"bytes":  "B" + length(4, 1<<30-1000) + "abc",
		"text":   "X" + length(4, 1<<30-1000) + "abc",
		"memo":   "Nr" + length(4, 5000),
		"fields": vectorOf(1, nestedDType(60))[start:],
		"frame":  "\x95" + length(8, 1<<40) + "N",
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Read(strings.NewReader(fileOf("'|O'", "()", pickle)))
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; err == nil || n > 2<<20 {
				t.Errorf("%d bytes were allocated; %v", n, err)
			}
		})
	}
}

// nestedDType returns opcodes for an array whose dtype has 2ⁿ fields of no bytes.
func nestedDType(n int) string {
	void := "cnumpy\ndtype\n(U\x02V0\x89\x88tR(K\x03U\x01|NNNK\x00K\x01K\x00tb"
	s := void
	for range n {
		s += "q\x000cnumpy\ndtype\n(U\x02V0\x89\x88tR(K\x03U\x01|N(U\x01aU\x01bt}(U\x01a(h\x00K\x00tU\x01b(h\x00K\x00tuK\x00K\x01K\x00tb"
	}
	return newArray + "(K\x01)" + s + "\x89U\x00tb"
}

// TestTruncated tests that a file that is cut anywhere is an error that says so.
func TestTruncated(t *testing.T) {
	sample := must(os.ReadFile("testdata/sample.npy"))
	whole, err := Read(bytes.NewReader(sample))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Read(iotest.OneByteReader(bytes.NewReader(sample))); err != nil || again.String() != whole.String() {
		t.Errorf("byte by byte: %v, %v", again, err)
	}
	for n := range sample {
		_, err := Read(bytes.NewReader(sample[:n]))
		if !errors.Is(err, io.ErrUnexpectedEOF) && !(n == 0 && errors.Is(err, io.EOF)) || !errors.Is(err, array.ErrFormat) {
			t.Errorf("%d of %d bytes: %v", n, len(sample), err)
		}
		if !strings.Contains(err.Error(), fmt.Sprintf("at byte %d: ", n)) && n > 11 {
			t.Errorf("%d of %d bytes: %v", n, len(sample), err)
		}
	}
	broken := errors.New("broken")
	for n := range sample {
		_, err := Read(io.MultiReader(bytes.NewReader(sample[:n]), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Errorf("error after %d bytes: %v", n, err)
		}
	}
}

// TestMutated tests that no damaged byte makes Read panic, and that the values it returns can be printed.
func TestMutated(t *testing.T) {
	oracle.OneGoroutine(t)
	sample := must(os.ReadFile("testdata/sample.npy"))
	r := oracle.Rand(t, 1)
	for range oracle.Cases(t, 4000) {
		b := slices.Clone(sample)
		for range 1 + r.IntN(3) {
			b[start+r.IntN(len(b)-start)] = byte(r.IntN(256))
		}
		exercise(t, b)
	}
}

// exercise reads b and prints the result. An error must name a byte.
func exercise(t *testing.T, b []byte) {
	t.Helper()
	begin := time.Now()
	a, err := OpenConfig{MaxValues: 1 << 16, MaxBytes: 1 << 20}.Read(bytes.NewReader(b))
	if err != nil {
		if !errors.Is(err, array.ErrFormat) && !errors.Is(err, array.ErrDType) {
			t.Fatalf("%v", err)
		}
		return
	}
	if err := a.check(); err != nil || !a.DType.HasObject() {
		t.Fatalf("%v, dtype %v", err, a.DType)
	}
	_ = a.String()
	marshal(a)
	a.Regular()
	if d := time.Since(begin); d > 20*time.Second {
		t.Fatalf("took %v", d)
	}
}

// FuzzRead reads a file of arbitrary bytes. Read must return an error, or values that can be printed.
func FuzzRead(f *testing.F) {
	f.Add(must(os.ReadFile("testdata/sample.npy")))
	for _, pickle := range []string{
		"cos\nsystem\n(S'rm -r .'\ntR.",
		newArray + "q\x00(K\x01)" + objectT + "\x89](h\x00etb.",
		newArray + "(K\x01)" + objectT + "\x89](" + newArray + "(K\x01)" + floatT + "\x89" + zeroBytes + "tbetb.",
		newArray + "(K\x01)" + objectT + "\x89](}(Vk\\u00e9\nI01\nL5L\nF1.5\nuetb.",
		newArray + "(K\x01)" + objectT + "\x89](cdatetime\ndate\n(U\x04\x07\xe4\x02\x1ctRetb.",
		newArray + "(K\x01)" + objectT + "\x89](" + nestedDType(3) + "etb.",
	} {
		f.Add([]byte(fileOf("'|O'", "()", pickle)))
	}
	f.Fuzz(exercise)
}

// TestMember tests members of archives: their errors, and a damaged checksum.
func TestMember(t *testing.T) {
	b := must(os.ReadFile("testdata/mixed.npz"))
	a := must(npz.OpenBytes(b))
	for name, want := range map[string]string{
		"w":    `member 'w.npy': the array has no Python objects; package array opens it: have dtype <f8, want |O`,
		"none": `no such member`,
	} {
		if _, err := ReadMember(a, name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if v, err := ReadMember(a, "meta.npy"); err != nil || v.String() != "{'epoch': 3, 'tags': ('a', None)}" {
		t.Errorf("%v, %v", v, err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
