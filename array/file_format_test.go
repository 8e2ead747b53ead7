package array

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// NumPy's own tests of data in .npy files (numpy/lib/tests/test_format.py), and the tests here that check the same. The
// tests in internal/npy check the headers.
//
//	test_roundtrip                          TestFuzzNumPyArrays, TestSave
//	test_roundtrip_randsize                 TestFuzzNumPyArrays
//	test_roundtrip_truncated                TestOneByteShort
//	test_long_str                           TestHugeItem
//	test_memmap_roundtrip                   TestSave: a mapped file and a saved one are the same bytes
//	test_load_padded_dtype                  TestFuzzNumPyArrays
//	test_python2_python3_interoperability   TestGoldenRead (variants), TestUnaligned
//	test_pickle_disallow                    TestObjects
//	test_version_2_0_memmap                 TestReadErrors (version 2), TestFuzzNumPyArrays (100 to 500 fields)
//	test_large_file_support                 TestLargeFile
//	test_unicode_field_names                TestFuzzNumPyArrays
//
// test_compressed_roundtrip, test_huge_header_npz, test_large_archive and test_empty_npz test .npz files, and
// test_pickle_python2_python3 tests pickles. This package opens neither.

// TestLargeFile tests elements past the first 4 GiB of a sparse file, if int has 64 bits.
func TestLargeFile(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Log("int has 32 bits, which is too small for such a file")
		return
	}
	path := tempPath(t)
	gib := 30
	n := 5 << gib // bytes
	f, err := SaveConfig{Sparse: true}.Create(path, dtype.Uint8, index.C, n)
	if err != nil {
		t.Fatal(err)
	}
	must(As[uint8](f.Array)).SetAt(7, n-1)
	f.Close()
	f = must(Open(path, mmap.ReadOnly))
	defer f.Close()
	v := must(As[uint8](f.Array))
	if v.At(n-1) != 7 || v.At(n-2) != 0 || v.Len(0) != n {
		t.Errorf("%d %d of %d", v.At(n-1), v.At(n-2), v.Len(0))
	}
}

// TestOneByteShort tests that Open refuses a file without its last byte.
func TestOneByteShort(t *testing.T) {
	path := tempPath(t)
	for _, descr := range []string{"<f8", "|S3", "[('x', '<i2'), ('y', '|u1')]"} {
		for _, shape := range [][]int{{1}, {2, 3}, {}} {
			os.Remove(path)
			f := must(Create(path, dtype.MustParse(descr), index.C, shape...))
			f.Close()
			content := must(os.ReadFile(path))
			if err := os.WriteFile(path, content[:len(content)-1], 0o666); err != nil {
				t.Fatal(err)
			}
			if f, err := Open(path, mmap.ReadOnly); err == nil {
				t.Errorf("%s %v opened without its last byte", descr, f.Shape())
			}
		}
	}
}

// TestHugeItem tests elements of more than 2^18 bytes, the size of NumPy's buffer.
func TestHugeItem(t *testing.T) {
	path := tempPath(t)
	f := must(Create(path, dtype.Bytes(1<<18+1), index.C, 3))
	text := must(Text(f.Array))
	long := strings.Repeat("x", 1<<18+1)
	if err := text.SetAt(long, 1); err != nil {
		t.Fatal(err)
	}
	f.Close()
	f = must(Open(path, mmap.ReadOnly))
	defer f.Close()
	text = must(Text(f.Array))
	if a, err := text.At(1); a != long || err != nil {
		t.Errorf("%d bytes, %v", len(a), err)
	}
	if a, err := text.At(2); a != "" || err != nil {
		t.Errorf("%d bytes, %v", len(a), err)
	}
}

