package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/ndmap/ndmap/dtype"
)

// TestCheckAssumed tests that check reports if the header names no byte order, for all kinds of files.
func TestCheckAssumed(t *testing.T) {
	t.Chdir(t.TempDir())
	const note = "; the header names no byte order; numbers are read in native byte order"
	for _, tt := range []struct {
		descr   string
		assumed bool
	}{
		{"'f8'", true},
		{"'=d'", true},
		{"'|i2'", true},
		{"[('x', '<f4'), ('y', 'float32')]", true},
		{"'<f8'", false},
		{"'?'", false},
	} {
		t.Run(tt.descr, func(t *testing.T) {
			text := fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': (2,), }%300s\n", tt.descr, "")
			b := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), byte(len(text)>>8))
			d := dtype.MustParse(tt.descr)
			b = append(append(b, text...), make([]byte, 2*d.ItemSize())...)
			check(t, os.WriteFile("a.npy", b, 0o666))
			f, err := os.Create("a.npz")
			check(t, err)
			z := zip.NewWriter(f)
			for name, method := range map[string]uint16{"stored.npy": zip.Store, "deflated.npy": zip.Deflate} {
				w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
				check(t, err)
				_, err = w.Write(b)
				check(t, err)
			}
			check(t, z.Close())
			check(t, f.Close())
			want := fmt.Sprintf(": ok dtype %v, shape (2,), order C", d)
			if tt.assumed {
				want += note
			}
			for _, path := range []string{"a.npy", "a.npz:stored", "a.npz:deflated", "-"} {
				got, stderr, status := runToolWithInput(bytes.NewReader(b), "check", path)
				if got != path+want+"\n" || status != 0 {
					t.Errorf("%s: got %q, %s; want %q", path, got, stderr, want)
				}
			}
		})
	}
}
