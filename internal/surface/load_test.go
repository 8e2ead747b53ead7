package surface

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/typecheck"
)

const root = "../.."

// publicPackages returns the folders of the packages that other modules can import, relative to the root.
func publicPackages(t *testing.T) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if err == nil || strings.Contains(" internal examples testdata vendor ", " "+name+" ") || name[0] == '.' ||
				name[0] == '_' {
				return fs.SkipDir
			}
		}
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			dir, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			if dir = filepath.ToSlash(dir); !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// load returns the lines of the packages in the folders dirs, for each platform.
func load(t *testing.T, platforms, dirs []string) (surfaces [][]string) {
	t.Helper()
	var args []string
	for _, dir := range dirs {
		args = append(args, "./"+dir)
	}
	packages, err := typecheck.Packages(root, platforms, args)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range packages {
		paths := map[string]string{}
		var lines []string
		for _, pkg := range list {
			if other, ok := paths[pkg.Name()]; ok {
				t.Fatalf("packages %s and %s have the same name, which makes their lines ambiguous", other, pkg.Path())
			}
			paths[pkg.Name()] = pkg.Path()
			lines = append(lines, surface(pkg)...)
		}
		surfaces = append(surfaces, lines)
	}
	return surfaces
}
