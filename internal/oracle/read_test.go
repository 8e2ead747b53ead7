package oracle_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// bytesIn returns the bytes of the elements of a in C order and in its dtype.
func bytesIn(a array.Array) ([]byte, error) {
	c, err := a.Clone(index.C)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := array.Write(&b, c); err != nil {
		return nil, err
	}
	return b.Bytes()[b.Len()-a.NBytes():], nil
}

// checkFile returns an error unless a contains the elements of file. It also copies a to the opposite byte order and F
// order, and back, and checks the result.
func checkFile(a array.Array, file oracle.File) error {
	if !slices.Equal(a.Shape(), file.Shape) || !a.DType().Equal(dtype.MustParse(file.DType)) {
		return fmt.Errorf("%v %v, want %s %v", a.DType(), a.Shape(), file.DType, file.Shape)
	}
	want := []byte{}
	for k := range file.Elements() {
		want = oracle.Append(want, file.DType, k)
	}
	if got, err := bytesIn(a); err != nil || !bytes.Equal(got, want) {
		return fmt.Errorf("elements\n% x (%v), want\n% x", got, err, want)
	}
	order := dtype.BigEndian
	if a.DType().ByteOrder() == order {
		order = dtype.LittleEndian
	}
	other, err := array.New(a.DType().WithByteOrder(order), index.F, file.Shape...)
	if err != nil {
		return err
	}
	if err := array.Copy(other.Array, a); err != nil {
		return err
	}
	back, err := array.New(a.DType(), index.C, file.Shape...)
	if err != nil {
		return err
	}
	if err := array.Copy(back.Array, other.Array); err != nil {
		return err
	}
	if got, err := bytesIn(back.Array); err != nil || !bytes.Equal(got, want) {
		return fmt.Errorf("elements by way of %v in F order\n% x (%v), want\n% x", other.DType(), got, err, want)
	}
	return nil
}

// TestGoldenFiles tests that the public API reads and converts the golden files correctly. It uses few types, so that
// it compiles fast on systems where compiling the tests of package array takes too long.
func TestGoldenFiles(t *testing.T) {
	for _, file := range slices.Concat(oracle.Golden(), oracle.Variants()) {
		f, err := array.Open(file.Path, mmap.ReadOnly)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := checkFile(f.Array, file); err != nil {
			t.Errorf("%s: %v", file.Name, err)
		}
		f.Close()
		b, err := os.ReadFile(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		a, err := array.Read(bytes.NewReader(b))
		if err == nil {
			err = checkFile(a, file)
		}
		if err != nil {
			t.Errorf("%s: Read: %v", file.Name, err)
		}
		if _, err := array.Read(bytes.NewReader(b[:file.Offset-1])); err == nil {
			t.Errorf("%s: Read of a part of its header: no error", file.Name)
		}
	}
}
