package elem

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

// slowValue decodes an element of dtype have to a Go value of dtype want if decode is true. Otherwise it encodes a Go
// value of dtype want to an element of dtype have.
func slowValue(want, have dtype.DType, dst, src []byte, decode bool) {
	switch {
	case want.Kind() == dtype.KindStructured:
		for k := range want.NumField() {
			g := want.FieldAt(k)
			f, _ := have.Field(g.Name)
			inGo, inFile := dst, src
			if !decode {
				inGo, inFile = src, dst
			}
			inGo, inFile = inGo[g.Offset:][:g.Type.ItemSize()], inFile[f.Offset:][:f.Type.ItemSize()]
			if decode {
				slowValue(g.Type, f.Type, inGo, inFile, decode)
			} else {
				slowValue(g.Type, f.Type, inFile, inGo, decode)
			}
		}
	case want.Kind() == dtype.KindSubarray && have.Kind() == dtype.KindSubarray:
		if have.Base().IsVariable() || have.Base().IsLongDouble() {
			want = have // in Go, these are blocks of bytes and code points
		}
		n, m := want.Base().ItemSize(), have.Base().ItemSize()
		if !decode {
			n, m = m, n
		}
		for k := range len(dst) / max(1, n) {
			slowValue(want.Base(), have.Base(), dst[k*n:][:n], src[k*m:][:m], decode)
		}
	case want.Kind() == dtype.KindBool && decode:
		dst[0] = min(src[0], 1)
	default: // the same bytes, reversed or not
		copy(dst, src)
		if have.ByteOrder() == dtype.NotApplicable || have.ByteOrder() == dtype.Native || have.IsLongDouble() {
			return
		}
		whole := len(dst)
		switch have.Kind() {
		case dtype.KindUnicode:
			whole = 4
		case dtype.KindComplex:
			whole /= 2
		}
		for at := 0; at < len(dst); at += whole {
			slices.Reverse(dst[at : at+whole])
		}
	}
}

// randomGoValue draws the dtype of a Go type and a dtype of elements that it can represent.
func randomGoValue(r *rand.Rand, levels int) (want, have dtype.DType) {
	n := r.IntN(12)
	if levels == 0 {
		n = r.IntN(8)
	}
	order := orders[r.IntN(2)]
	switch n {
	case 0:
		return dtype.Bool, dtype.Bool
	case 1: // bytes, and types that Go does not have
		n := 1 + r.IntN(9)
		have = []dtype.DType{dtype.Bytes(n), dtype.Void(n), dtype.MustParse("<f16").WithByteOrder(order),
			dtype.MustParse("<c32").WithByteOrder(order)}[r.IntN(4)]
		if n = have.ItemSize(); n == 1 && r.IntN(2) == 0 {
			return dtype.Uint8, have
		} else if n%2 == 0 && r.IntN(2) == 0 {
			return must(dtype.SubarrayOf(dtype.Uint8, 2, n/2)), have
		}
		return must(dtype.SubarrayOf(dtype.Uint8, n)), have
	case 2: // code points
		n := 1 + r.IntN(4)
		if n == 1 && r.IntN(2) == 0 {
			return dtype.Uint32, dtype.Unicode(1).WithByteOrder(order)
		}
		return must(dtype.SubarrayOf(dtype.Uint32, n)), dtype.Unicode(n).WithByteOrder(order)
	case 3: // counts
		return dtype.Int64, []dtype.DType{dtype.Datetime(dtype.Day, 1), dtype.Timedelta(dtype.Second,
			25)}[r.IntN(2)].WithByteOrder(order)
	case 8, 9:
		want, have = randomGoValue(r, levels-1)
		if want.ItemSize() == 0 || have.ItemSize() == 0 {
			return want, have
		}
		shape := []int{1 + r.IntN(3), 1 + r.IntN(3)}[r.IntN(2):]
		return must(dtype.SubarrayOf(want, shape...)), must(dtype.SubarrayOf(have, shape...))
	case 10, 11:
		return randomGoStruct(r, levels-1)
	}
	for {
		d := numbers[r.IntN(len(numbers))]
		if !IsTime(d) {
			return d.WithByteOrder(dtype.Native), d.WithByteOrder(order)
		}
	}
}

