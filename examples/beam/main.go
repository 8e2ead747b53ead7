// Npybeam reduces a set of .npy files as if they were a single file, on any number of machines. It runs the operations
// of npy reduce as an Apache Beam pipeline.
//
//	npybeam -op sum|mean|var|min|max|count [-axis N] [-out OUT.npy] FILE...
//
// In this directory, go run . -op mean -axis 0 a.npy b.npy prints the mean of the rows of both files. By default the
// pipeline runs in this process; Beam's flags select another runner.
//
// The files are joined along their first axis. They must have the same dtype, and the same lengths along all other
// axes. Their orders and byte orders may differ. The result is written to OUT.npy, or printed as NumPy prints it.
//
// An element of the pipeline is a range of the first axis of a file. A worker maps the file and reduces the range. The
// results are merged, first on each worker and then across workers. Beam's own flags select where the workers run: in
// this process, or on the machines that README.md describes.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
)

func main() {
	var j job
	own := flag.NewFlagSet("", flag.ExitOnError)
	own.StringVar(&j.Op, "op", "",
		"the operation: sum, mean, var, min, max, or count (of nonzero elements)")
	own.Func("axis", "the `axis` along which they are reduced; -1 is the last (default: all)", func(s string) error {
		axis, err := strconv.Atoi(s)
		j.Axes = []int{axis}
		return err
	})
	own.StringVar(&j.Out, "out", "", "the `file` to write; it must not exist (default: print, with Prism only)")
	own.IntVar(&j.PartBytes, "part", 64<<20, "approximate number of `bytes` of a file in one element of the pipeline")
	verbose := own.Bool("v", false, "show the log of Beam, and errors as it has them")
	own.VisitAll(func(f *flag.Flag) { flag.Var(f.Value, f.Name, f.Usage) }) // in addition to Beam's flags
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: npybeam -op OP [-axis N] [-out OUT.npy] FILE...")
		own.PrintDefaults()
		fmt.Fprintln(os.Stderr, "  and Beam's flags: -runner, -endpoint, …; see README.md")
	}
	flag.Parse()
	beam.Init() // does not return on a worker
	inProcess := *runners.Runner == "" || *runners.Runner == "prism"
	if _, ok := ops[j.Op]; !ok || flag.NArg() == 0 || j.PartBytes < 1 || j.Out == "" && !inProcess {
		flag.Usage()
		os.Exit(2)
	}
	if !*verbose {
		slog.SetDefault(slog.New(slog.DiscardHandler))
	}
	if err := j.run(flag.Args()); err != nil {
		text := err.Error()
		if !*verbose {
			text = cause(err)
		}
		fmt.Fprintln(os.Stderr, "npybeam:", text)
		os.Exit(1)
	}
}

// cause returns the last line of an error. If a step fails, Beam returns a long report whose last line is the error
// from the step.
func cause(err error) string {
	text := strings.TrimSpace(err.Error())
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// run reduces the files and writes the result to j.Out, or prints it. A runner may repeat the last step of the
// pipeline, which then replaces its own output. Therefore the step writes to a temporary directory of this job next to
// j.Out, and run finally links the file to j.Out. It does not replace a file that exists there by then.
func (j job) run(files []string) error {
	out, beside := j.Out, ""
	if out != "" {
		if _, err := os.Lstat(out); err == nil { // fail early
			return &fs.PathError{Op: "create", Path: out, Err: fs.ErrExist}
		}
		beside, _ = filepath.Split(atomicfile.Absolute(out)) // absolute, because workers have other working directories
	}
	parts, err := j.plan(files)
	if err != nil {
		return err
	}
	dir, remove, err := folder(beside)
	if err != nil {
		return err
	}
	defer remove()
	j.Out = filepath.Join(dir, "out.npy")
	if err := beamx.Run(context.Background(), j.pipeline(parts)); err != nil {
		return err
	}
	f, err := array.Open(j.Out, array.ReadOnly)
	if err != nil {
		return err
	}
	defer f.Close()
	if out == "" {
		_, err = fmt.Println(f.Array)
		return err
	}
	return array.Convert(out, f.Array, f.DType(), index.C) // does not replace an existing file
}
