package array

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestSaveConfigReplace tests that every method of SaveConfig replaces a file only if Replace is set.
func TestSaveConfigReplace(t *testing.T) {
	src := must(FromSlice([]int16{1, 2, 3})).Array()
	for name, do := range map[string]func(cfg SaveConfig, path string) error{
		"Create": func(cfg SaveConfig, path string) error {
			f, err := cfg.Create(path, dtype.Int16, index.C, 3)
			if err == nil {
				err = f.Close()
			}
			return err
		},
		"CreatePending": func(cfg SaveConfig, path string) error {
			f, err := cfg.CreatePending(path, dtype.Int16, index.C, 3)
			if err == nil {
				err = errors.Join(f.Commit(), f.Close())
			}
			return err
		},
		"Make": func(cfg SaveConfig, path string) error {
			return cfg.Make(path, dtype.Int16, index.C, []int{3}, func(*File) error { return nil })
		},
		"Save":    func(cfg SaveConfig, path string) error { return cfg.Save(path, src) },
		"Convert": func(cfg SaveConfig, path string) error { return cfg.Convert(path, src, dtype.Int16, index.C) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, cfg := range []SaveConfig{{}, {Replace: true}, {Replace: true, NoSync: true}, {NoSync: true, Sparse: true},
				{Replace: true, Sparse: true, Progress: func(_, _ int64) error { return nil }}} {
				dir := t.TempDir()
				path := filepath.Join(dir, "a.npy")
				if err := do(cfg, path); err != nil {
					t.Fatalf("%s to a new file: %v", name, err)
				}
				if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
					t.Fatal(err)
				}
				err := do(cfg, path)
				if cfg.Replace != (err == nil) || !cfg.Replace && !errors.Is(err, fs.ErrExist) {
					t.Errorf("%s, Replace %v: %v", name, cfg.Replace, err)
				}
				if old := string(must(os.ReadFile(path))) == "old"; old == cfg.Replace || len(fileNames(t, dir)) != 1 {
					t.Errorf("%s, Replace %v: old file kept: %v; the folder has %q", name, cfg.Replace, old,
						fileNames(t, dir))
				}
			}
		})
	}
}
