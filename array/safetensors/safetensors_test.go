package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func temp(t testing.TB) string { return filepath.Join(t.TempDir(), "t.safetensors") }

// written lists the dtypes of the format, little-endian.
var written = []dtype.DType{dtype.Bool, dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16, dtype.Int32, dtype.Uint32,
	dtype.Int64,
	dtype.Uint64, dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64, dtype.Complex64, dtype.Float8E4M3FN,
	dtype.Float8E5M2}

// randomArray draws an array of one of these dtypes, in either byte order and in many layouts. It returns the array and
// the bytes of its elements in a file.
func randomArray(r *rand.Rand) (array.Array, []byte) {
	d := written[r.IntN(len(written))]
	shape := make([]int, r.IntN(4))
	n := d.ItemSize()
	for k := range shape {
		shape[k] = r.IntN(6)
		n *= shape[k]
	}
	b := make([]byte, n)
	for i := range b {
		if b[i] = byte(r.Uint32()); d == dtype.Bool {
			b[i] &= 1
		}
	}
	c := must(array.FromBytes(b, d.WithByteOrder(dtype.LittleEndian), index.C, shape...))
	a := must(array.New(d.WithByteOrder([]dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian}[r.IntN(2)]),
		[]index.Order{index.C, index.F}[r.IntN(2)], shape...)).Array
	if len(shape) > 0 && r.IntN(3) == 0 { // with a stride, or backwards
		wide := slices.Clone(shape)
		wide[0] *= 2
		a = must(must(array.New(a.DType(), index.C, wide...)).Select(index.Every([]int{2, -2}[r.IntN(2)])))
	}
	must(0, array.Copy(a, c))
	return a, b
}

// randomFile draws arrays with unusual names, the bytes of their elements in a file, and metadata.
func randomFile(r *rand.Rand) (arrays map[string]array.Array, bytes map[string][]byte, metadata map[string]string) {
	text := func() string {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteRune([]rune("ab.\"\\/\n\x7f\u00e9\u20ac\U0001F600 {}[]")[r.IntN(16)])
		}
		return b.String()
	}
	arrays, bytes = map[string]array.Array{}, map[string][]byte{}
	for range r.IntN(8) {
		name := text()
		arrays[name], bytes[name] = randomArray(r)
	}
	if r.IntN(2) == 0 {
		metadata = map[string]string{text(): text(), "format": "pt"}
	}
	return arrays, bytes, metadata
}

// elements returns the bytes of the elements of a in a file.
func elements(t testing.TB, a array.Array) []byte {
	t.Helper()
	if a.NBytes() == 0 {
		return []byte{}
	}
	b := make([]byte, a.NBytes())
	c := must(array.FromBytes(b, a.DType().WithByteOrder(dtype.LittleEndian), index.C, a.Shape()...))
	check(t, array.Copy(c, a))
	return b
}

// checkContent fails the test unless f has the given tensors and metadata. want maps the names to the bytes of the
// elements.
func checkContent(t *testing.T, f *File, arrays map[string]array.Array, want map[string][]byte,
	metadata map[string]string) {
	t.Helper()
	if diff := cmp.Diff(metadata, f.Metadata()); diff != "" {
		t.Fatal(diff)
	}
	if len(f.Names()) != len(arrays) {
		t.Fatalf("%q, want %d", f.Names(), len(arrays))
	}
	for _, name := range f.Names() {
		a, err := f.Array(name)
		check(t, err)
		described, err := f.Tensor(name)
		check(t, err)
		like := arrays[name]
		d := like.DType().WithByteOrder(dtype.LittleEndian)
		if a.DType() != d || described.DType != d || !slices.Equal(a.Shape(), like.Shape()) || !slices.Equal(described.Shape,
			like.Shape()) || described.Name != name {
			t.Fatalf("%q is %v of %v, and Tensor returns %v; want %v of %v", name, a.Shape(), a.DType(), described, like.Shape(),
				d)
		}
		if got := elements(t, a); !bytes.Equal(got, want[name]) {
			t.Fatalf("%q, %v of %v: %x, want %x", name, a.Shape(), d, got, want[name])
		}
	}
}

