package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/mmap"
)

// commands is the table of all commands, in the order in which help has them. Help, the list in README.md
// (TestReadme) and completion are made of it.
var commands = []command{
	infoCommand, lsCommand, printCommand, headCommand, tailCommand, newCommand, setCommand, convertCommand, statsCommand,
	reduceCommand, appendCommand, concatCommand, diffCommand, checkCommand, repairCommand, packCommand, refsCommand,
	completionCommand, versionCommand,
}

// A command is one of the tool's, in a file of its own. Its run method has the flags parsed.
type command struct {
	name     string
	args     string // what follows the name: flags in the order in which they are used most, then arguments
	about    string // sentences for people, in lines
	examples string // lines for a shell, all of this command; TestExamples runs them
	min, max int    // how many arguments follow the flags; max -1: any number
	trouble  int    // the exit status after an error, if it is not 1

	flagsFirst bool // flags come before the first argument, as another one may be any text: -40

	// flags declares the flags and returns what runs the command. A flag.Value whose type has a method
	// choices() []string may be one of those, for completion.
	flags func(*flag.FlagSet) runner
}

// A runner does what a command is for, with the arguments after the flags. Its
// error is about the first of them unless it is a fileError; a usageError is wrong
// usage.
type runner func(e *env, args []string) error

// flagSet returns the flags of c, to be looked at.
func (c *command) flagSet() *flag.FlagSet {
	set := flag.NewFlagSet(c.name, flag.ContinueOnError)
	c.flags(set)
	return set
}

func (c *command) run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	set := flag.NewFlagSet(c.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	do := c.flags(set)
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
		err = fmt.Errorf("argument %q is one too many", args[c.max])
		if c.flagsFirst {
			err = fmt.Errorf("%w; flags come before the file", err)
		}
		err = usageError{err}
	}
	e := &env{stdin: stdin, out: bufio.NewWriterSize(stdout, 1<<16), stderr: stderr, bar: term.NewBar(stderr)}
	e.commands = commands
	e.columns, e.terminal = term.Columns(stdout)
	e.colours = term.ColoursOf(stdout)
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
	e.closeContainers(func(*container) bool { return true })
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
		return max(1, c.trouble)
	case e.failed:
		return max(1, c.trouble)
	}
	return e.status
}

// parse sets the flags of c, before, between and after the arguments, and returns the arguments. Everything after
// "--" is an argument. So is -:NAME, a member of the archive at standard input. Where c takes any number of files, the
// shell may have listed them, and a name like -force must not be a flag: there, flags come first.
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
				err = fmt.Errorf("%w; the file of that name is ./%s", err, args[0])
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

// argument returns the name of the argument after n others, as the synopsis has it.
func (c *command) argument(n int) string {
	synopsis := regexp.MustCompile(`^(-\w+ \S+ |\[-[^]]*\] )*`).ReplaceAllString(c.args, "") // less the flags
	names := strings.Fields(synopsis)
	name, _, _ := strings.Cut(strings.TrimPrefix(names[min(n, len(names)-1)], "[NAME=]"), "|")
	return strings.TrimSuffix(name, "...")
}

func (c *command) synopsis() string { return strings.TrimRight("npy "+c.name+" "+c.args, " ") }

func (c *command) usage(w io.Writer, set *flag.FlagSet) {
	fmt.Fprintf(w, "usage: %s\n%s\n", c.synopsis(), c.about)
	set.SetOutput(w)
	set.PrintDefaults()
	fmt.Fprintf(w, "examples:\n  %s\n", strings.ReplaceAll(c.examples, "\n", "\n  "))
}
