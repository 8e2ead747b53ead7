package main

import (
	"os"
	"os/exec"
	"testing"
)

// TestCompletionOfBash tests completion for Bash, which passes only the end of a word that contains a colon.
func TestCompletionOfBash(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"new", "-dtype", "f8", "-shape", "3", "w.npy"}, {"pack", "m.npz", "w.npy",
		"bias=w.npy", "b two=w.npy", "c$(x)=w.npy", "d!=w.npy", "e'=w.npy", "f\"=w.npy", "g\\=w.npy", "h`x`=w.npy",
		"i\x1b=w.npy"},
		{"pack", "é.npz", "w.npy"}} {
		if _, stderr, status := runTool(args...); status != 0 {
			t.Fatal(stderr)
		}
	}
	for _, tt := range []struct{ line, point, word, want string }{
		{"npy pri", "7", "pri", "print\n"},
		{"npy print m.npz:", "16", "", "w\nbias\nb\\ two\nc\\$\\(x\\)\nd\\!\ne\\'\nf\\\"\ng\\\\\nh\\`x\\`\n"},
		{`npy print "m.npz:`, "17", "m.npz:",
			"m.npz:w\nm.npz:bias\nm.npz:b two\nm.npz:c\\$(x)\nm.npz:e'\nm.npz:f\\\"\"\nm.npz:g\\\\\n" +
				"m.npz:h\\`x\\`\n"},
		{`npy print $"m.npz:c`, "19", "m.npz:c", "m.npz:c\\$(x)\n"},
		{"npy print 'm.npz:", "17", "m.npz:",
			"m.npz:w\nm.npz:bias\nm.npz:b two\nm.npz:c$(x)\nm.npz:d!\nm.npz:f\"\nm.npz:h`x`\n"},
		{"npy print $'m.npz:", "18", "m.npz:",
			"m.npz:w\nm.npz:bias\nm.npz:b two\nm.npz:c$(x)\nm.npz:d\\x21\nm.npz:e\\x27\nm.npz:f\"\n" +
				"m.npz:g\\x5c\nm.npz:h`x`\n"},
		{`npy print m.npz:"c`, "18", "c", "c\\$(x)\n"},
		{`npy print "m".npz:c`, "19", "c", "c\\$\\(x\\)\n"},
		{`npy print "m.npz:c\$`, "20", `m.npz:c\$`, "m.npz:c\\$(x)\n"},
		{`npy print "m.npz:c\x`, "20", `m.npz:c\x`, ""}, // a backslash in the name
		{`npy print $'m.npz:e\x27`, "23", `m.npz:e\x27`, "m.npz:e\\x27\n"},
		{`npy print $'m.npz:e\x2`, "22", `m.npz:e\x2`, "m.npz:e\\x27\n"},
		{`npy print $'m.npz:e\t`, "21", `m.npz:e\t`, ""},
		{"npy print é.npz:", "16", "", "w\n"}, // bash counts characters
		{`npy print "$(npy print m.npz:c`, "30", "$(npy print m.npz:c", ""},
		{"npy print `npy print m.npz:c", "28", "c", ""},
		{"npy print `npy print \"m.npz:c", "29", "m.npz:c", ""},
		{"npy print m.npz:c", "17", "m.npz:x", ""},             // m.npz:x is not at the end of the line
		{`npy print "m.npz:c" m.npz:c`, "27", `" m.npz:c`, ""}, // bash splits words differently
		{"npy print m.npz:b", "17", "b", "bias\nb\\ two\n"},
		{"npy print m.npz:b m.npz:w", "17", "b", "bias\nb\\ two\n"}, // the cursor is not at the end
		{"npy  print 'm.npz:b", "19", "m.npz:b", "m.npz:bias\nm.npz:b two\n"},
		{`npy print m.npz:b\ t`, "20", `b\ t`, "b\\ two\n"},
		{`npy print -select "1, 2" -f`, "27", "-f", "-field\n"},
		{"npy reduce -op ar", "17", "ar", "argmin\nargmax\n"},
		{"npy print m", "11", "m", ""},
		{"npy ", "4", "", "info\n"},
		{"npy", "x", "", ""},
	} {
		t.Setenv("COMP_LINE", tt.line)
		t.Setenv("COMP_POINT", tt.point)
		got, stderr, status := runTool("completion", "bash", "npy", tt.word, "")
		if tt.want == "info\n" && len(got) > len(tt.want) { // the list of all commands
			got = got[:len(tt.want)]
		}
		if got != tt.want || status != 0 {
			t.Errorf("%q: got %q, %s, want %q", tt.line, got, stderr, tt.want)
		}
	}
}

// TestCompletionScripts tests that the installed shells accept their completion scripts.
func TestCompletionScripts(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user starts no programs of its processor: not tested here")
	}
	for _, shell := range shells {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("no %s here", shell)
			continue
		}
		script, _, _ := runTool("completion", shell)
		name := t.TempDir() + "/script"
		check(t, os.WriteFile(name, []byte(script), 0o666))
		if b, err := exec.Command(path, "-n", name).CombinedOutput(); err != nil || len(b) > 0 {
			t.Errorf("%s: %v, %s", shell, err, b)
		}
	}
}
