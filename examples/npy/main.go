// Npy shows, plots, creates, edits, converts, summarizes, joins, compares, checks and packs .npy files, and writes
// references to them for Dask and xarray.
//
//	npy COMMAND [FLAGS] FILE...
//
// Flags may also follow FILE. If a command takes any number of files, an argument after the first one is a flag only if
// no file has this name. The last argument of set is always VALUE, which may look like a flag (-40). Arguments after --
// are never flags. "npy help" lists the commands, and "npy help COMMAND" describes one command with examples. The table
// of commands is in commands.go.
//
// Files may be larger than memory. They are mapped, and a command touches only the pages that it needs. FILE may also
// name a member of an archive, DATA.npz:NAME, or a tensor, DATA.safetensors:NAME or DATA.safetensors.index.json:NAME,
// unless a file of that whole name exists.
//
// If a command only reads FILE, FILE may be - for standard input, which may contain an array or an archive. -:NAME is a
// member of an archive on standard input. Archives from a pipe, and arrays of more than 64 MiB from a pipe, are stored
// in a temporary file.
//
// If a command writes a .npy file to OUT, OUT may be - for standard output, so that a command can stand in the middle
// of a pipe. OUT may also be a named pipe or a device. Messages are written to standard error only.
//
// If a command only reads FILE, FILE may also be an http or https URL. A command requests only the bytes that it
// needs, and the server must support byte ranges. A member of an archive is URL.npz:NAME, or URL#NAME if the URL has
// a query.
//
// The exit status is 0 on success, 1 after an error, which is printed to standard error as "npy: FILE: what is wrong",
// and 2 for wrong usage.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/internal/nearest"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// An env is the environment that a command runs in.
type env struct {
	stdin     io.Reader
	temporary []string // files and directories to be removed at the end
	stdout    io.Writer
	out       *bufio.Writer // buffers standard output
	columns   int           // width of standard output
	terminal  bool          // standard output is a terminal
	colours   term.Colours  // whether to use colours
	stderr    io.Writer
	failed    bool // note was called
	status    int  // exit status of a command that returns no error
	blocks    int  // number of text blocks that info has printed
	bar       term.Bar
	commands  []command // all commands of the tool
	inputs    []*input
	late      error        // error about a closed input that was torn
	read      bool         // all inputs have been read intact, so that later changes do not matter
	signal    atomic.Value // the os.Signal that interrupted the command; see interruptible

	containers map[string]*container // open containers by path

	ctx      context.Context // of requests to web servers
	cancel   context.CancelCauseFunc
	webFiles map[string]*webFile // files on web servers by URL

	receiving         sync.Mutex // protects the next two fields, and bar while expected is not 0
	arrived, expected int64      // bytes that a running request has received and will receive
}

// noteError prints an error about one of several files. The command continues, and exits with status 1 at the end.
func (e *env) noteError(path string, err error) {
	e.failed = true
	e.warn(path, err)
}

// warn prints a warning about a file. It does not change the exit status.
func (e *env) warn(path string, err error) {
	e.bar.End()
	e.out.Flush() // print earlier output first
	report(e.stderr, path, err)
}

// run runs the tool and returns the exit status.
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
	fmt.Fprintf(stderr, "npy: unknown command %q", args[0])
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	if name := nearest.Word(args[0], names); name != "" {
		fmt.Fprintf(stderr, "; did you mean %s?", name)
	}
	fmt.Fprint(stderr, "\nRun 'npy help' for usage.\n")
	return 2
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "Npy inspects, edits, converts and combines NumPy .npy files.\n\nusage:")
	for _, c := range commands {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  npy %-10s %s", c.name, c.args), " "))
	}
	fmt.Fprintln(w, "\nS is a selection, written as between NumPy's brackets: '1:10:2, ..., ::-1, None, -1'.")
	fmt.Fprintln(w, "D is a dtype: '<f8', '>i2', float32, '|S10', datetime64[ns], \"[('x', '<f4'), ('tag', '|S8')]\".")
	fmt.Fprintln(w, "FILE, IN and SRC may be -, which is standard input, or a URL, in commands that only read them.")
	fmt.Fprintln(w, "OUT, and FILE of new, may be -, which is standard output, or a pipe; they get a .npy file.")
	var raw []string // commands with the flag -raw
	for _, c := range commands {
		if c.flagSet().Lookup("raw") != nil {
			raw = append(raw, c.name)
		}
	}
	last := len(raw) - 1
	fmt.Fprintf(w, "%s and %s also read\na FILE without a header, with ", strings.Join(raw[:last], ", "), raw[last])
	fmt.Fprintln(w, "-raw D -shape 3,-1 [-offset N] [-raworder C|F].")
	fmt.Fprintln(w, "They read a .npy file that starts in the middle of FILE with -at BYTE.")
	fmt.Fprintln(w,
		"Flags may also follow FILE. After the first of several files (FILE...), an argument is a flag only if")
	fmt.Fprintln(w,
		"no file has this name. The last argument of set is VALUE, even -40. Arguments after -- are never flags.")
	fmt.Fprintln(w, "\nRun 'npy COMMAND -help' for details and examples.")
}
