package dtype_test

import (
	"encoding"
	"encoding/json"
	"fmt"
	"log"
	"testing"

	"github.com/ndmap/ndmap/dtype"
)

var (
	_ encoding.TextMarshaler   = dtype.DType{}
	_ encoding.TextUnmarshaler = (*dtype.DType)(nil)
)

func TestText(t *testing.T) {
	for _, s := range []string{"", "<f8", "|b1", ">M8[25us]", "|S10", "<U3",
		"[('x', '<f4'), ('', '|V4'), ('tag', '|S8', (2,))]", "[(('title', 'é'), '>i2')]"} {
		var d, e dtype.DType
		if s != "" {
			d = dtype.MustParse(s)
		}
		b, err := d.MarshalText()
		if err != nil || string(b) != s {
			t.Errorf("%q: %q, %v", s, b, err)
		}
		if err := e.UnmarshalText(b); err != nil || e != d {
			t.Errorf("%q: %v, %v", s, e, err)
		}
	}
	d := dtype.Int8
	for _, s := range []string{"f9", " ", "[", "O", "\xff"} {
		if err := d.UnmarshalText([]byte(s)); err == nil || d != dtype.Int8 {
			t.Errorf("%q: %v, %v", s, d, err)
		}
	}
}

// A DType can be a value or a key in JSON.
func ExampleDType_MarshalText() {
	b, err := json.Marshal(map[dtype.DType]dtype.DType{dtype.MustParse("<f8"): dtype.MustParse(">i2")})
	if err != nil {
		log.Fatal(err)
	}
	var config struct{ Type dtype.DType }
	if err := json.Unmarshal([]byte(`{"Type": "datetime64[s]"}`), &config); err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(b), config.Type.Kind())
	// Output: {"\u003cf8":"\u003ei2"} datetime
}
