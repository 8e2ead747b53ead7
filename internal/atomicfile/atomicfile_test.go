package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

// TestReplace tests that path names the old file until Commit and the new one afterwards, and that Remove keeps the old
// file and leaves no other file.
func TestReplace(t *testing.T) {
	for _, tt := range []struct {
		name         string
		old, replace bool
		remove       bool
		want         string // the content of path at the end, "" if it does not exist
		err          error
	}{
		{"new", false, false, false, "new", nil},
		{"new, or replacing a file", false, true, false, "new", nil},
		{"replacing a file", true, true, false, "new", nil},
		{"never replacing a file", true, false, false, "old", fs.ErrExist},
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
				t.Errorf("before Commit the content is %q, want %q", got, before)
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
				t.Errorf("at the end the content is %q, want %q", got, tt.want)
			}
			entries, err := os.ReadDir(dir)
			if err != nil || len(entries) > 1 || len(entries) == 1 && entries[0].Name() != "file" {
				t.Errorf("files in the folder: %v, %v", entries, err)
			}
		})
	}
}
