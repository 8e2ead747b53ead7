package main

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestReadme tests that README.md begins with the list of commands.
func TestReadme(t *testing.T) {
	var list strings.Builder
	for _, c := range commands {
		list.WriteString("    " + c.synopsis() + "\n")
	}
	b, err := os.ReadFile("README.md")
	check(t, err)
	title, rest, ok := strings.Cut(string(b), "\n\n    npy ")
	_, text, ok2 := strings.Cut(rest, "\n\n")
	if !ok || !ok2 {
		t.Fatal("README.md does not begin with a title and the list of commands")
	}
	want := title + "\n\n" + list.String() + "\n" + text
	if *update {
		check(t, os.WriteFile("README.md", []byte(want), 0o666))
	} else if string(b) != want {
		t.Errorf("the list of commands in README.md is not\n%s\ngo test ./examples/npy -run TestReadme -update writes it",
			&list)
	}
}

// TestCommands tests that commands are complete and unique, and that their synopses list exactly their flags.
func TestCommands(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range commands {
		if c.name == "" || c.description == "" || c.examples == "" || c.flags == nil || seen[c.name] {
			t.Errorf("npy %s is incomplete or a duplicate", c.name)
		}
		seen[c.name] = true
		named := map[string]bool{}
		for _, name := range regexp.MustCompile(`(?:^|[ [])-([\w-]+)`).FindAllStringSubmatch(c.args, -1) {
			named[name[1]] = true
		}
		rawFlags := strings.Fields("at raw shape offset raworder") // described once, in help
		set := c.flagSet()
		set.VisitAll(func(f *flag.Flag) {
			if !named[f.Name] && !(set.Lookup("raw") != nil && slices.Contains(rawFlags, f.Name)) {
				t.Errorf("the synopsis of npy %s lacks the flag -%s", c.name, f.Name)
			}
			delete(named, f.Name)
		})
		for name := range named {
			t.Errorf("the synopsis of npy %s has an unknown flag -%s", c.name, name)
		}
	}
}