// Every function that opens files returns the tensors that Save, Writer or Create wrote.
func TestSave(t *testing.T) {
	r := oracle.Rand(t, 0)
	path := temp(t)
	for range oracle.Cases(t, 100) {
		arrays, want, metadata := randomFile(r)
		check(t, SaveConfig{Replace: true, NoSync: r.IntN(4) > 0}.Save(path, arrays, metadata))
		b := must(os.ReadFile(path))
		f := must(Open(path, mmap.ReadOnly))
		checkContent(t, f, arrays, want, metadata)
		for _, name := range f.Names() {
			if a := must(f.Array(name)); must(f.Tensor(name)).Offset%int64(a.ItemSize()) != 0 {
				t.Fatalf("%q, of %v, is at byte %d", name, a.DType(), must(f.Tensor(name)).Offset)
			}
		}
		check(t, f.Close())
		f = must(OpenBytes(b))
		checkContent(t, f, arrays, want, metadata)
		check(t, f.Close())
		f = must(NewReader(bytes.NewReader(b), int64(len(b))))
		checkContent(t, f, arrays, want, metadata)

		var list []Tensor
		for _, name := range f.Names() {
			list = append(list, must(f.Tensor(name)))
		}
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		check(t, f.Close())
		var out bytes.Buffer
		w := must(NewWriter(&out, list, metadata))
		for _, x := range list {
			check(t, w.Write(arrays[x.Name]))
		}
		check(t, w.Close())
		checkContent(t, must(OpenBytes(out.Bytes())), arrays, want, metadata)

		f = must(SaveConfig{Replace: true, NoSync: r.IntN(4) > 0}.Create(path, list, metadata))
		for name, a := range arrays {
			check(t, array.Copy(must(f.Array(name)), a))
		}
		checkContent(t, f, arrays, want, metadata)
		check(t, f.Close())
		f = must(Open(path, mmap.ReadOnly))
		checkContent(t, f, arrays, want, metadata)
		check(t, f.Close())
	}
}

// Large arrays are saved correctly from any memory layout, with and without a buffer. Progress counts their bytes.
func TestSaveLarge(t *testing.T) {
	const n = 1500
	c := must(array.New(dtype.Float32, index.C, n, n))
	defer c.Close()
	v := must(array.As[float32](c.Array))
	i := float32(0)
	for block := range v.Update(index.C) {
		for k := range block {
			block[k] = i
			i++
		}
	}
	f := must(array.New(dtype.Float32, index.F, n, n))
	defer f.Close()
	check(t, array.Copy(f.Array, c.Array))
	big := must(array.New(dtype.Float32.WithByteOrder(dtype.BigEndian), index.C, n, n))
	defer big.Close()
	check(t, array.Copy(big.Array, c.Array))
	path := temp(t)
	calls, last := 0, int64(-1)
	cfg := SaveConfig{Replace: true, Progress: func(done, total int64) error {
		calls++
		if done <= last || total != 4*4*n*n {
			t.Errorf("done %d of %d after %d", done, total, last)
		}
		last = done
		return nil
	}}
	check(t, cfg.Save(path, map[string]array.Array{"c": c.Array, "f": f.Array, "big": big.Array, "t": c.T().T()}, nil))
	if calls < 30 || last != 4*4*n*n {
		t.Errorf("%d calls of Progress, the last with done %d; want at least 30, and the size of all tensors", calls, last)
	}
	s := must(Open(path, mmap.ReadOnly))
	defer s.Close()
	want := elements(t, c.Array)
	for _, name := range s.Names() {
		if !bytes.Equal(elements(t, must(s.Array(name))), want) {
			t.Errorf("the elements of %s differ from the source", name)
		}
	}
	// After an error of Progress the old file is unchanged.
	before := must(os.ReadFile(path))
	stop := errors.New("stop")
	cfg.Progress = func(done, total int64) error {
		if done > 5<<20 {
			return stop
		}
		return nil
	}
	if err := cfg.Save(path, map[string]array.Array{"c": c.Array}, nil); !errors.Is(err, stop) {
		t.Error(err)
	}
	if !bytes.Equal(before, must(os.ReadFile(path))) || len(must(os.ReadDir(filepath.Dir(path)))) != 1 {
		t.Error("the file has changed, or a temporary file is left")
	}
}

