package main

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
)

// npyOf returns a .npy file with the given header and data.
func npyOf(header, data string) string {
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	return "\x93NUMPY\x01\x00\x76\x00" + header + data
}

// TestObjects tests that arrays of Python objects are shown, checked and copied without errors.
func TestObjects(t *testing.T) {
	t.Chdir(t.TempDir())
	const pickle = "\x80\x04not looked at"
	objects := npyOf("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", pickle)
	records := npyOf("{'descr': [('a', '<f8'), ('b', '|O', (2,))], 'fortran_order': False, 'shape': (2,), }", pickle)
	content := map[string]string{"o.npy": objects, "r.npy": records, "note.txt": "text", "dir/": "",
		"x.npy": npyOf("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "\x00\x00\x80\x3f")}
	order := []string{"x.npy", "o.npy", "r.npy", "note.txt", "dir/"}
	for name, method := range map[string]uint16{"s.npz": zip.Store, "d.npz": zip.Deflate} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			w := zip.NewWriter(&b)
			for _, member := range order {
				method := method
				if member == "dir/" {
					method = zip.Store
				}
				f, err := w.CreateHeader(&zip.FileHeader{Name: member, Method: method})
				check(t, err)
				_, err = io.WriteString(f, content[member])
				check(t, err)
			}
			check(t, w.Close())
			check(t, os.WriteFile(name, b.Bytes(), 0o666))
		})
	}
	check(t, os.WriteFile("o.npy", []byte(objects), 0o666))
	check(t, os.WriteFile("r.npy", []byte(records), 0o666))
	check(t, os.WriteFile("cut.npy", []byte(objects[:len(objects)-len(pickle)]), 0o666))
	damaged, err := os.ReadFile("s.npz")
	check(t, err)
	damaged[bytes.Index(damaged, []byte("\x00\x00\x80\x3f"))] ^= 1 // an element of x
	check(t, os.WriteFile("damaged.npz", damaged, 0o666))
	for _, tt := range []struct {
		args, want string // a part of the output, or of the error
		status     int
	}{
		{"ls s.npz", "o         |O (objects)", 0},
		{"check cut.npy", "npy: cut.npy: data at byte 128: the file ends before its Python objects\n", 1},
		{"convert damaged.npz other.npz", "npy: damaged.npz: member \"x.npy\"", 1},
		{"convert -omit x x.csv other.npy", "npy: convert: -omit requires IN and OUT", 2},
		{"info -at 1 -", "npy: info: -raw and -at cannot read standard input", 2},
		{"ls d.npz", "[('a', '<f8'), ('b', '|O', (2,))] (objects)", 0},
		{"ls .", "o.npy        |O (objects)", 0},
		{"ls o.npy", "|O (objects)  (3,)      15", 0},
		{"info s.npz", "|O, shape (3,), order C; 15 bytes of pickled Python objects from byte", 0},
		{"info d.npz", "|O, shape (3,), order C; 15 bytes of pickled Python objects, compressed to", 0},
		{"info s.npz:o", "dtype         |O: Python object\n", 0},
		{"info o.npy", "data          15 bytes of pickled Python objects from byte 128\n", 0},
		{"info r.npy", "  field       b: ('|O', (2,)) at byte 8\n", 0},
		{"info -json o.npy",
			`"descr":"|O","shape":[3],"fortran_order":false,"data_offset":128,"itemsize":8,"size":3,"nbytes":null}`, 0},
		{"info -json s.npz:r", `"descr":[["a","<f8"],["b","|O",[2]]],"shape":[2]`, 0},
		{"check s.npz", "s.npz:o: ok dtype |O, shape (3,), order C; Python objects, not read\n", 0},
		{"check d.npz:o o.npy", "o.npy: ok dtype |O, shape (3,), order C; Python objects, not read\n", 0},
		{"stats s.npz", "s.npz:x", 0},
		{"diff s.npz d.npz", "", 0},
		{"print s.npz:o", "npy: s.npz: member 'o.npy': pickle at byte 130: unknown opcode 0x6e\n", 1},
		{"convert o.npy p.npy", "npy: o.npy: pickle at byte 130: unknown opcode 0x6e\n", 1},
		{"info o.npy", "note          pickle at byte 130: unknown opcode 0x6e\n", 0},
		{"stats o.npy", "is a Python object: its data is a pickle", 1},
		{"convert -nosync -dtype f2 s.npz same.npz", "", 0},
		{"convert -nosync d.npz deflated.npz", "", 0},
		{"convert s.npz m.safetensors", "npy: s.npz: a .safetensors file cannot store o (Python objects), " +
			"r (Python objects), note.txt (not an array); omit them with -omit NAME\n", 1},
		{"convert -select 0 s.npz none.npz", "-select and -field do not apply to o (Python objects), r (Python objects)", 1},
		{"convert -omit none s.npz none.npz", "npy: s.npz: -omit none: no such member\n", 1},
		{"convert -omit o o.npy p.npy", "-omit requires IN and OUT", 2},
		{"convert -nosync -omit o -omit r -omit note.txt s.npz m.safetensors", "", 0},
		{"ls m.safetensors", "x     <f4    (1,)       4", 0},
		{"convert -nosync -omit r -omit x s.npz less.npz", "", 0},
		{"ls less.npz", "o         |O (objects)", 0},
	} {
		t.Run(tt.args, func(t *testing.T) {
			out, errs, status := runTool(strings.Fields(tt.args)...)
			if status != tt.status || !strings.Contains(littleEndian(out+errs), tt.want) || status == 0 && errs != "" {
				t.Errorf("exit status %d\n%s%s\nwant %d, %q", status, out, errs, tt.status, tt.want)
			}
		})
	}
	for name, isCompressed := range map[string]bool{"same.npz": false, "deflated.npz": true} {
		t.Run(name, func(t *testing.T) {
			a, err := npz.Open(name, array.ReadOnly)
			check(t, err)
			defer a.Close()
			for _, member := range order[1:4] {
				b, err := a.ReadFile(member)
				m, err2 := a.Member(member)
				if err != nil || err2 != nil || string(b) != content[member] || m.Compressed != isCompressed {
					t.Errorf("%s: %s has %q, %v, %v", name, member, b, err, err2)
				}
				check(t, a.Verify(member))
			}
			if got := strings.Join(a.Names(), " "); got != "x o r note.txt" { // without the directory
				t.Errorf("%s has %s", name, got)
			}
		})
	}
}

