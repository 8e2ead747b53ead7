package array

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// goldenOrder is the order that the header of a file says.
func goldenOrder(fortran bool) index.Order {
	if fortran {
		return index.F
	}
	return index.C
}

// viewOf is a as a view of the Go type of its dtype.
func viewOf(t *testing.T, a Array) chained {
	t.Helper()
	for _, c := range chainTypes {
		if dtype.MustParse(c.descr).WithByteOrder(a.DType().ByteOrder()).Equal(a.DType()) {
			return must(c.on(a))
		}
	}
	t.Fatalf("no Go type for %v", a.DType())
	return chained{}
}

// checkGolden holds every element of v, read in every way and in both orders, against
// the rule by which the golden files were made.
func checkGolden(v chained, file oracle.File) error {
	if got := v.viewCore().Shape(); !slices.Equal(got, file.Shape) {
		return fmt.Errorf("shape %v, want %v", got, file.Shape)
	}
	want := func(idx []int) []byte {
		k := 0 // number of the element in C order
		for axis, i := range idx {
			k = k*file.Shape[axis] + i
		}
		return oracle.Append(nil, file.DType, k)
	}
	k := 0
	for x := range v.values() {
		if want := oracle.Append(nil, file.DType, k); !bytes.Equal(x, want) {
			return fmt.Errorf("element %d of Values is %x, want %x", k, x, want)
		}
		k++
	}
	if k != file.Elements() {
		return fmt.Errorf("Values has %d elements, want %d", k, file.Elements())
	}
	for _, order := range []index.Order{index.C, index.F} {
		k = 0
		for idx, x := range v.all(order) {
			if want := want(idx); !bytes.Equal(x, want) || !bytes.Equal(v.at(idx), want) {
				return fmt.Errorf("at %v: %x by All, %x by At, want %x", idx, x, v.at(idx), want)
			}
			k++
		}
		if k != file.Elements() {
			return fmt.Errorf("All(%v) has %d elements, want %d", order, k, file.Elements())
		}
	}
	return nil
}

// Files that numpy.save wrote, and others that NumPy reads: every element of each is
// what the rule says, however the file is opened.
func TestGoldenRead(t *testing.T) {
	oracle.OneGoroutine(t)
	files := slices.Concat(oracle.Golden(), oracle.Variants())
	for _, file := range files {
		for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.CopyOnWrite} {
			f, err := Open(file.Path, mode)
			if err != nil {
				t.Error(err)
				continue
			}
			major, minor := f.Version()
			if !f.DType().Equal(dtype.MustParse(file.DType)) || f.Order() != goldenOrder(file.Fortran) ||
				f.DataOffset() != int64(file.Offset) || [2]byte{byte(major), byte(minor)} != file.Version {
				t.Errorf("%s: dtype %v, order %v, data at byte %d, version %d, %d", file.Name, f.DType(), f.Order(), f.DataOffset(),
					major, minor)
			}
			if err := checkGolden(viewOf(t, f.Array), file); err != nil {
				t.Errorf("%s: mode %v: %v", file.Name, mode, err)
			}
			f.Close()
		}
		b := must(os.ReadFile(file.Path))
		stream := bytes.NewReader(b)
		a, err := Read(stream)
		if err == nil {
			err = checkGolden(viewOf(t, a), file)
		}
		if rest := len(b) - file.Offset - a.NBytes(); err == nil && stream.Len() != rest {
			err = fmt.Errorf("%d bytes are left, want %d", stream.Len(), rest)
		}
		if err != nil {
			t.Errorf("%s: Read: %v", file.Name, err)
		}
	}
	t.Logf("%d files", len(files))
}

// What numpy.save wrote is written here byte for byte the same: by Create and SetAt,
// by Save, by Write, and from arrays that lie otherwise in memory.
func TestGoldenWrite(t *testing.T) {
	dir := t.TempDir()
	for k, file := range oracle.Golden() {
		want := must(os.ReadFile(file.Path))
		check := func(how string, got []byte, err error) {
			t.Helper()
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %s: other bytes than numpy.save's (%v)\n got %q\nwant %q", file.Name, how, err, got, want)
			}
		}
		order := goldenOrder(file.Order == 'F')
		path := fmt.Sprintf("%s/%d.npy", dir, k)
		f := must(Create(path, dtype.MustParse(file.DType), order, file.Shape...))
		v, n := viewOf(t, f.Array), 0
		for idx := range index.All(file.Shape, index.C) {
			v.set(idx, oracle.Append(nil, file.DType, n))
			n++
		}
		if err := checkGolden(v, file); err != nil {
			t.Errorf("%s: written: %v", file.Name, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		check("Create and SetAt", got, err)

		g := must(Open(file.Path, mmap.ReadOnly))
		var stream bytes.Buffer
		err = Write(&stream, g.Array)
		check("Write", stream.Bytes(), err)

		if file.Elements() > 30 || k%3 > 0 { // these write synced files
			g.Close()
			continue
		}
		err = Save(path, g.Array)
		got, _ = os.ReadFile(path)
		check("Save", got, err)
		os.Remove(path)
		other := must(g.Clone(map[index.Order]index.Order{index.C: index.F, index.F: index.C}[order]))
		err = Convert(path, other, g.DType(), order)
		got, _ = os.ReadFile(path)
		check("Convert from the other order", got, err)
		g.Close()
	}
}
