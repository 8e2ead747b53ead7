package strided

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestBlocks tests that each element of random pieces lies in exactly one block, that blocks have the allowed size, and
// that the reports add up to all bytes.
func TestBlocks(t *testing.T) {
	r := oracle.Rand(t, 0)
	for range oracle.Cases(t, 300) {
		shape := make([]int, r.IntN(4))
		for k := range shape {
			shape[k] = []int{0, 1, 2, 3, 17, 40}[min(5, r.IntN(9))]
		}
		itemsize, order := 1+r.IntN(9), []index.Order{index.C, index.F}[r.IntN(2)]
		lay := must(index.NewLayout(shape, itemsize, order))
		dst := PieceOn(make([]byte, lay.Size()*itemsize), lay, itemsize)
		from := must(index.NewLayout(shape, itemsize, []index.Order{index.C, index.F}[r.IntN(2)]))
		src := PieceOn(make([]byte, from.Size()*itemsize), from, itemsize)
		most := 1 + r.IntN(3000)
		reported := 0
		report := func(n int) error {
			reported += n
			return nil
		}
		if r.IntN(2) == 0 {
			report = nil
		}
		var mu sync.Mutex
		seen := make([]int, lay.Size()*itemsize)
		err := blocks(dst, src, most, report, func(d, s Piece) error {
			mu.Lock()
			defer mu.Unlock()
			if n := d.Layout.Size() * itemsize; n > max(most, itemsize) || !slices.Equal(d.Layout.Shape(), s.Layout.Shape()) {
				t.Errorf("shape %v, %d bytes at most: a block has %d bytes, shapes %v and %v", shape, most, n, d.Layout.Shape(),
					s.Layout.Shape())
			}
			d.Runs(func(off, n int) bool {
				for i := range n {
					seen[off+i]++
				}
				return true
			})
			return nil
		})
		if err != nil || slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
			t.Fatalf("shape %v of %d bytes, %d bytes at most: %v, bytes seen %v", shape, itemsize, most, err, seen)
		}
		if report != nil && reported != len(seen) {
			t.Errorf("shape %v: %d bytes reported, want %d", shape, reported, len(seen))
		}
	}
}

// TestBlocksError tests that blocks returns the error of the first block that fails, and the error of the report.
func TestBlocksError(t *testing.T) {
	lay := must(index.NewLayout([]int{100}, 1, index.C))
	p := PieceOn(make([]byte, 100), lay, 1)
	first, later := errors.New("first"), errors.New("later")
	err := blocks(p, p, 10, nil, func(d, _ Piece) error {
		switch at := Distance(d.P, p.P); {
		case at == 30:
			return first
		case at > 30:
			return later
		}
		return nil
	})
	if err != first {
		t.Errorf("got %v, want %v", err, first)
	}
	if err := blocks(p, p, 10, func(int) error { return later }, func(_, _ Piece) error { return nil }); err != later {
		t.Errorf("got %v, want the error of the report, %v", err, later)
	}
}

// TestBlocksTurned tests the shape of blocks between different orders: whole rows of dst where a few fit, and at least
// a cache line of src.
func TestBlocksTurned(t *testing.T) {
	for _, tt := range []struct {
		shape    []int
		itemsize int
		want     []int
	}{
		{[]int{7000, 7000}, 8, []int{18, 7000}},      // 18 rows of 56,000 bytes are 1 MiB
		{[]int{40_000, 50_000}, 1, []int{64, 16384}}, // 64 rows have a cache line of src
		{[]int{3, 10_000_000}, 8, []int{3, 43690}},
	} {
		to, from := must(index.NewLayout(tt.shape, tt.itemsize, index.C)), must(index.NewLayout(tt.shape, tt.itemsize,
			index.F))
		dst, src := Piece{Layout: to, ItemSize: tt.itemsize}, Piece{Layout: from, ItemSize: tt.itemsize}
		if got := blockShape(dst, src, 1<<30); !slices.Equal(got, tt.want) {
			t.Errorf("blocks of %v have shape %v, want %v", tt.shape, got, tt.want)
		}
	}
}

