package array

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestAppendTruncated tests that Append returns an error if another process truncates the file at any step of Append.
// Afterwards Open must return an error or find the old rows, and never rows of zeros. Append writes some elements by
// system calls, which would extend the file again, and converts other elements into the mapping.
func TestAppendTruncated(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not truncate mapped files")
	}
	if isEmulated() {
		t.Skip("QEMU's user-mode emulation reports wrong addresses of faults, or none (NDMAP_QEMU=1)")
	}
	const row = 3 * 8
	for _, d := range []string{"<f8", ">f8"} {
		for _, rows := range []int{2, 1000} {
			for _, keep := range []int{-row, -1, 0, 1, row} { // bytes kept, relative to the old length of the file
				opens := 0
				for step := 0; ; step++ {
					first := sequence(d, index.C, 0, 700, 3)
					f := createFrom(t, SaveConfig{}, first, index.C)
					old := f.m.Len()
					name := fmt.Sprintf("%s, %d rows, cut to %d%+d at step %d", d, rows, old, keep, step)
					at := 0
					observe = func(op, path string, _, _ int) {
						if at == step {
							check(t, os.Truncate(f.Path(), int64(old+keep)))
						}
						at++
					}
					err := f.Append(sequence("<f8", index.C, 2100, rows, 3))
					observe = func(string, string, int, int) {}
					if at <= step {
						check(t, err)
						break
					}
					var fault *mmap.FaultError
					if !errors.Is(err, mmap.ErrChanged) && !errors.As(err, &fault) || f.Len(0) != 700 {
						t.Errorf("%s: %v, %d rows", name, err, f.Len(0))
					}
					b, err := os.ReadFile(f.Path())
					check(t, err)
					if len(b) > old+max(keep, 0) {
						t.Errorf("%s: the file has %d bytes", name, len(b))
					}
					g, err := Open(f.Path(), ReadOnly)
					if err != nil {
						continue
					}
					opens++
					if keep < 0 || !slices.Equal(g.Shape(), []int{700, 3}) || fmt.Sprint(g) != fmt.Sprint(first) {
						t.Errorf("%s: Open succeeds, with shape %v", name, g.Shape())
					}
					check(t, g.Close())
					if err := f.Append(sequence("<f8", index.C, 2100, 1, 3)); err != nil {
						t.Errorf("%s: the next Append: %v", name, err)
					}
				}
				if keep >= 0 && opens < 3 {
					t.Errorf("%s: Open succeeded after %d cuts that kept the old array, want at least 3", d, opens)
				}
			}
		}
	}
}
