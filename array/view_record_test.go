package array

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func newParticle(k int) particle {
	return particle{ID: int32(k), Pos: vec3{1, float32(k), 3}, Mass: math.Sqrt(float64(k)), Tag: [4]byte{'t', byte(k)},
		Name: [2]uint32{'é', uint32(k)}, At: int64(k) * 1e9, M: [2][2]int16{{1, 2}, {int16(k), 4}}}
}

// TestRecords tests views of records in native order, which are accessed in place, and in foreign order, which are
// decoded field by field. Both must have the same elements. Single fields are separate arrays.
func TestRecords(t *testing.T) {
	d := dtype.MustParse(particleDescr)
	for _, order := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} {
		path := tempPath(t)
		f := must(Create(path, d.WithByteOrder(order), index.C, 5))
		v := must(As[particle](f.Array))
		for k := range 5 {
			v.SetAt(newParticle(k), k)
		}
		f.Close()

		f = must(Open(path, mmap.ReadWrite))
		v = must(As[particle](f.Array))
		data, err := v.Data()
		if order == dtype.Native && (err != nil || data[3] != newParticle(3)) {
			t.Errorf("records in native order are not accessed in place: %v", err)
		}
		if order != dtype.Native && !errors.Is(err, ErrNotDirect) {
			t.Errorf("records in foreign order are accessed in place")
		}
		k := 0
		for p := range v.Values() {
			if d := cmp.Diff(newParticle(k), p); d != "" || p != v.At(k) {
				t.Errorf("%v: element %d: %s", order, k, d)
			}
			k++
		}
		y := must(As[float32](must(f.Field("pos.Y"))))
		m := must(As[int16](must(f.Field("m"))))
		if y.At(4) != 4 || !cmp.Equal(m.Shape(), []int{5, 2, 2}) || m.At(4, 1, 0) != 4 {
			t.Errorf("fields: %v, %v %v", y.At(4), m.Shape(), m.At(4, 1, 0))
		}
		y.SetAt(-1, 2)
		m.SetAt(-2, 2, 0, 1)
		want := newParticle(2)
		want.Pos.Y, want.M[0][1] = -1, -2
		if d := cmp.Diff(want, v.At(2)); d != "" {
			t.Errorf("%v: after editing fields: %s", order, d)
		}
		tag, name := must(Text(must(f.Field("tag")))), must(Text(must(f.Field("name"))))
		if s, err := tag.At(3); s != "t\x03" || err != nil {
			t.Errorf("tag %q, %v", s, err)
		}
		if s, err := name.At(3); s != "é\x03" || err != nil {
			t.Errorf("name %q, %v", s, err)
		}
		at := must(As[int64](must(f.Field("at"))))
		if at.At(3) != 3e9 {
			t.Errorf("at %d", at.At(3))
		}
		f.Close()
	}
}

// TestRecordPadding tests that SetAt leaves padding in the file unchanged.
func TestRecordPadding(t *testing.T) {
	b := []byte{0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE}
	d := must(dtype.Struct(8, dtype.Field{Name: "a", Type: dtype.Uint8}, dtype.Field{Name: "b", Type: dtype.Int32,
		Offset: 4}))
	foreign := dtype.BigEndian
	if dtype.Native == foreign {
		foreign = dtype.LittleEndian
	}
	v := must(As[paddedPair](must(FromBytes(b, d.WithByteOrder(foreign), index.C, 1))))
	v.SetAt(paddedPair{A: 1, B: 0x03040506}, 0)
	want := []byte{1, 0xEE, 0xEE, 0xEE, 3, 4, 5, 6}
	if foreign == dtype.LittleEndian {
		want = []byte{1, 0xEE, 0xEE, 0xEE, 6, 5, 4, 3}
	}
	if d := cmp.Diff(want, b); d != "" {
		t.Error(d)
	}
}

// TestRecordBool tests that records with a boolean field are never accessed in place, because its byte may be neither 0
// nor 1.
func TestRecordBool(t *testing.T) {
	mem := []byte{0, 0, 0, 0, 1, 1, 1, 1, 255, 0, 0, 0, 2, 2, 2, 2}
	v := must(As[flaggedRecord](must(FromBytes(mem, must(dtype.Of[flaggedRecord]()), index.C, 2))))
	if got := collect(v); !slices.Equal(got, []flaggedRecord{{A: false, B: 0x01010101}, {A: true, B: 0x02020202}}) {
		t.Error(got)
	}
	if _, err := v.Data(); !errors.Is(err, ErrNotDirect) {
		t.Errorf("Data: %v", err)
	}
}

