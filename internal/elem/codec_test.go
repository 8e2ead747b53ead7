package elem

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

// A check compares a Codec with a slow function that assigns the same elements.
type check struct {
	*testing.T
	*rand.Rand
	dst, src dtype.DType
	assign   func(d, s []byte) // does the work of the Codec for one element
	fill     dtype.DType       // dtype of the random elements in the source
	like     equality
}

// move moves a random block with c, and checks all memory of the destination.
func (k check) move(c *Codec) {
	k.Helper()
	size := max(k.dst.ItemSize(), k.src.ItemSize())
	m, n := randomLengths(k.Rand, max(size, 1))
	dst := randomBlock(k.Rand, m, n, k.dst.ItemSize(), false)
	src := randomBlock(k.Rand, m, n, k.src.ItemSize(), true)
	src.fill(k.Rand, k.fill)
	k.blocks(c, dst, src)
}

func (k check) blocks(c *Codec, dst, src *block) {
	k.Helper()
	want, one, source := bytes.Clone(dst.mem), bytes.Clone(dst.mem), bytes.Clone(src.mem)
	for i := range dst.m {
		for j := range dst.n {
			k.assign(dst.elementIn(want, i, j), src.elementIn(source, i, j))
		}
	}
	first := &block{one, dst.start, 1, 1, dst.row, dst.item, dst.size}
	c.One(first.side().P, src.side().P)
	c.Move(dst.m, dst.n, dst.side(), src.side())
	if !bytes.Equal(src.mem, source) {
		k.Fatalf("%v to %v: the source has changed", k.src, k.dst)
	}
	if !k.like.same(k.dst, first.at(0, 0), dst.elementIn(want, 0, 0)) {
		k.Fatalf("%v to %v: One of %x is %x, want %x", k.src, k.dst, src.at(0, 0), first.at(0, 0), dst.elementIn(want, 0, 0))
	}
	for i := range dst.m {
		for j := range dst.n {
			got, want := dst.at(i, j), dst.elementIn(want, i, j)
			if !k.like.same(k.dst, got, want) {
				k.Fatalf("%v to %v: element %d, %d of %x is %x, want %x; destination %v; source %v", k.src, k.dst, i, j, src.at(i,
					j), got, want, dst, src)
			}
			if i == 0 && j == 0 && !k.like.same(k.dst, first.at(0, 0), got) {
				k.Fatalf("%v to %v: One of %x is %x, and Move %x", k.src, k.dst, src.at(i, j), first.at(0, 0), got)
			}
			copy(want, got)
		}
	}
	for at := range want {
		if dst.mem[at] != want[at] {
			k.Fatalf("%v to %v: byte %d, which is in no element, has changed; destination %v; source %v", k.src, k.dst, at, dst,
				src)
		}
	}
	if before := dst.start; !bytes.Equal(one[:before], want[:before]) && dst.row >= 0 && dst.item >= 0 {
		k.Fatalf("%v to %v: One writes before its element", k.src, k.dst)
	}
}

// newCheck returns the check for c, a Codec that New returned.
func newCheck(t *testing.T, r *rand.Rand, c *Codec, dst, src dtype.DType) check {
	like := equality{padding: c.HasPadding()}
	like.nans = dst.WithByteOrder(dtype.Native).Equal(src.WithByteOrder(dtype.Native))
	like.bools = src.Kind() != dtype.KindStructured && src.Kind() != dtype.KindBool
	return check{T: t, Rand: r, dst: dst, src: src, fill: src, like: like,
		assign: func(d, s []byte) { slowAssign(dst, d, src, s) }}
}

// TestNumbers tests that every number converts to every other number.
func TestNumbers(t *testing.T) {
	r := oracle.Rand(t, 1)
	for _, src := range numbers {
		for _, dst := range numbers {
			c, err := New(dst, src)
			if err != nil {
				t.Fatalf("%v to %v: %v", src, dst, err)
			}
			for range cases(t, 4) {
				newCheck(t, r, &c, dst, src).move(&c)
			}
		}
	}
}