// TestObjectValues tests that the values of Python objects are printed, and converted if they are regular.
func TestObjectValues(t *testing.T) {
	archive, err := os.ReadFile("../../array/objects/testdata/mixed.npz")
	check(t, err)
	t.Chdir(t.TempDir())
	check(t, os.WriteFile("m.npz", archive, 0o666))
	scalar := "{'descr': '|O', 'fortran_order': False, 'shape': (), }"
	vector := "{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"
	pickle := func(shape, values string) string {
		return "cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(K\x00tU\x01btR(K\x01" + shape +
			"cnumpy\ndtype\n(U\x02O8\x89\x88tR(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89](" + values + "etb."
	}
	for name, content := range map[string]string{
		"text.npy":   npyOf(scalar, pickle(")", "X\x05\x00\x00\x00\x1b[2Ja")),
		"inner.npy":  npyOf(scalar, pickle(")", strings.TrimSuffix(pickle(")", "X\x07\x00\x00\x00\x1b[2Ja\nb"), "."))),
		"lists.npy":  npyOf(vector, pickle("(K\x02t", "](K\x01K\x02e](K\x03K\x04e")),
		"ragged.npy": npyOf(vector, pickle("(K\x02t", "](K\x01K\x02eN")),
		"loop.npy":   npyOf(scalar, pickle(")", "]q\x00h\x00a")),
		"cut.npy":    npyOf(scalar, pickle(")", "]q\x00("+strings.Repeat("K\x01", 5000)+"h\x00e")),
		"code.npy":   npyOf(scalar, pickle(")", "cos\nsystem\nU\x01a\x85R")),
		"long.npy":   npyOf(scalar, pickle(")", "]("+strings.Repeat("K\x01", 200)+"e")),
		"lines.npy": npyOf("{'descr': '|O', 'fortran_order': False, 'shape': (2, 1), }", pickle("(K\x02K\x01t",
			"K\x01K\x02")),
	} {
		check(t, os.WriteFile(name, []byte(content), 0o666))
	}
	const code = `pickle at byte 241: "os.system" is neither a plain value nor an array, and ndmap runs no code from a file`
	for _, tt := range []struct {
		args, want string // a part of the output, or of the error
		status     int
	}{
		{"print m.npz:meta", "{'epoch': 3, 'tags': ('a', None)}\n", 0},
		{"print -json m.npz:meta", `{"epoch":3,"tags":["a",null]}` + "\n", 0},
		{"print m.npz:names", "['x' 'longer']\n", 0},
		{"print -select 1 m.npz:names", "longer\n", 0},
		{"print -json -select ::-1 m.npz:names", `["longer","x"]` + "\n", 0},
		{"print -select 2 m.npz:names", "npy: m.npz:names: selecting Python objects: array: index 2 out of range", 1},
		{"print -field x m.npz:names", "npy: m.npz:names: selecting Python objects: ", 1},
		{"print -csv m.npz:names", "npy: m.npz:names: no CSV form exists for Python objects; print them with -json\n", 1},
		{"print text.npy", `\x1b[2Ja` + "\n", 0},
		{"print inner.npy", `\x1b[2Ja` + "\nb\n", 0},
		{"head -n 1 lists.npy", "[list([1, 2])]\n", 0},
		{"tail -n 1 m.npz:names", "['longer']\n", 0},
		{"head inner.npy", `\x1b[2Ja` + "\nb\n", 0},
		{"stats lists.npy", "npy print and convert read plain values, or save it from NumPy with a fixed dtype\n", 1},
		{"print lists.npy", "[list([1, 2]) list([3, 4])]\n", 0},
		{"print loop.npy", "[[...]]\n", 0},
		{"print -json loop.npy", "npy: loop.npy: a container contains itself, which JSON cannot represent\n", 1},
		{"print -json cut.npy", ",1\nnpy: cut.npy: a container contains itself", 1},
		{"print code.npy", "npy: code.npy: " + code, 1},
		{"info code.npy", "note          " + code, 0},
		{"info m.npz:meta", "objects       {'epoch': 3, 'tags': ('a', None)}\n", 0},
		{"info lines.npy", "objects       [[1] …\n", 0},
		{"info long.npy", "1, 1, 1, …\n", 0},
		{"ls m.npz", "meta   |O (objects)", 0},
		{"convert -nosync m.npz:names names.npy", "", 0},
		{"info names.npy", "dtype         <U6", 0},
		{"convert -nosync -dtype f4 -select :,1 lists.npy floats.npy", "", 0},
		{"print floats.npy", "[2. 4.]\n", 0},
		{"convert lists.npy lists.csv", "", 0},
		{"convert lists.npy floats.npy", "npy: floats.npy: file exists; -force replaces it", 1},
		{"convert ragged.npy r.npy", "npy: ragged.npy: element (1,): a None has no place in an array of another dtype\n", 1},
		{"convert code.npy c.npy", "npy: code.npy: " + code, 1},
		{"convert m.npz:meta d.npy", "npy: m.npz:meta: element (): a dict has no place in an array of another dtype\n", 1},
	} {
		t.Run(tt.args, func(t *testing.T) {
			out, errs, status := runTool(strings.Fields(tt.args)...)
			if status != tt.status || !strings.Contains(littleEndian(out+errs), tt.want) || status == 0 && errs != "" {
				t.Errorf("exit status %d\n%s%s\nwant %d, %q", status, out, errs, tt.status, tt.want)
			}
		})
	}
	if csv, err := os.ReadFile("lists.csv"); err != nil || string(csv) != "1,2\n3,4\n" {
		t.Errorf("lists.csv is %q, %v", csv, err)
	}
}

