package strided

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/mmap"
	"golang.org/x/sys/unix"
)

// mapColdFile maps a file of n bytes whose pages are not in memory.
func mapColdFile(t *testing.T, n int) (*mmap.Map, *Memory) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i / pageBytes)
	}
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	m := must(mmap.Open(path, mmap.ReadWrite))
	t.Cleanup(func() { m.Close() })
	if in := must(m.Resident(0, n)); in > n/50 {
		t.Skipf("the system keeps %d bytes of a file that it was told to drop (tmpfs does)", in)
	}
	return m, &Memory{Path: path, File: m, Base: Start(m.Bytes()), Size: n}
}

// TestOnlyWhatIsNeeded checks that copying or walking through a column, a slab or some rows of a file reads only the
// pages that contain elements. Without prefetching, the system would read ahead at each page, and so read the whole
// file.
func TestOnlyWhatIsNeeded(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu ignores advice")
	}
	const rows, rowBytes = 256, 64 << 10
	whole := must(index.NewLayout([]int{rows, rowBytes / 8}, 8, index.C))
	for name, tt := range map[string]struct {
		sel   []index.Selector
		pages int
	}{
		"column": {[]index.Selector{index.Range(0, rows), index.At(777)}, rows},
		"slab":   {[]index.Selector{index.Range(0, rows), index.Range(512, 1536)}, rows * 2},
		"rows":   {[]index.Selector{index.Range(0, rows).Every(16)}, rows / 16 * rowBytes / pageBytes},
	} {
		t.Run(name, func(t *testing.T) {
			lay, off, err := whole.Select(tt.sel...)
			if err != nil {
				t.Fatal(err)
			}
			for how, read := range map[string]func(p Piece){
				"Copy": func(p Piece) {
					to := must(p.newLike())
					same := elem.Repeat(8)
					if err := Copy(to, p, &same); err != nil {
						t.Fatal(err)
					}
				},
				"Cursor": func(p Piece) {
					var w Cursor
					same := elem.Repeat(8)
					w.StartBlocks(p, index.K, &same, false, 8, InPlace)
					for _, n := w.NextBlock(); n > 0; _, n = w.NextBlock() {
					}
				},
			} {
				m, mem := mapColdFile(t, rows*rowBytes)
				read(Piece{P: Add(mem.Base, off), Layout: lay, ItemSize: 8, Mem: mem})
				if in := must(m.Resident(0, rows*rowBytes)) / pageBytes; in > tt.pages+8 {
					t.Errorf("%s, by %s: %d pages are in memory, want %d of %d", name, how, in, tt.pages, rows*rowBytes/pageBytes)
				}
			}
		})
	}
}

// TestTilesLeave checks that a copy between two orders in several tiles releases the pages of the source, except at the
// borders of tiles. It does so even if memory was short for a while.
func TestTilesLeave(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu ignores advice")
	}
	const rows, cols = 512, 10000
	lay := must(index.NewLayout([]int{rows, cols}, 8, index.F))
	to := &Memory{Base: Start(Alloc(rows * cols * 8)), Size: rows * cols * 8}
	same := elem.Repeat(8)
	for _, short := range []int{0, 2} { // the number of the call to tileBytes that returns a small size; 0 for no call
		m, mem := mapColdFile(t, 2*rows*cols*8)
		src := Piece{P: mem.Base, Layout: must(index.NewLayout([]int{rows, cols}, 8, index.C)), ItemSize: 8, Mem: mem}
		calls := 0
		tileBytes := func() int {
			if calls++; calls == short {
				return 2 << 20
			}
			return 8 << 20
		}
		eachTile(Piece{P: to.Base, Layout: lay, ItemSize: 8, Mem: to}, src, false, true, tileBytes, func(dst,
			src Piece) error {
			CopyTile(dst, src, &same)
			return nil
		})
		// The system keeps large pages if only a part of the page was released.
		if in := must(m.Resident(0, rows*cols*8)); in > rows*cols*8*3/4 {
			t.Errorf("short in call %d of %d: %d of %d bytes are in memory", short, calls, in, rows*cols*8)
		}
	}
}

// TestFewOnManyPages checks that IsCold counts the bytes of pages, not of elements: a copy of few elements on many
// pages to another order is cold.
func TestFewOnManyPages(t *testing.T) {
	m, mem := mapColdFile(t, 40<<20)
	defer runtime.KeepAlive(m)
	for _, tt := range []struct {
		name           string
		shape, strides []int
		to             index.Order
		want           bool
	}{
		{"across", []int{9000, 46}, []int{4502, 100}, index.F, true},
		{"in order", []int{9000, 46}, []int{4502, 100}, index.C, false}, // a Readahead reads it
		{"few pages", []int{90, 46}, []int{4502, 100}, index.F, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lay := must(index.Strided(tt.shape, tt.strides))
			src := Piece{P: mem.Base, Layout: lay, ItemSize: 1, Mem: mem}
			dst := must(src.newLike())
			dst.Layout = must(index.NewLayout(tt.shape, 1, tt.to))
			if got := IsCold(dst, src); got != tt.want {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
		})
	}
}
