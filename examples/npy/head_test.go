package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestHeadStream tests that head reads only the header and the first rows of a stream, which may be endless, and prints
// the same as for a file, however much of the array it needs.
func TestHeadStream(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var head bytes.Buffer
	const rows = min(1<<29, math.MaxInt/64) // 16 GiB; with more, qemu runs out of memory
	_, err := array.NewWriter(&head, dtype.Float64, index.C, rows, 4)
	check(t, err)
	if got, stderr, status := runToolWithInput(io.MultiReader(&head, io.LimitReader(zeroReader{}, 16<<20)), "head", "-n",
		"2",
		"-"); status != 0 ||
		got != "[[0. 0. 0. 0.]\n [0. 0. 0. 0.]]\n" {
		t.Errorf("head of a long stream: %q, %q", got, stderr)
	}
	path := filepath.Join(t.TempDir(), "t.npy")
	for _, tt := range []struct {
		args  string
		order index.Order
		shape []int
		most  int // maximum number of bytes of elements to read
	}{
		{"-n 3", index.C, []int{100, 4}, 3 * 32},
		{"", index.C, []int{7, 4}, 7 * 32},
		{"-n 0", index.C, []int{100, 4}, 0},
		{"-n 3 -select ::10,1", index.C, []int{100, 4}, 20*32 + 16},
		{"-n 3 -select ::-1", index.C, []int{100, 4}, 100 * 32},
		{"-n 3 -select 5", index.C, []int{100, 4}, 5*32 + 24},
		{"-n 1 -select -1", index.C, []int{100}, 100 * 8},
		{"-n 1", index.F, []int{100, 4}, 301 * 8},
		{"-n 1", index.C, []int{}, 8},
		{"-n 1", index.C, []int{0, 4}, 0},
		{"-n 1 -select 200", index.C, []int{100}, 0},
	} {
		check(t, array.Save(path, numbered(t, dtype.MustParse("<f8"), tt.order, tt.shape...)))
		file, err := os.ReadFile(path)
		check(t, err)
		want, wantErr, wantStatus := runTool(append(append([]string{"head"}, strings.Fields(tt.args)...), path)...)
		for _, n := range []int{1 << 20, 0} { // in memory, and mapped
			setStdinBytes(t, n)
			in := bytes.NewReader(file)
			size := in.Len()
			got, gotErr, status := runToolWithInput(in, append(append([]string{"head"}, strings.Fields(tt.args)...), "-")...)
			if gotErr = strings.ReplaceAll(gotErr, "npy: -", "npy: "+path); got != want || gotErr != wantErr ||
				status != wantStatus {
				t.Errorf("head %s of %v, %d bytes in memory: %q, %q, %d; want %q, %q", tt.args, tt.shape, n, got, gotErr, status,
					want, wantErr)
			}
			if read := size - in.Len(); read > 128+tt.most {
				t.Errorf("head %s of %v, %d bytes in memory: read %d bytes, want at most %d", tt.args, tt.shape, n, read,
					128+tt.most)
			}
		}
	}
}

// zeroReader reads zeros. Tests use somewhat more of them than needed.
type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
