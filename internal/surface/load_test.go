package surface

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
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
)

const root = "../.."

// publicPackages returns the folders, from the root, of the packages that other modules are to import.
func publicPackages(t *testing.T) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != root {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if err == nil || strings.Contains(" internal examples testdata vendor ", " "+name+" ") || name[0] == '.' || name[0] == '_' {
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

// A source is a package as go list prints it.
type source struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	DepOnly         bool // not asked for, but imported
}

// load returns the surface of the packages in these folders on each platform. It checks the types of all that they
// import, the standard library too, from source but for the bodies of functions: export data of other platforms would
// have to be compiled first.
func load(t *testing.T, platforms, dirs []string) [][]string {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // what is parsed stays in memory, so there is little garbage
	sources, errs := make([][]source, len(platforms)), make([]error, len(platforms))
	each(len(platforms), func(i int) { sources[i], errs[i] = list(platforms[i], dirs) })
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	files, err := parse(fset, sources)
	if err != nil {
		t.Fatal(err)
	}
	surfaces := make([][]string, len(platforms))
	each(len(platforms), func(i int) { surfaces[i], errs[i] = check(platforms[i], fset, files, sources[i]) })
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return surfaces
}

// each calls f(0) to f(n-1), all at once.
func each(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// list returns the packages in these folders on a platform and all that they import, each after its imports.
func list(platform string, dirs []string) (all []source, err error) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,ImportMap,DepOnly")
	for _, dir := range dirs {
		cmd.Args = append(cmd.Args, "./"+dir)
	}
	goos, goarch, _ := strings.Cut(platform, "/")
	cmd.Dir = root
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

// parse parses the files of all packages, those that several platforms have once.
func parse(fset *token.FileSet, sources [][]source) (map[string]*ast.File, error) {
	var names []string
	for _, src := range slices.Concat(sources...) {
		for _, file := range src.GoFiles {
			names = append(names, filepath.Join(src.Dir, file))
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	parsed, errs := make([]*ast.File, len(names)), make([]error, len(names))
	const parts = 8
	each(parts, func(part int) {
		for i := part; i < len(names); i += parts {
			parsed[i], errs[i] = parser.ParseFile(fset, names[i], nil, parser.SkipObjectResolution)
		}
	})
	files := map[string]*ast.File{}
	for i, name := range names {
		files[name] = parsed[i]
	}
	return files, errors.Join(errs...)
}

// check returns the surface of the packages that were asked for, on one platform.
func check(platform string, fset *token.FileSet, files map[string]*ast.File, sources []source) (lines []string, err error) {
	_, goarch, _ := strings.Cut(platform, "/")
	done, paths := packages{"unsafe": types.Unsafe}, map[string]string{}
	for _, src := range sources {
		var parsed []*ast.File
		for _, file := range src.GoFiles {
			parsed = append(parsed, files[filepath.Join(src.Dir, file)])
		}
		conf := types.Config{IgnoreFuncBodies: true, Importer: renamed{done, src.ImportMap}, Sizes: types.SizesFor("gc", goarch)}
		pkg, err := conf.Check(src.ImportPath, fset, parsed, nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %v", platform, err)
		}
		done[src.ImportPath] = pkg
		if src.DepOnly {
			continue
		}
		if other, ok := paths[pkg.Name()]; ok {
			return nil, fmt.Errorf("packages %s and %s have one name: a line tells packages apart by their names", other, pkg.Path())
		}
		paths[pkg.Name()] = pkg.Path()
		lines = append(lines, surface(pkg)...)
	}
	return lines, nil
}

// packages are those whose types are checked, by import path.
type packages map[string]*types.Package

func (p packages) Import(path string) (*types.Package, error) {
	if pkg := p[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("package %s is not among those that go list printed before", path)
}

// renamed imports packages by the names that they have in a source: the standard library vendors some.
type renamed struct {
	packages
	names map[string]string
}

func (r renamed) Import(path string) (*types.Package, error) {
	if name, ok := r.names[path]; ok {
		path = name
	}
	return r.packages.Import(path)
}
