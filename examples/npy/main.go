// Npy shows, prints, creates, edits, converts, summarizes, reduces, appends to, joins, compares, checks and
// packs .npy files, and writes references to them for Dask and xarray.
//
//	npy COMMAND [FLAGS] FILE...
//
// Flags may follow the FILE, but not in set, whose VALUE may be -40, nor where FILE... is any number of files. What
// follows -- is not a flag. npy help lists the commands, and README.md has the list, too; npy help COMMAND says more
// of one, with examples. The table of commands is in commands.go.
//
// Files may be larger than memory: they are mapped, and only what a command needs
// is touched. A file that is only read may be -, standard input, an array or an archive,
// of which -:NAME is a member; what is larger than 64 MiB and no file that can be
// mapped, and an archive, is kept in a temporary file. It may be a member of an archive, DATA.npz:NAME, or a
// tensor, DATA.safetensors:NAME, unless that is the whole name of a file. The exit status is 0, or 1 after
// "npy: FILE: what is wrong" on standard error, or 2 for wrong usage.
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/internal/nearest"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// An env is what a command reads from and writes to.
type env struct {
	stdin     io.Reader
	temporary []string      // files to be removed at the end
	out       *bufio.Writer // standard output
	columns   int           // how wide it is
	terminal  bool          // it is one
	colours   term.Colours  // that are wanted there
	stderr    io.Writer
	failed    bool // an error was noted
	status    int  // the exit status if there is no error
	blocks    int  // that info has written for people
	bar       term.Bar
	commands  []command // those that there are
	inputs    []*input
	late      error        // of an input that is closed: it may have been torn
	read      bool         // the inputs have been read, and were whole: what happens to them then is of no interest
	signal    atomic.Value // the os.Signal that called the command off; see interruptible

	containers map[string]*container // by path, those that are open
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

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage:")
	for _, c := range commands {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  npy %-10s %s", c.name, c.args), " "))
	}
	fmt.Fprintln(w, "S is a selection as between NumPy's brackets: '1:10:2, ..., ::-1, None, -1'.")
	fmt.Fprintln(w, "D is a dtype: '<f8', '>i2', float32, '|S10', datetime64[ns], \"[('x', '<f4'), ('tag', '|S8')]\".")
	fmt.Fprintln(w, "FILE may be -, standard input, where it is only read; so may IN and SRC.")
	var raw []string // commands that have -raw
	for _, c := range commands {
		if c.flagSet().Lookup("raw") != nil {
			raw = append(raw, c.name)
		}
	}
	last := len(raw) - 1
	fmt.Fprintf(w, "%s and %s read a FILE without a header with\n", strings.Join(raw[:last], ", "), raw[last])
	fmt.Fprintln(w, "-raw D -shape 3,-1 [-offset N] [-raworder C|F].")
	fmt.Fprintln(w, "They read the .npy file that starts at a byte of FILE with -at BYTE.")
	fmt.Fprintln(w, "Flags may follow the FILE, but not in set, whose VALUE may be -40, nor where FILE... is")
	fmt.Fprintln(w, "any number of files. What follows -- is not a flag.")
	fmt.Fprintln(w, "npy COMMAND -help says more, with examples.")
}