func TestRecordErrors(t *testing.T) {
	for _, tt := range []struct{ descr, want string }{
		{"[('a', '|u1'), ('', '|V3'), ('c', '<i4'), ('p', [('X', '<f4'), ('Y', '<f4')])]",
			"the file has no field \"b\"; it has \"a\", \"c\", \"p\"; give the Go field one of these as its tag, or `npy:\"-\"` to leave it out"},
		{"[('A', '|u1'), ('b', '<i4'), ('p', [('X', '<f4'), ('Y', '<f4')])]",
			"the file has no field \"a\"; give the Go field the tag `npy:\"A\"`, or `npy:\"-\"` to leave it out"},
		{"[('a', '|u1'), ('', '|V3'), ('b', '<u4'), ('p', [('X', '<f4'), ('Y', '<f4')])]",
			`field "b" is <u4 in the file and <i4 in Go; make it uint32`},
	} {
		d := dtype.MustParse(tt.descr).WithByteOrder(dtype.LittleEndian)
		_, err := As[paddedPair](must(FromBytes(make([]byte, 100), d, index.C, 1)))
		var e *DTypeError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", tt.descr, err)
			continue
		}
		want := tt.want
		if dtype.Native == dtype.BigEndian {
			continue // the message names the native order
		}
		if e.Msg != want {
			t.Errorf("%s:\n got %s\nwant %s", tt.descr, e.Msg, want)
		}
	}
	a := must(FromBytes(make([]byte, 100), dtype.MustParse("[('a', [('x.y', '<i2'), ('x', [('y', '<i4')])])]"), index.C,
		2))
	for name, want := range map[string]string{"a.x.y": "<i2", "a.x": "[('y', '<i4')]",
		"a": "[('x.y', '<i2'), ('x', [('y', '<i4')])]"} {
		t.Run(name, func(t *testing.T) {
			if got := must(a.Field(name)).DType().String(); got != want {
				t.Errorf("field %s is %s, want %s", name, got, want)
			}
		})
	}
	for _, name := range []string{"", "b", "a.z", "a.", ".a", "a.x.y.z"} {
		if f, err := a.Field(name); err == nil {
			t.Errorf("field %q is %v", name, f.DType())
		}
	}
}

func TestText(t *testing.T) {
	s := must(Text(must(FromBytes(make([]byte, 12), dtype.Bytes(4), index.C, 3))))
	for _, order := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} {
		u := must(Text(must(FromBytes(make([]byte, 36), dtype.Unicode(3).WithByteOrder(order), index.C, 3))))
		for _, x := range []string{"", "abc", "é", "€", "🙂b", "\x00a"} {
			if err := u.SetAt(x, 1); err != nil {
				t.Errorf("%q: %v", x, err)
			}
			if got, err := u.At(1); got != x || err != nil {
				t.Errorf("%q: got %q, %v", x, got, err)
			}
		}
		// An invalid code point is an error, and the rest of the text is returned.
		raw := must(As[uint32](must(u.Array().Reinterpret(dtype.Uint32.WithByteOrder(order)))))
		for _, bad := range []uint32{0xD800, 0x110000, 0xFFFFFFFF} {
			for k, x := range []uint32{'a', bad, 'b'} {
				raw.SetAt(x, k)
			}
			if got, err := u.At(0); got != "a\uFFFDb" || err == nil {
				t.Errorf("%#x: %q, %v", bad, got, err)
			}
		}
	}
	for _, x := range []string{"", "abcd", "é", "a"} {
		if err := s.SetAt(x, 2); err != nil {
			t.Error(err)
		}
		if got, err := s.At(2); got != x || err != nil {
			t.Errorf("%q: got %q, %v", x, got, err)
		}
	}
	for x, want := range map[string]string{
		"abcde": `array: text "abcde" has 5 characters; dtype |S4 has room for 4`,
		"€":     `array: text "€" has the character '€'; dtype |S4 is Latin-1, up to U+00FF`,
		"\xff":  `array: text "\xff" is not UTF-8`,
		"a\x00": `array: text "a\x00" ends with a NUL, which would be lost: it is padding`,
	} {
		t.Run(x, func(t *testing.T) {
			if err := s.SetAt(x, 2); err == nil || err.Error() != want {
				t.Errorf("SetAt %q: %v, want %s", x, err, want)
			}
			if got, _ := s.At(2); got != "a" {
				t.Errorf("after an error the element is %q", got)
			}
		})
	}
	if _, err := Text(must(FromBytes(nil, dtype.Float64, index.C, 0))); err == nil {
		t.Error("Text of floats: no error")
	}
}

