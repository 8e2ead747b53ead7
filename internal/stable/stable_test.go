package stable

import (
	"errors"
	"io"
	"testing"
)

func TestRead(t *testing.T) {
	broken := errors.New("broken")
	type result struct {
		text string
		err  error
	}
	for _, tt := range []struct {
		name  string
		reads []result // the last one is repeated
		want  string
		calls int
		ok    bool
		err   error
	}{
		{"the same", []result{{"(99,)...", nil}}, "(99,)...", 2, true, nil},
		{"shorter than dst", []result{{"(9,)", io.EOF}}, "(9,)", 2, true, nil},
		{"during a write", []result{{"(99,)...", nil}, {"(19,)...", nil}, {"(100,)..", nil}}, "(100,)..", 4, true, nil},
		{"longer", []result{{"(9", io.EOF}, {"(99,)...", nil}}, "(99,)...", 3, true, nil},
		{"shorter", []result{{"(99,)...", nil}, {"(9", io.EOF}}, "(9", 3, true, nil},
		{"an error", []result{{"", broken}}, "", 1, true, broken},
		{"an error in the second read", []result{{"(99,)...", nil}, {"", broken}}, "", 2, true, broken},
		{"never the same", nil, "", 1 + tries, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls := 0
			dst := make([]byte, 8)
			n, ok, err := Read(dst, func(b []byte) (int, error) {
				calls++
				if calls > 10*tries {
					t.Fatalf("%s: Read does not end", tt.name)
				}
				if tt.reads == nil {
					b[0] = byte(calls % 2)
					return 1, nil
				}
				r := tt.reads[min(calls, len(tt.reads))-1]
				return copy(b, r.text), r.err
			})
			if ok != tt.ok || err != tt.err || calls != tt.calls || ok && string(dst[:n]) != tt.want {
				t.Errorf("%s: %q, %v, %v after %d calls, want %q, %v, %v after %d", tt.name, dst[:n], ok, err, calls, tt.want,
					tt.ok,
					tt.err, tt.calls)
			}
		})
	}
}
