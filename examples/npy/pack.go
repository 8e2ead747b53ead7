package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
)

var packCommand = command{
	name: "pack", args: "[-compress] [-meta KEY=VALUE] [-force] [-nosync] OUT [NAME=]FILE...", min: 2, max: -1,
	description: `Pack writes the arrays of the files to a new archive, which NumPy can load. NAME is the
name of the member (default: the name of the file, without directory and .npy). If a
file is called NAME=FILE as a whole, that file is used. Data is aligned to 64 bytes, so
that it can be mapped, except with -compress.

If OUT ends in .safetensors, pack writes a .safetensors file, with the metadata of
-meta. OUT appears only when it is complete.`,
	examples: `npy pack month.npz temperature.npy log=trades.npy
npy pack -compress -force data.npz temperature.npy
npy pack both.npz new=temperature.npy old=data.npz:temperature
npy pack -force -meta format=pt model.safetensors temperature.npy`,
	flags: func(set *flag.FlagSet) runner {
		compress := set.Bool("compress", false, "compress the members, using all cores")
		force := set.Bool("force", false, "replace OUT if it exists")
		nosync, meta := nosyncFlag(set), metaFlag(set)
		return func(e *env, args []string) error {
			members, err := parseSources(args[1:])
			if err == nil {
				err = checkOutIsFile(args[0])
			}
			if err == nil && strings.HasSuffix(args[0], ".npy") {
				err = usageError{fmt.Errorf("the result is an archive; name it %s.npz", strings.TrimSuffix(args[0], ".npy"))}
			}
			if err == nil {
				err = checkMeta(meta, args[0])
			}
			if err != nil {
				return err
			}
			defer e.interruptible()()
			if strings.HasSuffix(args[0], tensorsSuffix) {
				if *compress {
					return usageError{errors.New("a .safetensors file cannot be compressed; omit -compress")}
				}
				return e.packTensors(args[0], *force, *nosync, mergeMeta(nil, meta), members)
			}
			cfg := npz.SaveConfig{Compress: *compress, Replace: *force, NoSync: *nosync, Progress: e.progress}
			return e.pack(cfg, args[0], members)
		}
	},
}

// A content is a file or archive member to be packed, and its name in the new archive.
type content struct {
	name, path string
	as         *conversion  // conversion to apply, or nil
	from       *npz.Archive // if not nil, the member of this archive is copied without reading it
}

// array opens s and returns its array and the dtype of the packed array.
func (e *env) array(s content) (f *input, a array.Array, d dtype.DType, err error) {
	as := s.as
	if as == nil {
		as = &conversion{from: new(rawInput)}
	}
	if f, err = e.openPart(s.path, as.from, as.part); err != nil {
		return nil, a, d, fileError{s.path, err}
	}
	if d, err = as.resultOf(s.path, f.DType()); err != nil {
		f.close()
		return nil, a, d, err
	}
	return f, f.Array, d, nil
}

// checkFit counts the elements of a, the array of s, that do not fit dtype d. If there are any, it returns a warning
// or, with -strict, an error.
func (e *env) checkFit(s content, out string, a array.Array, d dtype.DType) (warning error, err error) {
	if s.as == nil {
		return nil, nil
	}
	n, err := e.fit(s.path, a, d, s.as.strict)
	if n == 0 || err != nil {
		return nil, err
	}
	return fileError{out + ":" + s.name, misfitWarning(n, a, d)}, nil
}

// parseSources parses the arguments [NAME=]FILE. All names must be different.
func parseSources(args []string) ([]content, error) {
	var sources []content
	seen := map[string]bool{}
	for _, arg := range args {
		s := content{path: arg}
		name, path, ok := strings.Cut(arg, "=")
		if _, err := os.Lstat(fileOf(arg)); ok && err != nil && !isURL(arg) {
			s = content{name: name, path: path}
		} else if path == stream || arg == stream {
			return nil, usageError{errors.New("standard input needs a name: NAME=-")}
		} else if _, member, ok := splitMember(arg); ok {
			s.name = strings.TrimSuffix(member, ".npy")
		} else {
			s.name = strings.TrimSuffix(filepath.Base(redacted(arg)), ".npy")
		}
		if seen[s.name] {
			return nil, usageError{fmt.Errorf("duplicate member name %q; rename one with NAME=FILE", s.name)}
		}
		seen[s.name] = true
		sources = append(sources, s)
	}
	return sources, nil
}

// pack packs the sources into the new archive out.
func (e *env) pack(cfg npz.SaveConfig, out string, sources []content) error {
	for _, s := range sources {
		if s.path != stream && e.isPartOf(s.path, out) {
			return fileError{out, errors.New("the output is also an input file")}
		}
	}
	var warnings []error
	err := cfg.Make(out, func(w *npz.Writer) error {
		for _, s := range sources {
			if s.from != nil {
				if err := w.Copy(s.from, s.name); err != nil {
					return err
				}
				continue
			}
			in, a, d, err := e.array(s)
			if err != nil {
				return err
			}
			warning, err := e.checkFit(s, out, a, d)
			if err == nil {
				err = conversionError(s.path, w.Add(s.name, a, d), a.DType(), d)
			}
			in.close()
			if err != nil {
				return err
			}
			warnings = append(warnings, warning)
		}
		return nil
	})
	if err == nil {
		e.warnAll(out, warnings)
	}
	return err
}

// warnAll prints the warnings about the file at path that are not nil.
func (e *env) warnAll(path string, warnings []error) {
	for _, warning := range warnings {
		if warning != nil {
			e.warn(path, warning)
		}
	}
}
