package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// setStdinBytes sets the number of bytes of standard input that are kept in memory to n until the test ends.
func setStdinBytes(t *testing.T, n int) {
	before := stdinBytes
	stdinBytes = n
	t.Cleanup(func() { stdinBytes = before })
}

// numbered returns an array of consecutive numbers starting at 0.
func numbered(t *testing.T, d dtype.DType, order index.Order, shape ...int) array.Array {
	t.Helper()
	n, _, err := index.Size(shape, 8)
	check(t, err)
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(i)
	}
	v, err := array.FromSlice(s, shape...)
	check(t, err)
	a, err := v.Array().AsType(d, order)
	check(t, err)
	return a
}

// TestStdin tests that an array on standard input, in memory, mapped, or in a temporary file, equals the array of the
// file, and that the input after it is not read.
func TestStdin(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	path := filepath.Join(t.TempDir(), "t.npy")
	for _, a := range []array.Array{
		numbered(t, dtype.MustParse("<f8"), index.C, 7, 5),
		numbered(t, dtype.MustParse(">i2"), index.F, 7, 5),
		numbered(t, dtype.MustParse("|u1"), index.C),
		numbered(t, dtype.MustParse("<f4"), index.C, 0, 3),
		numbered(t, dtype.MustParse("|b1"), index.C, 1200),
		numbered(t, dtype.MustParse("<c16"), index.F, 3, 2, 4),
	} {
		check(t, array.Save(path, a))
		file, err := os.ReadFile(path)
		check(t, err)
		twice := filepath.Join(t.TempDir(), "twice")
		check(t, os.WriteFile(twice, append(append([]byte("x"), file...), file...), 0o666))
		for _, args := range [][]string{
			{"info"}, {"info", "-json"}, {"print"}, {"print", "-json"}, {"print", "-select", "...", "-json"}, {"stats"},
			{"stats", "-json"},
		} {
			want, wantErr, status := runTool(append(args, path)...)
			for _, n := range []int{1 << 20, 0} {
				setStdinBytes(t, n)
				f, err := os.Open(twice)
				check(t, err)
				_, err = f.Seek(1, io.SeekStart)
				check(t, err)
				for name, stdin := range map[string]io.Reader{"stream": bytes.NewReader(append(file, file...)), "file": f} {
					t.Run(name, func(t *testing.T) {
						for range 2 { // two consecutive arrays
							got, gotErr, gotStatus := runToolWithInput(stdin, append(args, "-")...)
							got = strings.ReplaceAll(got, `"path":"-"`, `"path":"`+escapeJSON(path)+`"`)
							gotErr = strings.ReplaceAll(gotErr, "npy: -", "npy: "+path)
							if after, ok := strings.CutPrefix(got, "file          -\n"); ok {
								got = "file          " + path + "\n" + after
							}
							if got != want || gotErr != wantErr || gotStatus != status {
								t.Errorf("%v of %+v, a %s, %d bytes in memory: status %d, want %d, %s\n%s", args, a, name, n, gotStatus, status,
									gotErr,
									cmp.Diff(want, got))
							}
						}
					})
				}
				f.Close()
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("temporary files: %v, %v", left, err)
	}
}

// TestStdinConvert tests that IN of convert may be standard input of any length, with the same OUT as for a file.
func TestStdinConvert(t *testing.T) {
	dir := t.TempDir()
	in, want, got := filepath.Join(dir, "t.npy"), filepath.Join(dir, "want.npy"), filepath.Join(dir, "got.npy")
	check(t, array.Save(in, numbered(t, dtype.MustParse("<f8"), index.C, 40, 3)))
	file, err := os.ReadFile(in)
	check(t, err)
	for _, args := range [][]string{{"-dtype", ">i4"}, {"-order", "F"}, {"-select", "::-2"}} {
		if _, stderr, status := runTool(append(append([]string{"convert", "-force"}, args...), in, want)...); status != 0 {
			t.Fatal(stderr)
		}
		for _, n := range []int{1 << 20, 0} {
			setStdinBytes(t, n)
			all := append(append([]string{"convert", "-force"}, args...), "-", got)
			if _, stderr, status := runToolWithInput(bytes.NewReader(file), all...); status != 0 {
				t.Fatal(stderr)
			}
			a, errA := os.ReadFile(want)
			b, errB := os.ReadFile(got)
			if errA != nil || errB != nil || !bytes.Equal(a, b) {
				t.Errorf("convert %v, %d bytes in memory: %v, %v, or other bytes", args, n, errA, errB)
			}
		}
	}
}

// escapeJSON escapes a path for JSON, because paths on Windows have backslashes.
func escapeJSON(path string) string { return strings.ReplaceAll(path, `\`, `\\`) }

// TestStdinArchive tests that an archive on standard input is listed, and that its members are read.
func TestStdinArchive(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, compress := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "t.npz")
		check(t, npz.SaveConfig{Compress: compress}.Save(path, map[string]array.Array{
			"w": numbered(t, dtype.MustParse("<f8"), index.C, 4, 3), "b": numbered(t, dtype.MustParse("<i4"), index.F, 2, 2)}))
		file, err := os.ReadFile(path)
		check(t, err)
		for _, args := range [][]string{{"info", ""}, {"info", "-json", ""}, {"info", ":w"}, {"print", ":w"},
			{"print", "-json", ":b"}, {"stats", ":b"}, {"print", ""}, {"print", ":x"}} {
			last := args[len(args)-1]
			flags := args[:len(args)-1]
			want, wantErr, status := runTool(append(flags[:len(flags):len(flags)], path+last)...)
			want = strings.ReplaceAll(strings.ReplaceAll(want, escapeJSON(path), "-"), path, "-")
			wantErr = strings.ReplaceAll(wantErr, path, "-")
			f, err := os.Open(path)
			check(t, err)
			for name, stdin := range map[string]io.Reader{"stream": bytes.NewReader(file), "file": f} {
				t.Run(name, func(t *testing.T) {
					got, gotErr, gotStatus := runToolWithInput(stdin, append(flags[:len(flags):len(flags)], "-"+last)...)
					if got != want || gotErr != wantErr || gotStatus != status {
						t.Errorf("%v, a %s: status %d, want %d\n%s%s", args, name, gotStatus, status, cmp.Diff(wantErr, gotErr),
							cmp.Diff(want, got))
					}
				})
			}
			f.Close()
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("temporary files: %v, %v", left, err)
	}
}

// TestStdinMember tests that a member of the archive on standard input is accepted for all arguments that are only
// read.
func TestStdinMember(t *testing.T) {
	t.Chdir(t.TempDir())
	w := numbered(t, dtype.MustParse("<f8"), index.C, 4, 3)
	check(t, npz.Save("t.npz", map[string]array.Array{"w": w}))
	check(t, array.Save("t.npy", w))
	file, err := os.ReadFile("t.npz")
	check(t, err)
	for _, tt := range []struct{ args, want string }{
		{"diff t.npy -:w", ""},
		{"diff -rtol 0 -equal-nan -:w t.npz:w", ""},
		{"concat -force -axis 1 o.npy t.npy -:w", ""},
		{"append t.npy -:w", ""},
		{"info -json t.npy", `"shape":[8,3]`},
		{"check -:w", "-:w: ok dtype <f8, shape (4, 3), order C\n"},
		{"print -field -:w -:w", "STATUS"},
		{"print -select=3 -- -:w", "[ 9. 10. 11.]\n"},
		{"new -force -dtype S4 -shape 2 -fill -:x s.npy", ""},
		{"set -select 1 s.npy -:y", ""},
		{"print s.npy", "[b'-:x' b'-:y']\n"},
	} {
		got, stderr, status := runToolWithInput(bytes.NewReader(file), strings.Fields(tt.args)...)
		if (status != 0 || !strings.Contains(got, tt.want)) && !(tt.want == "STATUS" && status == 1) {
			t.Errorf("npy %s: status %d, %q, %s", tt.args, status, got, stderr)
		}
	}
}

// TestStdinNamesake tests that a file named - is not used instead of standard input.
func TestStdinNamesake(t *testing.T) {
	t.Chdir(t.TempDir())
	check(t, npz.Save("-", map[string]array.Array{"other": numbered(t, dtype.MustParse("<f8"), index.C, 2)}))
	check(t, array.Save("t.npy", numbered(t, dtype.MustParse("<i2"), index.C, 4, 3)))
	file, err := os.ReadFile("t.npy")
	check(t, err)
	for _, tt := range []struct {
		args, want string
		status     int
	}{
		{"check -", "-: ok dtype <i2, shape (4, 3), order C\n", 0},
		{"info -json -", `"descr":"<i2","shape":[4,3]`, 0},
		{"stats -json -", `"descr":"<i2"`, 0},
		{"print -select 3 -", "[ 9 10 11]\n", 0},
		{"diff t.npy -", "", 0},
		{"convert - o.npz", "", 1}, // .npz is the extension of another format
		{"check ./-", "./-:other: ok", 0},
		{"ls -", "other", 0},
	} {
		got, stderr, status := runToolWithInput(bytes.NewReader(file), strings.Fields(tt.args)...)
		if status != tt.status || !strings.Contains(got, tt.want) || strings.Contains(stderr, "rename it") {
			t.Errorf("npy %s: status %d, %q, %s", tt.args, status, got, stderr)
		}
	}
}

// TestStdinErrors tests that truncated input causes the same error wherever it is stored.
func TestStdinErrors(t *testing.T) {
	var stream bytes.Buffer
	check(t, array.Write(&stream, numbered(t, dtype.MustParse("<f8"), index.C, 4)))
	short := filepath.Join(t.TempDir(), "short")
	check(t, os.WriteFile(short, stream.Bytes()[:150], 0o666))
	for _, n := range []int{1 << 20, 0} {
		setStdinBytes(t, n)
		f, err := os.Open(short)
		check(t, err)
		for name, stdin := range map[string]io.Reader{"stream": bytes.NewReader(stream.Bytes()[:150]), "file": f} {
			t.Run(name, func(t *testing.T) {
				_, stderr, status := runToolWithInput(stdin, "print", "-")
				if want := "npy: -: data at byte 150: the stream ends here: unexpected EOF\n"; stderr != want || status != 1 {
					t.Errorf("a %s, %d bytes in memory: %d, %q; want %q", name, n, status, stderr, want)
				}
			})
		}
		f.Close()
		for _, tt := range []struct{ in, arg, want string }{
			{"", "-", "npy: -: no data on standard input\n"},
			{"PK", "-", ""},
			{"hello, world", "-:w", "npy: -: not an archive; it has no members\n"},
		} {
			_, stderr, status := runToolWithInput(strings.NewReader(tt.in), "print", tt.arg)
			if status != 1 || tt.want != "" && stderr != tt.want || !strings.HasPrefix(stderr, "npy: -: ") {
				t.Errorf("%q: %d, %q; want %q", tt.in, status, stderr, tt.want)
			}
		}
	}
}

// TestStdinMemory tests that memory does not grow with standard input.
func TestStdinMemory(t *testing.T) {
	const rows = 3 << 20 // number of rows, of 32 bytes each
	setStdinBytes(t, 1<<20)
	t.Setenv("TMPDIR", t.TempDir())
	for _, args := range [][]string{{"info", "-"}, {"print", "-"}, {"stats", "-"}, {"reduce", "-op", "sum", "-axis", "0",
		"-", filepath.Join(t.TempDir(), "out.npy")}} {
		r, w, err := os.Pipe()
		check(t, err)
		go func() {
			out, err := array.NewWriter(w, dtype.Float64, index.C, rows, 4)
			part, _ := array.FromSlice(make([]float64, 4<<10), 1<<10, 4)
			for range rows >> 10 {
				if err == nil {
					err = out.Write(part.Array())
				}
			}
			w.Close()
		}()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, stderr, status := runToolWithInput(r, args...)
		runtime.ReadMemStats(&after)
		r.Close()
		if n := after.TotalAlloc - before.TotalAlloc; status != 0 || n > 24<<20 { // the race detector makes pools keep less
			t.Errorf("%v of %d bytes allocated %d, status %d: %s", args, rows*32, n, status, stderr)
		}
	}
}
