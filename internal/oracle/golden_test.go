package oracle

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFiles tests that every file contains the header and the data in the tables, so that values.go and golden.py
// define the same elements.
func TestFiles(t *testing.T) {
	for _, f := range append(Golden(), Variants()...) {
		data, err := os.ReadFile(f.Path)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := [2]byte(data[6:8]); got != f.Version {
			t.Errorf("%s: version %v, want %v", f.Name, got, f.Version)
		}
		want := f.Data()
		rest := data[min(f.Offset, len(data)):]
		if f.Name == "trailing-bytes" {
			want = append(want, "more"...)
		}
		if !bytes.Equal(rest, want) {
			t.Errorf("%s: data at %d\ngot  % x\nwant % x", f.Name, f.Offset, rest, want)
		}
		if strings.Contains(f.Path, "golden") {
			order := "False"
			if f.Fortran {
				order = "True"
			}
			shape := fmt.Sprint(f.Shape)
			shape = "(" + strings.ReplaceAll(shape[1:len(shape)-1], " ", ", ") + ")"
			if len(f.Shape) == 1 {
				shape = strings.TrimSuffix(shape, ")") + ",)"
			}
			header := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", f.DType, order, shape)
			if got := strings.TrimRight(string(data[10:f.Offset]), " \n"); got != header {
				t.Errorf("%s: header %s, want %s", f.Name, got, header)
			}
		}
	}
}

// TestTestdata tests that every file is in a table, and that the files have at most 1.5 MB in total.
func TestTestdata(t *testing.T) {
	known := map[string]bool{}
	for _, f := range append(Golden(), Variants()...) {
		if known[f.Path] {
			t.Errorf("%s is in the tables twice", f.Path)
		}
		known[f.Path] = true
	}
	if got, want := len(Golden()), 25*2*8; got != want {
		t.Errorf("%d golden files, want %d", got, want)
	}
	var size int64
	for path, fi := range tree(t, Testdata()) {
		size += fi.Size()
		if filepath.Base(filepath.Dir(path)) != "demo" && !known[path] {
			t.Errorf("%s is not in a table", path)
		}
	}
	if size > 1500_000 {
		t.Errorf("testdata holds %d bytes, want at most 1.5 MB", size)
	}
}

// TestGoldenScript tests that golden.py, with the installed NumPy, reproduces the files of testdata byte for byte.
func TestGoldenScript(t *testing.T) {
	Need(t)
	path, version, _ := Python()
	dir := t.TempDir()
	if out, err := command(path, "golden.py", dir).CombinedOutput(); err != nil {
		t.Fatalf("golden.py: %v\n%s", err, out)
	}
	made, kept := tree(t, dir), tree(t, Testdata())
	if len(made) != len(kept) {
		t.Errorf("golden.py writes %d files, testdata holds %d", len(made), len(kept))
	}
	for path := range made {
		rel, _ := filepath.Rel(dir, path)
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(filepath.Join(Testdata(), rel))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s: NumPy %s writes a file that differs from testdata", rel, version)
		}
	}
}

// TestNumPyReads tests that NumPy reads the dtype, shape, order and data in the tables from every file.
func TestNumPyReads(t *testing.T) {
	p := Start(t)
	for _, f := range append(Golden(), Variants()...) {
		var got struct {
			DType string
			Shape []int
			F     bool
			Data  []byte
		}
		if err := p.Load("a", f.Path); err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		err := p.Eval("dict(dtype=a.dtype, shape=a.shape, f=a.flags.f_contiguous, data=a.tobytes('A'))", nil, &got)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if got.DType != f.DType || fmt.Sprint(got.Shape) != fmt.Sprint(f.Shape) || !bytes.Equal(got.Data, f.Data()) ||
			f.Order == 'F' && !got.F {
			t.Errorf("%s: NumPy reads %+v", f.Name, got)
		}
	}
}

// TestValues tests that Int, Float16Bits and Complex return the documented values.
func TestValues(t *testing.T) {
	if got := []int8{Int[int8](0), Int[int8](1), Int[int8](4), Int[int8](7)}; fmt.Sprint(got) != "[0 21 -128 127]" {
		t.Errorf("int8: %v", got)
	}
	if got := []uint16{Int[uint16](1), Int[uint16](4), Int[uint16](7)}; fmt.Sprint(got) != "[31765 0 65535]" {
		t.Errorf("uint16: %v", got)
	}
	if got := []int64{Int[int64](1), Int[int64](4),
		Int[int64](7)}; fmt.Sprint(got) != "[-7046029254386353131 -9223372036854775808 9223372036854775807]" {
		t.Errorf("int64: %v", got)
	}
	want := map[int]uint16{0: 0xD800, 3: 0x8000, 5: 0x7C00, 7: 0xFC00, 9: 0x7E00, 10: 0x0001, 11: 0x7BFF, 28: 0x3E00}
	for k, bits := range want {
		if got := Float16Bits(k); got != bits {
			t.Errorf("Float16Bits(%d) = %#04x (%v), want %#04x", k, got, Float(k), bits)
		}
	}
	for k := range 1000 {
		re, im := real(Complex(k)), imag(Complex(k))
		if math.Float64bits(re) == math.Float64bits(im) {
			t.Errorf("Complex(%d): both parts are %v", k, re)
		}
	}
}

// tree returns all files in dir and its subfolders, by path.
func tree(t *testing.T, dir string) map[string]fs.FileInfo {
	t.Helper()
	files := map[string]fs.FileInfo{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		files[path] = fi
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
