package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/internal/nearest"
	"github.com/ndmap/ndmap/mmap"
)

// commands lists all commands in the order in which help prints them. Help, the list in README.md (TestReadme) and
// completion are generated from it.
var commands = []command{
	infoCommand, lsCommand, printCommand, headCommand, tailCommand, takeCommand, newCommand, setCommand, convertCommand,
	statsCommand, plotCommand, reduceCommand, appendCommand, truncateCommand, concatCommand, diffCommand, checkCommand,
	repairCommand, packCommand, refsCommand, completionCommand, versionCommand,
}

// A command is one of the commands of npy. Each one is defined in a file of its own.
type command struct {
	name        string
	args        string // synopsis after the name: flags, the most common ones first, then arguments
	description string // description for the help page, already broken into lines
	examples    string // shell command lines that use the command, one per line; TestExamples runs them
	min, max    int    // number of arguments after the flags; max -1 means any number
	trouble     int    // exit status after an error, or 0 for 1

	flagsFirst bool // all arguments after the first one are text that may look like a flag
	valueLast  bool // the last argument is text that may look like a flag: -40

	// flags declares the flags and returns the function that runs the command. If the type of a flag.Value has a method
	// choices() []string, completion offers these choices.
	flags func(*flag.FlagSet) runner
}

// A runner runs a command with the arguments after the flags. A usageError means wrong usage. Any other error is
// reported for the file in the first argument, unless it is a fileError, which names its own file.
type runner func(e *env, args []string) error