// randomGoStruct draws the fields of a Go struct and of a file. The file may have more fields, in another order and at
// other offsets.
func randomGoStruct(r *rand.Rand, levels int) (want, have dtype.DType) {
	var fw, fh []dtype.Field
	off := 0
	gaps := r.IntN(2) * 4
	native, moved, more := r.IntN(3) == 0, r.IntN(2) == 0, r.IntN(3) == 0
	for k := range r.IntN(6) {
		w, h := randomGoValue(r, levels)
		if native {
			h = h.WithByteOrder(dtype.Native)
		}
		off += r.IntN(gaps + 1)
		name := fmt.Sprint("f", k)
		title := ""
		if r.IntN(10) == 0 {
			title = fmt.Sprint("field ", k)
		}
		fh = append(fh, dtype.Field{Name: name, Title: title, Type: h, Offset: off})
		if !more || r.IntN(2) == 0 {
			fw = append(fw, dtype.Field{Name: name, Type: w, Offset: off})
		}
		off += max(w.ItemSize(), h.ItemSize())
	}
	size := off + r.IntN(gaps+1)
	if !moved {
		return must(dtype.Struct(size, fw...)), must(dtype.Struct(size, fh...))
	}
	r.Shuffle(len(fw), func(i, j int) { fw[i], fw[j] = fw[j], fw[i] })
	return layOut(r, fw), layOut(r, fh)
}

// TestGoValue tests that elements are decoded to Go values and encoded back: numbers in the byte order of the machine,
// text as bytes or code points, times as their counts, and booleans as 0 or 1.
func TestGoValue(t *testing.T) {
	r := oracle.Rand(t, 20)
	for range cases(t, 1500) {
		want, have := randomGoValue(r, 3)
		decode, encode, err := GoValue(want, have)
		if err != nil {
			t.Fatalf("%v as %v: %v", have, want, err)
		}
		like := equality{padding: decode.HasPadding(), bools: true, nans: true}
		if decode.SourceSize() != have.ItemSize() || encode.SourceSize() != want.ItemSize() {
			t.Fatalf("%v as %v: source elements of %d and %d bytes", have, want, decode.SourceSize(), encode.SourceSize())
		}
		check{T: t, Rand: r, dst: want, src: have, fill: have, like: like,
			assign: func(d, s []byte) { slowValue(want, have, d, s, true) }}.move(&decode)
		checkProperties(t, r, &decode, want, have)

		like.padding = encode.HasPadding()
		check{T: t, Rand: r, dst: have, src: want, fill: want, like: like,
			assign: func(d, s []byte) { slowValue(want, have, d, s, false) }}.move(&encode)
		checkProperties(t, r, &encode, have, want)
	}
}

func TestGoValueBool(t *testing.T) {
	decode, encode, err := GoValue(dtype.Bool, dtype.Bool)
	if err != nil {
		t.Fatal(err)
	}
	file := []byte{0, 1, 2, 127, 128, 255}
	got := make([]byte, 6)
	decode.Move(1, 6, dense(address(got), 6, 1), dense(address(file), 6, 1))
	if want := []byte{0, 1, 1, 1, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("decode(%v) = %v, want 0 or 1 for each byte", file, got)
	}
	for i := range file {
		decode.One(address(got), address(file[i:]))
		if got[0] != min(file[i], 1) {
			t.Errorf("decode(%d) = %d", file[i], got[0])
		}
	}
	encode.Move(1, 6, dense(address(file), 6, 1), dense(address(got), 6, 1))
	if !slices.Equal(file, got) {
		t.Errorf("encode(%v) = %v", got, file)
	}
}

