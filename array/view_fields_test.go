package array

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestRecordsFromSlice tests that FromSlice gives a Go struct the dtype that a NumPy user would write, and that NumPy
// reads it.
func TestRecordsFromSlice(t *testing.T) {
	events := []event{{TS: 1e18, X: 1.5, On: 1}, {X: -2}}
	copy(events[0].Name[:], "start")
	copy(events[0].Label[:], []uint32{'é', 'x'})
	v := must(FromSlice(events))
	native := dtype.MustParse("[('ts', '=M8[ns]'), ('name', 'S12'), ('label', '=U5'), ('x', '=f4'), ('on', 'u1'), ('', 'V3')]")
	if !v.DType().Equal(native) {
		t.Errorf("%v, want %v", v.DType(), native)
	}
	if got := fmt.Sprint(must(must(v.Array().Field("ts")).Select(index.At(0)))); got != "2001-09-09T01:46:40.000000000" {
		t.Errorf("%s", got)
	}
	path := filepath.Join(t.TempDir(), "events.npy")
	if err := Save(path, v.Array()); err != nil {
		t.Fatal(err)
	}
	p := oracle.Start(t)
	var got string
	if err := p.Eval("repr(np.load(x).tolist()) + str(np.load(x)['ts'])", path, &got); err != nil {
		t.Fatal(err)
	}
	if want := `[(1000000000000000000, b'start', 'éx', 1.5, 1), (0, b'', '', -2.0, 0)]` +
		`['2001-09-09T01:46:40.000000000' '1970-01-01T00:00:00.000000000']`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if err := p.Run("np.save(x + '.py', np.load(x)); import shutil; shutil.move(x + '.py.npy', x + '.py')", path,
		nil); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(must(os.ReadFile(path+".py")), must(os.ReadFile(path))); d != "" {
		t.Errorf("NumPy -, here +\n%s", d)
	}
}

// TestFields tests Fields, which is NumPy's a[['x', 'y']]. Setting and copying must leave the remaining fields
// unchanged.
func TestFields(t *testing.T) {
	d := dtype.MustParse("[('a', '|u1'), (('the second', 'b'), '|u1'), ('c', '|u1'), ('p', [('x', '|u1')])]")
	mem := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	a := must(FromBytes(mem, d, index.C, 2))
	ca := must(Fields(a, "c", "a"))
	if got, want := ca.DType(), must(dtype.Struct(4, dtype.Field{Name: "c", Type: dtype.Uint8, Offset: 2},
		dtype.Field{Name: "a", Type: dtype.Uint8})); !got.Equal(want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := fmt.Sprint(ca); got != "[(3, 1) (7, 5)]" {
		t.Error(got)
	}
	other := must(FromBytes([]byte{11, 12, 13, 14, 15, 16, 17, 18}, d, index.C, 2))
	if err := Copy(ca, must(Fields(other, "c", "a"))); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]byte{11, 2, 13, 4, 15, 6, 17, 8}, mem); d != "" {
		t.Errorf("want -, got +\n%s", d)
	}
	if err := Copy(must(Fields(a, "a", "c")), must(Fields(other, "the second", "p"))); err == nil ||
		err.Error() != `array: cannot convert field "p", [('x', '|u1')], to field "c", |u1: cannot convert between these dtypes: have dtype [('', '|V1'), (('the second', 'b'), '|u1'), ('', '|V1'), ('p', [('x', '|u1')])], want [('a', '|u1'), ('', '|V1'), ('c', '|u1'), ('', '|V1')]` {
		t.Error(err)
	}
	if err := Copy(must(Fields(a, "a", "c")), must(Fields(other, "b", "a"))); err != nil { // by order, not by name
		t.Fatal(err)
	}
	if d := cmp.Diff([]byte{12, 2, 11, 4, 16, 6, 15, 8}, mem); d != "" {
		t.Errorf("want -, got +\n%s", d)
	}
	more := make([]byte, 14)
	v := must(As[paddedPair](must(FromBytes(more, dtype.MustParse("[('x', 'u1'), ('b', '<i4'), ('c', 'u1'), ('a', 'u1')]"),
		index.C,
		2))))
	v.SetAt(paddedPair{A: 99, B: 0x01020304}, 1)
	if d := cmp.Diff([]byte{7 + 1: 4, 3, 2, 1, 0, 99}, more); d != "" {
		t.Errorf("want -, got +\n%s", d)
	}
	if got := must(Fields(a)).DType(); got.NumField() != 0 || got.ItemSize() != 4 {
		t.Errorf("no fields: %v", got)
	}
	stacked := must(Stack(a, other))
	if got := fmt.Sprint(must(Fields(stacked, "p",
		"b"))); got != "[[(( 4,),  2) (( 8,),  6)]\n [((14,), 12) ((18,), 16)]]" {
		t.Error(got)
	}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{second(Fields(a, "a", "x")),
			`array: no field "x" in dtype [('a', '|u1'), (('the second', 'b'), '|u1'), ('c', '|u1'), ('p', [('x', '|u1')])]`},
		{second(Fields(a, "p.x")),
			`array: no field "p.x" in dtype [('a', '|u1'), (('the second', 'b'), '|u1'), ('c', '|u1'), ('p', [('x', '|u1')])]`},
		{second(Fields(a, "a", "b", "a")), `array: dtype: field "a" has the name or title of another field`},
		{second(Fields(must(a.Field("c")), "a")), `array: no field "a" in dtype |u1`},
		{second(Fields(must(a.Field("c")))), `array: dtype |u1 has no fields`},
	} {
		if tt.err == nil || tt.err.Error() != tt.want {
			t.Errorf("%v, want %s", tt.err, tt.want)
		}
	}
}

