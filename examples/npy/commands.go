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
	"strings"

	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/mmap"
)

// commands lists all commands in the order in which help prints them. Help, the list in README.md (TestReadme) and
// completion are generated from it.
var commands = []command{
	infoCommand, lsCommand, printCommand, headCommand, tailCommand, takeCommand, newCommand, setCommand, convertCommand,
	statsCommand, reduceCommand, appendCommand, truncateCommand, concatCommand, diffCommand, checkCommand, repairCommand,
	packCommand,
	refsCommand,
	completionCommand, versionCommand,
}

// A command is one of the commands of npy. Each one is defined in a file of its own.
type command struct {
	name        string
	args        string // synopsis after the name: flags, the most common ones first, then arguments
	description string // description for the help page, already broken into lines
	examples    string // shell command lines that use the command, one per line; TestExamples runs them
	min, max    int    // number of arguments after the flags; max -1 means any number
	trouble     int    // exit status after an error, or 0 for 1

	flagsFirst bool // flags must precede the first argument, because a later argument may look like a flag: -40

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
		if c.flagsFirst {
			err = fmt.Errorf("%w; flags come before the file", err)
		}
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
		// A page fault in the elements also fails a write, but err says more.
		if werr := e.out.Flush(); werr != nil && (err == nil || !errors.Is(werr, stable.BadAddress)) {
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
// after "--" is an argument. -:NAME, a member of the archive on standard input, is not a flag either. If c takes any
// number of files, flags must come first, because the shell may have expanded a pattern to a file with a name such as
// -force.
func (c *command) parse(set *flag.FlagSet, args []string) (rest []string, err error) {
	first := c.flagsFirst || c.max < 0
	for len(args) > 0 && !(first && len(rest) > 0) {
		name, ok := strings.CutPrefix(args[0], "-")
		if name == "-" {
			return append(rest, args[1:]...), nil
		}
		if !ok || name == "" || name[0] == ':' {
			rest, args = append(rest, args[0]), args[1:]
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimPrefix(name, "-"), "=")
		n := 1
		if f := set.Lookup(name); f != nil && !isBool(f) && !hasValue {
			n = min(2, len(args))
		}
		if err := set.Parse(args[:n]); err != nil {
			if _, serr := os.Lstat(args[0]); serr == nil && set.Lookup(name) == nil {
				err = fmt.Errorf("%w; for the file of that name use ./%s", err, args[0])
			}
			return rest, err
		}
		args = args[n:]
	}
	for _, arg := range args {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if _, err := os.Lstat(arg); !c.flagsFirst && arg != name && set.Lookup(name) != nil && err != nil {
			return rest, fmt.Errorf("flag %s comes after a file; %s takes flags before the files", arg, c.name)
		}
	}
	return append(rest, args...), nil
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
