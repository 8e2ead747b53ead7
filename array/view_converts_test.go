package array

import (
	"reflect"
	"testing"
)

// Go converts neither an Array nor a View to a View of another type: that is for As and Cast, which look at the dtype.
func TestViewConverts(t *testing.T) {
	for _, from := range []reflect.Type{reflect.TypeFor[Array](), reflect.TypeFor[View[int8]](),
		reflect.TypeFor[View[celsius]](), reflect.TypeFor[View[uint64]]()} {
		if to := reflect.TypeFor[View[float64]](); from.ConvertibleTo(to) {
			t.Errorf("%v converts to %v", from, to)
		}
	}
}