// TestObjects tests that Open refuses arrays of Python objects, whose data is a pickle, with an error that says so.
func TestObjects(t *testing.T) {
	path := tempPath(t)
	for _, descr := range []string{"'|O'", "'O'", "[('x', '<i4'), ('y', '|O')]"} {
		head := "{'descr': " + descr + ", 'fortran_order': False, 'shape': (3,), }\n"
		b := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(head)))
		if err := os.WriteFile(path, append(append(b, head...), "\x80\x04cos\nsystem\n"...), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path, mmap.ReadOnly)
		if err == nil || !strings.Contains(err.Error(),
			"is a Python object: its data is a pickle, and unpickling runs code") {
			t.Errorf("%s: %v", descr, err)
		}
	}
}

// TestUnaligned opens, reads and edits files whose data starts at any offset, as in files of older writers, for every
// dtype in both byte orders.
func TestUnaligned(t *testing.T) {
	for _, offset := range []int{76, 78, 80, 98, 77} {
		for _, order := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} {
			for _, d := range numbers {
				editUnaligned(t, offset, d.WithByteOrder(order))
			}
		}
	}
}

func editUnaligned(t *testing.T, offset int, d dtype.DType) {
	t.Helper()
	const n = 5
	name := fmt.Sprintf("%v at byte %d", d, offset)
	head := fmt.Sprintf("{'descr': '%v', 'fortran_order': False, 'shape': (%d,)}", d, n)
	if len(head)+11 > offset { // the header does not fit
		return
	}
	head += strings.Repeat(" ", offset-11-len(head)) + "\n"
	b := append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(head))), head...)
	want := must(FromSlice([]int8{1, 0, 100, 7, 3}))
	data := must(FromBytes(make([]byte, n*d.ItemSize()), d, index.C, n))
	if err := Copy(data, want.Array()); err != nil {
		t.Fatal(name, err)
	}
	path := tempPath(t)
	if err := os.WriteFile(path, append(b, strided.Slice[byte](data.view.P, n*d.ItemSize())...), 0o666); err != nil {
		t.Fatal(name, err)
	}
	f := must(Open(path, mmap.ReadWrite))
	if f.DataOffset() != int64(offset) {
		t.Errorf("%s: data at %d", name, f.DataOffset())
	}
	for k := range n {
		x := float64(want.At(k))
		if d.Kind() == dtype.KindBool {
			x = min(x, 1)
		}
		if got := floatAt(f.Array, []int{k}); got != x {
			t.Errorf("%s: element %d is %v, want %v", name, k, got, x)
		}
	}
	// Reverse the elements in place.
	back := must(f.Select(index.Reverse()))
	if err := Copy(f.Array, must(back.Clone(index.C))); err != nil {
		t.Fatal(name, err)
	}
	f.Close()
	got := must(os.ReadFile(path))[offset:]
	for k := range n {
		s := d.ItemSize()
		if !bytes.Equal(got[k*s:k*s+s], strided.Slice[byte](offsetOf(data, n-1-k), s)) {
			t.Errorf("%s: element %d after the edit: %s", name, k, cmp.Diff(strided.Slice[byte](offsetOf(data, n-1-k), s),
				got[k*s:k*s+s]))
		}
	}
}

func offsetOf(a Array, k int) pointer { return a.Index(k).view.P }

// TestUnalignedRecords tests that records at odd offsets can be read and written, but not accessed in place.
func TestUnalignedRecords(t *testing.T) {
	d := must(dtype.Of[paddedPair]())
	for _, order := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} {
		a := must(FromBytes(make([]byte, 1+3*8)[1:], d.WithByteOrder(order), index.C, 3))
		v := must(As[paddedPair](a))
		for k := range 3 {
			v.SetAt(paddedPair{A: uint8(k), B: -int32(k)}, k)
		}
		for k := range 3 {
			if got := v.At(k); got != (paddedPair{A: uint8(k), B: -int32(k)}) {
				t.Errorf("%v: %v", order, got)
			}
		}
		if b := must(As[int32](must(a.Field("b")))); b.At(2) != -2 {
			t.Errorf("%v: field b is %v", order, b.At(2))
		}
		if _, err := v.Data(); err == nil {
			t.Error("Data of unaligned records succeeds")
		}
	}
}
