package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// What is between quotes has a limit, which a quote that is missing would pass, and what is not has none.
func TestKeeperLimit(t *testing.T) {
	line := bytes.Repeat([]byte("1234567,"), 1<<13)
	long := func(first string) io.Reader {
		parts := []io.Reader{strings.NewReader(first)}
		for range mostQuoted/len(line) + 1 {
			parts = append(parts, bytes.NewReader(line))
		}
		return io.MultiReader(parts...)
	}
	for _, tt := range []struct {
		first, want string
	}{
		{"", ""},
		{`"closed",`, ""},
		{`"open,`, "more than 67,108,864 bytes (64.0 MiB) between quotes; is one missing?"},
	} {
		n, err := io.Copy(io.Discard, &keeper{r: long(tt.first)})
		if got := errorText(err); got != tt.want || err == nil && n <= mostQuoted {
			t.Errorf("%q: %d bytes, %q; want %q", tt.first, n, got, tt.want)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
