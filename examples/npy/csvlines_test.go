package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

// allLines returns the fields of all lines of text, up to the first error. If plain is set, the lines may have
// comments, and blank lines are skipped.
func allLines(text, delimiter string, plain, blanks bool) (all [][]string, err error) {
	l := csvLines{in: bufio.NewReaderSize(strings.NewReader(text), 16), first: 1, delimiter: delimiter, comments: plain,
		blanks: blanks}
	if plain {
		l.skip = blankBytes
	}
	for {
		if err := l.next(); err == io.EOF {
			return all, nil
		} else if err != nil {
			return all, err
		}
		fields, err := l.fields(1 << 20)
		if err != nil {
			return all, err
		}
		all = append(all, fields)
	}
}

// TestCSVLinesRandom tests that random lines are split as by encoding/csv, with errors at the same positions.
func TestCSVLinesRandom(t *testing.T) {
	r := oracle.Rand(t, 0)
	letters, delimiters := []rune("\"\"\"---\n\nab #\té,;"), []rune(",\t; é€")
	bad := 0
	for range oracle.Cases(t, 3000) {
		delimiter := delimiters[r.IntN(len(delimiters))]
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		text := strings.ReplaceAll(b.String(), "-", string(delimiter))
		reader := csv.NewReader(strings.NewReader(text))
		reader.FieldsPerRecord, reader.Comma = -1, delimiter
		var want [][]string
		var wantErr string
		for {
			fields, err := reader.Read()
			if err == io.EOF {
				break
			}
			if e, ok := errors.AsType[*csv.ParseError](err); ok {
				bad++
				wantErr = fmt.Sprintf("line %d, byte %d: %v", e.Line, e.Column, e.Err)
				if reader.InputOffset() == int64(len(text)) && e.Err == csv.ErrQuote {
					wantErr = "" // encoding/csv may report another position for a quote that is never closed
				}
				break
			}
			want = append(want, fields)
		}
		got, err := allLines(text, string(delimiter), false, false)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%q, delimiter %q: want -, got +\n%s", text, delimiter, d)
		}
		if (err == nil) != (wantErr == "") && !errors.Is(err, csv.ErrQuote) || wantErr != "" && err.Error() != wantErr {
			t.Fatalf("%q, delimiter %q: got %v, want %s", text, delimiter, err, wantErr)
		}
	}
	if bad < 100 {
		t.Errorf("only %d texts are bad", bad)
	}
}

func TestCSVLines(t *testing.T) {
	for _, tt := range []struct {
		name, text    string
		plain, blanks bool
		want          [][]string
		err           string
	}{
		{"line ends of Windows", "a,b\r\n\"c\r\nd\",e\r\n", false, false, [][]string{{"a", "b"}, {"c\r\nd", "e"}}, ""},
		{"no line end", "a\n\"b\"", false, false, [][]string{{"a"}, {"b"}}, ""},
		{"empty fields", ",\n\"\"\n", false, false, [][]string{{"", ""}, {""}}, ""},
		{"text is no comment", "# a\n 1 # b\n", false, false, [][]string{{"# a"}, {" 1 # b"}}, ""},
		{"comments", "# a \"b\n1,2#3\n #\n4,\n", true, false, [][]string{{"1", "2"}, {"4", ""}}, ""},
		{"blanks", "# a\n 1  2\t3 # b\n\n \t\n4\n#", true, true, [][]string{{"1", "2", "3"}, {"4"}}, ""},
		{"a quote that is not closed", "a\nb,\"c,\nd\n", false, false, [][]string{{"a"}},
			`line 2, byte 3: extraneous or missing " in quoted-field`},
		{"a quote within quotes", "a\n\"b\nc\" d\"\n", false, false, [][]string{{"a"}},
			`line 3, byte 2: extraneous or missing " in quoted-field`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := allLines(tt.text, ",", tt.plain, tt.blanks)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("want -, got +\n%s", d)
			}
			if got := fmt.Sprint(err); got != tt.err && (tt.err != "" || err != nil) {
				t.Errorf("got %v, want %s", err, tt.err)
			}
		})
	}
}

// TestCSVLimits tests the limits of lines, numbers and rows, which bound the time and memory for any file.
func TestCSVLimits(t *testing.T) {
	t.Chdir(t.TempDir())
	defer func(n int) { mostLine = n }(mostLine)
	mostLine = 1 << 16
	digits := strings.Repeat("1", 10_000)
	for _, tt := range []struct{ name, dtype, text, want string }{
		{"line", "f8", "1\n" + strings.Repeat("1,", 1<<15) + "1\n",
			"line 2 has more than 65,536 bytes (64.0 KiB); lines must not be longer"},
		{"quote", "S3", "1\n\"2\n" + strings.Repeat("3\n", 1<<16),
			"line 2 has more than 65,536 bytes (64.0 KiB); is a quote missing?"},
		{"integer", "i8", digits, "10000 bytes"},
		{"unsigned", "u1", digits, "10000 bytes"},
		{"float", "f4", digits, "10000 bytes"},
		{"float of a model", "bfloat16", digits, "10000 bytes"},
		{"complex", "c16", digits, "10000 bytes"},
		{"boolean", "?", digits, "10000 bytes"},
		{"time", "M8[s]", digits, "10000 bytes"},
		{"duration", "m8[s]", digits + " seconds", "10008 bytes"},
		{"row", "S1000000", strings.Repeat("1,", 2000) + "1\n",
			"line 1 has 2,001 values of 1000000 bytes each; a row may have at most 1,073,741,824 bytes (1.0 GiB)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, os.WriteFile("a.csv", []byte(tt.text), 0o666))
			want := tt.want
			if strings.HasSuffix(want, " bytes") {
				want = ": " + want + ", but the text of a number or a time has at most 4096"
			}
			if _, stderr, status := runTool("convert", "-dtype", tt.dtype, "a.csv", "a.npy"); status != 1 ||
				!strings.Contains(stderr, want) {
				t.Errorf("status %d, %s; want %s", status, stderr, want)
			}
		})
	}
	check(t, os.WriteFile("a.csv", []byte("  "+digits[:4000]+"e-4000"+strings.Repeat(" ", 5000)+"\n"), 0o666))
	if _, stderr, status := runTool("convert", "-dtype", "f8", "a.csv", "a.npy"); status != 0 {
		t.Errorf("4,006 bytes among blanks: %s", stderr)
	}
}

// TestCSVMemory tests that a line takes memory for a few copies of its text, and none per field.
func TestCSVMemory(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 1 << 21
	check(t, os.WriteFile("a.csv", bytes.Repeat([]byte("1,"), n/2), 0o666))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	l, err := (&env{}).openCSV("a.csv", &csvFormat{})
	check(t, err)
	defer l.file.Close()
	check(t, l.count(dtype.Uint8))
	runtime.ReadMemStats(&after)
	if got := float64(after.TotalAlloc-before.TotalAlloc) / n; got > 12 || l.columns != n/2+1 {
		t.Errorf("%d columns take %.1f bytes a byte of text", l.columns, got)
	}
}
