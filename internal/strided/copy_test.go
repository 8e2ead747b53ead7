package strided

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/oracle"
)

func checkCopy(t *testing.T, dst, src Piece, k testCodec) {
	t.Helper()
	want, source := slowCopy(dst, src, &k.c), snapshot(src.Mem)
	if err := Copy(dst, src, &k.c); err != nil {
		t.Fatal(err)
	}
	if got := bytesOf(dst.Mem); !bytes.Equal(got, want) {
		t.Fatalf("%s: %v at %d to %v at %d, in one memory: %v: byte %d is wrong", k.name, src.Layout, Distance(src.P,
			src.Mem.Base),
			dst.Layout, Distance(dst.P, dst.Mem.Base), src.Mem == dst.Mem, firstDifference(got, want))
	}
	if src.Mem != dst.Mem && !bytes.Equal(bytesOf(src.Mem), source) {
		t.Fatalf("%s: %v to %v: the source has changed", k.name, src.Layout, dst.Layout)
	}
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// TestCopy checks that Copy copies every element and changes no other byte.
func TestCopy(t *testing.T) {
	r := oracle.Rand(t, 10)
	for range caseCount(t, 1500) {
		k := codings[r.IntN(len(codings))]
		shape := randomShape(r, 12, 2000/max(1, k.dsize/8))
		dst := randomTarget(r, shape, k.dsize)
		src := randomSource(r, shape, k.ssize)
		if k.dsize == k.ssize && r.IntN(4) == 0 {
			src = randomLike(r, dst)
		}
		checkCopy(t, randomPiece(r, dst, k.dsize), randomPiece(r, src, k.ssize), k)
	}
}

// TestCopyOverlapping checks copies within one memory. The result must be as if the source were first copied elsewhere.
func TestCopyOverlapping(t *testing.T) {
	r := oracle.Rand(t, 11)
	inPlace, serial := 0, 0
	n := caseCount(t, 1500)
	for range n {
		k := codings[r.IntN(len(codings))]
		size := max(k.dsize, k.ssize)
		shape := randomShape(r, 10, 1000/max(1, size/8))
		dst := randomTarget(r, shape, size)
		src := dst
		shift := []int{0, 0, 1, 8, size, 3 * size}[r.IntN(6)]
		if len(shape) > 0 && r.IntN(3) == 0 {
			stride := dst.Stride(r.IntN(len(shape)))
			shift = max(stride, -stride)
		}
		if r.IntN(2) == 0 {
			shift = -shift
		}
		switch r.IntN(5) {
		case 0: // some axes are reversed
			strides := dst.Strides()
			for axis, n := range shape {
				if r.IntN(2) == 0 && n > 0 {
					shift += (n - 1) * strides[axis]
					strides[axis] *= -1
				}
			}
			src = newLayout(shape, strides)
		case 1: // axes of equal length are exchanged
			strides := dst.Strides()
			for i := range shape {
				for j := range i {
					if shape[i] == shape[j] {
						strides[i], strides[j] = strides[j], strides[i]
					}
				}
			}
			src = newLayout(shape, strides)
		case 2:
			src = randomSource(r, shape, size)
		}
		dlo, dhi := dst.Bounds(k.dsize)
		slo, shi := src.Bounds(k.ssize)
		at := 16 - min(dlo, slo+shift)
		mem := randomMemory(r, at+max(dhi, shi+shift)+16)
		d, s := pieceOn(mem, at, dst, k.dsize), pieceOn(mem, at+shift, src, k.ssize)
		if MayOverlap(d, s) {
			axes, doff, soff := pairAxes(nil, dst, src)
			p := plan{dst: Add(d.P, doff), src: Add(s.P, soff), dsize: k.dsize}
			if p.orderInPlace(axes, &k.c) {
				inPlace++
			}
			if p.serial {
				serial++
			}
		}
		checkCopy(t, d, s, k)
	}
	t.Logf("%d in place, %d of them in one direction only", inPlace, serial)
	if inPlace < n/10 || serial < n/20 {
		t.Errorf("%d copies in place, %d in some direction", inPlace, serial)
	}
}

// TestCopyLarge checks copies that goroutines share, with layouts of all kinds.
func TestCopyLarge(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	r := oracle.Rand(t, 12)
	const mib = 1 << 20
	for i, tt := range []struct {
		dst, src string
		shape    []int
		dorder   index.Order
		sorder   index.Order
	}{
		{"|V100", "|V100", []int{150, 151}, index.C, index.C},
		{"<c16", ">c16", []int{25_000, 3, 2}, index.C, index.F},
		{"<f8", ">f8", []int{550, 501}, index.F, index.C},
		{"<f8", "<f4", []int{550, 501}, index.C, index.F},
		{"<i4", "<i8", []int{3, 2, 100_000}, index.F, index.C},
		{"[('a', '<i4'), ('', '|V3'), ('b', '|b1')]", "[('a', '>i4'), ('', '|V3'), ('b', '|b1')]", []int{300_001}, index.C,
			index.C},
		{"<U2", "<U1", []int{4, 4, 4, 4, 4, 4, 4, 4, 5}, index.C, index.F},
		{"|u1", "|u1", []int{7, 1, 330_003}, index.C, index.C}, // few and long
	} {
		if i == largeCases(8) {
			break
		}
		procs := 1 + (i+1)%4
		runtime.GOMAXPROCS(procs)
		k := newTestCodec(tt.dst, tt.src)
		layout := func(size int, order index.Order, source bool) index.Layout {
			l := must(index.NewLayout(tt.shape, size, order))
			strides := l.Strides()
			axis := r.IntN(len(strides))
			if strides[axis] *= -1; source && r.IntN(2) == 0 {
				strides[axis] = 0 // like a broadcast axis
			}
			return newLayout(tt.shape, strides)
		}
		dst, src := layout(k.dsize, tt.dorder, false), layout(k.ssize, tt.sorder, true)
		if bytes := dst.Size() * k.dsize; bytes < 2*mib || !isShared(dst, src, k.dsize) && procs > 1 {
			t.Errorf("%s: %v of %d bytes are not shared", k.name, dst, bytes)
		}
		checkCopy(t, randomPiece(r, dst, k.dsize), randomPiece(r, src, k.ssize), k)
	}
}

// largeCases returns how many of n cases of several MiB to run: half of them with -short, and one under the race
// detector, which makes them slow.
func largeCases(n int) int {
	switch {
	case oracle.Race:
		return 1
	case testing.Short():
		return n / 2
	}
	return n
}

// isShared reports whether several goroutines share a copy between two layouts.
func isShared(dst, src index.Layout, dsize int) bool {
	axes, _, _ := pairAxes(nil, dst, src)
	p := plan{dsize: dsize}
	return p.partCount(axes, p.dsize, minSharedCopyBytes) > 1
}

// TestCopyLargeInPlace checks large copies in place. If no element moves, several goroutines share the copy. If all
// elements move by the same distance, one goroutine copies them in the right direction.
func TestCopyLargeInPlace(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	r := oracle.Rand(t, 13)
	for i, tt := range []struct {
		dst, src string
		shift    int
	}{
		{"<f8", ">f8", 0}, {"<f8", "<f8", 8}, {"<f8", "<f8", -8}, {"<f8", ">f8", 24}, {"<c16", "<c16", -3}, {"<i4", "<i8", 0},
		{">i2", "<i8", 0},
	} {
		if i == largeCases(7) {
			break
		}
		runtime.GOMAXPROCS(2 + i%3)
		k := newTestCodec(tt.dst, tt.src)
		n := 3<<20/max(k.dsize, 1) + i
		mem := randomMemory(r, n*k.ssize+100)
		l := newLayout([]int{n}, []int{k.ssize})
		checkCopy(t, pieceOn(mem, 48+tt.shift, l, k.dsize), pieceOn(mem, 48, l, k.ssize), k)
	}
}

// TestCopyTooLarge checks that Copy returns an error and changes nothing if the source and destination overlap so that
// it needs a temporary copy that would exceed the address space.
func TestCopyTooLarge(t *testing.T) {
	mem := randomMemory(oracle.Rand(t, 18), 512)
	before := snapshot(mem)
	n := math.MaxInt/512 + 1 // times 64 elements of 8 bytes; broadcasting makes this shape from few elements
	src := pieceOn(mem, 0, newLayout([]int{n, 8, 8}, []int{0, 8, 64}), 8)
	dst := pieceOn(mem, 0, newLayout([]int{n, 8, 8}, []int{0, 64, 8}), 8)
	same := elem.Repeat(8)
	if err := Copy(dst, src, &same); !errors.Is(err, index.ErrShape) {
		t.Errorf("error %v, want one that wraps ErrShape", err)
	}
	if !bytes.Equal(bytesOf(mem), before) {
		t.Error("the memory has changed")
	}
}

// slowFill returns the contents of the memory of p after a fill with item.
func slowFill(p Piece, item []byte, c *elem.Codec) []byte {
	want := snapshot(p.Mem)
	for _, off := range slowElements(p, index.C) {
		c.One(Add(Start(want), off), Start(item))
	}
	return want
}

func checkFill(t *testing.T, r *rand.Rand, p Piece, k testCodec) {
	t.Helper()
	item := Alloc(k.ssize)
	for i := range item {
		item[i] = byte(r.Uint32())
	}
	before := slices.Clone(item)
	want := slowFill(p, item, &k.c)
	Fill(p, Start(item), &k.c)
	if got := bytesOf(p.Mem); !bytes.Equal(got, want) {
		t.Fatalf("%s: %v at %d: byte %d is wrong", k.name, p.Layout, Distance(p.P, p.Mem.Base), firstDifference(got, want))
	}
	if !bytes.Equal(item, before) {
		t.Fatalf("%s: the item has changed", k.name)
	}
}

func TestFill(t *testing.T) {
	oracle.OneGoroutine(t)
	r := oracle.Rand(t, 14)
	for range caseCount(t, 750) {
		k := codings[r.IntN(len(codings))]
		lay := randomTarget(r, randomShape(r, 12, 2000/max(1, k.dsize/8)), k.dsize)
		checkFill(t, r, randomPiece(r, lay, k.dsize), k)
	}
}

func TestFillLarge(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	r := oracle.Rand(t, 15)
	for i, tt := range []struct {
		dst, src string
		shape    []int
		order    index.Order
	}{
		{"|V100", "|V100", []int{300, 301}, index.C},
		{"<f8", ">f8", []int{1100, 1001}, index.F},
		{"[('a', '<i4'), ('', '|V3'), ('b', '|b1')]", "[('a', '>i4'), ('', '|V3'), ('b', '|b1')]", []int{100_001, 12},
			index.C}, // padding does not change
		{"|u1", "|u1", []int{9_000_001}, index.C},
	} {
		if i == largeCases(4) {
			break
		}
		runtime.GOMAXPROCS(4 - i)
		k := newTestCodec(tt.dst, tt.src)
		lay := must(index.NewLayout(tt.shape, k.dsize, tt.order))
		checkFill(t, r, randomPiece(r, lay, k.dsize), k)
	}
}

// TestFillWithElement checks that Fill accepts an element of the destination as the item.
func TestFillWithElement(t *testing.T) {
	r := oracle.Rand(t, 16)
	for _, k := range codings {
		if k.dsize != k.ssize || k.dsize == 0 {
			continue
		}
		p := randomPiece(r, newLayout([]int{40}, []int{k.dsize}), k.dsize)
		item := slices.Clone(Slice[byte](Add(p.P, 20*k.dsize), k.dsize))
		want := slowFill(p, item, &k.c)
		Fill(p, Add(p.P, 20*k.dsize), &k.c)
		if !bytes.Equal(bytesOf(p.Mem), want) {
			t.Errorf("%s: byte %d is wrong", k.name, firstDifference(bytesOf(p.Mem), want))
		}
	}
}

// TestCopyAllocs checks that a copy of a few elements with up to 8 axes allocates nothing, and that a fill with an item
// that fits in its buffer allocates nothing.
func TestCopyAllocs(t *testing.T) {
	oracle.CountsAllocations(t)
	r := oracle.Rand(t, 17)
	for rank := range smallRank + 1 {
		shape := make([]int, rank)
		for k := range shape {
			shape[k] = 1 + k%2
		}
		if rank > 0 {
			shape[0] = 10
		}
		for _, k := range codings {
			dst := randomPiece(r, must(index.NewLayout(shape, k.dsize, index.C)), k.dsize)
			src := randomPiece(r, must(index.NewLayout(shape, k.ssize, index.F)), k.ssize)
			if n := testing.AllocsPerRun(20, func() { Copy(dst, src, &k.c) }); n != 0 {
				t.Errorf("%s, %d axes: Copy: %v allocations", k.name, rank, n)
			}
			item := Alloc(k.ssize)
			if n := testing.AllocsPerRun(20, func() { Fill(dst, Start(item), &k.c) }); (n == 0) != (max(k.dsize,
				k.ssize) <= 64) {
				t.Errorf("%s, %d axes: Fill: %v allocations, want one for items of more than 64 bytes", k.name, rank, n)
			}
		}
	}
}
