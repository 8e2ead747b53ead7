package npy

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// apply returns a copy of b with the edit applied.
func (e Edit) apply(b []byte) []byte {
	b = slices.Clone(b)
	copy(b[e.Offset:], e.Bytes)
	return b
}

// tornContents returns the possible contents of b after a crash during the write of e: every combination of old and new
// sectors.
func tornContents(b []byte, e Edit) [][]byte {
	after := e.apply(b)
	first, last := e.Offset/Sector, (e.Offset+len(e.Bytes)-1)/Sector
	var all [][]byte
	for mask := range 1 << (last - first + 1) {
		image := slices.Clone(b)
		for s := first; s <= last; s++ {
			if mask>>(s-first)&1 == 1 {
				lo, hi := s*Sector, min((s+1)*Sector, len(b))
				copy(image[lo:hi], after[lo:hi])
			}
		}
		all = append(all, image)
	}
	return all
}

// grow grows h, whose bytes are b, to length n, and tests every state of the bytes on the way. It returns the last
// state and the states before it.
func grow(t *testing.T, h Header, b []byte, n int) (Header, []byte, [][]byte) {
	t.Helper()
	next, edits, err := h.Grow(b, n)
	if err != nil {
		t.Fatalf("%q to %d: %v", b, n, err)
	}
	var between [][]byte
	for k, e := range edits {
		for _, image := range tornContents(b, e) {
			got, err := Parse(image, 0)
			if err != nil {
				t.Fatalf("to %d, edit %d: %v\n%q", n, k, err, image)
			}
			if !slices.Equal(got.Shape, h.Shape) && !slices.Equal(got.Shape, next.Shape) || got.DataOffset != len(b) ||
				!got.DType.Equal(h.DType) || got.Order != h.Order && !h.IsColumn() {
				t.Fatalf("to %d, edit %d: shape %v is neither the old nor the new one\n%q", n, k, got.Shape, image)
			}
			between = append(between, image)
		}
		b = e.apply(b)
	}
	if !next.matches(b) {
		t.Fatalf("to %d: %q", n, b)
	}
	return next, b, between
}

// TestGrow tests that the header of an array that grew equals the header that NumPy writes for the longer array, for
// every number of digits.
func TestGrow(t *testing.T) {
	for _, tt := range []struct {
		d     string
		order index.Order
		shape []int // without the growing axis
		fits  int   // the largest length, if less than an int
	}{
		{"<f8", index.C, nil, math.MaxInt/8 - 16},
		{"|V0", index.C, []int{3}, math.MaxInt / 3},
		{"|V0", index.F, []int{2, 3}, math.MaxInt / 6},
		{"<f8", index.C, []int{0, 5}, math.MaxInt / 40},
		{"[('x', '<f4'), ('naïve', '<i2')]", index.C, nil, math.MaxInt/6 - 32},
		{"[('λ', '<f4')]", index.F, []int{7}, math.MaxInt/28 - 32},
	} {
		d := dtype.MustParse(tt.d)
		shape := func(n int) []int {
			if tt.order == index.F {
				return append(slices.Clone(tt.shape), n)
			}
			return append([]int{n}, tt.shape...)
		}
		steps := []int{0, 1, 2, 9, 10}
		for n := 10; n <= math.MaxInt/10; n *= 10 {
			steps = append(steps, n+n/3, 10*n-1, 10*n)
		}
		steps = append(steps, math.MaxInt/8-17, math.MaxInt)
		from := 0
		if tt.order == index.F {
			from = 2 // with fewer columns the array is contiguous in C order, too, and written in C order
		}
		h, b, err := New(d, tt.order, shape(from))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range steps {
			if n < from {
				continue
			}
			if n > tt.fits {
				if _, _, err := h.Grow(b, n); err == nil {
					t.Errorf("%s: no error for length %d", tt.d, n)
				}
				continue
			}
			h, b, _ = grow(t, h, b, n)
			want, wantBytes, err := New(d, tt.order, shape(n))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(b, wantBytes) || !slices.Equal(h.Shape, want.Shape) || h.NBytes != want.NBytes ||
				h.DataOffset != want.DataOffset {
				t.Errorf("%s to %d: want -, got +\n%s", tt.d, n, cmp.Diff(string(wantBytes), string(b)))
			}
		}
	}
}