// TestModes tests that the mode of Open determines whether arrays are writable, and whether writes reach the file.
func TestModes(t *testing.T) {
	path := temp(t)
	check(t, Save(path, map[string]array.Array{"w": must(array.FromSlice([]dtype.BF16{0x3F80, 0x4000})).Array()}, nil))
	for mode, want := range map[mmap.Mode]dtype.BF16{mmap.ReadOnly: 0x3F80, mmap.CopyOnWrite: 0x3F80,
		mmap.ReadWrite: 0x4040} {
		f := must(Open(path, mode))
		v := must(array.As[dtype.BF16](must(f.Array("w"))))
		func() {
			defer func() {
				if err := recover(); (err != nil) != (mode == mmap.ReadOnly) {
					t.Errorf("%v: %v", mode, err)
				}
			}()
			v.SetAt(0x4040, 0)
		}()
		check(t, f.Sync())
		check(t, f.Close())
		if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("the second Close: %v", err)
		}
		if _, err := f.Array("w"); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Array after Close: %v", err)
		}
		f = must(Open(path, mmap.ReadOnly))
		if got := must(array.Cast[float32](must(f.Array("w")))).At(0); got != want.Float32() {
			t.Errorf("%v: %v, want %v", mode, got, want.Float32())
		}
		check(t, f.Close())
		if mode == mmap.ReadWrite {
			f := must(Open(path, mode))
			must(array.As[dtype.BF16](must(f.Array("w")))).SetAt(0x3F80, 0)
			check(t, f.Close())
		}
	}
}

func TestErrors(t *testing.T) {
	path := temp(t)
	x := must(array.FromSlice([]float32{1, 2})).Array()
	check(t, Save(path, map[string]array.Array{"x": x}, nil))
	f := must(Open(path, mmap.ReadOnly))
	defer f.Close()
	_, err := f.Array("y")
	_, err2 := f.Tensor("y")
	for _, err := range []error{err, err2} {
		if want := path + `: no such tensor: "y": file does not exist`; fmt.Sprint(err) != want || !errors.Is(err,
			fs.ErrNotExist) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if _, err := Create(path, nil, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create of an existing file: %v, want fs.ErrExist", err)
	}
	other := filepath.Join(t.TempDir(), "new.safetensors")
	times := must(array.New(dtype.MustParse("<M8[s]"), index.C, 1)).Array
	for _, tt := range []struct {
		err  error
		want string
	}{
		{second(Create(other, []Tensor{{Name: "t", DType: times.DType(), Shape: []int{1}}}, nil)),
			`create NEW: invalid argument: tensor "t": the format has no dtype <M8[s]`},
		{second(Create(other, []Tensor{{Name: "t", DType: dtype.Int8, Shape: []int{-1}}}, nil)),
			`create NEW: invalid argument: tensor "t": a length of shape [-1] is negative`},
		{second(Create(other, []Tensor{{Name: "__metadata__", DType: dtype.Int8}}, nil)),
			`create NEW: invalid argument: invalid tensor name "__metadata__": reserved for the metadata`},
		{Save(other, map[string]array.Array{"t": times}, nil),
			`create NEW: invalid argument: tensor "t": the format has no dtype <M8[s]`},
	} {
		if got := strings.ReplaceAll(fmt.Sprint(tt.err), other, "NEW"); got != tt.want || !errors.Is(tt.err, fs.ErrInvalid) {
			t.Errorf("got  %v\nwant %s", got, tt.want)
		}
	}
	if files := must(os.ReadDir(filepath.Dir(other))); len(files) > 0 {
		t.Errorf("after errors the folder has %v, want no files", files)
	}
	// A Writer accepts the tensors that were passed to NewWriter, in that order. It writes nothing of a tensor that it
	// rejects.
	var out bytes.Buffer
	w := must(NewWriter(&out, []Tensor{{Name: "a", DType: dtype.Float32, Shape: []int{2}}, {Name: "b", DType: dtype.Int8,
		Shape: nil}}, nil))
	n := out.Len()
	_, isDType := errors.AsType[*array.DTypeError](w.Write(must(array.FromSlice([]float64{1, 2})).Array()))
	if err := w.Write(must(array.FromSlice([]float32{1})).Array()); !isDType || !errors.Is(err, array.ErrShape) ||
		out.Len() != n {
		t.Errorf("%v, %v; %d bytes", isDType, err, out.Len()-n)
	}
	check(t, w.Write(x))
	if err := w.Close(); fmt.Sprint(err) != `safetensors: Close: tensor "b" was not written: invalid argument` {
		t.Error(err)
	}
	check(t, w.Write(must(array.FromSlice([]int8{1})).Array().Index(0)))
	check(t, w.Close())
	if err := w.Write(x); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
	// After an error of the stream, Write and Close return that error.
	w = must(NewWriter(&limitedWriter{n: n + 3}, []Tensor{{Name: "a", DType: dtype.Float32, Shape: []int{2}}, {Name: "b",
		DType: dtype.Int8}}, nil))
	if err := w.Write(x); err != io.ErrShortWrite || w.Close() != err || w.Write(x) != err {
		t.Error(err)
	}
}

// A limitedWriter is a writer that fails after n bytes.
type limitedWriter struct{ n int }

func (l *limitedWriter) Write(b []byte) (int, error) {
	if l.n -= len(b); l.n < 0 {
		return 0, io.ErrShortWrite
	}
	return len(b), nil
}

func second[T any](_ T, err error) error { return err }

// fileBytes returns a file with the given header and n bytes of data.
func fileBytes(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, n)...)
}

