package peer

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/nlpodyssey/safetensors"

	"github.com/ndmap/ndmap/array"
	ours "github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// types maps the dtypes that the peer supports to dtypes of package dtype. It has no 8-bit floats and no complex
// numbers.
var types = map[safetensors.DType]dtype.DType{
	safetensors.BOOL: dtype.Bool, safetensors.U8: dtype.Uint8, safetensors.I8: dtype.Int8,
	safetensors.U16: dtype.Uint16, safetensors.I16: dtype.Int16, safetensors.F16: dtype.Float16,
	safetensors.BF16: dtype.BFloat16,
	safetensors.U32:  dtype.Uint32, safetensors.I32: dtype.Int32, safetensors.F32: dtype.Float32,
	safetensors.U64: dtype.Uint64, safetensors.I64: dtype.Int64, safetensors.F64: dtype.Float64,
}

// A tensor is a tensor in a file.
type tensor struct {
	d     dtype.DType
	shape []int
	data  []byte
}

// A view is a tensor with the interface that the peer requires for writing. The peer's own type does not support
// tensors without axes.
type view struct{ tensor }

func (v view) DType() safetensors.DType {
	for code, d := range types {
		if d.WithByteOrder(dtype.LittleEndian) == v.d {
			return code
		}
	}
	panic("no such dtype")
}

func (v view) Shape() []uint64 {
	shape := make([]uint64, len(v.shape))
	for k, n := range v.shape {
		shape[k] = uint64(n)
	}
	return shape
}

func (v view) Data() []byte    { return v.data }
func (v view) DataLen() uint64 { return uint64(len(v.data)) }

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(6) {
		b.WriteRune([]rune("ab.\"\\/\n\x7f\u00e9\u20ac\U0001F600 {}[]<&")[r.IntN(18)])
	}
	return b.String()
}

