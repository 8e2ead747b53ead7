package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestCheckText tests that check examines every code point of every element, and reports the position of an invalid
// one, on both sides of each limit.
func TestCheckText(t *testing.T) {
	const header, width = 128, 3
	for _, order := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} {
		for k := range 2 * width {
			for c, msg := range map[uint32]string{
				0xD7FF:   "",
				0xD800:   "code point U+D800 is a surrogate, which is not valid in text",
				0xDFFF:   "code point U+DFFF is a surrogate, which is not valid in text",
				0xE000:   "",
				0x10FFFF: "",
				0x110000: "0x110000 is not a code point; the largest one is U+10FFFF",
			} {
				path := filepath.Join(t.TempDir(), "a.npy")
				f, err := array.Create(path, dtype.Unicode(width).WithByteOrder(order), index.C, 2)
				if err != nil {
					t.Fatal(err)
				}
				v, err := array.As[[width]uint32](f.Array)
				if err != nil {
					t.Fatal(err)
				}
				text := v.At(k / width)
				text[k%width] = c
				v.SetAt(text, k/width)
				if err := f.Close(); err != nil {
					t.Fatal(err)
				}
				want, wantStatus := "", 0
				if msg != "" {
					want = fmt.Sprintf("npy: %s: data at byte %d: element (%d,): %s\n", path, header+4*k, k/width, msg)
					wantStatus = 1
				}
				if _, stderr, status := runTool("check", path); stderr != want || status != wantStatus {
					t.Errorf("%v, %#x at %d:\n got %q, status %d\nwant %q, status %d", order, c, k, stderr, status, want, wantStatus)
				}
			}
		}
	}
}
