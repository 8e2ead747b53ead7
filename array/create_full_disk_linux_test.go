package array

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// smallDisk mounts a file system of 1 MiB on a new folder. It skips the test if it may not mount.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("mount tmpfs: %v: needs the right to mount", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// TestFullDisk tests that writing to a full disk returns an error that names the file and leaves no partial or
// temporary file, and that an existing file keeps its contents.
func TestFullDisk(t *testing.T) {
	dir := smallDisk(t)
	path, old := filepath.Join(dir, "new.npy"), filepath.Join(dir, "old.npy")
	if err := Save(old, countingView(index.C, 10).Array()); err != nil {
		t.Fatal(err)
	}
	before := must(os.ReadFile(old))
	big := countingView(index.C, 512, 512).Array() // 2 MiB
	sparse := SaveConfig{Sparse: true, Replace: true}
	for _, tt := range []struct {
		name string
		path string
		run  func(path string) error
	}{
		{"Create", path, func(path string) error {
			_, err := Create(path, dtype.Float64, index.C, 512, 512)
			return err
		}},
		{"Save", path, func(path string) error { return Save(path, big) }},
		{"Save over a file", old, func(path string) error { return Save(path, big) }},
		{"Save transposed", path, func(path string) error { return Save(path, big.T()) }},
		{"Convert", path, func(path string) error { return Convert(path, big, dtype.Float64, index.F) }},
		{"Convert, sparse", path, func(path string) error { return sparse.Convert(path, big, dtype.Float64, index.F) }},
		{"Convert, sparse, over a file", old, func(path string) error {
			return sparse.Convert(path, big, dtype.Float64,
				index.C)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if isEmulated() && bytes.Contains([]byte(tt.name), []byte("sparse")) {
				return // qemu-user reports no fault addresses that can be matched
			}
			err := tt.run(tt.path)
			var pe *fs.PathError
			var fe *mmap.FaultError
			switch {
			case errors.As(err, &pe):
				if pe.Path != tt.path || pe.Err != unix.ENOSPC {
					t.Errorf("%s: %v, want ENOSPC of %s", tt.name, err, tt.path)
				}
			case errors.As(err, &fe):
				// Several goroutines write the file, so the fault can be anywhere in it.
				if fe.Path != tt.path || fe.Offset <= 0 || fe.Offset > int64(128+big.NBytes()) {
					t.Errorf("%s: %v, want a fault in %s", tt.name, err, tt.path)
				}
			default:
				t.Errorf("%s: %v, want an error that the disk is full", tt.name, err)
			}
			if got := fileNames(t, dir); !cmp.Equal(got, []string{"old.npy"}) || !bytes.Equal(before, must(os.ReadFile(old))) {
				t.Errorf("%s: the folder has %v, or old.npy has changed", tt.name, got)
			}
		})
	}

	// Write to a file on the full disk returns the same error.
	f := must(os.Create(path))
	defer f.Close()
	for _, a := range []Array{big, big.T()} { // at once, and block by block
		if err := Write(f, a); !errors.Is(err, unix.ENOSPC) {
			t.Errorf("Write: %v, want ENOSPC", err)
		}
	}
}

