// Npy shows, prints, creates, edits, converts, summarizes, reduces, appends to, checks and
// packs .npy files, and writes references to them for Dask and xarray.
//
//	npy info [-json] FILE...
//	npy print [-select S] [-field F] [-json] FILE
//	npy new -dtype D -shape 3,4 [-order C|F] [-fill X] [-sparse] [-force] FILE
//	npy set -select S [-field F] FILE VALUE
//	npy convert [-select S] [-field F] [-dtype D | -aligned | -packed] [-order C|F] [-force] [-nosync] IN OUT
//	npy stats [-select S] [-field F] [-json] FILE
//	npy reduce -op OP [-axis 0,2] [-skipnan] [-ddof N] [-select S] [-field F] [-force] IN OUT
//	npy append DST SRC...
//	npy check FILE...
//	npy repair FILE.npz
//	npy pack [-compress] [-force] OUT [NAME=]FILE...
//	npy refs [-stack AXIS | -concat AXIS] [-chunk BYTES] [-base URL] [-force] OUT.json FILE...
//	npy version
//
// A FILE without a header takes these flags before it, in info, print, set, convert and
// reduce (for IN), stats and refs:
//
//	-raw D -shape 3,-1 [-offset N] [-raworder C|F]
//
// Files may be larger than memory: they are mapped, and only what a command needs
// is touched. A file that is only read may be -, standard input, an array or an archive,
// of which -:NAME is a member; what is larger than 64 MiB and no file that can be
// mapped, and an archive, is kept in a temporary file: in info, print, stats and check, IN of convert and reduce, SRC
// of append. It may be a member of an archive, DATA.npz:NAME, or a tensor, DATA.safetensors:NAME, unless that is the
// whole name of a file. The exit status is 0, or 1 after "npy: FILE: what is wrong" on standard error, or 2 for wrong
// usage. Each command's -help has examples.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/internal/nearest"
	"github.com/ndmap/ndmap/mmap"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// A command is one of the tool's. Its run method has the flags parsed.
type command struct {
	name, args, about string
	examples          string // lines for a shell; TestExamples runs them
	min, max          int    // how many arguments follow the flags; max -1: any number

	// flags declares the flags and returns what runs the command.
	flags func(*flag.FlagSet) runner
}

// A runner does what a command is for, with the arguments after the flags. Its
// error is about the first of them unless it is a fileError; a usageError is wrong
// usage.
type runner func(e *env, args []string) error

// An env is what a command reads from and writes to.
type env struct {
	stdin     io.Reader
	temporary []string      // files to be removed at the end
	out       *bufio.Writer // standard output
	columns   int           // how wide it is
	terminal  bool          // it is one
	stderr    io.Writer
	failed    bool // an error was noted
	blocks    int  // that info has written for people
	bar       term.Bar
	inputs    []*input
	late      error        // of an input that is closed: it may have been torn
	read      bool         // the inputs have been read, and were whole: what happens to them then is of no interest
	signal    atomic.Value // the os.Signal that called the command off; see interruptible
}

// note reports what is wrong with one file of several.
func (e *env) note(path string, err error) {
	e.failed = true
	e.warn(path, err)
}

// warn reports what may come to be wrong with a file.
func (e *env) warn(path string, err error) {
	e.bar.End()
	e.out.Flush() // what was printed before it comes before it
	report(e.stderr, path, err)
}

var commands = []command{infoCommand, printCommand, newCommand, setCommand, convertCommand, statsCommand, reduceCommand,
	appendCommand, checkCommand, repairCommand, packCommand, refsCommand, versionCommand}

// run is the whole tool. It returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[0] == "help" {
		args = []string{args[1], "-help"}
	}
	if len(args) > 0 && (args[0] == "help" || args[0] == "-h" || args[0] == "-help" || args[0] == "--help") {
		usage(stdout)
		return 0
	}
	if len(args) == 0 {
		usage(stderr)
		return 2
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.run(args[1:], stdin, stdout, stderr)
		}
	}
	fmt.Fprintf(stderr, "npy: there is no command %q", args[0])
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	if name := nearest.Word(args[0], names); name != "" {
		fmt.Fprintf(stderr, "; did you mean %s?", name)
	}
	fmt.Fprint(stderr, "\nnpy help lists those that there are.\n")
	return 2
}