func randomFile(r *rand.Rand) (file map[string]tensor, metadata map[string]string) {
	file = map[string]tensor{}
	all := slices.SortedFunc(maps.Keys(types), func(a, b safetensors.DType) int { return int(a) - int(b) })
	for range r.IntN(7) {
		t := tensor{d: types[all[r.IntN(len(all))]].WithByteOrder(dtype.LittleEndian), shape: make([]int, r.IntN(4))}
		n := t.d.ItemSize()
		for k := range t.shape {
			t.shape[k] = r.IntN(5)
			n *= t.shape[k]
		}
		t.data = make([]byte, n)
		for i := range t.data {
			if t.data[i] = byte(r.Uint32()); t.d == dtype.Bool {
				t.data[i] &= 1
			}
		}
		file[randomText(r)] = t
	}
	if r.IntN(2) == 0 {
		metadata = map[string]string{"format": "pt", randomText(r): randomText(r)}
	}
	return file, metadata
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write returns the bytes of a file that array/safetensors writes.
func write(t *testing.T, file map[string]tensor, metadata map[string]string) []byte {
	arrays := map[string]array.Array{}
	for name, x := range file {
		a, err := array.FromBytes(x.data, x.d, index.C, x.shape...)
		check(t, err)
		arrays[name] = a
	}
	path := filepath.Join(t.TempDir(), "t.safetensors")
	check(t, ours.SaveConfig{NoSync: true}.Save(path, arrays, metadata))
	b, err := os.ReadFile(path)
	check(t, err)
	return b
}

// content returns the tensors that array/safetensors reads.
func content(t *testing.T, f *ours.File) map[string]tensor {
	t.Helper()
	file := map[string]tensor{}
	for _, name := range f.Names() {
		a, err := f.Array(name)
		check(t, err)
		x := tensor{a.DType(), a.Shape(), make([]byte, a.NBytes())}
		c, err := array.FromBytes(x.data, x.d, index.C, x.shape...)
		check(t, err)
		check(t, array.Copy(c, a))
		file[name] = x
	}
	return file
}

// peerContent returns the tensors that the peer reads.
func peerContent(s safetensors.SafeTensors) map[string]tensor {
	file := map[string]tensor{}
	for _, x := range s.Tensors() {
		shape := make([]int, len(x.TensorView.Shape()))
		for k, n := range x.TensorView.Shape() {
			shape[k] = int(n)
		}
		file[x.Name] = tensor{types[x.TensorView.DType()].WithByteOrder(dtype.LittleEndian), shape, x.TensorView.Data()}
	}
	return file
}

// difference returns a description of a difference between two files, or "".
func difference(got, want map[string]tensor) string {
	if len(got) != len(want) {
		return fmt.Sprintf("%d tensors, want %d", len(got), len(want))
	}
	for name, w := range want {
		g, ok := got[name]
		if !ok || g.d != w.d || !slices.Equal(g.shape, w.shape) || !bytes.Equal(g.data, w.data) {
			return fmt.Sprintf("%q is %v, want %v", name, g, w)
		}
	}
	return ""
}

// TestBothWays tests that array/safetensors and the peer read each other's files.
func TestBothWays(t *testing.T) {
	r := oracle.Rand(t, 0)
	for range oracle.Cases(t, 200) {
		file, metadata := randomFile(r)
		b := write(t, file, metadata)
		s, err := safetensors.Deserialize(b)
		if err != nil {
			t.Fatalf("%v: %q", err, b)
		}
		if diff := difference(peerContent(s), file); diff != "" {
			t.Fatalf("%s: %q", diff, b)
		}

		views := map[string]view{}
		for name, x := range file {
			views[name] = view{x}
		}
		b, err = safetensors.Serialize(views, metadata)
		check(t, err)
		path := filepath.Join(t.TempDir(), "t.safetensors")
		check(t, os.WriteFile(path, b, 0o666))
		f, err := ours.Open(path, mmap.ReadOnly)
		if err != nil {
			t.Fatalf("%v: %q", err, b)
		}
		if diff := difference(content(t, f), file); diff != "" || len(metadata) > 0 && !maps.Equal(f.Metadata(), metadata) {
			t.Fatalf("%s, %q: %q", diff, f.Metadata(), b)
		}
		check(t, f.Close())
	}
}

// TestMutated tests files with a few changed bytes. If array/safetensors accepts a file, the peer accepts it, too, and
// reads the same, except for dtypes that it does not support. Opening a file takes memory in proportion to its size.
func TestMutated(t *testing.T) {
	r := oracle.Rand(t, 1)
	accepted, stricter := 0, 0
	for range oracle.Cases(t, 100_000) / 100 {
		file, metadata := randomFile(r)
		good := write(t, file, metadata)
		for range 100 {
			b := mutate(r, good)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f, err := ours.OpenBytes(b)
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > uint64(40*len(b)+1<<16) {
				t.Fatalf("OpenBytes took %d bytes of memory for %d bytes: %q", used, len(b), b)
			}
			s, peerErr := deserialize(b)
			switch {
			case err != nil && peerErr == nil:
				stricter++
			case err == nil && peerErr != nil && !strings.Contains(peerErr.Error(), "dtype") &&
				!strings.Contains(peerErr.Error(), "DType"):
				t.Fatalf("the peer refuses the file: %v: %q", peerErr, b)
			case err == nil:
				accepted++
				got := content(t, f)
				if peerErr != nil {
					continue
				}
				if diff := difference(got, peerContent(s)); diff != "" {
					t.Fatalf("%s: %q", diff, b)
				}
			}
		}
	}
	t.Logf("%d files were accepted; %d more were accepted by the peer only", accepted, stricter)
}

// deserialize calls Deserialize of the peer and turns panics into errors.
func deserialize(b []byte) (s safetensors.SafeTensors, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return safetensors.Deserialize(b)
}

// mutate changes, duplicates or removes some bytes, mostly of the header. It may correct the length of the header.
func mutate(r *rand.Rand, b []byte) []byte {
	n := len(b)
	b = bytes.Clone(b)
	end := min(len(b), 8+int(b[0])+int(b[1])<<8)
	pieces := []string{`"`, `{`, `}`, `[`, `]`, `,`, `:`, `\`, `0`, `9`, `-`, `.`, `e`, "\xff", "null", `F8_E4M3`, `[0]`,
		"4294967296", " "}
	for range 1 + r.IntN(3) {
		i := r.IntN(end)
		if r.IntN(8) == 0 {
			i = r.IntN(len(b))
		}
		j := min(len(b), i+r.IntN(5))
		switch r.IntN(4) {
		case 0:
			b = append(b[:i:i], b[j:]...)
		case 1:
			b = append(append(b[:i:i], pieces[r.IntN(len(pieces))]...), b[j:]...)
		case 2:
			b[i] = "0123456789"[r.IntN(10)]
		default:
			b[i] ^= 1 << r.IntN(8)
		}
		if len(b) == 0 {
			return b
		}
		end = min(end, len(b))
	}
	if length := int(b[0]) + len(b) - n; r.IntN(2) == 0 && len(b) > 8 &&
		length >= 0 { // the length of the header may change
		b[0], b[1] = byte(length), b[1]+byte(length>>8)
	}
	return b
}
