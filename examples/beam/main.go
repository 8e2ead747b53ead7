// Npybeam reduces .npy files as if they were one, on as many machines as there are: it is
// npy reduce for a set of files, as a pipeline of Apache Beam.
//
//	npybeam -op sum|mean|var|min|max|count [-axis N] [-out OUT.npy] FILE...
//
// In this folder, go run . -op mean -axis 0 a.npy b.npy prints the mean of the rows of both. It is run in this process,
// where no flag of Beam says otherwise.
//
// The files are joined along their first axis. They have the same dtype and the other lengths
// in common; their lengths along the first axis, their orders and their byte orders may differ.
// The result is written to OUT.npy, or is printed as NumPy prints it.
//
// An element of the pipeline is a file and a range of its first axis. A worker maps the file
// and reduces the range; the results are merged, on each worker first. Beam's own flags say
// where the workers are: in this process, or on the machines that README.md tells of.
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
		"what becomes of the elements: sum, mean, var, min, max, or count (of what is not zero)")
	own.Func("axis", "the `axis` along which they are reduced; -1 is the last (default: all)", func(s string) error {
		axis, err := strconv.Atoi(s)
		j.Axes = []int{axis}
		return err
	})
	own.StringVar(&j.Out, "out", "", "the `file` to write; it must not be there yet (default: print, with Prism only)")
	own.IntVar(&j.PartBytes, "part", 64<<20, "how many `bytes` of a file, about, are one element of the pipeline")
	verbose := own.Bool("v", false, "show the log of Beam, and errors as it has them")
	own.VisitAll(func(f *flag.Flag) { flag.Var(f.Value, f.Name, f.Usage) }) // beside Beam's
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: npybeam -op OP [-axis N] [-out OUT.npy] FILE...")
		own.PrintDefaults()
		fmt.Fprintln(os.Stderr, "  and Beam's flags: -runner, -endpoint, …; see README.md")
	}
	flag.Parse()
	beam.Init() // on a worker this does not return
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

// cause is the last line of an error: where Beam tells which step failed, the error of the step.
func cause(err error) string {
	text := strings.TrimSpace(err.Error())
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// run writes what becomes of the files to j.Out, or prints it. The last step of the pipeline may be done twice, and
// replaces what it has written before: so it writes to a folder of this job, beside j.Out, and what is there in the
// end gets its name, if nobody else has taken that.
func (j job) run(files []string) error {
	out, beside := j.Out, ""
	if out != "" {
		if _, err := os.Lstat(out); err == nil { // before the work
			return &fs.PathError{Op: "create", Path: out, Err: fs.ErrExist}
		}
		beside, _ = filepath.Split(atomicfile.Absolute(out)) // workers have other working directories
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
	return array.Convert(out, f.Array, f.DType(), index.C) // replaces nothing
}
