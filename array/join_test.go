package array

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// joinedParts returns arrays whose shapes differ only in the first axis, each a part of a larger array, and one array
// with the same elements.
func joinedParts(r *rand.Rand, d dtype.DType, shape ...int) ([]Array, View[int32]) {
	outer, flip := among(r, 0, 0, 3), r.IntN(3) == 0
	var parts []Array
	for range 2 + r.IntN(4) {
		own := append([]int{r.IntN(5)}, shape...)
		larger := slices.Clone(own)
		larger[len(larger)-1] += outer
		a := must(FromBytes(make([]byte, d.ItemSize()*elementCount(larger)), d, index.C, larger...))
		sel := make([]index.Selector, len(larger))
		for k, n := range own {
			if sel[k] = index.Range(0, n); flip && k == 1 {
				sel[k] = index.From(n - 1).Every(-1)
			}
		}
		if len(shape) == 0 { // one-dimensional arrays have no gaps, so that their strides agree
			sel = nil
			a = must(FromBytes(make([]byte, d.ItemSize()*own[0]), d, index.C, own...))
		}
		parts = append(parts, must(a.Select(sel...)))
	}
	n := 0
	for _, a := range parts {
		n += a.Len(0)
	}
	want := must(FromSlice(make([]int32, n*elementCount(shape)), append([]int{n}, shape...)...))
	seq := int32(0)
	for block := range want.Update(index.C) {
		for i := range block {
			block[i] = (seq*7919)%1000 - 500
			seq++
		}
	}
	n = 0
	for _, a := range parts {
		if err := Copy(a, must(want.Select(index.Range(n, n+a.Len(0)))).Array()); err != nil {
			panic(err)
		}
		n += a.Len(0)
	}
	return parts, want
}

// TestJoin compares joined arrays with one array of the same elements.
func TestJoin(t *testing.T) {
	r := oracle.Rand(t, 4204)
	for n := range oracle.Cases(t, 400) {
		d := dtype.Int32.WithByteOrder(among(r, dtype.LittleEndian, dtype.BigEndian))
		shape := [][]int{{}, {3}, {2, 3}, {5, 1}}[r.IntN(4)]
		parts, joined := joinedParts(r, d, shape...)
		v := must(As[int32](must(Join(parts...))))
		if !cmp.Equal(v.Shape(), joined.Shape()) || !cmp.Equal(collect(v), collect(joined)) {
			t.Fatalf("%d: %v, want %v", n, v, joined)
		}
		seed := r.Uint64()
		got := randomPart(rand.New(rand.NewPCG(seed, 1)), v)
		want := randomPart(rand.New(rand.NewPCG(seed, 1)), joined)
		switch {
		case r.IntN(4) == 0 && want.NDim() > 0 && want.Len(0) > 0:
			i := r.IntN(want.Len(0))
			got, want = got.Index(i), want.Index(i)
		case r.IntN(4) == 0 && want.NDim() > 1:
			got, want = must(got.Diagonal(0, 0, -1)), must(want.Diagonal(0, 0, -1))
		}
		checkJoined(t, fmt.Sprintf("case %d: %v of %v", n, got.Layout(), v.Layout()), r, got, want)
		if d := cmp.Diff(collect(joined), collect(v)); d != "" { // compare all elements after the writes
			t.Fatalf("case %d: %s", n, d)
		}
	}
}

// TestJoinDiagonal tests a diagonal of a joined array, next to an axis of length 1 with a longer stride.
func TestJoinDiagonal(t *testing.T) {
	var parts []Array
	for first := range 3 {
		s := make([]int32, 3*2*3)
		for i := range s {
			s[i] = int32(100*first + i)
		}
		parts = append(parts, must(FromSlice(s, 3, 2, 3)).Array())
	}
	v := must(As[int32](must(Join(parts...))))
	v = must(v.Select(index.From(6).Every(-1), index.From(0).Every(2)))
	got := must(v.Diagonal(0, 0, -1)) // shape (1, 3): one row with elements of members 2, 1 and 1
	checkJoined(t, "diagonal", oracle.Rand(t, 4205), got, must(FromSlice([]int32{200, 113, 108}, 1, 3)))
}

