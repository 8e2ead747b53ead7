package tensors

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestParseIndex(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{"weight_map":{}}`, "[]"},
		{` {"metadata":{"total_size":12},"weight_map":{"a":"1.safetensors","b":"2"}}` + "\n",
			"[{a 1.safetensors 45} {b 2 65}]"},
		{`{"weight_map":{"a":"é"},"metadata":{"total_size":1.2e1,"more":[1,{"x":[]},null,true,false,"s",-0.5]},"x":{"y":[]}}`,
			"[{a é 15}]"},
		{`{"weight_map":{},"metadata":null}`, "[]"},
		{`{"weight_map":{},"metadata":{"total_size":null}}`, "[]"},
		{`{"weight_map":{},"metadata":{"total_size":9223372036854775807}}`, "[]"},

		{``,
			"an empty file, not a JSON index of .safetensors files; the program that should have written it did not; write it again"},
		{`version https://git-lfs.github.com/spec/v1`,
			"a Git LFS pointer, not a JSON index of .safetensors files; git lfs pull gets the file"},
		{"\x02\x00\x00\x00\x00\x00\x00\x00{}",
			"a .safetensors file, not a JSON index of .safetensors files; use safetensors.Open"},
		{"\x89HDF\r\n\x1a\n",
			"an HDF5 file, not a JSON index of .safetensors files; save the data set from Python, with h5py and safetensors.numpy.save_file"},
		{"\x00\x01", `index at byte 0: "\x00" where an object of weight_map and metadata should be`},
		{"{\"\xff", "index at byte 2: the index is not UTF-8"},
		{`{}`, "index at byte 0: no weight_map, which gives the shard of each tensor"},
		{`{"weight_map":{}`, "index at byte 16: the end where ',' or '}' should be"},
		{`{"weight_map":{}}}`, `index at byte 17: "}" after the JSON object; want the end`},
		{`{"weight_map":{},"weight_map":{}}`, `index at byte 17: duplicate key "weight_map"`},
		{`{"x":1,"x":1}`, `index at byte 7: duplicate key "x"`},
		{`{"weight_map":{"a":"1","a":"2"}}`, `index at byte 23: duplicate key "a"`},
		{`{"weight_map":{"a":"1","\u0061":"2"}}`, `index at byte 23: duplicate key "a"`},
		{`{"metadata":{"total_size":1,"total_size":1}}`, `index at byte 28: duplicate key "total_size"`},
		{`{"metadata":{"x":{"y":1,"y":2}}}`, `index at byte 24: duplicate key "y"`},
		{`{"weight_map":[]}`, `index at byte 14: "[" where an object of tensors and their shards should be`},
		{`{"weight_map":{"a":1}}`, `index at byte 19: "1" where the name of a shard should be`},
		{`{"x":nul}`, `index at byte 5: "n" where a value should be`},
		{`{"x":[1 2]}`, `index at byte 8: "2" where ',' or ']' should be`},
		{`{"x":` + strings.Repeat("[", 99) + strings.Repeat("]", 99) + `,"weight_map":{}}`, "[]"},
		{`{"x":` + strings.Repeat("[", 101), "index at byte 105: values are nested more than 100 deep"},
	} {
		entries, err := ParseIndex(tt.text)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(entries)
		}
		if got != tt.want {
			t.Errorf("%.200q:\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

// TestShardNames tests that only names of files in the folder of the index are accepted.
func TestShardNames(t *testing.T) {
	for _, name := range []string{"model-00001-of-00002.safetensors", "a", "..a", "a b", "é", "a..safetensors"} {
		if _, err := ParseIndex(indexOf(name)); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "..", "a/b", "/a", "../a", "a/", `a\b`, `\\host\a`, "C:a", "C:\\a", "a:b",
		"a\x00",
		"./a"} {
		_, err := ParseIndex(indexOf(name))
		want := fmt.Sprintf("index at byte 19: tensor \"t\": the shard %q is not the name of a file in the folder of the index",
			name)
		if got := fmt.Sprint(err); got != want {
			t.Errorf("got  %v\nwant %s", got, want)
		}
	}
}

// indexOf returns an index whose only tensor, t, is in the given shard.
func indexOf(shard string) string {
	name, err := json.Marshal(shard)
	if err != nil {
		panic(err)
	}
	return `{"weight_map":{"t":` + string(name) + `}}`
}

// FuzzIndex tests that for any text, ParseIndex returns an error, or what encoding/json reads. The memory that it takes
// must be proportional to the text.
func FuzzIndex(f *testing.F) {
	for _, text := range indexSeeds {
		f.Add(text)
	}
	f.Fuzz(fuzzIndex)
}

var indexSeeds = []string{
	`{"metadata":{"total_size":1.5e3,"x":[null,true,{"y":"z"}]},"weight_map":{"a":"1","b":"2","\u00e9":"1"}}`,
	`{"weight_map":{"a":"model-00001-of-00002.safetensors"},"metadata":{"total_size":12}}`,
}

func fuzzIndex(t *testing.T, text string) {
	var entries []Entry
	var err error
	checkMemory(t, len(text), func() { entries, err = ParseIndex(text) })
	if err != nil {
		if _, ok := err.(*Error); !ok || entries != nil {
			t.Fatalf("%v and %v", entries, err)
		}
		return
	}
	var object map[string]json.RawMessage // a struct would ignore the case of weight_map
	var want map[string]string
	if err := errors.Join(json.Unmarshal([]byte(text), &object), json.Unmarshal(object["weight_map"], &want)); err != nil {
		t.Fatalf("%q is accepted: %v", text, err)
	}
	got := map[string]string{}
	for _, e := range entries {
		got[e.Tensor] = e.Shard
	}
	if len(got) != len(entries) || !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: got %v, encoding/json %v", text, entries, want)
	}
}

// TestMutatedIndex tests indexes with a few changed bytes as FuzzIndex does.
func TestMutatedIndex(t *testing.T) {
	r := oracle.Rand(t, 8)
	for range oracle.Cases(t, 2000) {
		fuzzIndex(t, string(mutate(r, []byte(indexSeeds[r.IntN(len(indexSeeds))]))))
	}
}