func TestNumbersBothWays(t *testing.T) {
	r := oracle.Rand(t, 21)
	for range cases(t, 250) {
		want, have := numbers[r.IntN(len(numbers))].WithByteOrder(dtype.Native), numbers[r.IntN(len(numbers))]
		decode, encode, err := Numbers(want, have)
		if err != nil {
			t.Fatalf("%v as %v: %v", have, want, err)
		}
		newCheck(t, r, &decode, want, have).move(&decode)
		newCheck(t, r, &encode, have, want).move(&encode)
	}
	for _, d := range []string{"|S8", "<U2", "|V8", "<f16", "[('a', '<f8')]"} {
		if _, _, err := Numbers(dtype.Float64, dtype.MustParse(d)); err == nil ||
			err.Error() != "cannot convert between these dtypes" {
			t.Errorf("%s as <f8: %v", d, err)
		}
	}
}

// TestGoValueErrors tests that the error is ErrTypes if the names of the dtypes explain the mismatch, and that errors
// within structures name the field.
func TestGoValueErrors(t *testing.T) {
	type inner struct{ X, Y float32 }
	type rec struct {
		A uint8 `npy:"a"`
		B int32 `npy:"b"`
		P inner `npy:"p"`
	}
	type text struct {
		S [4]byte   `npy:"s"`
		U [2]uint32 `npy:"u"`
	}
	type blocks struct {
		M [2][3]int16 `npy:"m"`
		Q [2]inner    `npy:"q"`
	}
	type tagged struct {
		Temperature float64   `npy:"temprature"`
		TS          int64     `npy:"ts,M8[ns]"`
		Name        [12]byte  `npy:"name,S12"`
		Label       [5]uint32 `npy:"label,U5"`
	}
	of := func(d dtype.DType, err error) dtype.DType { return must(d, err) }
	for _, tt := range []struct {
		want  dtype.DType
		descr string
		err   string // "" for no error
	}{
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('b', '<i4'), ('p', [('X', '<f4'), ('Y', '<f4')])]", ""},
		{of(dtype.Of[rec]()), "[('p', [('Y', '>f4'), ('Z', '<f8'), ('X', '<f4')]), ('q', '|S3'), ('b', '>i4'), ('a', '|b1')]",
			""},
		{of(dtype.Of[rec]()), "[(('the first', 'a'), '|u1'), (('b', 'other'), '<i4'), ('p', [('X', '<f4'), ('Y', '<f4')])]",
			""},
		{of(dtype.Of[rec]()), "[('A', '|u1'), ('b', '<i4'), ('p', [('X', '<f4'), ('Y', '<f4')])]",
			"the file has no field \"a\"; give the Go field the tag `npy:\"A\"`, or `npy:\"-\"` to leave it out"},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('c', '<i4'), ('p', [('X', '<f4'), ('Y', '<f4')])]",
			"the file has no field \"b\"; it has \"a\", \"c\", \"p\"; give the Go field one of these as its tag, or `npy:\"-\"` to leave it out"},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('b', '<i4'), ('p', [('X', '<f4'), ('y', '<f4')])]",
			"the file has no field \"p.Y\"; give the Go field the tag `npy:\"y\"`, or `npy:\"-\"` to leave it out"},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('b', '<i4'), ('p', [])]",
			"the file has no field \"p.X\"; it has none: give the Go field the tag `npy:\"-\"` to leave it out"},
		{of(dtype.Of[tagged]()), "[('temperature', '<f8')]",
			"the file has no field \"temprature\"; give the Go field the tag `npy:\"temperature\"`, or `npy:\"-\"` to leave it out"},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('b', '<u4'), ('p', [('X', '<f4'), ('Y', '<f4')])]",
			`field "b" is <u4 in the file and <i4 in Go; make it uint32`},
		{of(dtype.Of[rec]()), "[('a', '|i1'), ('b', '<u4'), ('p', [('X', '<f4'), ('Y', '<f4')])]",
			`field "a" is |i1 in the file and |u1 in Go; make it int8`},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('b', '<M8[s]'), ('p', [('X', '<f4'), ('Y', '<f4')])]",
			`field "b" is <M8[s] in the file and <i4 in Go; make it int64`},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('b', '<i4'), ('p', [('X', '<f4'), ('Y', '>f2')])]",
			`field "p.Y" is >f2 in the file and <f4 in Go; make it dtype.Half`},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('b', '<i4'), ('p', '<c16')]",
			`field "p" is <c16 in the file and [('X', '<f4'), ('Y', '<f4')] in Go; make it complex128`},
		{of(dtype.Of[text]()), "[('s', '|S3'), ('u', '<U2')]",
			`field "s" is |S3 in the file and ('|u1', (4,)) in Go; make it [3]byte`},
		{of(dtype.Of[text]()), "[('s', '|V4'), ('u', '<U1')]",
			`field "u" is <U1 in the file and ('<u4', (2,)) in Go; make it [1]uint32`},
		{of(dtype.Of[text]()), "[('s', '|V4'), ('u', '<f16')]",
			`field "u" is <f16 in the file and ('<u4', (2,)) in Go; make it [16]byte`},
		{of(dtype.Of[text]()), "[('s', '|b1', (4,)), ('u', '<U2')]", ""},
		{of(dtype.Of[blocks]()), "[('m', '<i2', (3, 2)), ('q', [('X', '<f4'), ('Y', '<f4')], (2,))]",
			`field "m" is ('<i2', (3, 2)) in the file and ('<i2', (2, 3)) in Go; make it [3][2]int16`},
		{of(dtype.Of[blocks]()), "[('m', '<u2', (2, 3)), ('q', [('X', '<f4'), ('Y', '<f4')], (2,))]",
			`field "m" is <u2 in the file and <i2 in Go; make it uint16`},
		{of(dtype.Of[blocks]()), "[('m', '<i2', (2, 3)), ('q', [('X', '<f4'), ('Y', '<f4')], (3,))]",
			`field "q" is ([('X', '<f4'), ('Y', '<f4')], (3,)) in the file and ([('X', '<f4'), ('Y', '<f4')], (2,)) in Go; make it [3]struct`},
		{of(dtype.Of[tagged]()), "[('temprature', '<f8'), ('ts', '>M8[ns]'), ('name', '|S12'), ('label', '>U5')]", ""},
		{of(dtype.Of[tagged]()), "[('temprature', '<f8'), ('ts', '<M8[s]'), ('name', '|S12'), ('label', '>U5')]",
			`field "ts" is <M8[s] in the file and <M8[ns] in Go; let the tag end in ",M8[s]"`},
		{of(dtype.Of[tagged]()), "[('temprature', '<f8'), ('ts', '<M8[ns]'), ('name', '|S8'), ('label', '>U5')]",
			`field "name" is |S8 in the file and |S12 in Go; make it [8]byte, with ",S8" in the tag`},
		{of(dtype.Of[tagged]()), "[('temprature', '<f8'), ('ts', '<i8'), ('name', '|S12'), ('label', '>U5')]",
			`field "ts" is <i8 in the file and <M8[ns] in Go; drop the dtype from the tag`},
	} {
		if dtype.Native == dtype.BigEndian {
			continue // the messages name the native order
		}
		_, _, err := GoValue(tt.want, dtype.MustParse(tt.descr))
		if fmt.Sprint(err) != cmp.Or(tt.err, "<nil>") {
			t.Errorf("%s:\n got %v\nwant %s", tt.descr, err, tt.err)
		}
		if errors.Is(err, ErrTypes) {
			t.Errorf("%s: the error is ErrTypes", tt.descr)
		}
	}
	for _, tt := range []struct {
		want dtype.DType
		have string
	}{
		{dtype.Float64, "<f4"}, {dtype.Int32, "<u4"}, {dtype.Int32, "<M8[s]"}, {dtype.Int64, "<u8"}, {dtype.Uint64, "<m8[s]"},
		{dtype.Bool, "|u1"}, {dtype.Uint8, "|b1"}, {dtype.Uint8, "|S2"}, {dtype.Uint16, "<f2"}, {dtype.Uint32, "<U2"},
		{dtype.Uint32, "|S4"},
		{dtype.Float64, "|V8"}, {dtype.Complex128, "<f16"}, {dtype.Float64, "[('a', '<f8')]"},
		{of(dtype.Of[rec]()), "<f8"}, {of(dtype.Of[rec]()), "|V16"}, {of(dtype.Of[[2]byte]()), "<u2"},
		{of(dtype.Of[[2]uint32]()), "|V8"},
	} {
		if _, _, err := GoValue(tt.want, dtype.MustParse(tt.have)); err != ErrTypes {
			t.Errorf("%s as %v: %v, want ErrTypes", tt.have, tt.want, err)
		}
	}
}

