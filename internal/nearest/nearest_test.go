package nearest

import "testing"

func TestWord(t *testing.T) {
	commands := []string{"info", "print", "new", "set", "convert", "stats", "append", "check"}
	for _, tt := range []struct{ word, want string }{
		{"inf", "info"}, {"Info", "info"}, {"infos", "info"}, {"nfo", "info"}, {"unfo", "info"}, {"ifno", "info"},
		{"stat", "stats"}, {"pritn", "print"}, {"chekc", "check"}, {"apend", "append"}, {"cnovert", "convert"}, {"sets",
			"set"},
		{"i", "info"}, {"Conv", "convert"}, {"c", "convert"}, // the first word with this prefix
		{"nwe", "new"}, // one exchange
		{"nxe", ""},    // two wrong letters of three
		{"add", ""}, {"information", ""}, {"frobnicate", ""}, {"x", ""}, {"xyzw", ""}, {"", ""},
	} {
		if got := Word(tt.word, commands); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.word, got, tt.want)
		}
	}
	if got := Word("b", []string{"a", "B", "c"}); got != "B" {
		t.Errorf("b: %q, want B", got)
	}
	if got := Word("b", []string{"a", "c"}); got != "" {
		t.Errorf("b: %q, want none: no letter remains", got)
	}
	if got := Word("taek", []string{"tail", "take"}); got != "take" {
		t.Errorf("taek: %q, want take: an exchange is one edit", got)
	}
	if got := Word("temp", []string{"tamp", "tmp"}); got != "tamp" {
		t.Errorf("temp: %q, want the first of the nearest words", got)
	}
}

func TestSlip(t *testing.T) {
	ops := []string{"sum", "mean", "var", "std", "min", "max", "argmin", "count"}
	for _, tt := range []struct{ word, want string }{
		{"sun", "sum"}, {"summ", "sum"}, {"maen", "mean"}, {"mea", "mean"}, {"Sdt", "std"}, {"argmn", "argmin"},
		{"mix", ""}, // min or max
		{"men", ""}, // mean or min
		{"median", ""}, {"amin", "min"}, {"average", ""}, {"nanmean", ""}, {"", ""}, {"s", ""}, {"cout", "count"},
	} {
		if got := Slip(tt.word, ops); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.word, got, tt.want)
		}
	}
}