// TestWrite tests that a copy to a new file sets the same bytes as a copy to memory, and writes long runs by
// Memory.Write: by blocks and by tiles, with and without reports.
func TestWrite(t *testing.T) {
	r := oracle.Rand(t, 1)
	written, padded := 0, 0
	for i := range oracle.Cases(t, 80) {
		k := codings[i%len(codings)]
		if k.dsize == 0 {
			continue
		}
		shape := []int{1 + r.IntN(4), 1 + r.IntN(40), 1 + 9000/k.dsize}
		r.Shuffle(len(shape), func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
		lay := must(index.NewLayout(shape, k.dsize, []index.Order{index.C, index.F}[r.IntN(2)]))
		if r.IntN(3) == 0 {
			lay = randomLayout(r, shape, k.dsize)
		}
		dst, src := randomPiece(r, lay, k.dsize), randomPiece(r, randomSource(r, shape, k.ssize), k.ssize)
		pacer := &Pacer{Size: 1 + r.IntN(1<<17), IsNew: k.c.HasPadding() || r.IntN(2) == 0}
		if pacer.IsNew {
			clear(bytesOf(dst.Mem))
		}
		reported := 0
		if r.IntN(2) == 0 {
			pacer.Report = func(n int) error {
				reported += n
				return nil
			}
		}
		want, n := slowCopy(dst, src, &k.c), 0
		var mu sync.Mutex
		dst.Mem.Offset = 100
		dst.Mem.Write = func(b []byte, off int) error {
			mu.Lock()
			defer mu.Unlock()
			n += copy(bytesOf(dst.Mem)[off-100:], b)
			return nil
		}
		var err error
		axes, _, _ := pairAxes(nil, dst.Layout, src.Layout)
		writes, isForward := dst.writes(axes, &k.c, pacer.IsNew), true
		for axis := range shape {
			isForward = isForward && lay.Stride(axis) > 0
		}
		if lay.Contiguous(index.C, k.dsize) && isForward && !writes && !k.c.HasPadding() {
			t.Errorf("%s, %v: not written", k.name, lay)
		}
		switch {
		case writes && r.IntN(2) == 0:
			if pacer.Report == nil {
				pacer.Report = func(int) error { return nil }
			}
			err = writeTiles(dst, src, &k.c, pacer)
		case pacer.IsNew || pacer.Report != nil:
			err = CopyPaced(dst, src, &k.c, pacer)
		default:
			err = Copy(dst, src, &k.c)
		}
		size := dst.Layout.Size() * k.dsize
		if writes {
			written++
			if k.c.HasPadding() {
				padded++
			}
		}
		if got := bytesOf(dst.Mem); err != nil || !bytes.Equal(got, want) || writes && n != size {
			t.Fatalf("%s: %v to %v: %v, %d of %d bytes written, byte %d is wrong", k.name, src.Layout, dst.Layout, err, n,
				size, firstDifference(got, want))
		}
		if reported > 0 && reported != size {
			t.Errorf("%s: %v to %v: reported %d of %d bytes", k.name, src.Layout, dst.Layout, reported, size)
		}
	}
	if written < 10 || padded == 0 {
		t.Errorf("%d copies were written, %d of them with padding", written, padded)
	}
}

// TestWriteFails tests that a copy returns an error of Memory.Write.
func TestWriteFails(t *testing.T) {
	full := errors.New("disk full")
	lay := must(index.NewLayout([]int{1 << 20}, 1, index.C))
	dst, src := PieceOn(make([]byte, 1<<20), lay, 1), PieceOn(make([]byte, 1<<20), lay, 1)
	dst.Mem.Write = func(b []byte, off int) error {
		if off+len(b) > 1<<19 {
			return full
		}
		return nil
	}
	same := elem.Repeat(1)
	pacer := &Pacer{Size: 1 << 16, Report: func(int) error { return nil }}
	for name, err := range map[string]error{
		"Copy":       Copy(dst, src, &same),
		"CopyPaced":  CopyPaced(dst, src, &same, pacer),
		"writeTiles": writeTiles(dst, src, &same, pacer),
	} {
		if err != full {
			t.Errorf("%s: %v, want %v", name, err, full)
		}
	}
}
