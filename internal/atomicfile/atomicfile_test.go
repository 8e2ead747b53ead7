package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

// The path is that of the old file until Commit, and of the new one after it; Remove leaves the old one, and no other.
func TestReplace(t *testing.T) {
	for _, tt := range []struct {
		name         string
		old, replace bool
		remove       bool
		want         string // what is at the path in the end, "" if nothing
		err          error
	}{
		{"new", false, false, false, "new", nil},
		{"new, or in place of another", false, true, false, "new", nil},
		{"in place of another", true, true, false, "new", nil},
		{"never in place of another", true, false, false, "old", fs.ErrExist},
		{"removed", true, true, true, "old", nil},
		{"removed, nothing before", false, false, true, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := dir + "/file"
			at := func() string {
				b, err := os.ReadFile(path)
				if err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatal(err)
				}
				return string(b)
			}
			before := ""
			if tt.old {
				before = "old"
				if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			f, err := New(path, tt.replace)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString("new"); err != nil {
				t.Fatal(err)
			}
			if got := at(); got != before {
				t.Errorf("before Commit there is %q, want %q", got, before)
			}
			if !tt.remove {
				if _, err := f.Commit(); !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil) {
					t.Errorf("Commit: %v, want %v", err, tt.err)
				}
			}
			if tt.remove || tt.err != nil {
				f.Remove()
			} else {
				f.Close()
			}
			if got := at(); got != tt.want {
				t.Errorf("in the end there is %q, want %q", got, tt.want)
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) > 1 || len(entries) == 1 && entries[0].Name() != "file" {
				t.Errorf("in the folder there is %v, %v", entries, err)
			}
		})
	}
}