// TestObstacle tests that Obstacle names the first difference between a Go struct and a record.
func TestObstacle(t *testing.T) {
	type inner struct{ X, Y float32 }
	type rec struct {
		A uint8 `npy:"a"`
		B int32 `npy:"b"`
		P inner `npy:"p"`
	}
	type flags struct {
		On [2]bool `npy:"on"`
	}
	of := func(d dtype.DType, err error) dtype.DType { return must(d, err) }
	for _, tt := range []struct {
		want        dtype.DType
		descr, text string
	}{
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('', '|V3'), ('b', '<i4'), ('p', [('X', '<f4'), ('Y', '<f4')])]", ""},
		{of(dtype.Of[rec]()), "[('a', '|b1'), ('', '|V3'), ('b', '<i4'), ('p', [('X', '<f4'), ('Y', '<f4')])]", ""},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('b', '<i4'), ('p', [('X', '<f4'), ('Y', '<f4')])]",
			`field "b" is at offset 1 in the file and 4 in Go`},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('', '|V3'), ('b', '<i4'), ('p', [('X', '<f4'), ('', '|V4'), ('Y', '<f4')])]",
			`field "p.Y" is at offset 16 in the file and 12 in Go`},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('', '|V3'), ('b', '>i4'), ('p', [('X', '<f4'), ('Y', '<f4')])]",
			`field "b" is not in native byte order: >i4`},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('c', '|V3'), ('b', '<i4'), ('p', [('X', '<f4'), ('Y', '<f4')])]",
			`field "c" of the file is not in the Go struct`},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('', '|V3'), ('b', '<i4'), ('p', [('X', '<f4'), ('Y', '<f4'), ('Z', '<f4')])]",
			`field "p.Z" of the file is not in the Go struct`},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('', '|V3'), ('b', '<i4'), ('p', [('X', '<f4'), ('Y', '<f4'), ('', '|V4')])]",
			`field "p" has 12 bytes in the file and 8 in Go`},
		{of(dtype.Of[rec]()), "[('a', '|u1'), ('', '|V3'), ('b', '<i4'), ('p', [('X', '<f4'), ('Y', '<f4')]), ('', '|V4')]",
			`an element has 20 bytes in the file and 16 in Go`},
		{of(dtype.Of[flags]()), "[('on', '|b1', (2,))]",
			`field "on" is a bool, whose byte may be neither 0 nor 1; a uint8 in Go reads it in place`},
		{dtype.Bool, "|b1", "a byte of a bool array may be neither 0 nor 1"},
		{dtype.Float64, ">f8", "dtype >f8 is not in native byte order"},
		{dtype.Float64, "<f8", ""},
	} {
		if dtype.Native == dtype.BigEndian {
			continue // the messages name the foreign order
		}
		have := dtype.MustParse(tt.descr)
		if got := Obstacle(tt.want, have); got != tt.text {
			t.Errorf("%s:\n got %s\nwant %s", tt.descr, got, tt.text)
		}
		decode, _, err := GoValue(tt.want, have)
		if err != nil || decode.IsPlain() != (tt.text == "") {
			t.Errorf("%s: IsPlain %v, %v", tt.descr, decode.IsPlain(), err)
		}
	}
}
