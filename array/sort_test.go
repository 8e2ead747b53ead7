package array

import (
	"errors"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

func TestArgSortErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		a    Array
		want error
	}{
		{"no dimensions", must(New(dtype.Float64, index.C)).Array, ErrShape},
		{"two dimensions", must(New(dtype.Float64, index.C, 2, 2)).Array, ErrShape},
		{"raw bytes", must(New(dtype.Void(3), index.C, 2)).Array, ErrDType},
		{"records", must(New(dtype.MustParse("[('a', '<f8')]"), index.C, 2)).Array, ErrDType},
		{"long doubles", must(New(dtype.MustParse("<f16"), index.C, 2)).Array, ErrDType},
	} {
		t.Run(c.name, func(t *testing.T) {
			if order, err := ArgSort(c.a); !errors.Is(err, c.want) || order != nil {
				t.Errorf("%v, %v", order, err)
			}
		})
	}
}

func TestArgSortJoined(t *testing.T) {
	joined := must(Join(sequence("<i4", index.C, 5, 3), sequence("<i4", index.C, 4, 3)))
	if order, err := ArgSort(joined); err != nil || !slices.Equal(order, []int{3, 0, 4, 1, 5, 2}) {
		t.Errorf("%v, %v", order, err)
	}
}