// TestNewText tests that text and bytes are truncated, or filled with NULs.
func TestNewText(t *testing.T) {
	r := oracle.Rand(t, 2)
	var list []dtype.DType
	for _, n := range []int{0, 1, 2, 3, 5, 8, 17} {
		list = append(list, dtype.Bytes(n), dtype.Void(n), dtype.Unicode(n).WithByteOrder(orders[0]),
			dtype.Unicode(n).WithByteOrder(orders[1]))
	}
	for _, src := range list {
		for _, dst := range list {
			c, err := New(dst, src)
			if dst.Kind() != src.Kind() {
				if err == nil || err.Error() != "cannot convert between these dtypes" {
					t.Errorf("%v to %v: error %v", src, dst, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%v to %v: %v", src, dst, err)
			}
			for range cases(t, 8) {
				newCheck(t, r, &c, dst, src).move(&c)
			}
		}
	}
}

// TestNewStructs tests the assignment of structures that differ only in byte order.
func TestNewStructs(t *testing.T) {
	r := oracle.Rand(t, 3)
	for range cases(t, 400) {
		dst, src := randomStruct(r, 2)
		c, err := New(dst, src)
		if err != nil {
			t.Fatalf("%v to %v: %v", src, dst, err)
		}
		newCheck(t, r, &c, dst, src).move(&c)
		checkProperties(t, r, &c, dst, src)
	}
}

// TestNewFieldByField tests that structures are assigned field by field, in order. Offsets and names do not matter, and
// padding does not change.
func TestNewFieldByField(t *testing.T) {
	r := oracle.Rand(t, 5)
	for range cases(t, 400) {
		dst, src := randomAssignment(r, 2)
		c, err := New(dst, src)
		if err != nil {
			t.Fatalf("%v to %v: %v", src, dst, err)
		}
		newCheck(t, r, &c, dst, src).move(&c)
		checkProperties(t, r, &c, dst, src)
	}
}

// checkProperties tests that HasPadding and IsPlain describe what Codec c does.
func checkProperties(t *testing.T, r *rand.Rand, c *Codec, dst, src dtype.DType) {
	t.Helper()
	s := make([]byte, src.ItemSize()+1)
	fillElement(r, src, s[:src.ItemSize()])
	one, two := make([]byte, dst.ItemSize()+1), bytes.Repeat([]byte{0xFF}, dst.ItemSize()+1)
	c.One(address(one), address(s))
	c.One(address(two), address(s))
	one, two = one[:dst.ItemSize()], two[:dst.ItemSize()]
	if !c.HasPadding() && !bytes.Equal(one, two) {
		t.Fatalf("%v to %v: One leaves bytes as they are, but HasPadding is false", src, dst)
	}
	if !c.IsPlain() {
		return
	}
	for i, used := range usedBytes(dst) {
		if used && one[i] != s[i] {
			t.Fatalf("%v to %v: One makes %x of %x, but IsPlain is true", src, dst, one, s)
		}
	}
}

func TestNewOther(t *testing.T) {
	r := oracle.Rand(t, 4)
	parse := dtype.MustParse
	for _, tt := range []struct{ dst, src, err string }{
		{"<f16", "<f16", ""}, {"<f16", ">f16", ""}, {">c32", "<c32", ""}, // bytes only
		{"<M8[s]", "<M8", ""}, {">m8[s]", "<m8", ""}, {"<M8", ">M8", ""}, // counts without a unit fit all units
		{"<M8[s]", "<m8[D]", ""}, {"<m8", ">M8[Y]", ""}, // counts
		{"<M8[s]", ">M8[ms]",
			"cannot convert between time units; to copy the counts, Reinterpret one array as the dtype of the other"},
		{"<m8[s]", "<m8[2s]",
			"cannot convert between time units; to copy the counts, Reinterpret one array as the dtype of the other"},
		{"<M8", "<M8[s]",
			"cannot convert between time units; to copy the counts, Reinterpret one array as the dtype of the other"},
		{"<f16", "<f8", "cannot convert between these dtypes"},
		{"<f16", "<c32", "long doubles convert only to float64, and complex ones to complex128"},
		{"<f4", "<f16", "long doubles convert only to float64, and complex ones to complex128"},
		{"<c16", "<f16", "long doubles convert only to float64, and complex ones to complex128"},
		{"|b1", "<c32", "long doubles convert only to float64, and complex ones to complex128"},
		{"<i8", "<f16", "long doubles convert only to float64, and complex ones to complex128"},
		{"<f8", ">f16", "big-endian long doubles have several formats, and a dtype does not say which"},
		{">c16", ">c32", "big-endian long doubles have several formats, and a dtype does not say which"},
		{"<i8", "|S8", "cannot convert between these dtypes"},
		{"|S8", "<i8", "cannot convert between these dtypes"},
		{"|V1", "|u1", "cannot convert between these dtypes"},
		{"<U2", "<u4", "cannot convert between these dtypes"},
		{"[('a', '<i4')]", "<i4", "cannot convert between these dtypes"},
		{"<i4", "[('a', '<i4')]", "cannot convert between these dtypes"},
		{"[('a', '<i4')]", "[('b', '<i4')]", ""}, // fields are matched in order; names do not matter
		{"[('a', '<i4')]", "[('a', '<i8')]", ""},
		{"[('a', '<i4'), ('', '|V4')]", "[('a', '<i4')]", ""},
		{"[('a', '<f4'), ('b', '|S3')]", "[('b', '>i2'), ('a', '|S8')]", ""},
		{"[('a', '|b1', (3,))]", "[('a', '<f4', (3,))]", ""},
		{"[('a', '|S4', (2, 2))]", "[('a', '|S2', (2, 2))]", ""},
		{"[('a', '<i4'), ('b', '<i4')]", "[('a', '<i4')]",
			"cannot convert a structure of 1 fields to one of 2; select the same number with Fields"},
		{"[('a', '<i4', (3,))]", "[('a', '<i4', (2,))]",
			`cannot convert field "a", ('<i4', (2,)), to field "a", ('<i4', (3,)): cannot convert between sub-arrays of different shapes`},
		{"[('a', '<i4', (3,))]", "[('a', '<i4')]",
			`cannot convert field "a", <i4, to field "a", ('<i4', (3,)): cannot convert between these dtypes`},
		{"[('a', [('x', '<i4')])]", "[('p', [('q', '|S4')])]",
			`cannot convert field "p", [('q', '|S4')], to field "a", [('x', '<i4')]: cannot convert field "q", |S4, to field "x", <i4: cannot convert between these dtypes`},
	} {
		dst, src := parse(tt.dst), parse(tt.src)
		c, err := New(dst, src)
		if err != nil || tt.err != "" {
			if err == nil || err.Error() != tt.err {
				t.Errorf("%v to %v: error %v, want %s", src, dst, err, tt.err)
			}
			continue
		}
		for range cases(t, 20) {
			newCheck(t, r, &c, dst, src).move(&c)
		}
	}
}

// TestChain tests that a Chain converts to a Go number and then to the destination.
func TestChain(t *testing.T) {
	r := oracle.Rand(t, 5)
	for range cases(t, 1000) {
		draw := func() dtype.DType { return numbers[r.IntN(len(numbers))] }
		dst, middle, src := draw(), draw().WithByteOrder(dtype.Native), draw()
		c := Chain(pointerTo(must(New(middle, src))), pointerTo(must(New(dst, middle))))
		if got := c.SourceSize(); got != src.ItemSize() {
			t.Fatalf("%v to %v to %v: a source element has %d bytes", src, middle, dst, got)
		}
		like := equality{bools: true}
		if src.Kind() == dtype.KindBool && middle.Kind() == dtype.KindBool && dst.Kind() == dtype.KindBool {
			like.bools = false // only moved
		}
		assign := func(d, s []byte) {
			m := make([]byte, middle.ItemSize())
			slowAssign(middle, m, src, s)
			slowAssign(dst, d, middle, m)
		}
		check{T: t, Rand: r, dst: dst, src: src, fill: src, like: like, assign: assign}.move(&c)
	}
}

func TestRepeat(t *testing.T) {
	r := oracle.Rand(t, 6)
	for range cases(t, 250) {
		d := dtype.Void(r.IntN(40))
		c := Repeat(d.ItemSize())
		if c.SourceSize() != d.ItemSize() || c.size != d.ItemSize() {
			t.Errorf("%v: %d bytes of %d", d, c.size, c.SourceSize())
		}
		newCheck(t, r, &c, d, d).move(&c)
	}
}

// TestZeroCodec tests that the zero Codec moves nothing.
func TestZeroCodec(t *testing.T) {
	var c Codec
	b := []byte{1, 2, 3, 4}
	c.Move(2, 2, Side{P: address(b), Row: 2, Item: 1}, Side{P: address(b), Row: 2, Item: 1})
	c.One(address(b), address(b[1:]))
	if !slices.Equal(b, []byte{1, 2, 3, 4}) {
		t.Errorf("bytes %v, want 1 2 3 4", b)
	}
}

// TestProperties tests IsPlain, InPlace, KeepsOrder and HasPadding.
func TestProperties(t *testing.T) {
	native, other := "<", ">"
	if dtype.Native == dtype.BigEndian {
		native, other = other, native
	}
	last := 4 // the offset of the low bytes of an int64 in foreign byte order
	if dtype.Native == dtype.BigEndian {
		last = 0
	}
	packed, swapped := "[('a', '"+native+"i4'), ('b', '"+native+"i2')]", "[('a', '"+other+"i4'), ('b', '"+other+"i2')]"
	padded := "[('a', '" + native + "i4'), ('', '|V2'), ('b', '|b1')]"
	for _, tt := range []struct {
		dst, src              string
		plain, inPlace, order bool
		skip, size            int
	}{
		{native + "f8", native + "f8", true, true, true, 0, 8},
		{native + "f8", other + "f8", false, true, false, 0, 8},
		{other + "c16", native + "c16", false, false, false, 0, 16}, // the two parts are read one after the other
		{native + "U3", native + "U3", true, true, true, 0, 12},
		{native + "U1", other + "U1", false, true, false, 0, 4},
		{native + "U3", other + "U3", false, false, false, 0, 12},
		{"|S3", "|S3", true, true, true, 0, 3},
		{"|b1", "|b1", true, true, true, 0, 1},
		{"|u1", "|i1", true, true, true, 0, 1},
		{native + "i8", native + "u8", true, true, true, 0, 8},
		{native + "m8[s]", native + "i8", true, true, true, 0, 8},
		{native + "i4", native + "i8", false, true, true, 4 - last, 4}, // the low bytes of each element
		{native + "i4", other + "i8", false, true, false, last, 4},
		{"|i1", other + "i8", false, true, true, last * 7 / 4, 1},
		{native + "f8", native + "c16", false, true, true, 0, 8}, // the real part
		{other + "f8", native + "c16", false, true, false, 0, 8},
		{packed, packed, true, true, true, 0, 6},
	} {
		c := must(New(dtype.MustParse(tt.dst), dtype.MustParse(tt.src)))
		skip, ok := c.InPlace()
		if c.IsPlain() != tt.plain || ok != tt.inPlace || c.KeepsOrder() != tt.order || c.HasPadding() {
			t.Errorf("%s to %s: IsPlain %v, InPlace %v, KeepsOrder %v, HasPadding %v", tt.src, tt.dst, c.IsPlain(), ok,
				c.KeepsOrder(), c.HasPadding())
		}
		if skip != tt.skip || c.size != tt.size {
			t.Errorf("%s to %s: %d bytes at offset %d, want %d at offset %d", tt.src, tt.dst, c.size, skip, tt.size, tt.skip)
		}
	}
	for _, tt := range []struct {
		dst, src string
		plain    bool
		padding  bool
	}{
		{"|S5", "|S3", false, false},
		{"|S3", "|S5", false, false},
		{native + "f4", native + "f8", false, false},
		{native + "i8", native + "i4", false, false},
		{"|u1", "|b1", false, false},
		{swapped, packed, false, true},
		{padded, padded, true, true},
	} {
		c := must(New(dtype.MustParse(tt.dst), dtype.MustParse(tt.src)))
		_, ok := c.InPlace()
		if c.IsPlain() != tt.plain || ok || c.KeepsOrder() || c.HasPadding() != tt.padding {
			t.Errorf("%s to %s: IsPlain %v, InPlace %v, KeepsOrder %v, HasPadding %v", tt.src, tt.dst, c.IsPlain(), ok,
				c.KeepsOrder(), c.HasPadding())
		}
	}
	// Codecs of GoValue: structures in native order are plain, except for padding, unless they have booleans.
	for _, tt := range []struct {
		want, have         string
		decode, encode, ok bool
	}{
		{native + "i4", native + "i4", true, true, true},
		{native + "i4", other + "i4", false, false, true},
		{native + "i8", native + "M8[s]", true, true, true},
		{"|b1", "|b1", false, true, false},
		{packed, packed, true, true, false},
		{packed, swapped, false, false, false},
		{padded, padded, false, true, false},
		{"[('a', '|u1', (3,))]", "[('a', '|S3')]", true, true, false},
		{"[('a', '" + native + "u4', (3,))]", "[('a', '" + native + "U3')]", true, true, false},
		{"[('a', '" + native + "u4', (3,))]", "[('a', '" + other + "U3')]", false, false, false},
		{"[('a', [('b', '|b1')], (2,))]", "[('a', [('b', '|b1')], (2,))]", false, true, false},
	} {
		decode, encode, err := GoValue(dtype.MustParse(tt.want), dtype.MustParse(tt.have))
		if err != nil || decode.IsPlain() != tt.decode || encode.IsPlain() != tt.encode {
			t.Errorf("%s as %s: decode IsPlain %v, encode IsPlain %v, %v", tt.have, tt.want, decode.IsPlain(), encode.IsPlain(),
				err)
		}
		if _, ok := decode.InPlace(); ok != tt.ok {
			t.Errorf("%s as %s: decode InPlace %v", tt.have, tt.want, ok)
		}
	}
}

// TestMoveInPlace tests rows that overlap their source. If InPlace returns true, they may overlap if both sides have
// the same stride and the destination is not ahead of the elements to read. If KeepsOrder returns true, they may
// overlap in any way.
func TestMoveInPlace(t *testing.T) {
	r := oracle.Rand(t, 7)
	pairs := [][2]dtype.DType{}
	for _, dst := range numbers {
		for _, src := range numbers {
			pairs = append(pairs, [2]dtype.DType{dst, src})
		}
	}
	for n := range 20 {
		pairs = append(pairs, [2]dtype.DType{dtype.Bytes(n), dtype.Bytes(n)})
	}
	for _, p := range pairs {
		dst, src := p[0], p[1]
		c := must(New(dst, src))
		skip, ok := c.InPlace()
		if !ok || src.Kind() == dtype.KindComplex &&
			dst.Kind() != dtype.KindComplex { // a signaling NaN stays signaling, unlike in slowAssign
			continue
		}
		size := max(dst.ItemSize(), src.ItemSize())
		for range cases(t, 10) {
			n := 1 + r.IntN(200)
			stride := size + r.IntN(2)*r.IntN(9)
			shift := r.IntN(2*stride + 1) // the distance from the destination to the source
			if r.IntN(8) == 0 {
				shift = r.IntN(n*stride + 1)
			}
			switch {
			case r.IntN(2) == 0: // downwards
				stride, shift = -stride, -shift
			case c.KeepsOrder() && dst.ItemSize() == src.ItemSize() && r.IntN(2) == 0:
				stride, shift = size, -shift
			}
			room := n*max(stride, -stride) + max(shift, -shift) + 64
			mem := make([]byte, 3*room)
			for i := range mem {
				mem[i] = byte(r.Uint32())
			}
			d := &block{mem, 3 * room / 2, 1, n, 0, stride, dst.ItemSize()}
			s := &block{mem, d.start + shift - skip, 1, n, 0, stride, src.ItemSize()}
			for j := range n {
				fillElement(r, src, s.at(0, j))
			}
			want, source := bytes.Clone(mem), bytes.Clone(mem)
			for j := range n {
				slowAssign(dst, d.elementIn(want, 0, j), src, s.elementIn(source, 0, j))
			}
			c.Move(1, n, d.side(), s.side())
			if !bytes.Equal(mem, want) {
				t.Fatalf("%v to %v: destination %v; source %v: wrong", src, dst, d, s)
			}
		}
	}
}

// TestMoveAllocs tests that Move allocates nothing, for blocks of any size.
func TestMoveAllocs(t *testing.T) {
	oracle.CountsAllocations(t)
	parse := dtype.MustParse
	for _, tt := range []struct {
		name string
		c    Codec
	}{
		{"plain", Repeat(8)},
		{"swapped", must(New(parse("<f8"), parse(">f8")))},
		{"low bytes", must(New(parse("<i2"), parse(">i8")))},
		{"text", must(New(parse("|S9"), parse("|S3")))},
		{"converted", must(New(parse("<f4"), parse("<f8")))},
		{"converted and swapped", must(New(parse(">f4"), parse(">f8")))},
		{"by way of float32", must(New(parse("<i8"), parse(">f2")))},
		{"to times", must(New(parse("<M8[s]"), parse("<f8")))},
		{"real part", must(New(parse("<f8"), parse("<c16")))},
		{"boolean", must(New(parse("|b1"), parse("<c16")))},
		{"from booleans", must(New(parse("<i4"), parse("|b1")))},
		{"booleans of Go", firstCodec(GoValue(dtype.Bool, dtype.Bool))},
		{"structure with a boolean", must(New(parse("[('a', '<f8'), ('b', '|b1')]"), parse("[('a', '>f8'), ('b', '|b1')]")))},
		{"structure", must(New(parse("[('a', '<f8'), ('b', '|S1'), ('c', '<i4', (3,))]"),
			parse("[('a', '>f8'), ('b', '|S1'), ('c', '>i4', (3,))]")))},
		{"chain", Chain(pointerTo(must(New(dtype.Float32, parse(">f8")))), pointerTo(must(New(parse(">i2"),
			dtype.Float32))))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, s := make([]byte, 200*100*64), make([]byte, 200*100*64)
			dsize, ssize := max(tt.c.dsize, 1), max(tt.c.ssize, 1)
			for _, mn := range [][2]int{{1, 1}, {1, 10}, {3, 3}, {20, 100}, {1, 2000}} {
				m, n := mn[0], mn[1]
				if m*n*max(dsize, ssize) > len(d) {
					continue
				}
				for _, turned := range []bool{false, true} {
					dst, src := dense(address(d), n, dsize), dense(address(s), n, ssize)
					if turned {
						dst = Side{P: dst.P, Row: dsize, Item: m * dsize}
					}
					if got := testing.AllocsPerRun(20, func() { tt.c.Move(m, n, dst, src) }); got != 0 {
						t.Errorf("%s: %d × %d, transposed %v: %v allocations", tt.name, m, n, turned, got)
					}
				}
			}
			if got := testing.AllocsPerRun(20, func() { tt.c.One(address(d), address(s)) }); got != 0 {
				t.Errorf("%s: One: %v allocations", tt.name, got)
			}
		})
	}
}

// firstCodec returns the first of two Codecs.
func firstCodec(decode, encode Codec, err error) Codec { return must(decode, err) }

// TestMoveShared tests that goroutines may share a Codec.
func TestMoveShared(t *testing.T) {
	parse := dtype.MustParse
	for _, c := range []Codec{
		must(New(parse("<i4"), parse(">f8"))),
		Chain(pointerTo(must(New(dtype.Float32, parse(">f8")))), pointerTo(must(New(parse(">i2"), dtype.Float32)))),
		must(New(parse("[('a', '<f8'), ('b', '|b1')]"), parse("[('a', '>f8'), ('b', '|b1')]"))),
	} {
		src := make([]byte, 5000*c.ssize)
		for i := range src {
			src[i] = byte(i >> 3)
		}
		var results [4][]byte
		var wait sync.WaitGroup
		for k := range results {
			wait.Go(func() {
				b := make([]byte, 5000*c.dsize)
				c.Move(50, 100, dense(address(b), 100, c.dsize), dense(address(src), 100, c.ssize))
				results[k] = b
			})
		}
		wait.Wait()
		for _, b := range results[1:] {
			if !bytes.Equal(b, results[0]) {
				t.Error("goroutines that share a Codec have different results")
			}
		}
	}
}

func pointerTo(c Codec) *Codec { return &c }
