package array_test

import (
	"reflect"
	"testing"

	"github.com/ndmap/ndmap/array"
)

// TestNoVariadicSet guards that View and TextView have no method Set: of a View[int],
// v.Set(1, 2) would compile with the element first and with the element last, which is
// where Vector, Matrix and Cube have it.
func TestNoVariadicSet(t *testing.T) {
	for _, v := range []any{array.View[int]{}, &array.View[int]{}, array.TextView{}, &array.TextView{}} {
		if _, ok := reflect.TypeOf(v).MethodByName("Set"); ok {
			t.Errorf("%T has a method Set", v)
		}
		if _, ok := reflect.TypeOf(v).MethodByName("SetAt"); !ok {
			t.Errorf("%T has no method SetAt", v)
		}
	}
}
