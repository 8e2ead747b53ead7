package safetensors

import (
	"fmt"
	"os"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// reader is a Python program that reads and writes the format with json and NumPy. NumPy has no bfloat16 and no float8:
// their elements are represented by unsigned integers.
const reader = `
import json, random
types = {"BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4", "U64": "<u8", "I64": "<i8",
    "F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8", "C64": "<c8", "F8_E4M3": "u1", "F8_E5M2": "u1"}
def read(path):
    with open(path, "rb") as f:
        n = int.from_bytes(f.read(8), "little")
        text = f.read(n)
        header = json.loads(text)
        data = f.read()
    assert (8 + n) % 64 == 0 and text[:1] == b"{" and text.rstrip(b" ")[-1:] == b"}"
    metadata = header.pop("__metadata__", None)
    end, arrays = 0, {}
    for name, t in sorted(header.items(), key=lambda x: x[1]["data_offsets"]):
        assert t["data_offsets"][0] == end
        end = t["data_offsets"][1]
        arrays[name] = t["dtype"], np.frombuffer(data[t["data_offsets"][0]:end], types[t["dtype"]]).reshape(t["shape"])
    assert end == len(data)
    return metadata, {name: [code, a.shape, a.tobytes()] for name, (code, a) in arrays.items()}
def write(seed, path):
    r = random.Random(seed)
    names = ["x", "", "é", "名前", "a b", 'q"\\\n', "__metadata", "🙂"]
    r.shuffle(names)
    arrays, header, data = {}, {}, b""
    for name in names[:r.randrange(6)]:
        code = r.choice(list(types))
        shape = [r.randrange(5) for _ in range(r.randrange(4))]
        b = r.randbytes(np.dtype(types[code]).itemsize * int(np.prod(shape)))
        if code == "BOOL":
            b = bytes(x & 1 for x in b)
        a = np.frombuffer(b, types[code]).reshape(shape)
        header[name] = {"dtype": code, "shape": shape, "data_offsets": [len(data), len(data) + a.nbytes]}
        data += a.tobytes()
        arrays[name] = [code, a.shape, a.tobytes()]
    metadata = None
    if r.random() < .5:
        metadata = {"format": "pt", "k" * r.randrange(3): "é\n"}
        header["__metadata__"] = metadata
    items = list(header.items())
    r.shuffle(items)
    text = json.dumps(dict(items), ensure_ascii=r.random() < .5, indent=r.choice([None, 1])).encode() + b" " * r.randrange(9)
    with open(path, "wb") as f:
        f.write(len(text).to_bytes(8, "little") + text + data)
    return metadata, arrays
`

// A content describes a file as Python has read or written it.
type content struct {
	metadata map[string]string
	arrays   map[string]tensor
}

type tensor struct {
	code  string
	shape []int
	data  []byte
}

// TestNumPy tests that Open reads files that Python has written, and that Python reads files of Save and Create.
func TestNumPy(t *testing.T) {
	python := oracle.Start(t)
	check(t, python.Run(reader, nil, nil))
	r := oracle.Rand(t, 4)
	path := temp(t)
	codes := map[string]dtype.DType{"BOOL": dtype.Bool, "U8": dtype.Uint8, "I8": dtype.Int8, "U16": dtype.Uint16,
		"I16": dtype.Int16,
		"U32": dtype.Uint32, "I32": dtype.Int32, "U64": dtype.Uint64, "I64": dtype.Int64, "F16": dtype.Float16,
		"BF16": dtype.BFloat16,
		"F32":  dtype.Float32, "F64": dtype.Float64, "C64": dtype.Complex64, "F8_E4M3": dtype.Float8E4M3FN,
		"F8_E5M2": dtype.Float8E5M2}
	like := func(c content) (arrays map[string]array.Array, want map[string][]byte) {
		arrays, want = map[string]array.Array{}, map[string][]byte{}
		for name, x := range c.arrays {
			d := codes[x.code].WithByteOrder(dtype.LittleEndian)
			arrays[name] = must(array.FromBytes(x.data, d, 0, x.shape...))
			want[name] = append([]byte{}, x.data...)
		}
		return arrays, want
	}
	for k := range oracle.Cases(t, 200) {
		file := evaluate(t, python, fmt.Sprintf("write(%d, x)", r.Uint32()), path)
		f, err := Open(path, mmap.ReadOnly)
		if err != nil {
			t.Fatalf("%v: %q", err, must(os.ReadFile(path)))
		}
		arrays, want := like(file)
		checkContent(t, f, arrays, want, file.metadata)
		check(t, f.Close())

		arrays, want, metadata := randomFile(r)
		if k%2 == 0 {
			check(t, SaveConfig{NoSync: true, Replace: true}.Save(path, arrays, metadata))
		} else {
			var list []Tensor
			for name, a := range arrays {
				list = append(list, Tensor{Name: name, DType: a.DType(), Shape: a.Shape()})
			}
			f := must(SaveConfig{NoSync: true, Replace: true}.Create(path, list, metadata))
			for name, a := range arrays {
				check(t, array.Copy(must(f.Array(name)), a))
			}
			check(t, f.Close())
		}
		file = evaluate(t, python, "read(x)", path)
		like, got := like(file)
		if len(like) != len(arrays) {
			t.Fatalf("%d tensors, want %d", len(like), len(arrays))
		}
		for name, b := range want {
			a := like[name]
			if string(got[name]) != string(b) || a.DType() != arrays[name].DType().WithByteOrder(dtype.LittleEndian) ||
				fmt.Sprint(a.Shape()) != fmt.Sprint(arrays[name].Shape()) {
				t.Fatalf("%q: Python reads %v of %v, %x; want %x", name, a.Shape(), a.DType(), got[name], b)
			}
		}
		if fmt.Sprint(file.metadata) != fmt.Sprint(metadata) {
			t.Fatalf("Python reads %q, want %q", file.metadata, metadata)
		}
	}
}

// evaluate evaluates a Python expression whose value is (metadata, arrays). In the expression, x is path.
func evaluate(t *testing.T, python *oracle.Proc, expr, path string) (c content) {
	t.Helper()
	var out struct {
		Metadata map[string]string
		Names    []string
		Codes    []string
		Shapes   [][]int
		Data     [][]byte
	}
	code := "m, a = " + expr + `
out = {"Metadata": m, "Names": list(a), "Codes": [x[0] for x in a.values()], "Shapes": [list(x[1]) for x in a.values()], "Data": [x[2] for x in a.values()]}`
	check(t, python.Run(code, path, &out))
	c.metadata, c.arrays = out.Metadata, map[string]tensor{}
	for i, name := range out.Names {
		c.arrays[name] = tensor{out.Codes[i], out.Shapes[i], out.Data[i]}
	}
	return c
}

// TestMutated changes a few bytes of valid files. OpenBytes must return an error, or a file that can be read to its end
// and written again. make fuzz tests more changes.
func TestMutated(t *testing.T) {
	r := oracle.Rand(t, 5)
	for range oracle.Cases(t, 2000) / 50 {
		b := randomBytes(t, r)
		for range 50 {
			c := append([]byte{}, b...)
			for range 1 + r.IntN(3) {
				switch i := r.IntN(len(c)); r.IntN(4) {
				case 0:
					c[i] ^= 1 << r.IntN(8)
				case 1:
					c[i] = "0123456789{}[],:\"\\-. "[r.IntN(21)]
				case 2:
					if c = append(c[:i:i], c[min(len(c), i+1+r.IntN(4)):]...); len(c) == 0 {
						c = []byte{0}
					}
				default:
					c = append(c[:i:i], append([]byte("9"), c[i:]...)...)
				}
			}
			fuzzOpen(t, c)
		}
	}
}
