package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestListFolder tests that a large directory is listed in the order of names, including broken files. NDMAP_FILES is
// the number of files; 10,000 take less than a second.
func TestListFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "<f8", "-shape", "3,4", "a.npy")
	b, err := os.ReadFile("a.npy")
	check(t, err)
	check(t, os.Mkdir("many", 0o777))
	n := oracle.EnvInt(t, "NDMAP_FILES", 300)
	for i := range n {
		end := len(b)
		if i%100 == 7 {
			end-- // one byte is missing
		}
		check(t, os.WriteFile(fmt.Sprintf("many/f%05d.npy", i), b[:end], 0o666))
	}
	begun := time.Now()
	got, stderr, status := runTool("ls", "many")
	t.Logf("%d files in %v", n, time.Since(begun))
	var want strings.Builder
	want.WriteString("name        dtype  shape   bytes\n")
	for i := range n {
		if i%100 == 7 {
			fmt.Fprintf(&want, "f%05d.npy  broken: data at byte 128: the file holds 95 bytes of data; "+
				"shape (3, 4) of <f8 needs 96: it was truncated, or never written to its end; npy repair keeps the 2 whole rows\n",
				i)
		} else {
			fmt.Fprintf(&want, "f%05d.npy  <f8    (3, 4)     96\n", i)
		}
	}
	if got != want.String() || status != 1 || stderr != fmt.Sprintf("npy: many: %d of %d entries are broken\n", (n+92)/100,
		n) {
		t.Errorf("exit status %d, %s\n%.500s", status, stderr, got)
	}
}

// TestHeadOfSparse tests that head and tail are fast for a file that is larger than memory and than the disk.
func TestHeadOfSparse(t *testing.T) {
	t.Chdir(t.TempDir())
	n := int64(1) << 37 // number of elements, of 8 bytes each
	if strconv.IntSize == 32 {
		t.Skip("no space for addresses")
	}
	f, err := array.SaveConfig{Sparse: true}.Create("t.npy", dtype.Float64, index.C, int(n/4), 4)
	if err != nil {
		t.Skip("no sparse file of 1 TiB here: ", err)
	}
	check(t, f.Close())
	if _, stderr, status := runTool("set", "-select", "-1,-1", "t.npy", "1.5"); status != 0 {
		t.Skip(stderr)
	}
	begun := time.Now()
	for args, want := range map[string]string{"head -n 2 t.npy": "[[0. 0. 0. 0.]\n [0. 0. 0. 0.]]\n",
		"tail -n 1 t.npy": "[[0.  0.  0.  1.5]]\n",
		"ls t.npy":        "name   dtype  shape                         bytes\nt.npy  <f8    (34359738368, 4)  1,099,511,627,776\n"} {
		t.Run(args, func(t *testing.T) {
			if got, stderr, _ := runTool(strings.Fields(args)...); got != want {
				t.Errorf("npy %s: %q, %s; want %q", args, got, stderr, want)
			}
		})
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestListJSON tests that the entry of an array is the object of info -json, for all files written by NumPy.
func TestListJSON(t *testing.T) {
	dir := t.TempDir()
	for _, f := range oracle.Golden() {
		b, err := os.ReadFile(f.Path)
		check(t, err)
		check(t, os.WriteFile(filepath.Join(dir, filepath.Base(f.Path)), b, 0o666))
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	check(t, err)
	for k, path := range files {
		files[k] = filepath.ToSlash(path)
	}
	want, stderr, status := runTool(append([]string{"info", "-json"}, files...)...)
	if status != 0 || strings.Count(want, "\n") != len(files) || len(files) < 100 {
		t.Fatalf("info of %d files: %s", len(files), stderr)
	}
	for _, args := range [][]string{{"-json", dir}, append([]string{"-json"}, files...), {"-json", "-r", dir}} {
		got, stderr, status := runTool(append([]string{"ls"}, args...)...)
		if diff := cmp.Diff(want, got); diff != "" || status != 0 {
			t.Errorf("ls %s: %s want -, got +\n%s", args[:2], stderr, diff)
		}
	}
}
