package term

import (
	"runtime"
	"testing"
)

func TestShowsBraille(t *testing.T) {
	for _, tt := range []struct {
		term, all, ctype, lang string
		want                   bool
	}{
		{"xterm", "", "", "en_GB.UTF-8", true},
		{"", "", "", "C.utf8", true},
		{"xterm", "", "de_DE.UTF-8@euro", "C", true},
		{"xterm", "C", "C.UTF-8", "C.UTF-8", false},
		{"xterm", "", "de_DE.ISO-8859-1", "C.UTF-8", false},
		{"xterm", "", "", "de_DE", false},
		{"xterm", "", "", "", runtime.GOOS == "windows"},
		{"dumb", "", "", "C.UTF-8", false},
		{"linux", "C.UTF-8", "", "", false},
	} {
		t.Setenv("TERM", tt.term)
		t.Setenv("LC_ALL", tt.all)
		t.Setenv("LC_CTYPE", tt.ctype)
		t.Setenv("LANG", tt.lang)
		if got := ShowsBraille(); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