// TestFullDiskSparse tests that Guard returns an error that names the file if a write to a sparse file fails because
// the disk is full. If the disk has no room for the header, Create itself must fail and leave no file.
func TestFullDiskSparse(t *testing.T) {
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	dir := smallDisk(t)
	path := filepath.Join(dir, "sparse.npy")
	f := must(SaveConfig{Sparse: true}.Create(path, dtype.Float64, index.C, 512, 512))
	v := must(As[float64](f.Array))
	for name, write := range map[string]func() error{
		"Fill":     func() error { v.Fill(1); return nil },
		"CopyFrom": func() error { return v.CopyFrom(countingView(index.C, 512, 512)) },
		"Update": func() error {
			for b := range v.Update(index.F) {
				b[0] = 1
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var fe *mmap.FaultError
			if err := mmap.Guard(write); !errors.As(err, &fe) || fe.Path != path ||
				fe.Offset > f.DataOffset()+int64(v.NBytes()) || !errors.Is(fe, mmap.ErrUnavailable) {
				t.Errorf("%s: %v, want a fault in %s", name, err, path)
			}
		})
	}
	// The elements that fit on the disk are readable, and the file is still valid.
	if x := v.At(0, 0); x != 1 && x != 0 {
		t.Errorf("the first element is %v", x)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	must(Open(path, mmap.ReadOnly)).Close()

	second := filepath.Join(dir, "second.npy")
	for name, create := range map[string]func() error{
		"Create": func() error {
			_, err := SaveConfig{Sparse: true}.Create(second, dtype.Float64, index.C, 512, 512)
			return err
		},
		"Convert": func() error {
			return SaveConfig{Sparse: true}.Convert(second, countingView(index.C, 9).Array(), dtype.Float64, index.C)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var fe *mmap.FaultError
			if err := create(); !errors.As(err, &fe) || fe.Path != second || fe.Offset != 0 {
				t.Errorf("%s: %v, want a fault in %s at byte 0", name, err, second)
			}
			if got := fileNames(t, dir); !cmp.Equal(got, []string{"sparse.npy"}) {
				t.Errorf("%s leaves %v", name, got)
			}
		})
	}
}

// TestFullDiskCreateRemovesItsOwn tests that a Create that fails removes its own file, but not a file that another
// process has meanwhile put at the same path.
func TestFullDiskCreateRemovesItsOwn(t *testing.T) {
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	dir := smallDisk(t)
	path, other := filepath.Join(dir, "new.npy"), filepath.Join(dir, "other.npy")
	if err := os.WriteFile(other, []byte("other"), 0o666); err != nil {
		t.Fatal(err)
	}
	full := must(SaveConfig{Sparse: true}.Create(filepath.Join(dir, "full.npy"), dtype.Float64, index.C, 512, 512))
	defer full.Close()
	mmap.Guard(func() error { must(As[float64](full.Array)).Fill(1); return nil })
	defer func() { observe = func(string, string, int, int) {} }()
	observe = func(op, _ string, _, _ int) {
		if op == "create" {
			if err := errors.Join(os.Rename(path, path+".moved"), os.Rename(other, path)); err != nil {
				t.Error(err)
			}
		}
	}
	_, err := SaveConfig{Sparse: true}.Create(path, dtype.Float64, index.C, 512, 512)
	var fe *mmap.FaultError
	if want := "; the incomplete file was not removed: another process replaced it"; !errors.As(err, &fe) ||
		!strings.HasSuffix(err.Error(), want) {
		t.Errorf("%v, want a fault%s", err, want)
	}
	if b, err := os.ReadFile(path); string(b) != "other" {
		t.Errorf("the other file is %q, %v", b, err)
	}
}

