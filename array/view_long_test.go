package array

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// longs returns the long doubles 1.5, -2 and 0.25, and infinity.
func longs() Array {
	b := make([]byte, 64)
	for i, x := range []struct{ high, top uint16 }{{0xC000, 0x3FFF}, {0x8000, 0xC000}, {0x8000, 0x3FFD}, {0x8000,
		0x7FFF}} {
		b[16*i+6], b[16*i+7] = byte(x.high), byte(x.high>>8)
		b[16*i+8], b[16*i+9] = byte(x.top), byte(x.top>>8)
	}
	return must(FromBytes(b, dtype.MustParse("<f16"), index.C, 4))
}

// TestLongDoubles tests what can be done with long doubles.
func TestLongDoubles(t *testing.T) {
	a := longs()
	stack := must(Stack(a, a))
	for _, tt := range []struct {
		name string
		text func() string
		want string
	}{
		{"AsType", func() string { return fmt.Sprint(must(a.AsType(dtype.Float64, index.C))) }, "[ 1.5  -2.    0.25   inf]"},
		{"Cast", func() string { return fmt.Sprint(must(Cast[float64](a)).Collect()) }, "[1.5 -2 0.25 +Inf]"},
		{"As", func() string { return fmt.Sprint(must(As[dtype.LongDouble](a)).At(2).Float64()) }, "0.25"},
		{"At", func() string { return fmt.Sprint(must(Cast[float64](a)).At(1)) }, "-2"},
		{"Cast of a Stack", func() string { return fmt.Sprint(must(Cast[float64](stack)).Collect()) },
			"[1.5 -2 0.25 +Inf 1.5 -2 0.25 +Inf]"},
		{"Cast of a selection", func() string {
			return fmt.Sprint(must(Cast[float64](must(a.Select(index.Every(-2))))).Collect())
		}, "[+Inf -2]"},
		{"Min", func() string { return fmt.Sprint(Min(must(Cast[float64](a)))) }, "-2"},
		{"Sum", func() string {
			return fmt.Sprint(Sum[float64](must(Cast[float64](must(a.Select(index.Range(0, 3)))))))
		}, "-0.25"},
		{"complex", func() string {
			return fmt.Sprint(must(Cast[complex128](must(a.Reinterpret(dtype.MustParse("<c32"))))).Collect())
		}, "[(1.5-2i) (0.25+Infi)]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.text(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "a.npy")
	check(t, SaveConfig{NoSync: true}.Convert(path, a, dtype.Float64, index.C))
	f := must(Open(path, ReadOnly))
	defer f.Close()
	if got := fmt.Sprint(f.Array); got != "[ 1.5  -2.    0.25   inf]" {
		t.Errorf("the file has %s", got)
	}
}

// TestLongDoublesErrors tests the errors for long doubles, and that views of them are read-only.
func TestLongDoublesErrors(t *testing.T) {
	a := longs()
	for _, x := range []Array{a, must(Stack(a, a))} {
		v := must(Cast[float64](x))
		func() {
			defer func() {
				if err, _ := recover().(error); !errors.Is(err, ErrReadOnly) {
					t.Errorf("SetAt panics with %v, want ErrReadOnly", err)
				}
			}()
			v.SetAt(1, make([]int, x.NDim())...)
		}()
		if err := v.CopyFrom(v); !errors.Is(err, ErrReadOnly) {
			t.Errorf("CopyFrom: %v, want ErrReadOnly", err)
		}
	}
	big := must(a.Reinterpret(dtype.MustParse(">f16")))
	_, err1 := Cast[float32](a)
	_, err2 := Cast[float64](big)
	_, err3 := big.AsType(dtype.Float64, index.C)
	_, err4 := Reduction{Op: OpSum}.Of(a)
	_, err5 := Cast[complex128](a)
	_, err6 := Cast[string](a)
	for i, tt := range []struct {
		err  error
		want string
	}{
		{err1,
			"array: long doubles convert only to float64, and complex ones to complex128: have dtype <f16, want " + dtype.Float32.String()},
		{err2,
			"array: big-endian long doubles have several formats, and a dtype does not say which: have dtype >f16, want " + dtype.Float64.String()},
		{err3,
			"array: big-endian long doubles have several formats, and a dtype does not say which: have dtype >f16, want " + dtype.Float64.String()},
		{err4, "array: cannot reduce long doubles; AsType(dtype.Float64, index.C) converts them: have dtype <f16"},
		{err5,
			"array: long doubles convert only to float64, and complex ones to complex128: have dtype <f16, want " + dtype.Complex128.String()},
		{err6, ""},
	} {
		if tt.want == "" && tt.err != nil {
			continue
		}
		if got := fmt.Sprint(tt.err); got != tt.want || !errors.Is(tt.err, ErrDType) {
			t.Errorf("%d: got  %s\nwant %s", i, got, tt.want)
		}
	}
}
