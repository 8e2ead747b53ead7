package array

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// FuzzOpen tests that for any contents of a file, Open returns a *FormatError that names the file, or an array that can
// be read to its end and saved again.
func FuzzOpen(f *testing.F) {
	for _, file := range slices.Concat(oracle.Variants(), oracle.Golden()) {
		if file.Elements() > 6 { // longer files differ only in length
			continue
		}
		b, err := os.ReadFile(file.Path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	for _, head := range []string{
		`{'descr': [('x', '<i2'), ('y', '>f4', (2,)), ('z', [('s', 'S3'), ('u', '<U2')])], 'fortran_order': True, 'shape': (2, 1)}`,
		`{'descr': [(('title', 'name'), '<M8[us]'), ('', '|V3'), ('b', '|b1')], 'fortran_order': False, 'shape': ()}`,
		`{'descr': '|V0', 'fortran_order': False, 'shape': (3, 2)}`,
		`{'descr': '<U1', 'fortran_order': False, 'shape': (3,)}`,
		`{'descr': '>m8[25ns]', 'fortran_order': False, 'shape': (0, 9)}`,
		`{'descr': '<f16', 'fortran_order': False, 'shape': (1,)}`,
		`{'descr': '|O', 'fortran_order': False, 'shape': (1,)}`,
		`{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 0)}`,
		`{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 10L)}`,
		`{'descr': '<f1', 'fortran_order': False, 'shape': (0, 10)}`,
		`{'descr': [('a', '<f1'), ('b', '>i2')], 'fortran_order': False, 'shape': (2,)}`,
	} {
		f.Add(append([]byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(head)), 0})+head), make([]byte, 99)...))
	}
	dir := f.TempDir()
	path, copied := filepath.Join(dir, "a.npy"), filepath.Join(dir, "b.npy")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := Open(path, mmap.ReadOnly)
		stream, streamErr := Read(bytes.NewReader(b))
		if (err == nil) != (streamErr == nil) {
			t.Fatalf("Open: %v; Read: %v", err, streamErr)
		}
		inMemory, bytesErr := OpenBytes(b, mmap.ReadOnly)
		if (err == nil) != (bytesErr == nil) {
			t.Fatalf("Open: %v; OpenBytes: %v", err, bytesErr)
		}
		var parts bytes.Buffer
		if err := readParts(&parts, b); (err == nil) != (streamErr == nil) {
			t.Fatalf("in parts: %v; Read: %v", err, streamErr)
		}
		if err != nil {
			var format *FormatError
			switch {
			case !errors.As(err, &format) || format.Path != path || !strings.HasPrefix(err.Error(), path+": "):
				t.Fatalf("%v is not a *FormatError with the path", err)
			case format.Offset < 0 || format.Offset > int64(len(b)):
				t.Fatalf("%v: the offset is outside the file", err)
			case strings.ContainsAny(err.Error(), "\n\r\x00"):
				t.Fatalf("%q is not one line", err)
			case !errors.As(streamErr, &format) || format.Path != "":
				t.Fatalf("Read: %v is not a *FormatError of a stream", streamErr)
			}
			return
		}
		defer file.Close()
		if file.DataOffset()+int64(file.NBytes()) > int64(len(b)) {
			t.Fatalf("data from byte %d, %d bytes, of a file of %d", file.DataOffset(), file.NBytes(), len(b))
		}
		if file.Size() > 1<<12 {
			return
		}
		if err := mmap.Guard(func() error { return walkAll(file.Array, 0) }); err != nil {
			t.Fatal(err)
		}
		if err := sameBytes(file.Array, stream); err != nil {
			t.Fatalf("Read: %v", err)
		}
		if err := sameBytes(file.Array, inMemory); err != nil {
			t.Fatalf("OpenBytes: %v", err)
		}
		stored := must(file.Reinterpret(must(dtype.Parse(must(file.DType().Descr()))))) // bfloat16 and 8-bit floats become bytes
		if again, err := Read(&parts); file.NBytes() < 1<<20 && (err != nil || sameBytes(stored, again) != nil) {
			t.Fatalf("in parts: %v, %v", again, err)
		}
		if err := Save(copied, file.Array); err != nil {
			t.Fatal(err)
		}
		again, err := Open(copied, mmap.ReadOnly)
		if err != nil {
			t.Fatalf("Open of the saved file: %v", err)
		}
		defer again.Close()
		if err := sameBytes(stored, again.Array); err != nil {
			t.Fatalf("Save: %v", err)
		}
	})
}

// readParts reads a stream a few rows at a time and writes them to w. It skips streams with many rows.
func readParts(w *bytes.Buffer, b []byte) error {
	in, err := NewReader(iotest.HalfReader(bytes.NewReader(b)))
	if err != nil {
		return err
	}
	shape := in.Shape()
	out, err := NewWriter(w, in.DType(), in.Order(), shape...)
	if err != nil {
		return err
	}
	many := len(shape) > 0 && shape[streamAxis(in.Order(), shape)] > 1<<12
	if len(shape) > 0 {
		axis := streamAxis(in.Order(), shape)
		shape[axis] = min(shape[axis], 3)
	}
	if many || slowSize(shape) > 1<<12 || slowSize(shape)*in.DType().ItemSize() > 1<<20 {
		if err := in.Skip(math.MaxInt); err != io.EOF {
			return err
		}
		return nil
	}
	part, err := FromBytes(make([]byte, slowSize(shape)*in.DType().ItemSize()), in.DType(), index.F, shape...)
	if err != nil {
		return err
	}
	for {
		n, err := in.Read(part)
		switch {
		case err == io.EOF:
			return nil
		case err == nil && n == 0:
			return fmt.Errorf("no rows and no error")
		case err == nil:
			err = out.Write(selectRange(part, streamAxis(in.Order(), shape), 0, n))
		}
		if err != nil {
			return err
		}
	}
}