// TestObjectsFromStdin tests that arrays of Python objects are read from standard input, and that the array after one
// in a file can be read next.
func TestObjectsFromStdin(t *testing.T) {
	archive, err := os.ReadFile("../../array/objects/testdata/mixed.npz")
	check(t, err)
	t.Chdir(t.TempDir())
	check(t, os.WriteFile("m.npz", archive, 0o666))
	a, err := npz.OpenBytes(archive)
	check(t, err)
	defer a.Close()
	names, err := a.ReadFile("names.npy")
	check(t, err)
	w, err := a.ReadFile("w.npy")
	check(t, err)
	check(t, os.WriteFile("all.npy", slices.Concat(names, w, names), 0o666))
	file, err := os.Open("all.npy")
	check(t, err)
	defer file.Close()
	for _, tt := range []struct {
		stdin      io.Reader
		args, want string
		status     int
	}{
		{file, "print -", "['x' 'longer']\n", 0},
		{file, "print -", "[1. 2. 3.]\n", 0},
		{file, "head -n 1 -", "['x']\n", 0},
		{bytes.NewReader(names), "print -json -", `["x","longer"]` + "\n", 0},
		{bytes.NewReader(names), "convert -nosync - names.npy", "", 0},
		{bytes.NewReader(w), "print -", "[1. 2. 3.]\n", 0},
		{bytes.NewReader(archive), "print -:names", "['x' 'longer']\n", 0},
		{bytes.NewReader(names[:len(names)-1]), "print -", "npy: -: pickle at byte", 1},
		{bytes.NewReader(nil), "print -", "npy: -: ", 1},
	} {
		t.Run(tt.args, func(t *testing.T) {
			out, errs, status := runToolWithInput(tt.stdin, strings.Fields(tt.args)...)
			if status != tt.status || !strings.HasPrefix(out+errs, tt.want) {
				t.Errorf("exit status %d\n%s%s\nwant %d, %q", status, out, errs, tt.status, tt.want)
			}
		})
	}
}
