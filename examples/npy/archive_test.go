package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestWholeNames tests that an existing file takes precedence if its whole name looks like a member's path or like
// NAME=FILE.
func TestWholeNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a name with a colon is a stream of a file there")
	}
	t.Chdir(t.TempDir())
	do := func(args ...string) string {
		t.Helper()
		out, errs, status := runTool(args...)
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

// TestFolderInArchive tests directories in an archive, which are not arrays: errors suggest a member that is an array,
// and convert skips directories.
func TestFolderInArchive(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(path string, names ...string) {
		t.Helper()
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for _, name := range names {
			f, err := w.CreateHeader(&zip.FileHeader{Name: name})
			check(t, err)
			if !strings.HasSuffix(name, "/") {
				v, err := array.FromSlice([]uint8{1, 2, 3})
				check(t, err)
				check(t, array.Write(f, v.Array()))
			}
		}
		check(t, w.Close())
		check(t, os.WriteFile(path, b.Bytes(), 0o666))
	}
	write("d.npz", "grp/", "grp/a.npy")
	write("e.npz", "grp/")
	for _, tt := range []struct {
		args        string
		out, stderr string
	}{
		{"print d.npz", "", "npy: d.npz: an archive; name one of its members, as d.npz:grp/a (npy info lists them)\n"},
		{"print d.npz:grp", "",
			"npy: d.npz: no such member: \"grp\" or \"grp.npy\"; it is a folder: name a member, as \"grp/a\"\n"},
		{"stats d.npz:grp/", "",
			"npy: d.npz: member \"grp/\" is a folder: not a .npy file; name a member in it, as \"grp/a\"\n"},
		{"print e.npz", "", "npy: e.npz: an archive that contains no arrays\n"},
		{"print e.npz:grp/", "", "npy: e.npz: member \"grp/\" is a folder: not a .npy file\n"},
		{"print d.npz:grp/a", "[1 2 3]\n", ""},
		{"convert d.npz c.npz", "", ""},
		{"print c.npz:grp/a", "[1 2 3]\n", ""},
		{"diff d.npz d.npz", "", ""},
	} {
		out, stderr, _ := runTool(strings.Fields(tt.args)...)
		if out != tt.out || stderr != tt.stderr {
			t.Errorf("npy %s: %s%s", tt.args, out, stderr)
		}
	}
}

// TestArchiveNumPy tests that archives written by NumPy are listed, checked and edited, and that members other than
// arrays are skipped.
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
	out, errs, status := runTool("info", path)
	want := "file          " + path + "\nformat        archive of 4 members\n" +
		"  w           <f8, shape (2, 3), order C; 48 bytes from byte 183\n" +
		"  o           |O, shape (1,), order C; 154 bytes of pickled Python objects from byte 414\n" +
		"  readme.txt  not an array; 5 bytes\n  dir/        not an array; 0 bytes\n"
	if out != want || status != 0 {
		t.Errorf("info: exit %d\n%s\n%s", status, out, errs)
	}
	if _, errs, status := runTool("set", "-select", "1,2", path+":w", "7"); status != 0 {
		t.Error(errs)
	}
	out, errs, status = runTool("check", path)
	if want := path + ":w: ok dtype <f8, shape (2, 3), order C\n" + path +
		":o: ok dtype |O, shape (1,), order C; Python objects, not read\n" + path + ":readme.txt: ok not an array\n" + path + ":dir/: ok not an array\n"; out != want || status != 0 {
		t.Errorf("check: exit %d\n%s\n%s", status, out, errs)
	}
	var got float64
	if err := p.Eval("np.load(x)['w'][1, 2]", path, &got); err != nil || got != 7 {
		t.Errorf("NumPy reads %v, %v, want 7", got, err)
	}
}

// TestManyMembers tests that a container is opened once for all of its members: four times as many members take four
// times as much work, not sixteen times.
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
		check(t, npz.SaveConfig{NoSync: true}.Save(stem+".npz", arrays))
		check(t, npz.SaveConfig{NoSync: true, Compress: true}.Save(stem+"c.npz", arrays))
		check(t, safetensors.SaveConfig{NoSync: true}.Save(stem+".safetensors", arrays, nil))
	}
	check(t, array.SaveConfig{Replace: true, NoSync: true}.Save("dst.npy", v.Array()))
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
					_, errs, status := runTool(args...)
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

// TestEditReplaced tests that set and repair wait while another program holds the lock of an archive, and then edit the
// file that is at the path at that time.
func TestEditReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows replaces no file that is open")
	}
	x, err := array.FromSlice([]float64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"set", "-select", "1", "a.npz:x", "7"}, {"repair", "a.npz"}} {
		t.Run(args[0], func(t *testing.T) {
			t.Chdir(t.TempDir())
			save := func() {
				cfg := npz.SaveConfig{NoSync: true, Replace: true}
				if err := cfg.Save("a.npz", map[string]array.Array{"x": x.Array()}); err != nil {
					t.Fatal(err)
				}
			}
			save()
			a, err := npz.OpenConfig{Mode: array.ReadWrite, Lock: true}.Open("a.npz")
			if errors.Is(err, errors.ErrUnsupported) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			done := make(chan string)
			go func() {
				_, errs, status := runTool(args...)
				done <- fmt.Sprint(status, errs)
			}()
			select {
			case s := <-done:
				t.Errorf("it did not wait: %s", s)
				return
			case <-time.After(20 * time.Millisecond):
			}
			save()
			a.Close()
			if s := <-done; s != "0" {
				t.Error(s)
			}
			if out, errs, _ := runTool("print", "a.npz:x"); args[0] == "set" && out != "[1. 7. 3.]\n" {
				t.Errorf("%s%s", out, errs)
			}
		})
	}
}
