package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
)

// TestCSVAuto tests limits of -dtype auto, and files with unusual headers. want is a part of the message.
func TestCSVAuto(t *testing.T) {
	t.Chdir(t.TempDir())
	var wide strings.Builder
	for i := range mostCells + 1 {
		fmt.Fprintf(&wide, "a%d,", i)
	}
	for _, tt := range []struct {
		name, text, want string
		status           int
		printed          string
	}{
		{"columns", strings.Repeat(",", mostColumns), "line 1 has more than 262,144 columns; -dtype auto takes no more", 1,
			""},
		{"most columns", strings.Repeat(",", mostColumns-1), "dtype <f8", 0, "nan,nan,"},
		{"fields", wide.String() + "\n1" + strings.Repeat(",", mostCells+1) + "\n",
			"line 1 has 4,098 columns; records, for columns with names or of several kinds, have at most 4,096", 1, ""},
		{"quotes in comments", "# 5\" wide\n#\n# x 1\" y\n1 2\n", "no header line; dtype <i8", 0, "1,2\n"},
		{"quotes in a header", "# 5\" wide\n\"x#\",\"a\n\"\"b\"\n1,2\n", "line 2 is the header", 0, "x#,\"a\n\"\"b\"\n1,2\n"},
		{"a comment after values", "1,2\n#3,4\n", "dtype [('f0', '<U2'), ('f1', '<i8')]", 0, "f0,f1\n1,2\n#3,4\n"},
		{"a comment of another width", "# x,y,z\n1,2\n", "no header line; dtype <i8", 0, "1,2\n"},
		{"a comment with two words", "# x,y z\n1,2\n", "no header line; dtype <i8", 0, "1,2\n"},
		{"a comment with a number", "# x,2\n1,2\n", "no header line; dtype <i8", 0, "1,2\n"},
		{"a comment with an empty name", "# x,\n1,2\n", "no header line; dtype <i8", 0, "1,2\n"},
		{"a word above one column", "#x\n1\n", "no header line; dtype <i8", 0, "1\n"},
		{"a byte order mark", "\ufeffx\n1\n", "line 1 is the header; dtype [('x', '<i8')]", 0, "x\n1\n"},
		{"a number in the first line", "x,1\n2,3\n", "no header line; dtype [('f0', '<U1'), ('f1', '<i8')]", 0,
			"f0,f1\nx,1\n2,3\n"},
		{"no values below the first line", "x,y\n,\n", "no header line; dtype <U1", 0, "x,y\n,\n"},
		{"one line", "x,y\n", "no header line; dtype <U1", 0, "x,y\n"},
		{"blank lines", "\n  \nx,y\n \t\n1,2\n\n", "line 3 is the header", 0, "x,y\n1,2\n"},
		{"two times on a line", "2020-01-31 10:30\n", "dtype <M8[m]", 0, "2020-01-31T10:30\n"},
		{"words", "1 b\n", "dtype <U3", 0, "1 b\n"},
		{"no words", " 7 \n", "dtype <i8", 0, "7\n"},
		{"ragged", "1,2\n3\n", "line 2: want 2 columns, as on line 1, but it has 1", 1, ""},
		{"a name that is not UTF-8", "\xff,b\n1,2\n", "line 1: header: the name or title of field \"\\xff\" is not UTF-8", 1,
			""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, os.WriteFile("a.csv", []byte(tt.text), 0o666))
			_, stderr, status := runTool("convert", "-dtype", "auto", "-force", "a.csv", "a.npy")
			if status != tt.status || !strings.Contains(littleEndian(stderr), tt.want) {
				t.Fatalf("status %d, %s; want status %d, %s", status, stderr, tt.status, tt.want)
			}
			if status != 0 {
				return
			}
			if printed, _, _ := runTool("print", "-csv", "a.npy"); !strings.HasPrefix(printed, tt.printed) ||
				printed != tt.printed && tt.name != "most columns" {
				t.Errorf("it is %q, want %q", printed, tt.printed)
			}
		})
	}
}

// TestCSVRowLimit tests the maximum size of a record for -dtype auto.
func TestCSVRowLimit(t *testing.T) {
	r := csvReader{path: "a.csv", first: 1, columns: 5, dtype: dtype.Unicode(mostRow / 16)}
	if err := r.checkRow(); err == nil || !strings.Contains(err.Error(), "line 1 has 5 values of 268435456 bytes each") {
		t.Errorf("5 columns: %v", err)
	}
	if r.columns = 4; r.checkRow() != nil {
		t.Errorf("4 columns: %v", r.checkRow())
	}
	if r.order, r.columns = []int{0}, 5; r.checkRow() != nil {
		t.Errorf("records: %v", r.checkRow())
	}
}

// TestCSVModified tests that lines which appear between the two passes are an error.
func TestCSVModified(t *testing.T) {
	t.Chdir(t.TempDir())
	check(t, os.WriteFile("a.csv", []byte("1,2\n"), 0o666))
	r, err := (&env{}).openCSV("a.csv", &csvFormat{})
	check(t, err)
	defer r.file.Close()
	check(t, r.count(dtype.Float64))
	check(t, os.WriteFile("a.csv", []byte("1,2\n3,4\n"), 0o666))
	err = r.values(func([]byte, int) error { return nil })
	if err == nil || err.Error() != "a.csv: modified while it was being read" {
		t.Error(err)
	}
}

// TestCSVStdin tests that IN may be CSV on standard input, a pipe or a file at any offset.
func TestCSVStdin(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Chdir(t.TempDir())
	for _, tt := range []struct{ name, text, dtype string }{
		{"one byte", "7", "f8"},
		{"five bytes", "1,\n2,", "f8"},
		{"six bytes", "1,2\n3,", "auto"},
		{"header", "x,y\n" + strings.Repeat("1,\n", 200), "auto"},
		{"long", strings.Repeat("1.5 2.5\n", 1<<17), "f4"},
	} {
		check(t, os.WriteFile("a.csv", []byte(tt.text), 0o666))
		check(t, os.WriteFile("later.csv", []byte("skipped"+tt.text), 0o666))
		if _, stderr, status := runTool("convert", "-force", "-dtype", tt.dtype, "a.csv", "want.npy"); status != 0 {
			t.Fatal(stderr)
		}
		want, err := os.ReadFile("want.npy")
		check(t, err)
		file, err := os.Open("later.csv")
		check(t, err)
		_, err = file.Seek(int64(len("skipped")), io.SeekStart)
		check(t, err)
		for name, stdin := range map[string]io.Reader{"stream": strings.NewReader(tt.text), "file": file} {
			t.Run(tt.name+", "+name, func(t *testing.T) {
				if _, stderr, status := runToolWithInput(stdin, "convert", "-force", "-dtype", tt.dtype, "-",
					"got.npy"); status != 0 {
					t.Fatal(stderr)
				}
				if got, err := os.ReadFile("got.npy"); err != nil || !bytes.Equal(got, want) {
					t.Errorf("other bytes, %v", err)
				}
			})
		}
		file.Close()
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("temporary files: %v, %v", left, err)
	}
}