func (c *command) run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	set := flag.NewFlagSet(c.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	do := c.flags(set)
	err := set.Parse(endFlags(args))
	if errors.Is(err, flag.ErrHelp) {
		c.usage(stdout, set)
		return 0
	}
	args = set.Args()
	switch {
	case err != nil:
		err = usageError{err}
	case len(args) < c.min:
		err = usageError{fmt.Errorf("%s is missing", c.argument(len(args)))}
	case c.max >= 0 && len(args) > c.max:
		err = usageError{fmt.Errorf("argument %q is one too many; flags come before the file", args[c.max])}
	}
	e := &env{stdin: stdin, out: bufio.NewWriterSize(stdout, 1<<16), stderr: stderr, bar: term.NewBar(stderr)}
	e.columns, e.terminal = term.Columns(stdout)
	if err == nil {
		// A file that is truncated while it is mapped is an error like others.
		err = mmap.Guard(func() error { return do(e, args) })
		e.bar.End()
		if err == nil && !e.read {
			err = e.torn()
		}
		if werr := e.out.Flush(); werr != nil {
			err = fileError{"standard output", werr}
		}
	}
	for _, name := range e.temporary { // nothing maps them any more
		os.Remove(name)
	}
	usage, isUsage := errors.AsType[usageError](err)
	if s, ok := e.signal.Load().(os.Signal); ok {
		return endBy(s)
	}
	switch {
	case isUsage:
		// "invalid value … for flag -select: index: selection …": the package is of no interest
		msg := strings.NewReplacer(": index: ", ": ", ": dtype: ", ": ").Replace(usage.Error())
		fmt.Fprintf(stderr, "npy: %s: %s\nusage: %s\nnpy %s -help says more.\n", c.name, words.Printable(msg), c.synopsis(),
			c.name)
		return 2
	case err != nil:
		report(stderr, append(args, "standard output")[0], err) // a command without files only prints
		return 1
	case e.failed:
		return 1
	}
	return 0
}

// endFlags ends the flags before a member of the archive at standard input, -:NAME, which would be one.
func endFlags(args []string) []string {
	i := slices.IndexFunc(args, func(s string) bool { return strings.HasPrefix(s, stream+":") })
	if i < 0 || slices.Contains(args[:i], "--") {
		return args
	}
	return slices.Insert(slices.Clone(args), i, "--")
}

// A usageError is wrong usage of a command.
type usageError struct{ error }

// A fileError says which file an error is about.
type fileError struct {
	path string
	err  error
}

func (e fileError) Error() string {
	return e.path + ": " + strings.TrimPrefix(e.err.Error(), e.path+": ")
}
func (e fileError) Unwrap() error { return e.err }

// report prints an error as one line that names the file once: path, or the one
// that the error names.
func report(w io.Writer, path string, err error) {
	if e, ok := errors.AsType[fileError](err); ok {
		path, err = e.path, e.err
	}
	msg := err.Error()
	if e, ok := err.(*fs.PathError); ok { // "open t.npy: no such file or directory"
		path, msg = e.Path, e.Err.Error()
	}
	for _, prefix := range []string{path + ": ", "stream: ", "array: ", "safetensors: ", "index: ", "dtype: "} {
		msg = strings.TrimPrefix(msg, prefix)
	}
	msg = remedies.Replace(msg)
	if fi, serr := os.Stat(path); errors.Is(err, fs.ErrExist) && serr == nil && fi.Mode().IsRegular() {
		msg += "; -force replaces it"
	}
	fmt.Fprintf(w, "npy: %s: %s\n", words.Printable(path), words.Printable(strings.ReplaceAll(msg, "\n", "; ")))
}

// remedies are what the library tells programs to do, and what there is to do in a terminal.
var remedies = strings.NewReplacer(
	"; Repair makes the archive say what there is", "; npy repair makes the archive say what there is",
	"; open the archive with mmap.ReadOnly or mmap.CopyOnWrite",
	"; npy pack without -compress makes an archive that can be",
	"; Reinterpret them as int64", "; -raw '<i8' with -shape, and -offset from npy info, reads them as integers",
	"; Reinterpret has their real and imaginary parts as a longer last axis",
	"; -raw '<f8', say, with a last axis of 2 reads their real and imaginary parts",
	"; it takes one, or nil for all", "; it takes one, or none for all",
)

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage:")
	for _, c := range commands {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  npy %-7s %s", c.name, c.args), " "))
	}
	fmt.Fprintln(w, "S is a selection as between NumPy's brackets: '1:10:2, ..., ::-1, None, -1'.")
	fmt.Fprintln(w, "D is a dtype: '<f8', '>i2', float32, '|S10', datetime64[ns], \"[('x', '<f4'), ('tag', '|S8')]\".")
	fmt.Fprintln(w, "FILE may be -, standard input, where it is only read; so may IN and SRC.")
	fmt.Fprintln(w, "info, print, set, convert, stats, reduce and refs read a FILE without a header with")
	fmt.Fprintln(w, "-raw D -shape 3,-1 [-offset N] [-raworder C|F] before it.")
	fmt.Fprintln(w, "npy COMMAND -help says more, with examples.")
}

// argument returns the name of the argument after n others, as the synopsis has it.
func (c *command) argument(n int) string {
	synopsis := regexp.MustCompile(`^(-\w+ \S+ |\[-[^]]*\] )*`).ReplaceAllString(c.args, "") // less the flags
	names := strings.Fields(synopsis)
	return strings.TrimSuffix(strings.TrimPrefix(names[min(n, len(names)-1)], "[NAME=]"), "...")
}

func (c *command) synopsis() string { return strings.TrimRight("npy "+c.name+" "+c.args, " ") }

func (c *command) usage(w io.Writer, set *flag.FlagSet) {
	fmt.Fprintf(w, "usage: %s\n%s\n", c.synopsis(), c.about)
	set.SetOutput(w)
	set.PrintDefaults()
	fmt.Fprintf(w, "examples:\n  %s\n", strings.ReplaceAll(c.examples, "\n", "\n  "))
}
