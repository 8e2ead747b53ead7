package array

import (
	"reflect"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestCopyToSlice copies views of every kind of element to a slice as the doc of [View.Data] says.
func TestCopyToSlice(t *testing.T) {
	testCopyToSlice[float64](t, dtype.MustParse(">f8"))
	testCopyToSlice[bool](t, dtype.Bool)
	testCopyToSlice[dtype.Half](t, dtype.MustParse(">f2"))
	testCopyToSlice[complex64](t, dtype.MustParse("<c8"))
	testCopyToSlice[int64](t, dtype.MustParse(">M8[ns]"))
	testCopyToSlice[[5]byte](t, dtype.Bytes(5))
	testCopyToSlice[[3]byte](t, dtype.Void(3))
	testCopyToSlice[[2]uint32](t, dtype.MustParse(">U2"))
	testCopyToSlice[[16]byte](t, dtype.MustParse("<f16"))
	testCopyToSlice[struct {
		Y    float32 `npy:"y"`
		Text [2]byte `npy:"s"` // a block of numbers in Go, S2 in the file
	}](t, dtype.MustParse("[('y', '>f4'), ('s', 'S2')]"))
}

func testCopyToSlice[T any](t *testing.T, d dtype.DType) {
	t.Helper()
	b := make([]byte, 24*d.ItemSize()+1)
	for i := range b {
		b[i] = byte(i % 32)
		if d.Kind() == dtype.KindBool {
			b[i] %= 2
		}
	}
	v := must(As[T](must(FromBytes(b[1:], d, index.C, 2, 3, 4)))) // not aligned
	for name, v := range map[string]View[T]{
		"all": v, "F order": v.T(), "part": pick(v, "::-1, :, 1::2"), "one": v.Index(1).Index(2).Index(3), "none": pick(v,
			":0"),
	} {
		s := make([]T, v.Size())
		w, err := FromSlice(s, v.Shape()...)
		if err == nil {
			err = w.CopyFrom(v)
		}
		if want := slices.Collect(v.Values()); err != nil || len(s) > 0 && !reflect.DeepEqual(s, want) {
			t.Errorf("%v, %s: %v and %v; want %v", d, name, err, s, want)
		}
	}
}
