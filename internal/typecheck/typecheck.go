// Package typecheck type-checks packages for other platforms. It reads the source of all packages, including the
// standard library, because the go command would first compile all imports for each platform.
package typecheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
)

// A source describes a package in the format of go list -json.
type source struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	DepOnly         bool // only imported by other packages, not requested
	Module          *struct{ Main bool }
}

// Packages type-checks the packages that match args, which are arguments of go list in the module at dir, on each
// platform ("linux/amd64") without cgo. It returns the packages of each platform in the order of go list. It checks
// bodies of functions only in packages of the module. If the first argument is -test, it also checks the tests.
func Packages(dir string, platforms, args []string) ([][]*types.Package, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // syntax trees stay in memory: collections would find little
	sources, errs := make([][]source, len(platforms)), make([]error, len(platforms))
	parallel(len(platforms), func(i int) { sources[i], errs[i] = list(dir, platforms[i], args) })
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	files, err := parse(fset, sources)
	if err != nil {
		return nil, err
	}
	packages := make([][]*types.Package, len(platforms))
	parallel(len(platforms), func(i int) { packages[i], errs[i] = check(platforms[i], fset, files, sources[i]) })
	return packages, errors.Join(errs...)
}

// parallel calls f(0) to f(n-1) concurrently.
func parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// list returns the packages on a platform and all packages that they import, each after its imports.
func list(dir, platform string, args []string) (all []source, err error) {
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,DepOnly,Module"},
		args...)...)
	goos, goarch, _ := strings.Cut(platform, "/")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS=")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: go list: %v\n%s", platform, err, &stderr)
	}
	for dec := json.NewDecoder(&out); ; {
		var src source
		if err := dec.Decode(&src); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if src.ImportPath != "unsafe" {
			all = append(all, src)
		}
	}
}

// path returns the path of a file in GoFiles. A file that the go command has generated has an absolute path.
func (src source) path(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(src.Dir, file)
}

// parse parses the files of all packages. It parses a file once, even if several platforms have it.
func parse(fset *token.FileSet, sources [][]source) (map[string]*ast.File, error) {
	files := map[string]*ast.File{}
	for _, list := range sources {
		for _, src := range list {
			for _, file := range src.GoFiles {
				files[src.path(file)] = nil
			}
		}
	}
	names := make(chan string, len(files))
	for name := range files {
		names <- name
	}
	close(names)
	var mu sync.Mutex
	var errs []error
	parallel(8, func(int) {
		for name := range names {
			file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
			mu.Lock()
			files[name] = file
			if err != nil {
				errs = append(errs, err)
			}
			mu.Unlock()
		}
	})
	return files, errors.Join(errs...)
}

// check type-checks all packages on one platform. It returns the packages that were requested, and the errors in all
// packages.
func check(platform string, fset *token.FileSet, files map[string]*ast.File,
	sources []source) (requested []*types.Package,
	err error) {
	_, goarch, _ := strings.Cut(platform, "/")
	done := packages{"unsafe": types.Unsafe}
	var errs []error
	for _, src := range sources {
		var parsed []*ast.File
		for _, file := range src.GoFiles {
			parsed = append(parsed, files[src.path(file)])
		}
		conf := types.Config{
			IgnoreFuncBodies: src.Module == nil || !src.Module.Main,
			Importer:         renamingImporter{done, src.ImportMap},
			Sizes:            types.SizesFor("gc", goarch),
			Error:            func(err error) { errs = append(errs, fmt.Errorf("%s: %w", platform, err)) },
		}
		path, _, _ := strings.Cut(src.ImportPath, " ") // "p [p.test]" is p with its tests
		pkg, _ := conf.Check(path, fset, parsed, nil)
		done[src.ImportPath] = pkg
		if !src.DepOnly {
			requested = append(requested, pkg)
		}
	}
	return requested, errors.Join(errs...)
}

// packages has the packages that have been type-checked, by import path.
type packages map[string]*types.Package

func (p packages) Import(path string) (*types.Package, error) {
	if pkg := p[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("package %s: go list did not print it before the packages that import it", path)
}

// A renamingImporter is an importer that translates the import paths of a source. Vendored packages of the standard
// library, and packages compiled with their tests, have other names in the output of go list.
type renamingImporter struct {
	packages
	names map[string]string
}

func (r renamingImporter) Import(path string) (*types.Package, error) {
	if name, ok := r.names[path]; ok {
		path = name
	}
	return r.packages.Import(path)
}