// wideDType returns a dtype whose description has at least n bytes.
func wideDType(n int) dtype.DType {
	var fields []string
	for k := 0; n > 0; k++ {
		f := fmt.Sprintf("('f%02d', '<f4')", k)
		if n < 36 {
			f = fmt.Sprintf("('f%02d%s', '<f4')", k, strings.Repeat("x", max(0, n-len(f))))
			n = 0
		}
		n -= len(f) + 2
		fields = append(fields, f)
	}
	return dtype.MustParse("[" + strings.Join(fields, ", ") + "]")
}

// TestGrowAcross tests headers whose shape lies at any position near the end of one or two sectors. It tests each state
// of each edit, and growing again after a crash in that state.
func TestGrowAcross(t *testing.T) {
	edits := map[int]int{}
	// 67 lengths that differ by 3 have every remainder modulo 64.
	states, step := 0, 3
	if testing.Short() {
		step = 5
	}
	for n := 350; n < 1100; n += step {
		if n == 550 {
			n = 900
		}
		d := wideDType(n)
		for _, tt := range []struct {
			order        index.Order
			shape, after func(n int) []int
			from, to     int
		}{
			{order: index.C, shape: func(n int) []int { return []int{n} }, from: 9, to: 10},
			{order: index.C, shape: func(n int) []int { return []int{n, 3} }, from: 199, to: 200},
			{order: index.C, shape: func(n int) []int { return []int{n, 3} }, from: 998, to: 1001},
			{order: index.F, shape: func(n int) []int { return []int{2, 3, n} }, from: 99999, to: 123456},
			{order: index.F, shape: func(n int) []int { return []int{n, 1} }, from: 98, to: 99}, // a column
		} {
			h, b, err := New(d, tt.order, tt.shape(tt.from))
			if err != nil {
				t.Fatal(err)
			}
			if h.Order != tt.order { // New writes C order; other writers keep Fortran order
				b = toFortran(b)
				h.Order = tt.order
			}
			_, es, err := h.Grow(b, tt.to)
			if err != nil {
				t.Fatal(err)
			}
			edits[len(es)]++
			longer, final, between := grow(t, h, b, tt.to)
			_, before, err := New(d, longer.Order, tt.shape(tt.from)) // a column that has grown is in C order
			if err != nil {
				t.Fatal(err)
			}
			if _, back, _ := grow(t, longer, final, tt.from); !bytes.Equal(back, before) { // shrink, like npy repair
				t.Fatalf("back: %q, want %q", back, before)
			}
			states += len(between)
			for _, to := range []int{tt.to, 10*tt.to + 1} {
				_, want, _ := New(d, tt.order, tt.shape(to))
				if to == tt.to && !bytes.Equal(final, want) {
					t.Fatalf("%q, want %q", final, want)
				}
				for _, image := range between {
					h, err := Parse(image, 0)
					if err != nil {
						t.Fatal(err)
					}
					_, got, more := grow(t, h, image, to)
					states += len(more)
					if !bytes.Equal(got, want) {
						t.Fatalf("after a crash: %q, want %q", got, want)
					}
				}
			}
		}
	}
	t.Logf("headers by number of edits: %v; %d states", edits, states)
	if edits[1] < 100/step || edits[3] < 50/step || len(edits) != 2 {
		t.Error("the headers do not cover both one edit and three edits")
	}
}

// toFortran converts the header of a column in C order to one in Fortran order with the same number of bytes.
func toFortran(b []byte) []byte {
	b = bytes.Replace(b, []byte("'fortran_order': False"), []byte("'fortran_order': True"), 1)
	return append(bytes.TrimSuffix(b, []byte("\n")), " \n"...)
}