// TestFullDiskAppend tests that Append and Grow change neither the old bytes of the file nor the array if there is no
// room on the disk, and that a smaller Append then succeeds.
func TestFullDiskAppend(t *testing.T) {
	dir := smallDisk(t)
	path := filepath.Join(dir, "a.npy")
	big := countingView(index.C, 512, 512).Array() // 2 MiB
	for name, cfg := range map[string]SaveConfig{"reserved": {}, "sparse": {Sparse: true}} {
		t.Run(name, func(t *testing.T) {
			os.Remove(path)
			f := must(cfg.Create(path, dtype.Float64, index.C, 10, 512))
			must(As[float64](f.Array)).Fill(7)
			if err := f.Sync(); err != nil {
				t.Fatal(err)
			}
			before := must(os.ReadFile(path))
			grow := map[string]func() error{
				"Append":       func() error { return f.Append(big) },
				"Append again": func() error { return f.Append(big) },
				"Grow":         func() error { return f.Grow(512) },
			}
			if cfg.Sparse {
				if isEmulated() {
					return // qemu-user reports no fault addresses that can be matched
				}
				delete(grow, "Grow") // Grow of a sparse file takes no disk space
			}
			for op, do := range grow {
				err := do()
				var pe *fs.PathError
				var fe *mmap.FaultError
				switch {
				case errors.As(err, &pe) && pe.Path == path && pe.Err == unix.ENOSPC:
				case errors.As(err, &fe) && fe.Path == path && cfg.Sparse:
				default:
					t.Errorf("%s, %s: %v, want an error of %s that the disk is full", name, op, err, path)
				}
				if f.Len(0) != 10 || must(As[float64](f.Array)).At(9, 511) != 7 {
					t.Errorf("%s, %s: the array has shape %v", name, op, f.Shape())
				}
				if got := must(os.ReadFile(path)); !bytes.Equal(before, got[:len(before)]) || !cfg.Sparse &&
					len(got) != len(before) {
					t.Errorf("%s, %s: the file was changed", name, op)
				}
				if got := fileNames(t, dir); !cmp.Equal(got, []string{"a.npy"}) {
					t.Errorf("%s, %s leaves %v", name, op, got)
				}
			}
			// Three rows fit, unless the pages of a failed Append to a sparse file take all the room.
			var fe *mmap.FaultError
			rows := 13
			if err := f.Append(must(big.Select(index.Range(0, 3)))); cfg.Sparse && errors.As(err, &fe) {
				rows = 10
			} else if err != nil {
				t.Errorf("%s: there is room for three rows: %v", name, err)
			}
			f.Close()
			g := must(Open(path, mmap.ReadOnly))
			if v := must(As[float64](g.Array)); v.Len(0) != rows || v.At(9, 511) != 7 || rows == 13 && v.At(10, 1) != 1 {
				t.Errorf("%s: the file has shape %v", name, v.Shape())
			}
			g.Close()
		})
	}
}

// TestFileSizeLimit tests that a write beyond the limit of the process for file sizes is an error that names the file,
// and that existing files keep their contents.
func TestFileSizeLimit(t *testing.T) {
	if isEmulated() {
		t.Skip("qemu-user has the limits of its own process: not tested here")
	}
	const child = "file size limit"
	if os.Getenv("NDMAP_TEST_CHILD") != child { // this process writes a log for go test, which may be larger than the limit
		cmd := exec.Command(os.Args[0], "-test.run=^TestFileSizeLimit$")
		cmd.Env = append(os.Environ(), "NDMAP_TEST_CHILD="+child)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	dir := t.TempDir()
	path, old := filepath.Join(dir, "new.npy"), filepath.Join(dir, "old.npy")
	big := countingView(index.C, 512, 512).Array() // 2 MiB
	if err := Save(old, must(big.Select(index.Range(0, 100)))); err != nil {
		t.Fatal(err)
	}
	before := must(os.ReadFile(old))
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 1 << 20, Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]func() error{
		"Save":            func() error { return Save(old, big) },
		"Save, sparse":    func() error { return SaveConfig{Replace: true, Sparse: true}.Save(old, big) },
		"Save transposed": func() error { return Save(old, big.T()) },
		"Convert":         func() error { return Convert(path, big, dtype.Float64.WithByteOrder(dtype.BigEndian), index.F) },
		"Convert, sparse": func() error {
			return SaveConfig{Sparse: true}.Convert(path, big, dtype.Float32.WithByteOrder(dtype.BigEndian), index.F)
		},
		"Reduction.Save": func() error { return Reduction{Op: OpSum, Axes: []int{2}}.Save(old, must(big.ExpandDims(2))) },
		"Make and Copy": func() error {
			return Make(old, dtype.Float64, index.C, big.Shape(), func(f *File) error { return Copy(f.Array, big) })
		},
		"Append": func() error {
			f, err := Open(old, ReadWrite)
			if err != nil {
				return err
			}
			return errors.Join(f.Append(big), f.Close())
		},
	} {
		if err := run(); !errors.Is(err, unix.EFBIG) || !strings.Contains(err.Error(), ".npy") {
			t.Errorf("%s: %v, want EFBIG of a file", name, err)
		}
		if got := fileNames(t, dir); !cmp.Equal(got, []string{"old.npy"}) || !bytes.Equal(before, must(os.ReadFile(old))) {
			t.Errorf("%s: the folder has %v, or old.npy has changed", name, got)
		}
	}
}
