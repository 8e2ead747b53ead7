package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/npy/words"
)

var completionCommand = command{
	name: "completion", args: "SHELL [WORD...]", min: 1, max: -1, flagsFirst: true,
	description: `Completion prints a script that makes SHELL (bash, zsh or fish) complete commands,
flags, operations, members of archives, and after -field, -fields, -sort and -where the
fields of a FILE before the flag. To enable it, add a line to the startup file of the
shell:

  ~/.bashrc                   source <(npy completion bash)
  ~/.zshrc                    source <(npy completion zsh)
  ~/.config/fish/config.fish  npy completion fish | source

Given WORDs, a partial command line, it prints the possible completions of the last
word. The scripts call it in this way.`,
	examples: `npy completion bash
npy completion fish npy conv
npy completion zsh npy print data.npz:`,
	flags: func(*flag.FlagSet) runner {
		return func(e *env, args []string) error {
			script, ok := scripts[args[0]]
			if !ok {
				return usageError{fmt.Errorf("unknown shell %q; want one of %s", args[0], strings.Join(shells, " "))}
			}
			if len(args) == 1 {
				fmt.Fprint(e.out, script)
				return nil
			}
			typed, shown := args[1:], func(word string) (string, bool) { return word, true }
			if line, ok := os.LookupEnv("COMP_LINE"); ok && args[0] == "bash" && len(args) == 4 {
				// Bash replaces args[2], the end of the line: to bash, a colon or a quote begins a word.
				before, ok := strings.CutSuffix(firstChars(line, os.Getenv("COMP_POINT")), args[2])
				line, skip, quote, known := bashWords(before, args[2])
				if !ok || !known {
					return nil
				}
				typed = line
				shown = func(word string) (string, bool) { return bashText(word[min(skip, len(word)):], quote) }
			}
			for _, word := range e.complete(typed) {
				if text, ok := shown(word); ok && word == words.Printable(word) {
					fmt.Fprintln(e.out, text)
				}
			}
			return nil
		}
	},
}

var shells = strings.Fields("bash zsh fish")

// scripts maps each shell to the code that enables completion in it. The shells complete file names if npy prints
// nothing.
var scripts = map[string]string{
	"bash": `complete -o bashdefault -o default -C 'COMP_LINE=${COMP_LINE:0:COMP_POINT} npy completion bash' npy
`,
	"zsh": `#compdef npy
_npy() {
	local -a found
	local word=$PREFIX # without the quote that is open, but with backslashes
	[[ $compstate[quote] == "'" ]] || word=${(Q)word}
	found=("${(@f)$(npy completion zsh "${(@Q)words[1,CURRENT-1]}" "$word" 2>/dev/null)}")
	if [[ -n "${found[1]}" ]]; then compadd -a found; else _files; fi
}
if [[ "${funcstack[1]}" == _npy ]]; then _npy "$@"; else compdef _npy npy; fi
`,
	"fish": `function __npy_completes
	set -l typed (commandline -ct | string collect)
	set -l word
	for quote in '' '"' "'" # the one that is open
		set word (string unescape -- "$typed$quote"); and break
	end
	set -g __npy_found (npy completion fish (commandline -opc) "$word" 2>/dev/null)
	test (count $__npy_found) -gt 0
end
complete -c npy -n __npy_completes -f -a '$__npy_found'
`,
}

// firstChars returns the first n characters of line, where n is a decimal number, or all of it.
func firstChars(line, n string) string {
	if n, err := strconv.Atoi(n); err == nil && 0 <= n {
		for i := range line {
			if n == 0 {
				return line[:i]
			}
			n--
		}
	}
	return line
}

// bashWords splits the line before+last into words as bash does. It also returns the number of bytes of the last word
// that are in before, and the quote that is open at the end: "", ', " or $'. It returns false if the line contains a
// command substitution or an expansion in braces, where quotes nest.
func bashWords(before, last string) (words []string, skip int, quote string, ok bool) {
	line, word, begun := before+last, "", false
	for i := 0; i < len(line); {
		c, rest, n := line[i], line[i+1:], 1
		switch {
		case quote == "'" && c != '\'':
			word += line[i : i+1]
		case c == '\\':
			text, length, known := bashEscape(rest, quote)
			if !known {
				return nil, 0, "", false
			}
			word, begun, n = word+text, true, 1+length
		case quote != "" && strings.HasSuffix(quote, line[i:i+1]):
			quote = ""
		case quote == "" && (c == '\'' || c == '"'):
			quote, begun = line[i:i+1], true
		case quote == "" && c == '$' && strings.HasPrefix(rest, "'"):
			quote, begun, n = "$'", true, 2
		case quote == "" && c == '$' && strings.HasPrefix(rest, `"`): // treated like a quote without the dollar sign
		case quote != "$'" && (c == '`' || c == '$' && strings.IndexAny(rest, "([{") == 0):
			return nil, 0, "", false
		case quote == "" && (c == ' ' || c == '\t' || c == '\n'):
			if i >= len(before) {
				return nil, 0, "", false // bash splits the line differently
			}
			if begun {
				words = append(words, word)
			}
			word, begun = "", false
		default:
			word, begun = word+line[i:i+1], true
		}
		if i += n; i <= len(before) {
			skip = len(word)
		}
	}
	return append(words, word), skip, quote, true
}

