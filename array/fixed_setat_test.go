package array_test

import (
	"reflect"
	"testing"

	"github.com/ndmap/ndmap/array"
)

// TestSetAt tests that every method that sets an element is called SetAt and takes the element first. If View[int] had
// a method Set, v.Set(1, 2) would compile no matter which argument is the element.
func TestSetAt(t *testing.T) {
	for _, v := range []any{&array.View[int]{}, &array.TextView{}, &array.Vector[int]{}, &array.Matrix[int]{},
		&array.Cube[int]{}} {
		if _, ok := reflect.TypeOf(v).MethodByName("Set"); ok {
			t.Errorf("%T has a method Set", v)
		}
		if _, ok := reflect.TypeOf(v).MethodByName("SetAt"); !ok {
			t.Errorf("%T has no method SetAt", v)
		}
	}
}