// TestHostile opens malformed files with every function that opens files. The tests of internal/tensors test malformed
// headers.
func TestHostile(t *testing.T) {
	const x = `{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}`
	for _, tt := range []struct {
		name string
		b    []byte
		want string
	}{
		{"nothing", nil,
			"an empty file, not a .safetensors file; the program that should have written it did not; write it again"},
		{"cut in the length", fileBytes(x, 0)[:5], "header at byte 5: the file ends inside the length of the header"},
		{"cut in the header", fileBytes(x, 0)[:20],
			"header at byte 0: the header length is 54 bytes, but the file has only 12 bytes after the length"},
		{"cut in the data", fileBytes(x, 7),
			`header at byte 9: the data of tensor "x" ends at byte 8, and the file has 7 bytes of data: it was truncated, or never written to its end`},
		{"more", fileBytes(x, 9), "header at byte 70: 1 bytes follow the data of the last tensor"},
		{"all bits", bytes.Repeat([]byte{0xFF}, 100),
			"header at byte 0: the header length is 18446744073709551615 bytes, more than the limit of 100000000"},
		{"zeros", make([]byte, 100), "header at byte 0: the header length is 0 bytes; a JSON object has at least 2"},
		{"a .npy file", []byte("\x93NUMPY\x01\x00v\x00{'descr'"), "a .npy file, not a .safetensors file; use array.Open"},
		{"an archive", []byte("PK\x03\x04\x14\x00\x00\x00"),
			"a zip archive (.npz, or a model of PyTorch), not a .safetensors file; use npz.Open"},
		{"a Git LFS pointer", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:"),
			"a Git LFS pointer, not a .safetensors file; git lfs pull gets the file"},
		{"no object", fileBytes("[]", 0), `header at byte 8: the header is not a JSON object: it starts with "[]"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := temp(t)
			check(t, os.WriteFile(path, tt.b, 0o666))
			for name, err := range map[string]error{
				path:      second(Open(path, mmap.ReadOnly)),
				"stream":  second(OpenBytes(tt.b)),
				"stream ": second(NewReader(bytes.NewReader(tt.b), int64(len(tt.b)))),
			} {
				e, ok := errors.AsType[*array.FormatError](err)
				if want := strings.TrimSpace(name) + ": " + tt.want; !ok || fmt.Sprint(err) != want || e.Path != "" &&
					e.Path != path {
					t.Errorf("%s:\ngot  %v\nwant %s", tt.name, err, want)
				}
			}
		})
	}
	// The reader ends before the size.
	b := fileBytes(x, 8)
	if err := second(NewReader(bytes.NewReader(b[:30]), 70)); !errors.Is(err, io.ErrUnexpectedEOF) ||
		!errors.Is(err, array.ErrFormat) {
		t.Error(err)
	}
	f := must(NewReader(bytes.NewReader(b[:66]), 70))
	want := `safetensors: tensor "x": stream: data at byte 66: the stream ends after 4 of 8 bytes: unexpected EOF`
	if _, err := f.Array("x"); fmt.Sprint(err) != want || !errors.Is(err, array.ErrFormat) {
		t.Error(err)
	}
	// Memory for a tensor grows with the bytes that arrive, not with the size that the header claims.
	if strconv.IntSize == 64 {
		huge := fmt.Sprintf(`{"x":{"dtype":"U8","shape":[%d],"data_offsets":[0,%[1]d]}}`, int64(1)<<40)
		f = must(NewReader(bytes.NewReader(fileBytes(huge, 9)), int64(len(fileBytes(huge, 0)))+1<<40))
		want := fmt.Sprintf(`safetensors: tensor "x": stream: data at byte %d: the stream ends after 9 of 1099511627776 bytes: `+
			"unexpected EOF", len(fileBytes(huge, 9)))
		if _, err := f.Array("x"); fmt.Sprint(err) != want {
			t.Error(err)
		}
	}
	// Array refuses F4, whose elements are not whole bytes, and returns F8_E8M0 as bytes.
	f = must(OpenBytes(fileBytes(`{"x":{"dtype":"F4","shape":[2],"data_offsets":[0,1]},"y":{"dtype":"F8_E8M0","shape":[2],"data_offsets":[1,3]}}`, 3)))
	if _,
		err := f.Array("x"); fmt.Sprint(err) != `safetensors: tensor "x": elements of dtype F4 are not whole bytes: unsupported operation` {
		t.Error(err)
	}
	if a, err := f.Array("y"); err != nil || a.DType() != dtype.Void(1) {
		t.Error(a, err)
	}
}

// If another process truncates the file, reading its elements is a page fault, which mmap.Guard returns as an error.
func TestTruncated(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	path := temp(t)
	check(t, Save(path, map[string]array.Array{"x": must(array.New(dtype.Float64, index.C, 10_000)).Array}, nil))
	f := must(Open(path, mmap.ReadWrite))
	defer f.Close()
	x := must(array.As[float64](must(f.Array("x"))))
	if err := os.Truncate(path, 100); err != nil {
		t.Skip(err) // Windows
	}
	err := mmap.Guard(func() error {
		array.Sum[float64](x)
		return nil
	})
	if !errors.Is(err, mmap.ErrUnavailable) {
		t.Error(err)
	}
}

// thousandTensors saves a file with 1,000 small tensors.
func thousandTensors(t testing.TB) string {
	arrays := map[string]array.Array{}
	for i := range 1000 {
		arrays[fmt.Sprintf("model.layers.%d.self_attn.q_proj.weight", i)] = must(array.FromSlice(make([]dtype.BF16, 6), 2,
			3)).Array()
	}
	path := temp(t)
	if err := Save(path, arrays, map[string]string{"format": "pt"}); err != nil {
		t.Fatal(err)
	}
	return path
}

// Open makes few allocations for each tensor, among them its name, its shape and its layout.
func TestOpenAllocs(t *testing.T) {
	oracle.CountsAllocations(t)
	path := thousandTensors(t)
	n := testing.AllocsPerRun(5, func() { must(Open(path, mmap.ReadOnly)).Close() })
	t.Logf("%v allocations", n)
	if n > 20_000 {
		t.Errorf("Open of 1,000 tensors allocates %v times", n)
	}
}

func BenchmarkOpen(b *testing.B) {
	path := thousandTensors(b)
	for b.Loop() {
		must(Open(path, mmap.ReadOnly)).Close()
	}
}

// FuzzOpen opens a file of arbitrary bytes. OpenBytes must return an error, or a file whose tensors can be read to
// their end. Tensors that were read must be the same after they are written and read again.
func FuzzOpen(f *testing.F) {
	r := oracle.Rand(f, 3)
	for range 10 {
		f.Add(randomBytes(f, r))
	}
	f.Fuzz(fuzzOpen)
}

func randomBytes(t testing.TB, r *rand.Rand) []byte {
	arrays, _, metadata := randomFile(r)
	path := temp(t)
	check(t, SaveConfig{NoSync: true}.Save(path, arrays, metadata))
	return must(os.ReadFile(path))
}

func fuzzOpen(t *testing.T, b []byte) {
	f, err := OpenBytes(b)
	if _, ok := errors.AsType[*array.FormatError](err); err != nil && !ok {
		t.Fatalf("the error is a %T: %v", err, err)
	}
	if err != nil {
		return
	}
	var list []Tensor
	arrays, want := map[string]array.Array{}, map[string][]byte{}
	for _, name := range f.Names() {
		a, err := f.Array(name)
		if err != nil {
			if errors.Is(err, errors.ErrUnsupported) {
				return
			}
			t.Fatal(err)
		}
		if a.DType().Kind() == dtype.KindVoid {
			return
		}
		if a.Size() > len(b) { // its elements have no bytes
			return
		}
		list = append(list, must(f.Tensor(name)))
		arrays[name], want[name] = a, elements(t, a)
		_ = fmt.Sprint(a)
	}
	var out bytes.Buffer
	w, err := NewWriter(&out, list, f.Metadata())
	check(t, err)
	for _, x := range list {
		check(t, w.Write(arrays[x.Name]))
	}
	check(t, w.Close())
	checkContent(t, must(OpenBytes(out.Bytes())), arrays, want, f.Metadata())
}
