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

// goldenOrder returns the order for the fortran_order of a header.
func goldenOrder(fortran bool) index.Order {
	if fortran {
		return index.F
	}
	return index.C
}

// viewOf returns a as a view with the Go type of its dtype.
func viewOf(t *testing.T, a Array) untypedView {
	t.Helper()
	for _, c := range chainTypes {
		if dtype.MustParse(c.descr).WithByteOrder(a.DType().ByteOrder()).Equal(a.DType()) {
			return must(c.on(a))
		}
	}
	t.Fatalf("no Go type for %v", a.DType())
	return untypedView{}
}

// checkGolden compares every element of v with the value that the generator of the golden files gave it. It reads the
// elements in every way and in both orders.
func checkGolden(v untypedView, file oracle.File) error {
	if got := v.viewCore().Shape(); !slices.Equal(got, file.Shape) {
		return fmt.Errorf("shape %v, want %v", got, file.Shape)
	}
	want := func(idx []int) []byte {
		k := 0 // index of the element in C order
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

// TestGoldenRead opens and reads files that numpy.save wrote, and other files that NumPy reads, and checks every
// element.
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

// TestGoldenWrite tests that Create with SetAt, Write, Save, and Convert from the other order write the same bytes as
// numpy.save.
func TestGoldenWrite(t *testing.T) {
	dir := t.TempDir()
	for k, file := range oracle.Golden() {
		want := must(os.ReadFile(file.Path))
		check := func(how string, got []byte, err error) {
			t.Helper()
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: %s: the bytes differ from numpy.save's (%v)\n got %q\nwant %q", file.Name, how, err, got, want)
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

		if file.Elements() > 30 || k%3 > 0 { // Save and Convert are slow: they sync their files
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