// TestRecordData tests that the error of Data names the obstacle to access in place.
func TestRecordData(t *testing.T) {
	byteOrder := "not in native byte order: >i4"
	if dtype.Native == dtype.BigEndian {
		byteOrder = "not in native byte order: <i4"
	}
	const not = "array: elements are not directly accessible: "
	data := func(descr string) error {
		a := must(FromBytes(make([]byte, 64), dtype.MustParse(descr), index.C, 2))
		return second(must(As[paddedPair](a)).Data())
	}
	for _, tt := range []struct{ descr, want string }{
		{"[('a', '|u1'), ('', '|V3'), ('b', '=i4')]", ""},
		{"[('a', '|b1'), ('', '|V3'), ('b', '=i4')]", ""},
		{"[('a', '|u1'), ('b', '=i4')]", not + `field "b" is at offset 1 in the file and 4 in Go`},
		{"[('b', '=i4'), ('a', '|u1')]", not + `field "a" is at offset 4 in the file and 0 in Go`},
		{"[('a', '|u1'), ('', '|V3'), ('b', '=i4'), ('c', '|u1')]", not + `field "c" of the file is not in the Go struct`},
		{"[('a', '|u1'), ('', '|V3'), ('b', '=i4'), ('', '|V1')]", not + "an element has 9 bytes in the file and 8 in Go"},
	} {
		err := data(tt.descr)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want || !errors.Is(err,
			ErrNotDirect)) {
			t.Errorf("%s:\n got %v\nwant %s", tt.descr, err, tt.want)
		}
	}
	a := must(FromBytes(make([]byte, 64), must(dtype.Of[flaggedRecord]()), index.C, 2))
	if _, err := must(As[flaggedRecord](a)).Data(); !errors.Is(err, ErrNotDirect) ||
		err.Error() != not+`field "a" is a bool, whose byte may be neither 0 nor 1; a uint8 in Go reads it in place` {
		t.Error(err)
	}
	foreign := must(dtype.Of[paddedPair]()).WithByteOrder(map[dtype.ByteOrder]dtype.ByteOrder{dtype.LittleEndian: dtype.BigEndian,
		dtype.BigEndian: dtype.LittleEndian}[dtype.Native])
	v := must(As[paddedPair](must(FromBytes(make([]byte, 64), foreign, index.C, 2))))
	if _, err := v.Data(); err == nil || err.Error() != not+`field "b" is `+byteOrder {
		t.Error(err)
	}
	odd := must(As[paddedPair](must(FromBytes(make([]byte, 64)[1:], foreign.WithByteOrder(dtype.Native), index.C, 2))))
	if _, err := odd.Data(); err == nil ||
		err.Error() != not+"elements of "+foreign.WithByteOrder(dtype.Native).String()+" are not aligned in memory; loop over Blocks or Update, or copy with Collect" {
		t.Error(err)
	}
}
