package npz

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// drawArchive is a Python function that writes an archive of random arrays to a path, stored, compressed or mixed. It
// returns a dict from the name of each member to its .npy file.
const drawArchive = `
import io, random, sys, zipfile
class Pipe(io.FileIO):
    def seekable(self): return False
    def tell(self): raise OSError("a pipe")
def draw(seed, path):
    global drawn
    r = random.Random(seed)
    names = ["x", "arr_0", "é", "名前", "dir/x", "a b", "x.npy", "n.m", "-", "🙂"]
    r.shuffle(names)
    drawn = arrays = {name: array(r) for name in names[:r.randrange(6)]}
    how = r.choice(["savez", "savez_compressed", "zipfile", "pipe"])
    if how == "savez":
        np.savez(path, **arrays)
    elif how == "savez_compressed":
        np.savez_compressed(path, **arrays)
    else:
        with open(path, "wb") if how == "zipfile" else Pipe(path, "wb") as f:
            if r.random() < 0.3 and how == "zipfile":
                f.write(b"#!/bin/sh\n" * r.randrange(10))
            with zipfile.ZipFile(f, "w") as z:
                for name, a in arrays.items():
                    info = zipfile.ZipInfo(name + ".npy", (2024, 2, 29, 12, 30, 58))
                    info.compress_type = r.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
                    info.comment = b"c" * r.randrange(3)
                    if r.random() < 0.2:
                        info.extra = b"\x55\x54\x05\x00\x03abcd"
                    with z.open(info, "w", force_zip64=r.random() < 0.5) as m:
                        np.lib.format.write_array(m, a)
                z.comment = b"comment" * r.randrange(3)
    with zipfile.ZipFile(path) as z: # NumPy takes no file with bytes before the archive
        assert z.testzip() is None and len(z.namelist()) == len(arrays)
    out = {}
    for name, a in arrays.items():
        b = io.BytesIO()
        np.save(b, a)
        out[name] = b.getvalue()
    return out
`

// readArchive is a Python function that checks that NumPy reads the arrays of drawArchive from an archive, and returns
// the files in it.
const readArchive = `
def read(path):
    out = {}
    with np.load(path, max_header_size=1 << 24) as z:
        assert set(z.files) == set(drawn), z.files
        assert z.zip.testzip() is None
        for name in z.files:
            assert same(drawn[name], z[name + ".npy"]), name
            out[name] = z.zip.read(name + ".npy")
    return out
`

// TestNumPy reads random archives of NumPy and Python's zipfile, and writes their arrays in every format. NumPy,
// zipfile, unzip and 7z must be able to read the results, and one format must equal the output of numpy.savez byte
// for byte. NDMAP_CASES=13 reads 500 archives.
func TestNumPy(t *testing.T) {
	p := oracle.Start(t)
	check(t, p.Run(oracle.Random+drawArchive+readArchive, nil, nil))
	unzip, sevenZip := lookProgram(t, "unzip"), lookProgram(t, "7z")
	seed := oracle.Seed(t)
	savez := OldSavez
	var new bool
	check(t, p.Eval("sys.version_info >= (3, 11, 4)", nil, &new))
	if new {
		savez = Savez
	}
	dir := t.TempDir()
	cases := oracle.Cases(t, 40)
	kinds := map[string]int{}
	for k := range cases {
		path := filepath.Join(dir, "numpy.npz")
		var want map[string][]byte
		check(t, p.Run("out = draw(x[0], x[1])", []any{seed + uint64(k)<<32, path}, &want))
		a, err := Open(path, mmap.ReadOnly)
		check(t, err)
		names := a.Names()
		if len(names) != len(want) {
			t.Fatalf("case %d: names %q, want those of %d members", k, names, len(want))
		}
		arrays, unsized := map[string]array.Array{}, false
		list, err := a.Arrays(names...)
		if err != nil {
			t.Fatalf("case %d: %v", k, err)
		}
		for i, name := range names {
			name = numpyName(a, name)
			arrays[name] = list[i]
			// Arrays with elements of no bytes are always saved in C order. NumPy may save them in Fortran order.
			unsized = unsized || list[i].ItemSize() == 0
			var b bytes.Buffer
			check(t, array.Write(&b, list[i]))
			// The headers may differ, but not the data.
			if got, want := dataOf(t, b.Bytes()), dataOf(t, want[name]); !bytes.Equal(got, want) {
				t.Fatalf("case %d: the data of %q differs from NumPy's", k, name)
			}
			check(t, a.Verify(names[i]))
		}
		for _, cfg := range []SaveConfig{{}, {Compress: true}, {Format: savez}} {
			cfg.NoSync, cfg.Replace = true, true
			ours := filepath.Join(dir, "ours.npz")
			check(t, cfg.Save(ours, arrays))
			var got map[string][]byte
			if err := p.Run("out = read(x)", ours, &got); err != nil {
				t.Fatalf("case %d: %v", k, err)
			}
			if len(got) != len(want) {
				t.Fatalf("case %d: NumPy reads %d members, want %d", k, len(got), len(want))
			}
			for name := range want {
				if !bytes.Equal(dataOf(t, got[name]), dataOf(t, want[name])) {
					t.Fatalf("case %d: NumPy reads different data of %q", k, name)
				}
			}
			if cfg.Format == savez {
				check(t, p.Run("np.savez(x, **{n: drawn[n] for n in sorted(drawn, key=lambda n: n.encode())})", path+".again.npz",
					nil))
				if !unsized && !bytes.Equal(must(os.ReadFile(ours)), must(os.ReadFile(path+".again.npz"))) {
					t.Fatalf("case %d: the archive differs from the output of numpy.savez", k)
				}
			}
			if k%10 == 0 && len(want) > 0 {
				runProgram(t, unzip, "-tqq", ours)
				runProgram(t, sevenZip, "t", ours)
			}
			kinds[fmt.Sprint(cfg.Compress, cfg.Format)]++
		}
		check(t, a.Close())
	}
	t.Logf("%d archives; written: %v", cases, kinds)
	if unzip == "" || sevenZip == "" {
		t.Skipf("no unzip or no 7z (%q, %q): only NumPy and zipfile have read the archives", unzip, sevenZip)
	}
}