// checkJoined compares got with want through all functions that read and write elements.
func checkJoined(t *testing.T, name string, r *rand.Rand, got, want View[int32]) {
	t.Helper()
	if !cmp.Equal(got.Shape(), want.Shape()) || !cmp.Equal(collect(got), collect(want)) {
		t.Fatalf("%s: %v %v, want %v %v", name, got.Shape(), collect(got), want.Shape(), collect(want))
	}
	if is, err := Equal(got.Array(), want.Array()); err != nil || !is {
		t.Fatalf("%s: Equal %v, %v", name, is, err)
	}
	var stream bytes.Buffer
	writeErr := Write(&stream, got.Array())
	if back, err := Read(&stream); writeErr != nil || err != nil || !must(Equal(back, want.Array())) {
		t.Fatalf("%s: written as %v, want %v; %v, %v", name, back, want, writeErr, err)
	}
	if Sum[int64](got) != Sum[int64](want) || got.Size() > 0 && ArgMin(got) != ArgMin(want) {
		t.Fatalf("%s: sum %d, want %d; ArgMin %d, want %d", name, Sum[int64](got), Sum[int64](want), ArgMin(got),
			ArgMin(want))
	}
	sum, err := Reduce(got, func(x []int32) (s int, err error) {
		for _, y := range x {
			s += int(y)
		}
		return s, nil
	}, func(a, b int) int { return a + b })
	if err != nil || int64(sum) != Sum[int64](want) {
		t.Fatalf("%s: Reduce %d, %v", name, sum, err)
	}
	for axis := range want.NDim() {
		red := Reduction{Op: among(r, OpSum, OpMean, OpVar, OpMin, OpArgMax, OpCount, OpMoments, OpProd, OpMedian),
			Axes: []int{axis}}
		d := must(red.DType(want.Array()))
		results := [2]Array{}
		var errs [2]error
		for k, v := range []View[int32]{got, want} {
			dst := must(New(d, index.C, must(red.Shape(v.Array()))...))
			defer dst.Close()
			results[k], errs[k] = dst.Array, red.Into(dst.Array, v.Array())
		}
		c := Comparison{RTol: 1e-12, EqualNaN: true}
		if is, err := c.Equal(results[0], results[1]); !is || err != nil || (errs[0] == nil) != (errs[1] == nil) {
			t.Fatalf("%s: %v along %d: %v %v, want %v %v (%v)", name, red.Op, axis, results[0], errs[0], results[1], errs[1],
				err)
		}
	}
	if want.NDim() > 0 && want.Len(0) > 0 {
		rows := []int{r.IntN(want.Len(0)), r.IntN(want.Len(0))}
		if !cmp.Equal(must(got.AppendRows(nil, rows)), must(want.AppendRows(nil, rows))) {
			t.Fatalf("%s: AppendRows %v", name, rows)
		}
	}
	for idx, x := range want.All(index.F) {
		if got.At(idx...) != x {
			t.Fatalf("%s: at %v %d, want %d", name, idx, got.At(idx...), x)
		}
		x += int32(r.IntN(9))
		got.SetAt(x, idx...)
		want.SetAt(x, idx...)
	}
	clone := must(got.Clone(index.F))
	if !cmp.Equal(collect(clone), collect(want)) {
		t.Fatalf("%s: Clone differs", name)
	}
	if err := Map(got, clone, func(dst, src []int32) error {
		for i := range dst {
			dst[i] = src[i] + 1
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for block := range want.Update(index.C) {
		for i := range block {
			block[i]++
		}
	}
	if !cmp.Equal(collect(got), collect(want)) {
		t.Fatalf("%s: Map differs", name)
	}
	if r.IntN(4) == 0 {
		got.Fill(7)
		want.Fill(7)
	}
}

func TestJoinErrors(t *testing.T) {
	a, b := must(FromSlice([]int32{0, 1, 2})).Array(), must(FromSlice([]int32{3, 4, 5, 6, 7})).Array()
	m := must(FromSlice(make([]int32, 12), 3, 4)).Array()
	even := must(FromSlice(make([]int32, 4))).Array()
	joined := must(Join(a, b))
	rows := must(Join(m, m))
	if got := must(must(rows.Reshape(-1)).Reshape(2, 3, 4)); !cmp.Equal(got.Shape(), []int{2, 3, 4}) { // one member each
		t.Error(got.Shape())
	}
	for _, tt := range []struct {
		name, want string
		err        error
		is         error
	}{
		{"none", "array: shape mismatch: 0 arrays to join; want 1 to 16777215", second(Join()), ErrShape},
		{"0-d", "array: shape mismatch: cannot join an array without dimensions", second(Join(a.Index(0))), ErrShape},
		{"lengths", "array: shape mismatch: cannot join shape (4, 3) of array 1 to shape (3, 4) of array 0",
			second(Join(m, m.T())), ErrShape},
		{"strides",
			"array: shape mismatch: layout (5,) strides (8,) of array 1 does not match layout (3,) strides (4,) of array 0; only the length of the first axis may differ",
			second(Join(a, must(must(FromSlice(make([]int32, 10))).Array().Select(index.Range(0, 10).Every(2))))), ErrShape},
		{"order",
			"array: shape mismatch: layout (4, 3) strides (4, 16): the first axis must have the largest stride, and it must be positive; join transposed arrays",
			second(Join(m.T(), m.T())), ErrShape},
		{"dtype",
			"array: array 1 does not have the dtype of array 0; convert it with AsType or Convert: have dtype >i4, want <i4",
			second(Join(must(a.AsType(dtype.MustParse("<i4"), index.C)), must(a.AsType(dtype.MustParse(">i4"), index.C)))),
			ErrDType},
		{"joined", "array: array 0 is already a joined array; join its members instead", second(Join(joined, a)), nil},
		{"Reshape", "array: copy needed: index 0 of axis 0 would span two of the joined arrays",
			second(joined.Reshape(2, 4)), ErrCopy},
		{"Reinterpret", "array: copy needed: index 1 of axis 0 would span two of the joined arrays",
			second(must(must(Join(even, even)).Select(index.Range(1, 5))).Reinterpret(dtype.Int64)), ErrCopy},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.err == nil || tt.err.Error() != tt.want || tt.is != nil && !errors.Is(tt.err, tt.is) {
				t.Errorf("%s: %v, want %s", tt.name, tt.err, tt.want)
			}
		})
	}
}

// TestJoinWritten tests that joined arrays and their transposes are written completely, even if their strides equal the
// strides of an array without gaps.
func TestJoinWritten(t *testing.T) {
	one := must(FromSlice([]int32{1, 2, 3, 4}, 2, 2)).Array()
	two := must(FromSlice([]int32{5, 6, 7, 8, 9, 10}, 3, 2)).Array()
	joined := must(Join(one, two))
	reversed := must(joined.Select(index.Reverse()))
	for name, a := range map[string]Array{"whole": joined, "transposed": joined.T(), "reversed": reversed,
		"part": must(joined.Select(index.Range(1, 4)))} {
		t.Run(name, func(t *testing.T) {
			want := must(As[int32](must(a.Clone(index.C))))
			same := func(how string, got Array, err error) {
				t.Helper()
				if err != nil || !cmp.Equal(got.Shape(), want.Shape()) || !must(Equal(got, want.Array())) {
					t.Errorf("%s, %s: %v, %v; want %v", name, how, got, err, want)
				}
			}
			if a.Contiguous(index.C) || a.Contiguous(index.F) || a.Contiguous(index.K) {
				t.Errorf("%s: contiguous", name)
			}
			var stream bytes.Buffer
			err := Write(&stream, a)
			got, readErr := Read(&stream)
			same("Write", got, errors.Join(err, readErr))
			w := must(NewWriter(&stream, a.DType(), index.C, a.Shape()...))
			err = errors.Join(w.Write(a), w.Close())
			got, readErr = Read(&stream)
			same("Writer", got, errors.Join(err, readErr))
			path := tempPath(t)
			for how, save := range map[string]func() error{
				"Save":    func() error { return SaveConfig{Replace: true}.Save(path, a) },
				"Convert": func() error { return SaveConfig{Replace: true}.Convert(path, a, dtype.MustParse(">i4"), index.F) },
				"Append": func() error {
					f, err := Create(path+"0", dtype.Int32, index.C, append([]int{0}, a.Shape()[1:]...)...)
					if err == nil {
						err = errors.Join(f.Append(a), f.Close(), os.Rename(path+"0", path))
					}
					return err
				},
			} {
				err := save()
				f, openErr := Open(path, ReadOnly)
				if err = errors.Join(err, openErr); err != nil {
					t.Fatal(name, how, err)
				}
				same(how, f.Array, nil)
				f.Close()
			}
			v := must(As[int32](a))
			if !cmp.Equal(v.Collect(), want.Collect()) {
				t.Errorf("%s: Collect %v, want %v", name, v.Collect(), want.Collect())
			}
		})
	}
}

// TestStackReshaped reduces a reshaped stack, some of whose rows lie in one member and others in two.
func TestStackReshaped(t *testing.T) {
	m := must(FromSlice([]float64{0, 1, 2, 3, 4, 5, 6, 7}, 4, 2)).Array()
	column := must(m.Select(index.Colon, index.At(0)))
	s := must(must(Stack(column, column, column)).Reshape(4, 3))
	for _, axes := range [][]int{nil, {0}, {1}} {
		for _, op := range []Op{OpSum, OpArgMax, OpStd} {
			if op == OpArgMax && axes == nil {
				continue
			}
			got, err := Reduction{Op: op, Axes: axes}.Of(s)
			want := must(Reduction{Op: op, Axes: axes}.Of(must(s.Clone(index.C))))
			if err != nil || !must(AllClose(got, want, 1e-15, 0)) {
				t.Errorf("%v along %v: %v, %v; want %v", op, axes, got, err, want)
			}
		}
	}
}

// TestJoinNoBytes tests fields of no bytes at the end of joined records.
func TestJoinNoBytes(t *testing.T) {
	d := must(dtype.Packed(dtype.Field{Name: "a", Type: dtype.Int32}, dtype.Field{Name: "z", Type: dtype.Bytes(0)}))
	part := must(FromBytes(make([]byte, 8), d, index.C, 2))
	z := must(must(Join(part, part)).Field("z"))
	if got := fmt.Sprint(z); got != "[b'' b'' b'' b'']" || z.Index(3).Size() != 1 ||
		must(z.Clone(index.C)).Size() != 4 {
		t.Errorf("%s", got)
	}
}