// walkAll reads every element of a, and of its fields, in every way that its dtype allows. It leaves panics to the
// fuzzer.
func walkAll(a Array, depth int) error {
	if depth > 4 {
		return nil
	}
	n, err := 0, error(nil)
	count := func(c untypedView, e error) {
		if err = e; err == nil {
			for range c.values() {
				n++
			}
			for idx := range c.all(index.F) {
				c.at(idx)
			}
		}
	}
	switch d := a.DType(); d.Kind() {
	case dtype.KindBytes, dtype.KindUnicode:
		text, e := Text(a)
		if e != nil {
			return e
		}
		for range text.Values() { // err reports invalid text
			n++
		}
	case dtype.KindStructured:
		for k := range d.NumField() {
			f := d.FieldAt(k)
			part, err := a.Field(f.Name)
			if err != nil {
				return fmt.Errorf("field %q: %w", f.Name, err)
			}
			if part.Size() < 1<<12 {
				if err := walkAll(part, depth+1); err != nil {
					return err
				}
			}
		}
		n = a.Size()
	case dtype.KindVoid:
		n = a.Size()
	default:
		n = a.Size()
		for _, t := range chainTypes {
			if dtype.MustParse(t.descr).WithByteOrder(d.ByteOrder()).Equal(d) {
				n = 0
				count(t.on(a))
			}
		}
		if d.Kind() == dtype.KindDatetime || d.Kind() == dtype.KindTimedelta {
			n = 0
			count(chainOn[int64](a))
		}
	}
	if err == nil && n != a.Size() {
		err = fmt.Errorf("%v: %d elements of %d", a.DType(), n, a.Size())
	}
	if err != nil {
		return err
	}
	_, err = a.Clone(index.F)
	return err
}

// A script is a chooser that takes its choices from its bytes until they are used up.
type script []byte

func (s *script) IntN(n int) int {
	if len(*s) == 0 {
		return n - 1 // ends loops that continue when IntN returns 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int(b) % n
}

// FuzzViews tests that after any operations, every byte of every view lies in the memory of its array. In most runs, a
// page that faults lies directly before or after this memory.
func FuzzViews(f *testing.F) {
	for k := range 64 {
		f.Add(randomMemory(uint64(k), 10+4*k))
	}
	page := guardedPage(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		copy(page, randomMemory(uint64(len(b)), len(page)))
		r := script(b)
		start := randomBase(&r)
		mem := page
		size := slowSize(start.shape) * dtype.MustParse(start.descr).ItemSize()
		switch r.IntN(3) {
		case 0:
			mem, start.off = page[:size:size], 0
		case 1:
			mem, start.off = page[len(page)-size:], 0
		}
		v, s := start.onMemory(mem)
		steps := []string{start.String()}
		for {
			if err := checkAccess(v, s, mem); err != nil {
				t.Fatalf("%v\n%s", err, strings.Join(steps, "\n"))
			}
			if len(r) == 0 || len(steps) > 12 {
				return
			}
			o := randomOp(&r, s.shape)
			steps = append(steps, o.String())
			w, err := v.apply(o)
			want, ok := s.apply(o)
			if (err == nil) != ok {
				t.Fatalf("error %v, want %v\n%s", err, !ok, strings.Join(steps, "\n"))
			}
			if ok {
				v, s = w, want
			}
		}
	})
}

// checkAccess reads and writes every element of v in every way.
func checkAccess(v untypedView, s slowView, mem []byte) error {
	if err := checkAgrees(v, s, mem, false); err != nil {
		return err
	}
	c := v.viewCore()
	lo, hi := c.Layout.Bounds(c.ItemSize())
	if at := c.Offset(); hi > lo && (at+lo < 0 || at+hi > len(mem)) {
		return fmt.Errorf("bytes %d to %d of %d bytes of memory", at+lo, at+hi, len(mem))
	}
	return copyAll(v)
}

// copyAll copies the elements of v to other memory and back, by every function that copies.
func copyAll(v untypedView) error {
	a := v.array()
	clone, err := a.Clone(index.F)
	if err != nil {
		return err
	}
	if err := sameBytes(a, clone); err != nil {
		return fmt.Errorf("Clone: %w", err)
	}
	if !a.ReadOnly() {
		if err := Copy(a, clone); err != nil {
			return err
		}
		if err := sameBytes(clone, a); err != nil {
			return fmt.Errorf("Copy: %w", err)
		}
	}
	if err := v.accessEveryWay(); err != nil {
		return err
	}
	for _, descr := range []string{"|V1", ">u2", "<f4", "|S5", "<c16"} {
		if w, err := a.Reinterpret(dtype.MustParse(descr)); err == nil {
			if err := Write(io.Discard, w); err != nil {
				return err
			}
			if !w.ReadOnly() {
				if err := Copy(w, must(w.Clone(index.C))); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