// flagSet returns the flags of c, for inspection only.
func (c *command) flagSet() *flag.FlagSet {
	set := flag.NewFlagSet(c.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	c.flags(set)
	return set
}

func (c *command) run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	set := flag.NewFlagSet(c.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	runCommand := c.flags(set)
	args, err := c.parse(set, args)
	if errors.Is(err, flag.ErrHelp) {
		c.usage(stdout, set)
		return 0
	}
	switch {
	case err != nil:
		err = usageError{err}
	case len(args) < c.min:
		err = usageError{fmt.Errorf("%s is missing", c.argument(len(args)))}
	case c.max >= 0 && len(args) > c.max:
		err = fmt.Errorf("unexpected argument %q", args[c.max])
		err = usageError{err}
	}
	e := &env{stdin: stdin, stdout: stdout, stderr: stderr, bar: term.NewBar(stderr)}
	e.out = bufio.NewWriterSize(sink{"standard output", stdout}, 1<<16)
	e.commands = commands
	e.ctx, e.cancel = context.WithCancelCause(context.Background())
	defer e.cancel(nil)
	e.columns, e.terminal = term.Columns(stdout)
	e.colours = term.ColoursOf(stdout)
	if err == nil {
		// A mapped file that is truncated meanwhile causes an ordinary error.
		err = mmap.Guard(func() error { return runCommand(e, args) })
		e.bar.End()
		if err == nil && !e.read {
			err = e.checkTorn()
		}
		// A write also fails if it meets a page fault in the elements, but then err says more.
		werr := e.out.Flush()
		if _, isFault := errors.AsType[*mmap.FaultError](err); werr != nil && !isFault {
			err = werr
		}
	}
	e.closeContainers(func(*container) bool { return true })
	for _, name := range e.temporary { // these files are no longer mapped
		os.RemoveAll(name)
	}
	usage, isUsage := errors.AsType[usageError](err)
	if s, ok := e.signal.Load().(os.Signal); ok {
		return endWithSignal(s)
	}
	switch {
	case errors.Is(err, errClosedPipe):
		return closedPipeStatus
	case isUsage:
		// "invalid value … for flag -select: index: selection …": drop the name of the package
		msg := strings.NewReplacer(": index: ", ": ", ": dtype: ", ": ").Replace(usage.Error())
		fmt.Fprintf(stderr, "npy: %s: %s\nusage: %s\nRun 'npy %s -help' for details.\n", c.name, words.Printable(msg),
			c.synopsis(), c.name)
		return 2
	case err != nil:
		report(stderr, append(args, "standard output")[0], err) // without file arguments, only printing can fail
		return max(1, c.trouble)
	case e.failed:
		return max(1, c.trouble)
	}
	return e.status
}

// parse sets the flags of c and returns the arguments. Flags may stand before, between and after arguments. Everything
// after "--" is an argument.
func (c *command) parse(set *flag.FlagSet, args []string) (rest []string, err error) {
	for len(args) > 0 {
		arg := args[0]
		if !c.mayBeFlag(set, args, len(rest)) {
			rest, args = append(rest, arg), args[1:]
			continue
		}
		if arg == "--" {
			return append(rest, args[1:]...), nil
		}
		name, hasValue := flagName(arg)
		n := 1
		if f := set.Lookup(name); f != nil && !isBool(f) && !hasValue {
			n = min(2, len(args))
		}
		if err := set.Parse(args[:n]); err != nil {
			if set.Lookup(name) == nil {
				err = unknownFlag(err, set, name, arg)
			}
			return rest, err
		}
		args = args[n:]
	}
	return rest, nil
}

// unknownFlag returns err, which says that set has no flag of this name, with advice. arg is the argument.
func unknownFlag(err error, set *flag.FlagSet, name, arg string) error {
	if _, serr := os.Lstat(arg); serr == nil {
		return fmt.Errorf("%w; for the file of that name use ./%s", err, arg)
	}
	var names []string
	set.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	if near := nearest.Word(name, names); near != "" {
		return fmt.Errorf("%w; did you mean -%s?", err, near)
	}
	return err
}

// mayBeFlag reports whether args[0], which follows n arguments, is a flag or "--". -:NAME, a member of the archive on
// standard input, is neither. If c takes any number of files, the shell may have expanded a pattern to a file with a
// name such as -force. So an argument after the first file is a flag only if c has this flag and no file has this name.
func (c *command) mayBeFlag(set *flag.FlagSet, args []string, n int) bool {
	arg := args[0]
	switch {
	case !strings.HasPrefix(arg, "-") || arg == stream || strings.HasPrefix(arg, stream+":"):
		return false
	case n == 0:
		return true
	case c.flagsFirst:
		return false
	case c.valueLast: // VALUE may be any text if it is the last argument, and otherwise a number
		_, err := strconv.ParseFloat(arg, 64)
		return len(args) > 1 && err != nil && !strings.ContainsRune(".0123456789", rune(arg[1]))
	case c.max < 0:
		name, _ := flagName(arg)
		_, err := os.Lstat(arg)
		return err != nil && (set.Lookup(name) != nil || slices.Contains([]string{"--", "-h", "-help", "--help"}, arg))
	}
	return true
}

// flagName returns the name of the flag arg, which is -NAME or -NAME=VALUE.
func flagName(arg string) (name string, hasValue bool) {
	name, _, hasValue = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
	return name, hasValue
}

// argument returns the name of argument n in the synopsis, counting from 0.
func (c *command) argument(n int) string {
	synopsis := regexp.MustCompile(`^(-\w+ \S+ |\[-[^]]*\] )*`).ReplaceAllString(c.args, "") // without the flags
	names := strings.Fields(synopsis)
	name, _, _ := strings.Cut(strings.TrimPrefix(names[min(n, len(names)-1)], "[NAME=]"), "|")
	return strings.TrimSuffix(name, "...")
}

func (c *command) synopsis() string { return strings.TrimRight("npy "+c.name+" "+c.args, " ") }

func (c *command) usage(w io.Writer, set *flag.FlagSet) {
	fmt.Fprintf(w, "usage: %s\n\n%s\n\n", c.synopsis(), c.description)
	set.SetOutput(w)
	set.PrintDefaults()
	fmt.Fprintf(w, "examples:\n  %s\n", strings.ReplaceAll(c.examples, "\n", "\n  "))
}
