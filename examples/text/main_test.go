package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func TestText(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.txt")
	long := strings.Repeat("1.5 ", 50_000) // a line of 200 KB
	for i, tt := range []struct {
		text          string
		rows, columns int
		want          []float64 // the first elements
	}{
		{"\n \n1 2.5\n\n3,-4\r\n5\t6", 3, 2, []float64{1, 2.5, 3, -4, 5, 6}},
		{"nan\n-inf\n1e3\n", 3, 1, nil},
		{"1, 2\n", 1, 2, []float64{1, 2}},
		{long + "\n" + long, 2, 50_000, []float64{1.5}},
		{strings.Repeat("1\n\n", 200_000), 200_000, 1, []float64{1}}, // more than the Appender buffers
	} {
		out := filepath.Join(dir, fmt.Sprintf("%d.npy", i))
		if err := os.WriteFile(in, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		rows, columns, err := text(t.Context(), in, out, false)
		if err != nil || rows != tt.rows || columns != tt.columns {
			t.Errorf("%.20q: %d rows of %d, %v; want %d of %d", tt.text, rows, columns, err, tt.rows, tt.columns)
			continue
		}
		f, err := array.Open(out, array.ReadOnly)
		if err != nil {
			t.Fatal(err)
		}
		v, err := array.As[float64](f.Array)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Collect(v.Values())
		if !slices.Equal(v.Shape(), []int{rows, columns}) || !slices.Equal(got[:len(tt.want)], tt.want) {
			t.Errorf("%.20q: shape %v and %.6v, want %v", tt.text, v.Shape(), got, tt.want)
		}
		f.Close()
	}
}

// TestRefuses tests that invalid text leaves no file, that the error names the line, and that an existing file is kept.
func TestRefuses(t *testing.T) {
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.txt"), filepath.Join(dir, "out.npy")
	for _, tt := range []struct {
		ctx        context.Context
		text, want string
	}{
		{t.Context(), "1 2\n\n3 x\n", "line 3: strconv.ParseFloat: parsing \"x\": invalid syntax"},
		{t.Context(), "1 2\n3\n", "line 2: 1 numbers, want 2 as in the first row"},
		{t.Context(), "1,,2\n", "line 1: strconv.ParseFloat: parsing \"\": invalid syntax"},
		{t.Context(), "1\n1e999\n", "line 2: strconv.ParseFloat: parsing \"1e999\": value out of range"},
		{t.Context(), "\n\n", "no numbers"},
		{t.Context(), "", "no numbers"},
		{ended, "1\n2\n", "interrupted"},
	} {
		if err := os.WriteFile(in, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		want := in + ": " + tt.want
		if _, _, err := text(tt.ctx, in, out, false); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", tt.text, err, want)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
			t.Errorf("%q: the folder has %v, %v", tt.text, entries, err)
		}
	}
	if err := os.WriteFile(in, []byte("1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := text(t.Context(), in, in, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v, want %v", err, fs.ErrExist)
	}
}
