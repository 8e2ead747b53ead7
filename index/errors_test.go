package index

import (
	"errors"
	"runtime"
	"testing"
)

// catch returns the panic value of call.
func catch(call func()) (v any) {
	defer func() { v = recover() }()
	call()
	return nil
}

func wantBoundsPanic(t *testing.T, name string, call func(), want string) {
	t.Helper()
	err, ok := catch(call).(*BoundsError)
	if !ok {
		t.Errorf("%s: no panic with a *BoundsError, want %q", name, want)
	} else if err.Error() != want {
		t.Errorf("%s: panics with\n %s\nwant\n %s", name, err, want)
	}
}

// wantError compares the whole message of err, and tests that err wraps the error is, unless that error is nil.
func wantError(t *testing.T, name string, err error, want string, is error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error, want\n %s", name, want)
		return
	}
	if err.Error() != want {
		t.Errorf("%s: error\n %s\nwant\n %s", name, err, want)
	}
	for _, sentinel := range []error{ErrShape, ErrCopy} {
		if got := errors.Is(err, sentinel); got != (sentinel == is) {
			t.Errorf("%s: errors.Is(%q, %q) = %v", name, err, sentinel, got)
		}
	}
	var bounds *BoundsError
	if got := errors.As(err, &bounds); got != (is == errBounds) {
		t.Errorf("%s: *BoundsError is %v", name, got)
	}
}

// errBounds denotes any *BoundsError in calls of wantError.
var errBounds = errors.New("bounds")

func TestBoundsErrorIsARuntimeError(t *testing.T) {
	l := must(NewLayout([]int{3}, 8, C))
	v := catch(func() { l.Offset(3) })
	if _, ok := v.(runtime.Error); !ok {
		t.Errorf("panics with %T, want a runtime.Error", v)
	}
	if e := v.(*BoundsError); e.Axis != 0 || e.Index != 3 || e.Len != 3 {
		t.Errorf("panics with %+v", e)
	}
	// Other packages create this error for indices that they check themselves.
	if got, want := (&BoundsError{Axis: 1, Index: 5, Len: 3}).Error(),
		"index 5 out of range for axis 1 with length 3"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

func TestErrors(t *testing.T) {
	l := must(NewLayout([]int{2, 1, 3}, 8, C))
	scalar := Layout{}
	full := must(NewLayout(make([]int, MaxDims), 1, C))
	_, _, noSelect := l.Select(At(0), At(0), At(0), At(0))
	sel := func(l Layout, s ...Selector) error { _, _, err := l.Select(s...); return err }
	diag := func(l Layout, offset, axis1, axis2 int) error {
		_, _, err := l.Diagonal(offset, axis1, axis2)
		return err
	}
	fail := func(_ Layout, err error) error { return err }
	for _, tt := range []struct {
		err  error
		want string
		is   error
	}{
		{noSelect, "got 4 indices for 3 dimensions", ErrShape},
		{sel(scalar, Colon), "got 1 index for 0 dimensions", ErrShape},
		{sel(l, Range(0, 1), Colon, NewAxis, Colon, Colon, Ellipsis), "got 4 indices for 3 dimensions", ErrShape},
		{sel(l, Colon, At(1)), "index 1 out of range for axis 1 with length 1", errBounds},
		{sel(l, At(-3)), "index -3 out of range for axis 0 with length 2", errBounds},
		{sel(l, Ellipsis, At(3)), "index 3 out of range for axis 2 with length 3", errBounds},
		{sel(l, NewAxis, NewAxis, At(2)), "index 2 out of range for axis 0 with length 2", errBounds},
		{sel(l, Colon, Every(0)), "slice step is zero for axis 1", nil},
		{sel(l, Ellipsis, At(0), Ellipsis), "selection has 2 ellipses, want at most one", nil},
		{sel(full, NewAxis), "selection has 65 dimensions, want at most 64", ErrShape},

		{fail(l.Transpose(0, 1)), "got 2 axes for 3 dimensions", ErrShape},
		{fail(l.Transpose(0, 1, 3)), "axis 3 out of range for 3 dimensions", errBounds},
		{fail(l.Transpose(0, 1, -4)), "axis -4 out of range for 3 dimensions", errBounds},
		{fail(l.Transpose(0, 1, -2)), "duplicate axis 1", ErrShape},
		{fail(scalar.Transpose(0)), "got 1 axis for 0 dimensions", ErrShape},
		{fail(l.MoveAxis(3, 0)), "axis 3 out of range for 3 dimensions", errBounds},
		{fail(l.MoveAxis(0, -4)), "axis -4 out of range for 3 dimensions", errBounds},
		{fail(scalar.MoveAxis(0, 0)), "axis 0 out of range for 0 dimensions", errBounds},

		{fail(l.Squeeze(0)), "cannot squeeze axis 0 with length 2, want length 1", ErrShape},
		{fail(l.Squeeze(1, -2)), "duplicate axis 1", ErrShape},
		{fail(l.Squeeze(5)), "axis 5 out of range for 3 dimensions", errBounds},
		{fail(l.ExpandDims(4)), "axis 4 out of range for 4 dimensions", errBounds},
		{fail(l.ExpandDims(-5)), "axis -5 out of range for 4 dimensions", errBounds},
		{fail(full.ExpandDims(0)), "shape has 65 dimensions, want at most 64", ErrShape},

		{diag(must(NewLayout([]int{3}, 8, C)), 0, 0, 0), "diagonal of 1 dimension, want at least 2", ErrShape},
		{diag(l, 0, 1, -2), "duplicate axis 1", ErrShape},
		{diag(l, 0, 3, 0), "axis 3 out of range for 3 dimensions", errBounds},
		{diag(l, 0, 0, -4), "axis -4 out of range for 3 dimensions", errBounds},

		{fail(l.Broadcast(2, 4, 4)), "cannot broadcast (2, 1, 3) to (2, 4, 4): axis 2 has length 3, want 1 or 4", ErrShape},
		{fail(l.Broadcast(7, 3, 4, 3)), "cannot broadcast (2, 1, 3) to (7, 3, 4, 3): axis 0 has length 2, want 1 or 3",
			ErrShape},
		{fail(l.Broadcast(3)), "cannot broadcast (2, 1, 3) to (3,): got 1 dimension, want at least 3", ErrShape},
		{fail(l.Broadcast(2, -1, 3)), "negative length -1 of axis 1", ErrShape},

		{fail(l.Reshape([]int{4}, 8)), "cannot reshape (2, 1, 3) with 6 elements to (4,)", ErrShape},
		{fail(l.Reshape([]int{4, -1}, 8)), "cannot reshape (2, 1, 3) with 6 elements to (4, -1)", ErrShape},
		{fail(l.Reshape([]int{0, -1}, 8)), "cannot reshape (2, 1, 3) with 6 elements to (0, -1)", ErrShape},
		{fail(l.Reshape([]int{-1, 3, -1}, 8)), "more than one length of (-1, 3, -1) is -1", ErrShape},
		{fail(l.Reshape([]int{-2, -3}, 8)), "negative length -2 of axis 0", ErrShape},
		{fail(l.Reshape(nil, 8)), "cannot reshape (2, 1, 3) with 6 elements to ()", ErrShape},
		{fail(must(l.Transpose()).Reshape([]int{6}, 8)),
			"cannot reshape (3, 1, 2) strides (8, 24, 24) to (6,) in place: copy it first", ErrCopy},
	} {
		wantError(t, tt.want, tt.err, tt.want, tt.is)
	}
}
