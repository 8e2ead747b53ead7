package strided

import (
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestReadaheadOrder checks that a walk through a large file in memory order reads ahead, with any strides of axes of
// length 1, and that a walk in another order does not.
func TestReadaheadOrder(t *testing.T) {
	size := 8 * 3000 * 2000
	m, err := mmap.Config{Sparse: true}.Create(filepath.Join(t.TempDir(), "a"), int64(size))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	b := m.Bytes()
	mem := &Memory{Path: m.Path(), File: m, Base: Start(b), Size: len(b)}
	whole := must(index.NewLayout([]int{1, 3000, 2000}, 8, index.C))
	part := func(sel ...index.Selector) index.Layout { l, _, _ := whole.Select(sel...); return l }
	down := Piece{P: Add(mem.Base, 8*1999), Layout: part(index.Colon, index.Colon, index.Reverse()),
		ItemSize: 8, Mem: mem}
	at := func(l index.Layout) Piece { return Piece{P: mem.Base, Layout: l, ItemSize: 8, Mem: mem} }
	for _, tt := range []struct {
		name  string
		p     Piece
		order index.Order
		want  bool
	}{
		{"C order", at(whole), index.C, true},
		{"an axis of length 1 last", at(must(whole.MoveAxis(0, 2))), index.C, true},
		{"half of each row, with gaps", at(part(index.Ellipsis, index.Range(0, 1000))), index.C, true},
		{"a few pages", at(part(index.Ellipsis, index.Range(0, 10), index.Range(0, 10))), index.C, false},
		{"most of each row", at(part(index.Ellipsis, index.Range(0, 1900))), index.C, true},
		{"F order", at(must(whole.Transpose())), index.C, false},
		{"F order in F order", at(must(whole.Transpose())), index.F, true},
		{"F order in the order of memory", at(must(whole.Transpose())), index.K, true},
		{"downwards", down, index.C, false},
		{"downwards in the order of memory", down, index.K, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var w Cursor
			w.StartBlocks(tt.p, tt.order, nil, true, 8, InPlace)
			if got := w.ahead != nil; got != tt.want {
				t.Errorf("%s, %v: reading ahead is %v, want %v", tt.name, tt.p.Layout, got, tt.want)
			}
		})
	}
}

// TestReadaheadStop checks that Stop waits for the goroutine that reads, and that it reads no further parts.
func TestReadaheadStop(t *testing.T) {
	const parts = 16
	size := parts * PartBytes
	m := must(mmap.Config{Sparse: true}.Create(filepath.Join(t.TempDir(), "a"), int64(size)))
	defer m.Close()
	p := Piece{P: Start(m.Bytes()), Layout: must(index.NewLayout([]int{size}, 1, index.C)), ItemSize: 1}
	p.Mem = &Memory{Path: m.Path(), File: m, Base: p.P, Size: size}

	r := p.Readahead(parts)
	r.Stop() // before anything is read

	r = p.Readahead(parts)
	r.readUpTo(parts - 1)
	r.Stop()
	if r.mu.Lock(); r.reading {
		t.Error("a goroutine reads after Stop")
	}
	r.mu.Unlock()

	r = p.Readahead(parts)
	r.cold.Store(true)
	r.reading, r.requested = true, parts // as if a goroutine were reading
	ended := false
	go func() {
		for !r.stopped.Load() {
			runtime.Gosched()
		}
		time.Sleep(5 * time.Millisecond) // a Stop that does not wait returns within this time
		ended = true
		r.readRequested()
	}()
	r.Stop()
	if !ended {
		t.Error("Stop returns while a goroutine reads")
	}
	if r.done != 0 {
		t.Errorf("%d parts are read after Stop", r.done)
	}
}
