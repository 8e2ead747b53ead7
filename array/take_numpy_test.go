package array

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

const numpyTogether = numpyCompare + `
np.set_printoptions(threshold=20)

def into(c, made):
    """The bytes of dst after made is assigned to it."""
    dst = np.empty(c["Dst"]["Shape"], get(c["Dst"]).dtype)
    if made.shape != dst.shape:
        raise ValueError("shape %s, dst %s" % (made.shape, dst.shape))
    dst[...] = made
    return dst.tobytes()

def concatenate(c):
    arrays = [get(a) for a in c["Arrays"]]
    try:
        np.concatenate([np.empty(a.shape, "b1") for a in arrays], axis=c["Axis"], out=np.empty(c["Dst"]["Shape"], "b1"))
    except (ValueError, IndexError) as e:
        return {"Raised": str(e)}
    to = get(c["Dst"]).dtype
    return {"Bytes": into(c, np.concatenate([a.astype(to) for a in arrays], axis=c["Axis"]))}

def take(c):
    return {"Bytes": into(c, np.take(get(c["Src"]), c["Indices"], axis=c["Axis"]))}
`

// TestNumPyConcatenate compares Concatenate of random arrays with np.concatenate.
func TestNumPyConcatenate(t *testing.T) {
	p := oracle.Start(t)
	if err := p.Run(numpyTogether, nil, nil); err != nil {
		t.Fatal(err)
	}
	r := oracle.Rand(t, 4202)
	raised := 0
	for k := range oracle.Cases(t, 150) {
		group := [][]string{{"<i2", ">i4", "|u1", "<f8", ">f4", "|b1"}, {"|S2", "|S4"}, {"<m8[D]"},
			comparedTypes[6]}[r.IntN(4)]
		shape := make([]int, r.IntN(4))
		for i := range shape {
			shape[i] = among(r, 0, 1, 2, 3, 9)
		}
		axis := r.IntN(len(shape)+1) - r.IntN(2)*len(shape)
		var c struct {
			Arrays []numPyOperand
			Dst    numPyOperand
			Axis   int
		}
		c.Axis = axis
		var arrays []Array
		total := 0
		for range 1 + r.IntN(4) {
			own := slices.Clone(shape)
			at := max(axis, axis+len(shape))
			if at < 0 || at >= len(shape) {
				at = 0
			}
			if len(own) > 0 {
				own[at] = among(r, 0, 1, 2, 5)
				total += own[at]
			}
			if r.IntN(12) == 0 {
				own = append(own, 2)
			}
			if r.IntN(12) == 0 && len(own) > 1 {
				own[(at+1)%len(own)]++
			}
			a, mem := randomOperand(r, dtype.MustParse(among(r, group...)), own, true)
			arrays, c.Arrays = append(arrays, a), append(c.Arrays, newNumPyOperand(a, mem))
		}
		to := slices.Clone(shape)
		if len(shape) > 0 && axis >= -len(shape) && axis < len(shape) {
			if axis < 0 {
				axis += len(shape)
			}
			to[axis] = total
			if r.IntN(12) == 0 {
				to[axis]++
			}
		}
		dst, mem := randomOperand(r, dtype.MustParse(among(r, group...)), to, true)
		c.Dst = newNumPyOperand(dst, mem)
		was := slices.Clone(mem)
		what := fmt.Sprintf("case %d: %v along %d: %v", k, c.Dst, c.Axis, shapesOf(arrays))
		var want struct {
			Bytes  []byte
			Raised string
		}
		if err := p.Eval("concatenate(x)", c, &want); err != nil {
			t.Fatal(what, err)
		}
		err := Concatenate(dst, c.Axis, arrays...)
		if want.Raised != "" {
			raised++
			_, bounds := errors.AsType[*index.BoundsError](err)
			if !errors.Is(err, ErrShape) && !bounds {
				t.Fatalf("%s: %v, NumPy raises %s", what, err, want.Raised)
			}
			if !bytes.Equal(mem, was) {
				t.Fatalf("%s: dst changed despite %v", what, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got := must(dst.Clone(index.C)); !bytes.Equal(memoryOf(got.view.Store), want.Bytes) {
			t.Fatalf("%s: %v", what, dst)
		}
	}
	if raised == 0 {
		t.Error("no case was refused")
	}
}

func shapesOf(arrays []Array) (s [][]int) {
	for _, a := range arrays {
		s = append(s, a.Shape())
	}
	return s
}

// TestNumPyTake compares TakeInto of random arrays with np.take.
func TestNumPyTake(t *testing.T) {
	p := oracle.Start(t)
	if err := p.Run(numpyTogether, nil, nil); err != nil {
		t.Fatal(err)
	}
	r := oracle.Rand(t, 4203)
	for k := range oracle.Cases(t, 50) {
		group := among(r, []string{"<i2", ">i4", "|u1", "<f8", "<c16", ">f4", "|b1"}, []string{"|S2", "|S3"},
			comparedTypes[6])
		shape := []int{1 + r.IntN(40)}
		for range r.IntN(3) {
			shape = append(shape, among(r, 1, 2, 3, 16, 40))
		}
		r.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
		axis := r.IntN(len(shape)) - r.IntN(2)*len(shape)
		at := max(axis, (axis+len(shape))%len(shape))
		src, mem := randomOperand(r, dtype.MustParse(among(r, group...)), shape, true)
		n := among(r, 0, 1, 3, 20, 100)
		indices, mask := make([]int, n), make([]bool, shape[at])
		for i := range indices {
			indices[i] = r.IntN(shape[at])
		}
		masked := r.IntN(4) == 0
		if masked {
			indices = []int{}
			for i := range mask {
				if mask[i] = r.IntN(2) == 0; mask[i] {
					indices = append(indices, i)
				}
			}
		}
		to := slices.Clone(shape)
		to[at] = len(indices)
		dst, dmem := randomOperand(r, dtype.MustParse(among(r, group...)), to, true)
		what := fmt.Sprintf("case %d: %v %v to %v %v, axis %d, %d indices", k, src.DType(), src.Layout(), dst.DType(),
			dst.Layout(), axis, len(indices))
		var want struct{ Bytes []byte }
		if err := p.Eval("take(x)", struct {
			Src, Dst numPyOperand
			Indices  []int
			Axis     int
		}{newNumPyOperand(src, mem), newNumPyOperand(dst, dmem), indices, axis}, &want); err != nil {
			t.Fatal(what, err)
		}
		if err := TakeInto(dst, src, axis, indices); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got := must(dst.Clone(index.C)); !bytes.Equal(memoryOf(got.view.Store), want.Bytes) {
			t.Fatalf("%s:\n%v\n%v", what, dst, indices)
		}
		a, err := src.Take(axis, indices)
		if masked {
			a, err = src.Compress(axis, mask)
		}
		if err != nil || !a.DType().Equal(src.DType()) || !a.Contiguous(index.C) {
			t.Fatalf("%s: %v, %v", what, a, err)
		}
		if err := Copy(dst, a); err != nil {
			t.Fatal(err)
		}
		if got := must(dst.Clone(index.C)); !bytes.Equal(memoryOf(got.view.Store), want.Bytes) {
			t.Fatalf("%s: the new array: %v", what, a)
		}
	}
}
