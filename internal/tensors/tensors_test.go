package tensors

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func TestParse(t *testing.T) {
	const a = `"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}`
	deep := strings.Repeat("[", 1<<20)
	for _, tt := range []struct {
		text string
		size int64
		want string // error, or "" for a valid header
	}{
		{`{}`, 0, ""},
		{`{}   `, 0, ""},
		{"{\n\t\r }", 0, ""},
		{`{` + a + `}`, 8, ""},
		{`{ "a" : { "shape" : [ 2 ] , "dtype":"F32", "data_offsets":[0 , 8]} } `, 8, ""}, // keys in any order
		{`{"__metadata__":{"format":"pt","":"é"},` + a + `}`, 8, ""},
		{`{"__metadata__":null,` + a + `}`, 8, ""},
		{`{"__metadata__":{}}`, 0, ""},
		{`{"":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}`, 1,
			""}, // empty name, and no axes
		{`{"b":{"dtype":"U8","shape":[1],"data_offsets":[8,9]},` + a + `}`, 9,
			""}, // tensors in any order
		{`{"b":{"dtype":"F64","shape":[0,9],"data_offsets":[8,8]},` + a + `,"c":{"dtype":"I8","shape":[0],"data_offsets":[0,0]}}`, 8, ""}, // empty tensors at any offset
		{`{"a":{"dtype":"F4","shape":[3,2],"data_offsets":[0,3]}}`, 3,
			""}, // two elements in a byte
		{`{"a":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,3]}}`, 3,
			""}, // four elements in three bytes
		{`{"\u0061\ud83d\ude00\n\/":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1, ""},

		{``, 0, `header at byte 8: the header is not a JSON object: it starts with ""`},
		{` {}`, 0, `header at byte 8: the header is not a JSON object: it starts with " {}"`},
		{`[]`, 0, `header at byte 8: the header is not a JSON object: it starts with "[]"`},
		{"{}\x00", 0, `header at byte 10: "\x00" after the JSON object; want spaces`},
		{`{}{}`, 0, `header at byte 10: "{" after the JSON object; want spaces`},
		{"{\"\xff\":1}", 0, `header at byte 10: the header is not UTF-8`},
		{"{\"\xed\xa0\x80\":1}", 0, `header at byte 10: the header is not UTF-8`}, // the encoding of a surrogate
		{`{`, 0, `header at byte 9: the end where a key should be`},
		{`{a:1}`, 0, `header at byte 9: "a" where a key should be`},
		{`{'a':1}`, 0, `header at byte 9: "'" where a key should be`},
		{`{"a"}`, 0, `header at byte 12: "}" where ':' should be`},
		{`{"a":1}`, 0, `header at byte 13: "1" where an object of dtype, shape and data_offsets should be`},
		{`{"a":` + deep, 0, `header at byte 13: "[" where an object of dtype, shape and data_offsets should be`},
		{`{` + a, 8, `header at byte 61: the end where ',' or '}' should be`},
		{`{` + a + `,}`, 8, `header at byte 62: "}" where a key should be`},
		{`{` + a + `,` + a + `}`, 8, `header at byte 62: duplicate tensor name "a"`},
		{`{` + a + `,"\u0061":{}}`, 8, `header at byte 62: duplicate tensor name "a"`},
		{`{"__metadata__":{},"__metadata__":{}}`, 0, `header at byte 27: duplicate key "__metadata__"`},
		{`{"__metadata__":{"a":"1","a":"2"}}`, 0, `header at byte 33: duplicate key "a" in the metadata`},
		{`{"__metadata__":{"a":1}}`, 0, `header at byte 29: "1" where a text should be`},
		{`{"__metadata__":{"a":{}}}`, 0, `header at byte 29: "{" where a text should be`},
		{`{"__metadata__":"x"}`, 0, `header at byte 24: "\"" where an object of texts should be`},
		{`{"a":{}}`, 0, `header at byte 9: tensor "a" has no dtype`},
		{`{"a":{"dtype":"F32","shape":[2]}}`, 0, `header at byte 9: tensor "a" has no data_offsets`},
		{`{"a":{"dtype":"F32","data_offsets":[0,8]}}`, 8, `header at byte 9: tensor "a" has no shape`},
		{`{"a":{"dtype":"F32","dtype":"F32"}}`, 0, `header at byte 28: tensor "a": duplicate key "dtype"`},
		{`{"a":{"strides":[1]}}`, 0,
			`header at byte 14: tensor "a" has the key "strides"; want dtype, shape and data_offsets`},
		{`{"a":{"dtype":"f32"}}`, 0, `header at byte 14: tensor "a" has the unknown dtype "f32"`},
		{`{"a":{"dtype":32}}`, 0, `header at byte 22: "3" where a dtype should be`},
		{`{"a":{"dtype":null}}`, 0, `header at byte 22: "n" where a dtype should be`},
		{`{"a":{"shape":2}}`, 0, `header at byte 22: "2" where a list of integers should be`},
		{`{"a":{"shape":[-1]}}`, 0, `header at byte 23: "-" where a non-negative integer should be`},
		{`{"a":{"shape":[1.0]}}`, 0, `header at byte 23: a float where an integer should be`},
		{`{"a":{"shape":[1e3]}}`, 0, `header at byte 23: a float where an integer should be`},
		{`{"a":{"shape":[01]}}`, 0, `header at byte 23: an integer has leading zeros`},
		{`{"a":{"shape":["1"]}}`, 0, `header at byte 23: "\"" where a non-negative integer should be`},
		{`{"a":{"shape":[9223372036854775808]}}`, 0, `header at byte 23: a number overflows an int64`},
		{`{"a":{"shape":[99999999999999999999999999999]}}`, 0, `header at byte 23: a number overflows an int64`},
		{`{"a":{"shape":[1,]}}`, 0, `header at byte 25: "]" where a non-negative integer should be`},
		{`{"a":{"shape":[1 2]}}`, 0, `header at byte 25: "2" where ',' or ']' should be`},
		{`{"a":{"shape":[` + strings.Repeat("1,", 64) + `1]}}`, 0,
			`header at byte 151: tensor "a" has more than 64 dimensions`},
		{`{"a":{"data_offsets":[0]}}`, 0, `header at byte 14: tensor "a" has 1 data_offsets; want two`},
		{`{"a":{"data_offsets":[0,1,2]}}`, 0, `header at byte 34: tensor "a" has more than two data_offsets`},
		{`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,7]}}`, 7,
			`header at byte 9: tensor "a": shape (2,) of F32 takes 8 bytes, and data_offsets are 7 apart`},
		{`{"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}}`, 8,
			`header at byte 9: the data of tensor "a" ends at byte 0, before byte 8, where it starts`},
		{`{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}`, 2,
			`header at byte 9: tensor "a": shape (3,) of F4 overflows, or is not a whole number of bytes`},
		{`{"a":{"dtype":"F64","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`, 0,
			`header at byte 9: tensor "a": shape (4294967296, 4294967296) of F64 overflows, or is not a whole number of bytes`},
		// Even with a length of 0, the product of the remaining dimensions must not overflow.
		{`{"a":{"dtype":"F64","shape":[4294967296,4294967296,0],"data_offsets":[0,0]}}`, 0,
			`header at byte 9: tensor "a": shape (4294967296, 4294967296, 0) of F64 overflows, or is not a whole number of bytes`},
		{`{"a":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,9223372036854775807]}}`, 1,
			`header at byte 9: tensor "a": shape (9223372036854775807,) of U8 overflows, or is not a whole number of bytes`},
		{`{` + a + `}`, 7,
			`header at byte 9: the data of tensor "a" ends at byte 8, and the file has 7 bytes of data: it was truncated, or never written to its end`},
		{`{` + a + `}`, 9, `header at byte 70: 1 bytes follow the data of the last tensor`},
		{`{}`, 1, `header at byte 10: 1 bytes follow the data of the last tensor`},
		{`{` + a + `,"b":{"dtype":"U8","shape":[1],"data_offsets":[7,8]}}`, 8,
			`header at byte 62: the data of tensor "b" starts at byte 7, before byte 8, where the data of tensor "a" ends`},
		{`{` + a + `,"b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`, 8,
			`header at byte 62: the data of tensor "b" starts at byte 0, before byte 8, where the data of tensor "a" ends`},
		{`{` + a + `,"b":{"dtype":"U8","shape":[1],"data_offsets":[9,10]}}`, 10,
			`header at byte 62: the data of tensor "b" starts at byte 9; bytes 8 to 9 belong to no tensor`},
		{`{"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`, 2,
			`header at byte 9: the data of tensor "b" starts at byte 1; bytes 0 to 1 belong to no tensor`},
		{"{\"a\nb\":{}}", 0, `header at byte 11: unescaped control character "\n" in a string`},
		{"{\"\\n\nb\":{}}", 0, `header at byte 12: unescaped control character "\n" in a string`},
		{`{"a`, 0, `header at byte 9: unterminated string`},
		{`{"a\`, 0, `header at byte 9: unterminated string`},
		{`{"a\"`, 0, `header at byte 9: unterminated string`},
		{`{"\x41":{}}`, 0, `header at byte 10: unknown escape`},
		{`{"\u12":{}}`, 0, `header at byte 10: an escape that is not a valid character`},
		{`{"\ud800":{}}`, 0, `header at byte 10: an escape that is not a valid character`},
		{`{"\udc00\ud800":{}}`, 0, `header at byte 10: an escape that is not a valid character`},
		{`{"\ud800\u0041":{}}`, 0, `header at byte 10: an escape that is not a valid character`},
		{`{"\u00zz":{}}`, 0, `header at byte 10: an escape that is not a valid character`},
		{`{"\u001` + "\x11" + `":{}}`, 0, `header at byte 10: an escape that is not a valid character`},
	} {
		h, err := Parse(tt.text, tt.size)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if strconv.IntSize == 32 && (strings.Contains(tt.text, "4294967296") || strings.Contains(tt.text,
			"[9223372036854775807]")) {
			_, got, _ = strings.Cut(got, " of tensor ") // on 32-bit machines a single dimension overflows first
			tt.want = `"a" overflows int`
		}
		if got != tt.want || err != nil && h.Tensors != nil {
			t.Errorf("%.200s, %d bytes of data:\ngot  %v\nwant %s", tt.text, tt.size, err, tt.want)
		}
	}
	h,
		err := Parse(`{"\u0061\ud83d\ude00\n\/\"\\é":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"__metadata__":{"k":"\u0007"}}`, 1)
	if err != nil || h.Tensors[0].Name != "a😀\n/\"\\é" || h.Metadata["k"] != "\a" {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestLen(t *testing.T) {
	prefix := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
	for _, tt := range []struct {
		prefix []byte
		size   int64
		want   string
	}{
		{prefix(2), 10, ""},
		{prefix(MaxHeader), MaxHeader + 8, ""},
		{nil, 0, "an empty file, not a .safetensors file; the program that should have written it did not; write it again"},
		{prefix(2)[:7], 7, "header at byte 7: the file ends inside the length of the header"},
		{prefix(0), 8, "header at byte 0: the header length is 0 bytes; a JSON object has at least 2"},
		{prefix(1), 9, "header at byte 0: the header length is 1 bytes; a JSON object has at least 2"},
		{prefix(3), 10, "header at byte 0: the header length is 3 bytes, but the file has only 2 bytes after the length"},
		{append(prefix(2), "[]"...), 10, `header at byte 8: the header is not a JSON object: it starts with "[]"`},
		{[]byte("version https://git-lfs.github.com/spec/v1"), 134,
			"a Git LFS pointer, not a .safetensors file; git lfs pull gets the file"},
		{[]byte("<!DOCTYPE html><html>"), 74,
			"an HTML or XML page, not a .safetensors file; a server sent it instead of the file: read the page, and download the file again"},
		{append(prefix(0x0280), `{"a":{`...), 500, // truncated, and not a pickle
			"header at byte 0: the header length is 640 bytes, but the file has only 492 bytes after the length"},
		{prefix(MaxHeader + 1), 1 << 40,
			"header at byte 0: the header length is 100000001 bytes, more than the limit of 100000000"},
		{prefix(1<<64 - 1), 1 << 40,
			"header at byte 0: the header length is 18446744073709551615 bytes, more than the limit of 100000000"},
	} {
		_, err := Len(tt.prefix, tt.size)
		if got := fmt.Sprint(err); got != tt.want && !(err == nil && tt.want == "") {
			t.Errorf("%x, %d bytes: got %v, want %s", tt.prefix, tt.size, err, tt.want)
		}
	}
}

// randomHeader returns random tensors and metadata, with all kinds of names.
func randomHeader(r *rand.Rand) ([]Tensor, map[string]string) {
	text := func() string {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteRune([]rune("ab.\"\\/\n\x00\x7f\u00e9\u20ac\U0001F600 {}[]:,")[r.IntN(19)])
		}
		return b.String()
	}
	var list []Tensor
	names := map[string]bool{metadataKey: true}
	codes := []string{"BOOL", "I8", "U8", "I16", "U16", "F16", "BF16", "I32", "U32", "F32", "F64", "I64", "U64", "C64",
		"F8_E4M3", "F8_E5M2"}
	for range r.IntN(6) {
		name := text()
		if names[name] {
			continue
		}
		names[name] = true
		shape := make([]int, r.IntN(4))
		for k := range shape {
			shape[k] = r.IntN(5)
		}
		list = append(list, Tensor{Name: name, Code: codes[r.IntN(len(codes))], Shape: shape})
	}
	var metadata map[string]string
	if r.IntN(2) == 0 {
		metadata = map[string]string{}
		for range r.IntN(3) {
			metadata[text()] = text()
		}
	}
	return list, metadata
}

// TestAppend tests that Parse reads the output of Append.
func TestAppend(t *testing.T) {
	r := oracle.Rand(t, 0)
	for range oracle.Cases(t, 2000) {
		list, metadata := randomHeader(r)
		b, err := Append([]byte("before"), list, metadata)
		if err != nil {
			t.Fatal(err)
		}
		b = b[len("before"):]
		size := int64(0)
		for _, x := range list {
			size = x.End
		}
		n, err := Len(b, int64(len(b))+size)
		if err != nil || n != len(b)-PrefixLen || len(b)%Align != 0 {
			t.Fatalf("%d of %d bytes, %v: %q", n, len(b), err, b)
		}
		h, err := Parse(string(b[PrefixLen:]), size)
		if err != nil {
			t.Fatalf("%v: %q", err, b)
		}
		if len(h.Tensors) != len(list) || !reflect.DeepEqual(h.Metadata, metadata) {
			t.Fatalf("%v is read as %v: %q", list, h, b)
		}
		// Parse may exchange a tensor without elements and the next one, which starts at the same offset.
		byName := map[string]Tensor{}
		for _, x := range h.Tensors {
			byName[x.Name] = x
		}
		for _, x := range list {
			if !reflect.DeepEqual(byName[x.Name], x) {
				t.Fatalf("%v is read as %v: %q", x, byName[x.Name], b)
			}
		}
	}
}

func TestAppendErrors(t *testing.T) {
	one := func(name, code string, shape ...int) []Tensor {
		return []Tensor{{Name: name, Code: code, Shape: shape}}
	}
	for _, tt := range []struct {
		list     []Tensor
		metadata map[string]string
		want     string
	}{
		{one("\xff", "F32"), nil, `the tensor name "\xff" is not UTF-8`},
		{one("__metadata__", "F32"), nil, `invalid tensor name "__metadata__": reserved for the metadata`},
		{append(one("a", "F32"), one("a", "U8")...), nil, `duplicate tensor name "a"`},
		{one("a", "F32", 1<<30, 1<<30, 1<<30), nil, `the end of the data of tensor "a" overflows int64`},
		{append(one("a", "U8", 1<<30, 1<<29), append(one("b", "U8", 1<<30, 1<<29), one("c", "U8", 1<<30, 1<<29)...)...), nil,
			""},
		{nil, map[string]string{"a": "\xff"}, `the key or the value of the metadata "a" is not UTF-8`},
		{nil, map[string]string{"\xff": "a"}, `the key or the value of the metadata "\xff" is not UTF-8`},
		{one(strings.Repeat("x", MaxHeader), "U8"), nil,
			`the header has more than the 100000000 bytes that the format allows`},
	} {
		_, err := Append(nil, tt.list, tt.metadata)
		if got := fmt.Sprint(err); got != tt.want && !(err == nil && tt.want == "") {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

// TestCodes tests that the dtypes of the format are converted to dtypes of package dtype and back.
func TestCodes(t *testing.T) {
	for code, size := range bitsOf {
		d, ok := DType(code)
		if ok != (size%8 == 0) || ok && d.ItemSize() != size/8 {
			t.Errorf("%s, of %d bits, is %v, %v", code, size, d, ok)
		}
		if back := Code(d); back != code && d.IsNumber() || back != "" && !d.IsNumber() {
			t.Errorf("%s is %v, which is %q", code, d, back)
		}
	}
}

// FuzzHeader tests that for any text, Parse returns an error or tensors that cover all of the data. The memory that it
// takes must be proportional to the text, and Parse must read the same header from the output of Append.
func FuzzHeader(f *testing.F) {
	r := oracle.Rand(f, 1)
	for range 20 {
		list, metadata := randomHeader(r)
		b, err := Append(nil, list, metadata)
		if err != nil {
			f.Fatal(err)
		}
		size := int64(0)
		for _, x := range list {
			size = x.End
		}
		f.Add(string(b[PrefixLen:]), size)
	}
	f.Fuzz(fuzzHeader)
}

// allocatedBytes returns the number of bytes allocated so far, except those that the runtime has not counted yet.
// Unlike runtime.ReadMemStats it does not stop other goroutines, which would take most of the time of a test.
func allocatedBytes() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// checkMemory tests that the memory that parse allocates is proportional to n, the length of its text.
func checkMemory(t *testing.T, n int, parse func()) {
	limit := uint64(32*n + 1<<16)
	before := allocatedBytes()
	parse()
	if allocatedBytes()-before <= limit {
		return
	}
	var first, last runtime.MemStats // earlier allocations may have been counted late: measure exactly
	runtime.ReadMemStats(&first)
	parse()
	runtime.ReadMemStats(&last)
	if used := last.TotalAlloc - first.TotalAlloc; used > limit {
		t.Errorf("parsing took %d bytes of memory for a text of %d bytes", used, n)
	}
}

func fuzzHeader(t *testing.T, text string, size int64) {
	if size < 0 {
		return
	}
	// The shortest tensor has about 50 bytes of text. It takes 100 bytes of memory, three times while tensors are sorted,
	// and memory for a map and a name.
	var h Header
	var err error
	checkMemory(t, len(text), func() { h, err = Parse(text, size) })
	if err != nil {
		if e, ok := err.(*Error); !ok || e.Offset < 0 || h.Tensors != nil {
			t.Fatalf("%v and %#v", h, err)
		}
		return
	}
	end := int64(0)
	for _, x := range h.Tensors {
		if n, ok := Bytes(x.Code, x.Shape); !ok || x.Start != end || x.End != end+n {
			t.Fatalf("%+v starts at %d", x, end)
		}
		end = x.End
	}
	if end != size {
		t.Fatalf("%d of %d bytes", end, size)
	}
	b, err := Append(nil, h.Tensors, h.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Parse(string(b[PrefixLen:]), size)
	if err != nil || !reflect.DeepEqual(g, h) {
		t.Fatalf("%+v is written as %q and read as %+v, %v", h, b, g, err)
	}
}

// TestMutated tests headers with a few changed bytes as FuzzHeader does.
func TestMutated(t *testing.T) {
	r := oracle.Rand(t, 2)
	good := 0
	for range oracle.Cases(t, 20_000) {
		list, metadata := randomHeader(r)
		b, err := Append(nil, list, metadata)
		if err != nil {
			t.Fatal(err)
		}
		size := int64(0)
		for _, x := range list {
			size = x.End
		}
		text := mutate(r, b[PrefixLen:])
		fuzzHeader(t, string(text), size)
		if _, err := Parse(string(text), size); err == nil {
			good++
		}
	}
	t.Logf("%d were still valid", good)
}

// mutate returns b with some bytes changed, duplicated or removed.
func mutate(r *rand.Rand, b []byte) []byte {
	pieces := []string{`"`, `{`, `}`, `[`, `]`, `,`, `:`, `\`, `\u`, `0`, `9`, `-`, `.`, `e`, "\xff", "\x00", "null",
		`"a":{}`,
		"18446744073709551616", "9223372036854775807", `"shape":[0]`, "{{{{", "[[[[["}
	for range 1 + r.IntN(3) {
		i := r.IntN(len(b) + 1)
		j := min(len(b), i+r.IntN(6))
		switch r.IntN(4) {
		case 0:
			b = append(b[:i:i], b[j:]...)
		case 1:
			b = append(b[:j:j], b[i:]...)
		case 2:
			b = append(append(b[:i:i], pieces[r.IntN(len(pieces))]...), b[j:]...)
		default:
			if i < len(b) {
				b = append(append(b[:i:i], b[i]^1<<r.IntN(8)), b[i+1:]...)
			}
		}
	}
	return b
}
