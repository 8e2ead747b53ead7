package array

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"testing"

	"github.com/ndmap/ndmap/index"
)

// TestGzip writes two arrays to one gzip stream, and reads them back.
func TestGzip(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	v, w := countingView(index.F, 30, 40), countingView(index.C, 7)
	for _, a := range []Array{v.Array(), w.Array()} {
		if err := Write(z, a); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	r := must(gzip.NewReader(&b))
	for _, want := range []Array{v.Array(), w.Array()} {
		got, err := Read(r)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) || !got.DType().Equal(want.DType()) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
}
