package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
)

var completionCommand = command{
	name: "completion", args: "SHELL [WORD...]", min: 1, max: -1, flagsFirst: true,
	about: `Prints what makes a SHELL, bash, zsh or fish, complete commands, flags, operations and
members of archives: put source <(npy completion bash) into ~/.bashrc, or the same of zsh
into ~/.zshrc, and npy completion fish | source into ~/.config/fish/config.fish. With
WORDs, a command line as far as it is typed, it prints what the last may become: so
the shells call it.`,
	examples: `npy completion bash
npy completion fish npy conv
npy completion zsh npy print data.npz:`,
	flags: func(*flag.FlagSet) runner {
		return func(e *env, args []string) error {
			script, ok := scripts[args[0]]
			if !ok {
				return usageError{fmt.Errorf("there is no completion for %q; want one of %s", args[0], strings.Join(shells, " "))}
			}
			if len(args) == 1 {
				fmt.Fprint(e.out, script)
				return nil
			}
			typed, shown := args[1:], func(word string) string { return word }
			if line, ok := os.LookupEnv("COMP_LINE"); ok && args[0] == "bash" && len(args) == 4 {
				words, quoted := bashWords(line, os.Getenv("COMP_POINT"))
				typed = words
				end, _ := bashWords(args[2], "") // of the last word: for bash one begins after a colon
				skip := max(0, len(words[len(words)-1])-len(end[len(end)-1]))
				shown = func(word string) string { return bashText(word[min(skip, len(word)):], quoted) }
			}
			for _, word := range e.complete(typed) {
				if !strings.ContainsAny(word, "\n\r") {
					fmt.Fprintln(e.out, shown(word))
				}
			}
			return nil
		}
	},
}

var shells = strings.Fields("bash zsh fish")

// scripts are what shells run. Where npy prints nothing, they complete names of files.
var scripts = map[string]string{
	"bash": `complete -o bashdefault -o default -C 'npy completion bash' npy
`,
	"zsh": `#compdef npy
_npy() {
	local -a found
	found=("${(@f)$(npy completion zsh "${(@Q)words[1,CURRENT]}" 2>/dev/null)}")
	if [[ -n "${found[1]}" ]]; then compadd -a found; else _files; fi
}
if [[ "${funcstack[1]}" == _npy ]]; then _npy "$@"; else compdef _npy npy; fi
`,
	"fish": `function __npy_complete
	set -l found (npy completion fish (commandline -opc) (commandline -ct) 2>/dev/null)
	if test (count $found) -gt 0
		printf '%s\n' $found
	else
		__fish_complete_path (commandline -ct)
	end
end
complete -c npy -f -a '(__npy_complete)'
`,
}

// bashWords returns the words of a line as far as the cursor, which is at that byte, and whether the last one is
// between quotes.
func bashWords(line, point string) (words []string, quoted bool) {
	if n, err := strconv.Atoi(point); err == nil && 0 <= n && n < len(line) {
		line = line[:n]
	}
	var quote rune
	begun, escaped := false, false
	words = []string{""}
	for _, c := range line {
		switch {
		case !escaped && c == '\\' && quote != '\'':
			escaped = true
			continue
		case !escaped && (quote == 0 && (c == '\'' || c == '"') || quote == c):
			quote ^= c
			begun = true
		case !escaped && quote == 0 && c == ' ':
			if begun {
				words = append(words, "")
			}
			begun = false
		default:
			words[len(words)-1] += string(c)
			begun = true
		}
		escaped = false
	}
	return words, quote != 0
}

// bashText returns a word as bash takes it in a line, or the rest of one that is between quotes.
func bashText(word string, quoted bool) string {
	if quoted {
		return word
	}
	var b strings.Builder
	for _, c := range word {
		if strings.ContainsRune(" \t'\"\\$&;()<>|*?[]{}!#~`", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// complete returns what the last of the words may become, and nothing if that is the name of a file. The first word
// is that of the tool.
func (e *env) complete(typed []string) []string {
	n := len(typed) - 1
	if n < 1 {
		return nil
	}
	word := typed[n]
	if n == 1 || typed[1] == "help" {
		if n > 2 {
			return nil
		}
		var names []string
		for _, c := range e.commands {
			names = append(names, c.name)
		}
		if n == 1 {
			names = append(names, "help")
		}
		return beginning(word, names)
	}
	for _, c := range e.commands {
		if c.name == typed[1] {
			return c.complete(typed[2:n], word)
		}
	}
	return nil
}

// complete returns what a word after others may become in the arguments of c.
func (c *command) complete(before []string, word string) (found []string) {
	set := c.flagSet()
	if len(before) > 0 && strings.HasPrefix(before[len(before)-1], "-") {
		f := set.Lookup(strings.TrimLeft(before[len(before)-1], "-"))
		if f != nil && !isBool(f) {
			if value, ok := f.Value.(interface{ choices() []string }); ok {
				return beginning(word, value.choices())
			}
			return nil
		}
	}
	if strings.HasPrefix(word, "-") && !strings.HasPrefix(word, stream+":") {
		dashes := word[:len(word)-len(strings.TrimLeft(word, "-"))]
		set.VisitAll(func(f *flag.Flag) { found = append(found, dashes+f.Name) })
		return beginning(word, found)
	}
	if c.name == "completion" {
		return beginning(word, shells)
	}
	return members(word)
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// members returns the members of the archive that word names which begin as it goes on.
func members(word string) []string {
	path, _, ok := splitName(word)
	if !ok || !isCollection(strings.TrimPrefix(path, "@")) {
		return nil
	}
	var names []string
	file := strings.TrimPrefix(path, "@") // as set takes it
	if isTensors(file) {
		f, err := openTensors(file, array.ReadOnly)
		if err != nil {
			return nil
		}
		defer f.Close()
		names = f.Names()
	} else {
		a, err := openArchive(file, array.ReadOnly)
		if err != nil {
			return nil
		}
		defer a.Close()
		names = a.Names()
	}
	for i, name := range names {
		names[i] = path + ":" + name
	}
	return beginning(word, names)
}

// beginning returns the words that begin with a prefix.
func beginning(prefix string, words []string) (found []string) {
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			found = append(found, w)
		}
	}
	return found
}