// TestGrowOthers tests headers that current versions of NumPy do not write.
func TestGrowOthers(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		n        int
		want     string // header or error
	}{
		{"no padding for growth", "{'descr': '<f8', 'fortran_order': False, 'shape': (9, 3), }     \n", 10,
			"{'descr': '<f8', 'fortran_order': False, 'shape': (10, 3), }    \n"},
		{"all of the room", "{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }  \n", 100,
			"{'descr': '<f8', 'fortran_order': False, 'shape': (100,), }\n"},
		{"one digit less than there is room for", "{'descr': '<f8', 'fortran_order': False, 'shape': (9,), }  \n", 1000,
			"header at byte 61: dimension 1000 has no room: it needs 3 more bytes, and the header ends in 2 spaces; npy convert IN OUT, or numpy.save, writes a file with room to grow"},
		{"no room at all", "{'descr':'<f8','fortran_order':True,'shape':(3,9)}", 10,
			"header at byte 57: dimension 10 has no room: it needs 1 more bytes, and the header ends in 0 spaces; npy convert IN OUT, or numpy.save, writes a file with room to grow"},
		{"no new digit needs no room", "{'descr':'<f8','fortran_order':True,'shape':(3,8)}", 9,
			"{'descr':'<f8','fortran_order':True,'shape':(3,9)}"},
		{"another order of keys", "{'shape': (9, 3), 'fortran_order': False, 'descr': '<f8'}  \n", 10,
			"{'shape': (10, 3), 'fortran_order': False, 'descr': '<f8'} \n"},
		{"Python 2", "{'descr': '<f8', 'fortran_order': False, 'shape': (99L, 3L), }  \n", 1000,
			"{'descr': '<f8', 'fortran_order': False, 'shape': (1000, 3L), } \n"},
		{"other spellings of integers", "{'descr': '<f8', 'fortran_order': False, 'shape': (0x09, (+3)), }\n", 10,
			"{'descr': '<f8', 'fortran_order': False, 'shape': (10, (+3)), }  \n"},
		{"parentheses", "({'descr': '<f8', 'fortran_order': True, 'shape': ((3), (9))})  ", 10,
			"({'descr': '<f8', 'fortran_order': True, 'shape': ((3), (10))}) "},
		{"the same digits in a name", "{'descr': [('9, 3', '<f8')], 'fortran_order': False, 'shape': (9, 3), }  \n", 10,
			"{'descr': [('9, 3', '<f8')], 'fortran_order': False, 'shape': (10, 3), } \n"},
		{"a comment, as a crash leaves it", "{'descr': '<f8','fortran_order':False,'shape':(9,3)}#3), }     \n", 10,
			"{'descr': '<f8','fortran_order':False,'shape':(10,3)}          \n"},
		{"a column", "{'descr': '<f8', 'fortran_order': True, 'shape': (5, 1), }     \n", 10,
			"{'descr': '<f8', 'fortran_order': False, 'shape': (10, 1), }   \n"},
		{"a column of more dimensions", "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 1, 1), }  \n", 4,
			"{'descr': '<f8', 'fortran_order': False, 'shape': (4, 1, 1), } \n"},
		{"a column of one element", "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 1), }  \n", 4,
			"{'descr': '<f8', 'fortran_order': False, 'shape': (4, 1), } \n"},
		{"a column of none", "{'descr': '<f8', 'fortran_order': True, 'shape': (0, 1), }  \n", 100,
			"header at byte 60: dimension 100 has no room: it needs 3 more bytes, and the header ends in 2 spaces; npy convert IN OUT, or numpy.save, writes a file with room to grow"},
		{"a column, another order of keys", "{'shape': (10, 1), 'fortran_order': True, 'descr': '<f8'}\n", 9,
			"{'shape': (9, 1), 'fortran_order': False, 'descr': '<f8'}\n"},
		{"a column without room", "{'descr':'<f8','fortran_order':True,'shape':(5,1)}", 6,
			"header at byte 55: dimension 6 has no room: it needs 1 more bytes, and the header ends in 0 spaces; npy convert IN OUT, or numpy.save, writes a file with room to grow"},
		{"no column: the second length is 0", "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 0), }  \n", 2,
			"{'descr': '<f8', 'fortran_order': True, 'shape': (1, 2), }  \n"},
		{"no column: a row", "{'descr': '<f8', 'fortran_order': True, 'shape': (1, 2), }  \n", 3,
			"{'descr': '<f8', 'fortran_order': True, 'shape': (1, 3), }  \n"},
		{"one dimension", "{'descr': '<f8', 'fortran_order': True, 'shape': (5,), }\n", 6,
			"{'descr': '<f8', 'fortran_order': True, 'shape': (6,), }\n"},
		{"a line end in the middle", "{'descr': '<f8',\n'fortran_order': False, 'shape': (9, 3), }  \n", 10,
			"{'descr': '<f8',\n'fortran_order': False, 'shape': (10, 3), } \n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := version1File(tt.in)
			h, err := Parse(in, 0)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			before := slices.Clone(in)
			_, edits, err := h.Grow(in, tt.n)
			if !bytes.Equal(in, before) {
				t.Errorf("%s: the bytes that were given have changed", tt.name)
			}
			got := in[10:]
			for _, e := range edits {
				got = e.apply(in)[10:]
			}
			if err != nil {
				got = []byte(err.Error())
			}
			if string(got) != tt.want || len(edits) > 1 {
				t.Errorf("%s, in %d edits: want -, got +\n%s", tt.name, len(edits), cmp.Diff(tt.want, string(got)))
			}
		})
	}
}

