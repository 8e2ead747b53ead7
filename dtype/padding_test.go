package dtype

import "testing"

// TestBoolPadding tests that a boolean field cannot be padding. The bytes of padding come from a file, and a Go bool
// that is neither 0 nor 1 breaks index checks of the compiler. A field called _ cannot be read.
func TestBoolPadding(t *testing.T) {
	type inner struct{ OK bool }
	for _, tt := range []struct{ name, got, want string }{
		{"unexported", item[struct {
			A  int8
			ok bool
		}](), "dtype: field ok: padding of Go type bool may have bytes that are neither true nor false; make it a uint8"},
		{"left out", item[struct {
			A  int8
			OK bool `npy:"-"`
		}](), "dtype: field OK: padding of Go type bool may have bytes that are neither true nor false; make it a uint8"},
		{"array of structs", item[struct{ ok [2]inner }](),
			"dtype: field ok: padding of Go type [2]dtype.inner may have bytes that are neither true nor false; make it a uint8"},
		{"in a field", item[struct{ A struct{ ok bool } }](),
			"dtype: field A.ok: padding of Go type bool may have bytes that are neither true nor false; make it a uint8"},
		{"blank", item[struct {
			A int8
			_ bool
			_ [2]inner
		}](), "{0 A |i1; 4}"},
		{"a byte", item[struct {
			A  int8
			ok uint8
		}](), "{0 A |i1; 2}"},
		{"a field", item[struct{ OK bool }](), "{0 OK |b1; 1}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("%s:\n got %s\nwant %s", tt.name, tt.got, tt.want)
			}
		})
	}
}
