package array_test

import (
	"reflect"
	"testing"

	"github.com/ndmap/ndmap/array"
)

// TestSetAt tests that every method that sets an element is called SetAt, which takes the element first. With a method
// Set of a View[int], v.Set(1, 2) would compile with the element first and with the element last.
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
