package array

import (
	"reflect"
	"testing"
)

// TestViewConverts tests that Go does not convert an Array or View to a View of another type. That is the task of As
// and Cast, which check the dtype.
func TestViewConverts(t *testing.T) {
	for _, from := range []reflect.Type{reflect.TypeFor[Array](), reflect.TypeFor[View[int8]](),
		reflect.TypeFor[View[celsius]](), reflect.TypeFor[View[uint64]]()} {
		if to := reflect.TypeFor[View[float64]](); from.ConvertibleTo(to) {
			t.Errorf("%v converts to %v", from, to)
		}
	}
}
