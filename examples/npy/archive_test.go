package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/internal/oracle"
)

// A file whose whole name looks like a member's, or like NAME=FILE, comes first.
func TestWholeNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a name with a colon is a stream of a file there")
	}
	t.Chdir(t.TempDir())
	do := func(args ...string) string {
		t.Helper()
		out, errs, status := tool(args...)
		if status != 0 {
			t.Fatalf("npy %q: %s", args, errs)
		}
		return out
	}
	do("new", "-dtype", "|u1", "-shape", "1", "-fill", "1", "c.npy")
	do("pack", "a.npz", "w=c.npy")
	if got := do("print", "a.npz:w"); got != "[1]\n" {
		t.Errorf("the member is %q", got)
	}
	for _, name := range []string{"a.npz:w", "w=c.npy", "w=a.npz:w"} {
		do("new", "-dtype", "|u1", "-shape", "1", "-fill", "2", "x.npy")
		if err := os.Rename("x.npy", name); err != nil {
			t.Fatal(err)
		}
	}
	if got := do("print", "a.npz:w"); got != "[2]\n" {
		t.Errorf("the file is %q", got)
	}
	do("pack", "b.npz", "w=c.npy", "w=a.npz:w")
	if got := do("info", "b.npz"); !strings.Contains(got, "  w=c ") || !strings.Contains(got, "  w=a.npz:w ") {
		t.Errorf("pack made of files of the whole name\n%s", got)
	}
	if err := os.Remove("a.npz:w"); err != nil {
		t.Fatal(err)
	}
	if got := do("print", "a.npz:w"); got != "[1]\n" {
		t.Errorf("the member is %q", got)
	}
}

// What NumPy packs is listed, checked and edited, and what is no array is passed over.
func TestArchiveNumPy(t *testing.T) {
	p := oracle.Start(t)
	path := strings.TrimSuffix(p.Temp(), ".npy") + ".npz"
	if err := p.Run(`
import zipfile
np.savez(x, w=np.zeros((2, 3)), o=np.array([None]))
with zipfile.ZipFile(x, "a") as z:
    z.writestr("readme.txt", "hello")
    z.mkdir("dir") if hasattr(z, "mkdir") else z.writestr("dir/", "")`, path, nil); err != nil {
		t.Fatal(err)
	}
	out, errs, status := tool("info", path)
	want := "file          " + path + "\nformat        archive of 4 members\n" +
		"  w           <f8, shape (2, 3), order C; 48 bytes from byte 183\n" +
		"  o           |O, shape (1,), order C; 154 bytes of pickled Python objects from byte 414\n" +
		"  readme.txt  no array; 5 bytes\n  dir/        no array; 0 bytes\n"
	if out != want || status != 0 {
		t.Errorf("info: exit %d\n%s\n%s", status, out, errs)
	}
	if _, errs, status := tool("set", "-select", "1,2", path+":w", "7"); status != 0 {
		t.Error(errs)
	}
	out, errs, status = tool("check", path)
	if want := path + ":w: ok dtype <f8, shape (2, 3), order C\n" + path +
		":o: ok dtype |O, shape (1,), order C; Python objects, which are not read\n" + path + ":readme.txt: ok no array\n" + path + ":dir/: ok no array\n"; out != want || status != 0 {
		t.Errorf("check: exit %d\n%s\n%s", status, out, errs)
	}
	var got float64
	if err := p.Eval("np.load(x)['w'][1, 2]", path, &got); err != nil || got != 7 {
		t.Errorf("NumPy reads %v, %v, want 7", got, err)
	}
}

// A container is opened once for all of its members: four times as many of them take four times as much work, not
// sixteen times.
func TestManyMembers(t *testing.T) {
	t.Chdir(t.TempDir())
	v, err := array.FromSlice([]uint8{1, 2, 3})
	check(t, err)
	counts := []int{60, 240}
	for _, members := range counts {
		arrays := map[string]array.Array{}
		for i := range members {
			arrays[strconv.Itoa(i)] = v.Array()
		}
		stem := strconv.Itoa(members)
		check(t, npz.Config{NoSync: true}.Save(stem+".npz", arrays))
		check(t, npz.Config{NoSync: true, Compress: true}.Save(stem+"c.npz", arrays))
		check(t, safetensors.Config{NoSync: true}.Save(stem+".safetensors", arrays, nil))
	}
	check(t, array.Config{NoSync: true}.Save("dst.npy", v.Array()))
	for _, tt := range []struct{ args, suffixes string }{
		{"check FILE", ".npz c.npz .safetensors"},
		{"check EACH", ".npz c.npz .safetensors"},
		{"info EACH", ".npz .safetensors"},
		{"stats FILE", ".npz"},
		{"diff FILE FILE", ".npz c.npz .safetensors"},
		{"convert -nosync -force -dtype f4 FILE out.npz", ".npz c.npz .safetensors"},
		{"convert -nosync -force -dtype f4 FILE out.safetensors", ".npz c.npz .safetensors"},
		{"pack -nosync -force out.npz EACH", ".npz c.npz .safetensors"},
		{"pack -nosync -force out.safetensors EACH", ".npz .safetensors"},
		{"concat -nosync -force out.npy EACH", ".npz c.npz .safetensors"},
		{"append dst.npy EACH", ".npz .safetensors"},
		{"refs -force -concat 0 out.json EACH", ".npz .safetensors"},
	} {
		for suffix := range strings.FieldsSeq(tt.suffixes) {
			t.Run(tt.args+" of "+suffix, func(t *testing.T) {
				var allocations [2]uint64
				for k, members := range counts {
					file := strconv.Itoa(members) + suffix
					var args []string
					for arg := range strings.FieldsSeq(tt.args) {
						switch arg {
						case "FILE":
							args = append(args, file)
						case "EACH":
							for i := range members {
								args = append(args, file+":"+strconv.Itoa(i))
							}
						default:
							args = append(args, arg)
						}
					}
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					_, errs, status := tool(args...)
					runtime.ReadMemStats(&after)
					if status != 0 {
						t.Fatal(errs)
					}
					allocations[k] = after.Mallocs - before.Mallocs
				}
				if allocations[1] > 6*allocations[0] {
					t.Errorf("%d allocations for %d members", allocations, counts)
				}
			})
		}
	}
}
