//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package mmap_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"

	"github.com/ndmap/ndmap/mmap"
)

// TestRanges tests the ranges of SyncRange and Advise. A range outside the mapping must return an error, even if its
// end overflows. A range within the mapping may start and end anywhere on a page.
func TestRanges(t *testing.T) {
	size := 3*page - 5
	path := writeFile(t, pages(3)[:size])
	for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite, mmap.CopyOnWrite} {
		m := open(t, path, mode)
		for _, test := range []struct {
			off, n int
			ok     bool
		}{
			{0, 0, true},
			{0, size, true},
			{size, 0, true},
			{size - 1, 1, true},
			{page - 1, 2, true}, // the last byte of a page and the first of the next
			{page, page, true},
			{1, 1, true},
			{0, size + 1, false}, // still on the last page
			{size, 1, false},
			{size + 1, 0, false},
			{-1, 1, false},
			{0, -1, false},
			{1, math.MaxInt, false},
			{math.MaxInt, math.MaxInt, false},
			{math.MinInt, math.MinInt, false},
		} {
			for op, err := range map[string]error{
				"sync":   m.SyncRange(test.off, test.n),
				"advise": m.Advise(test.off, test.n, mmap.WillNeed),
			} {
				t.Run(op, func(t *testing.T) {
					if test.ok {
						if err != nil {
							t.Errorf("%v, %s %d, %d: %v", mode, op, test.off, test.n, err)
						}
						return
					}
					checkError(t, err, path,
						fmt.Sprintf("%s DIR/t.npy: %d bytes at byte %d are outside the mapping of %d bytes",
							op, test.n, test.off, size), nil)
				})
			}
		}
	}
}

// TestAdviceLosesNothing tests that advice never changes a byte. Linux's MADV_DONTNEED would undo writes to private
// memory.
func TestAdviceLosesNothing(t *testing.T) {
	for advice := mmap.Normal; advice <= mmap.PageOut; advice++ {
		path := writeFile(t, pages(3))
		anon, err := mmap.Anonymous(3 * page)
		if err != nil {
			t.Fatal(err)
		}
		defer anon.Close()
		copy(anon.Bytes(), pages(3))
		for _, m := range []*mmap.Map{
			open(t, path, mmap.CopyOnWrite),
			anon,
			open(t, path, mmap.ReadWrite), // last, because it changes the file
			open(t, path, mmap.ReadOnly),
		} {
			want := pages(3)
			want[page+1] = 'x'
			if m.Mode() != mmap.ReadOnly {
				m.Bytes()[page+1] = 'x'
			}
			if err := m.Advise(page-1, page+2, advice); err != nil {
				t.Errorf("%v: %v", advice, err)
			}
			if !bytes.Equal(m.Bytes(), want) {
				t.Errorf("%v changed the bytes of %q, %v", advice, m.Path(), m.Mode())
			}
		}
		if got := readFile(t, path); got[page+1] != 'x' {
			t.Errorf("%v: written bytes did not reach the file", advice)
		}
	}
	m := open(t, writeFile(t, pages(1)), mmap.ReadOnly)
	checkError(t, m.Advise(0, 1, mmap.PageOut+1), m.Path(), "advise DIR/t.npy: unknown advice Advice(9)", nil)
}