// numpyName returns the name of a member in NumPy's list, where names never end in .npy.
func numpyName(a *Archive, name string) string {
	fullName := must(a.Member(name)).Name
	return fullName[:len(fullName)-len(".npy")]
}

// dataOf returns the data of a .npy file, without its header.
func dataOf(t *testing.T, b []byte) []byte {
	t.Helper()
	n := 10 + int(b[8]) + int(b[9])<<8
	if b[6] > 1 {
		n = 12 + int(b[8]) + int(b[9])<<8 + int(b[10])<<16
	}
	return b[n:]
}

// lookProgram returns the path of an installed program, or "".
func lookProgram(t *testing.T, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		t.Logf("%v", err)
	}
	return path
}

// runProgram runs a program, if it is installed, and fails the test if the program fails.
func runProgram(t *testing.T, program string, args ...string) {
	t.Helper()
	if program == "" {
		return
	}
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", program, args, err, out)
	}
}

// TestEditNumPy tests that NumPy reads a member that was edited and synced, and rejects a member that was edited and
// not synced.
func TestEditNumPy(t *testing.T) {
	p := oracle.Start(t)
	path := p.Temp() + ".npz"
	check(t, p.Run("np.savez(x, w=np.zeros((3, 4), '>f8'), b=np.arange(5))", path, nil))
	a, err := Open(path, mmap.ReadWrite)
	check(t, err)
	defer a.Close()
	w := must(array.As[float64](must(a.Array("w"))))
	w.SetAt(1.5, 2, 3)
	err = p.Run("np.load(x)['w']", path, nil)
	if e, ok := err.(*oracle.Exception); !ok || e.Msg != "Bad CRC-32 for file 'w.npy'" {
		t.Errorf("NumPy reads a member with a stale CRC: %v, want a bad CRC", err)
	}
	check(t, a.Sync())
	var got json.RawMessage
	check(t, p.Run("out = np.load(x)['w'].tolist()", path, &got))
	if want := "[[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.5]]"; string(got) != want {
		t.Errorf("NumPy reads %s, want %s", got, want)
	}
	if names := a.Names(); !slices.Equal(names, []string{"w", "b"}) {
		t.Errorf("names %v", names)
	}
}

// Most members of archives of numpy.savez are not aligned, as the package documentation says. For them, Data and Matrix
// return an error that says how to proceed, and copying works. In an archive of Save all members are aligned.
func TestAlignmentNumPy(t *testing.T) {
	p := oracle.Start(t)
	theirs, ours := p.Temp()+".npz", filepath.Join(t.TempDir(), "a.npz")
	check(t, p.Run("np.savez(x[0], **{'n' * k: np.arange(6, dtype=x[1]).reshape(2, 3) for k in range(1, 65)})",
		[]string{theirs, dtype.Float64.String()}, nil))
	a, err := Open(theirs, mmap.ReadOnly)
	check(t, err)
	defer a.Close()
	members, refused := map[string]array.Array{}, 0
	for _, name := range a.Names() {
		members[name] = must(a.Array(name))
		v := must(array.As[float64](members[name]))
		if _, err := v.Data(); err != nil {
			refused++
			if !errors.Is(err, array.ErrNotDirect) || !strings.HasSuffix(err.Error(),
				"not aligned in memory; loop over Blocks or Update, or copy with Collect") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := v.Matrix(); err != nil && !errors.Is(err, array.ErrNotDirect) {
			t.Errorf("%s: %v", name, err)
		}
		s := make([]float64, v.Size())
		w := must(array.FromSlice(s, v.Shape()...))
		check(t, w.CopyFrom(v))
		if !slices.Equal(s, []float64{0, 1, 2, 3, 4, 5}) {
			t.Errorf("%s: the copy is %v, want 0 to 5", name, s)
		}
	}
	if refused <= len(members)/2 {
		t.Errorf("%d of %d members are not aligned, want most", refused, len(members))
	}
	check(t, Save(ours, members))
	b, err := Open(ours, mmap.ReadOnly)
	check(t, err)
	defer b.Close()
	for _, name := range b.Names() {
		if _, err := must(array.As[float64](must(b.Array(name)))).Data(); err != nil {
			t.Errorf("%s, saved again: %v", name, err)
		}
	}
}