func TestReinterpret(t *testing.T) {
	b := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	a := must(FromBytes(b, dtype.MustParse("<u4"), index.C, 3))
	if got := must(As[uint8](must(a.Reinterpret(dtype.Uint8)))); got.Len(0) != 12 || got.At(5) != 5 {
		t.Errorf("%v %v", got.Shape(), got.At(5))
	}
	if got := must(must(a.Reinterpret(dtype.Uint8)).Reinterpret(dtype.MustParse(">u2"))); got.Len(0) != 6 ||
		must(As[uint16](got)).At(1) != 0x0203 {
		t.Errorf("%v %v", got.Shape(), must(As[uint16](got)).At(1))
	}
	if got := must(As[float32](must(a.Reinterpret(dtype.MustParse("<f4"))))); got.Len(0) != 3 ||
		math.Float32bits(got.At(1)) != 0x07060504 {
		t.Errorf("%v %v", got.Shape(), got.At(1))
	}
	every2 := must(a.Select(index.Range(0, 3).Every(2)))
	for _, tt := range []struct {
		name string
		err  error
		is   error // nil accepts any error
		want string
	}{
		{"8 bytes of 12", second(a.Reinterpret(dtype.Uint64)), ErrShape,
			"a last axis of 3 elements of size 4 is not a whole number of elements of size 8"},
		{"not contiguous", second(every2.Reinterpret(dtype.Uint8)), ErrNotDirect,
			"cannot reinterpret elements of size 4 as elements of size 1: the last axis is not contiguous: its elements are 8 bytes apart"},
		{"0-d", second(a.Index(0).Reinterpret(dtype.Uint8)), ErrShape,
			"cannot reinterpret elements of size 4 as elements of size 1: a 0-d array has no axis to change"},
		{"3 bytes of items of 4", second(a.Reinterpret(dtype.Void(3))), ErrShape,
			"cannot reinterpret elements of size 4 as elements of size 3: the new size must divide the old one"},
		{"no bytes", second(a.Reinterpret(dtype.Void(0))), ErrShape,
			"a last axis of 3 elements of size 4 is not a whole number of elements of size 0"},
		{"a sub-array", second(a.Reinterpret(must(dtype.SubarrayOf(dtype.Uint8, 4)))), nil,
			"dtype ('|u1', (4,)) cannot be the dtype of an array"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.err == nil || tt.is != nil && !errors.Is(tt.err, tt.is) || !strings.HasSuffix(tt.err.Error(), tt.want) {
				t.Errorf("%s: %v, want an error that ends with %q and wraps %v", tt.name, tt.err, tt.want, tt.is)
			}
		})
	}
	if _, err := every2.Reinterpret(dtype.MustParse("<f4")); err != nil {
		t.Errorf("same size: %v", err)
	}
}

// TestRecordBlocks tests that arrays of structures become Go arrays of structs.
func TestRecordBlocks(t *testing.T) {
	type point struct {
		X int16 `npy:"x"`
		Y bool  `npy:"y"`
		_ [1]byte
	}
	type cloud struct {
		N      int16       `npy:"n"`
		Points [2][2]point `npy:"points"`
		End    int16       `npy:"end"`
	}
	d := dtype.MustParse("[('n', '>i2'), ('points', [('x', '>i2'), ('y', '|b1'), ('', '|V1')], (2, 2)), ('end', '<i2')]")
	mem := []byte{0, 1, 0, 2, 0, 9, 0, 3, 1, 9, 0, 4, 7, 9, 0, 5, 0, 9, 6, 0}
	v := must(As[cloud](must(FromBytes(mem, d, index.C))))
	want := cloud{1, [2][2]point{{{X: 2}, {X: 3, Y: true}}, {{X: 4, Y: true}, {X: 5}}}, 6}
	if got := v.At(); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	v.SetAt(cloud{7, [2][2]point{{{X: 8, Y: true}, {X: 9}}, {{X: 10}, {X: 11, Y: true}}}, 12})
	if d := cmp.Diff([]byte{0, 7, 0, 8, 1, 9, 0, 9, 0, 9, 0, 10, 0, 9, 0, 11, 1, 9, 12, 0}, mem); d != "" {
		t.Errorf("want -, got +\n%s", d)
	}
}

// TestCopyFromByName tests that CopyFrom matches the fields of records by name, as SetAt and At do. Copy matches them
// by order.
func TestCopyFromByName(t *testing.T) {
	src := must(FromSlice([]paddedPair{{1, 2}, {3, 4}}))
	reordered := must(New(dtype.MustParse("[('b', '>i4'), ('x', 'i1'), ('a', 'u1')]"), index.C, 2))
	dst := must(As[paddedPair](reordered.Array))
	if err := dst.CopyFrom(src); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(reordered); got != "[(2, 0, 1) (4, 0, 3)]" {
		t.Errorf("%s", got)
	}
	// Source and destination may overlap, even if the fields change places and the records move.
	mem := must(FromBytes(make([]byte, 15), dtype.MustParse("[('a', 'u1'), ('b', '<i4')]"), index.C, 3))
	records := must(As[paddedPair](mem))
	for i := range 3 {
		records.SetAt(paddedPair{uint8(i), int32(10 * i)}, i)
	}
	overlapping := must(As[paddedPair](must(mem.Reinterpret(dtype.MustParse("[('b', '<i4'), ('a', 'u1')]")))))
	if err := must(overlapping.Select(index.Range(1, 3))).CopyFrom(must(records.Select(index.Range(0, 2)))); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(overlapping); got != "[( 0, 0) ( 0, 0) (10, 1)]" {
		t.Errorf("%s", got)
	}
}