// TestGrowSpellings tests that Grow keeps the spelling of the type, even if NumPy has no spelling for it. Grow adds a
// missing byte order if there is room.
func TestGrowSpellings(t *testing.T) {
	for _, tt := range []struct{ descr, want string }{
		{"'bfloat16'", "'bfloat16'"}, // not '<V2', which means bytes
		{"'<f1'", "'<f1'"},
		{"'<bfloat16'", "'<bfloat16'"},
		{"'f8'", dtype.Float64.String()},
	} {
		t.Run(tt.descr, func(t *testing.T) {
			text := "{'descr': " + tt.descr + ", 'fortran_order': False, 'shape': (2,), }"
			b := version1File(text + strings.Repeat(" ", 128-PrefixLen+2-1-len(text)) + "\n")
			h, err := Parse(b, 0)
			if err != nil {
				t.Fatal(err)
			}
			next, after, _ := grow(t, h, b, 1000)
			if next.DType != h.DType || !bytes.Contains(after, []byte(tt.want)) || !bytes.Contains(after, []byte("(1000,)")) {
				t.Errorf("%q, want %s", after, tt.want)
			}
		})
	}
}

// TestGrowRefused tests that headers that cannot be changed safely are not changed.
func TestGrowRefused(t *testing.T) {
	want := "header at byte 511: the length crosses byte 512 of the file, and both sides cannot be changed atomically; write a new file with Save or numpy.save"
	for _, tt := range []struct{ name, left, fill, right string }{
		{"no spaces to leave out", "{'fortran_order':False,'descr':[('", "x", "','<f4')],'shape':(99,)}      \n"},
		{"a line end in what follows", "{'fortran_order': False, 'descr': [('", "x", "', '<f4')], 'shape': (99,)\n}      \n"},
		{"characters of two bytes in what follows", "{'fortran_order': False, ", " ",
			"'shape': (99,), 'descr': [('é', '<f4')]}      \n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// The first digit is the last byte of the sector.
			k := Sector - 1 - PrefixLen - len(tt.left) - strings.Index(tt.right, "99")
			in := file(3, 0, tt.left+strings.Repeat(tt.fill, k)+tt.right)
			h, err := Parse(in, 0)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if _, _, err := h.Grow(in, 100); err == nil || err.Error() != want {
				t.Errorf("%s:\n got %v\nwant %s", tt.name, err, want)
			}
			if _, edits, err := h.Grow(in, 98); err != nil || len(edits) != 1 {
				t.Errorf("%s, one side only: %d edits, %v", tt.name, len(edits), err)
			}
		})
	}
}

// TestGrowNumPy tests that NumPy reads the states between two edits.
func TestGrowNumPy(t *testing.T) {
	p := oracle.Start(t)
	if err := p.Run("import io", nil, nil); err != nil {
		t.Fatal(err)
	}
	asked := 0
	for n := 440; n < 500; n++ {
		h, b, err := New(wideDType(n), index.C, []int{99, 3})
		if err != nil {
			t.Fatal(err)
		}
		_, final, between := grow(t, h, b, 100)
		for _, image := range append(between, final) {
			got, _ := Parse(image, 0)
			var shape []int
			err := p.Run("f = io.BytesIO(b64(x)); np.lib.format.read_magic(f); out = np.lib.format.read_array_header_1_0(f)[0]",
				image, &shape)
			if err != nil || !slices.Equal(shape, got.Shape) {
				t.Errorf("NumPy reads shape %v, want %v: %v\n%q", shape, got.Shape, err, image)
			}
			asked++
		}
	}
	t.Logf("%d headers", asked)
}