// bashEscape decodes an escape sequence that begins with a backslash before rest. It returns the text, and the length
// of the sequence without the backslash. An incomplete sequence at the end of the line is decoded as no text.
func bashEscape(rest, quote string) (text string, length int, ok bool) {
	switch {
	case rest == "":
		return "", 0, true
	case quote == `"` && !strings.ContainsRune("$`\"\\", rune(rest[0])):
		return `\`, 0, true
	case quote != "$'" || strings.ContainsRune(`\'"`, rune(rest[0])):
		return rest[:1], 1, true
	case rest[0] != 'x': // bashText writes no other sequences
		return "", 0, false
	case len(rest) < 3:
		return "", len(rest), true
	}
	b, err := strconv.ParseUint(rest[1:3], 16, 8)
	return string([]byte{byte(b)}), 3, err == nil
}

// bashText escapes a word, or the rest of a word, for a command line of bash in which quote is open. It returns false
// if the word cannot be escaped there.
func bashText(word, quote string) (text string, ok bool) {
	special := " !\"#$&'()*;<>?[\\]^`{|}~"
	switch quote {
	case "'": // bash reads a backslash at the end of this program's line as an escape
		return word, !strings.Contains(word, "'") && !strings.HasSuffix(word, `\`)
	case "$'": // readline ends this quote at the first ', and bash takes \' for an escape when it looks for the command
		return strings.NewReplacer(`\`, `\x5c`, "'", `\x27`, "!", `\x21`).Replace(word), true
	case `"`:
		if strings.Contains(word, "!") { // a backslash prevents history expansion, but remains in the word
			return "", false
		}
		special = "$`\"\\"
	}
	var b strings.Builder
	for _, c := range word {
		if strings.ContainsRune(special, c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	if quote == `"` && strings.HasSuffix(word, `"`) {
		b.WriteByte('"') // readline closes a quote unless the line ends with one
	}
	return b.String(), true
}

// complete returns the possible completions of the last word. It returns nothing if that word is a file name, which the
// shell completes. The first word is the name of the tool.
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
		return withPrefix(word, names)
	}
	for _, c := range e.commands {
		if c.name == typed[1] {
			return c.complete(typed[2:n], word)
		}
	}
	return nil
}

// complete returns the possible completions of word as an argument of c, after the words before.
func (c *command) complete(before []string, word string) (found []string) {
	set := c.flagSet()
	if len(before) > 0 && strings.HasPrefix(before[len(before)-1], "-") {
		f := set.Lookup(strings.TrimLeft(before[len(before)-1], "-"))
		if f != nil && fieldFlags[f.Name] != nil {
			return withPrefix(word, fieldFlags[f.Name](c.fields(before[:len(before)-1]), word))
		}
		if f != nil && !isBool(f) {
			if value, ok := f.Value.(interface{ choices() []string }); ok {
				return withPrefix(word, value.choices())
			}
			return nil
		}
	}
	if strings.HasPrefix(word, "-") && !strings.HasPrefix(word, stream+":") {
		dashes := word[:len(word)-len(strings.TrimLeft(word, "-"))]
		set.VisitAll(func(f *flag.Flag) { found = append(found, dashes+f.Name) })
		return withPrefix(word, found)
	}
	if c.name == "completion" {
		return withPrefix(word, shells)
	}
	return members(word)
}

func isBool(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// members returns the paths of archive members that begin with word, for example with DATA.npz:NA.
func members(word string) []string {
	path, _, ok := splitName(word)
	file := strings.TrimPrefix(path, "@") // set takes @FILE
	if !ok || isURL(file) || !isCollection(file) {
		return nil
	}
	var names []string
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
	return withPrefix(word, names)
}

// withPrefix returns those words that begin with prefix.
func withPrefix(prefix string, words []string) (found []string) {
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			found = append(found, w)
		}
	}
	return found
}
