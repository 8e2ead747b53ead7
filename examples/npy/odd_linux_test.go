package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What is no regular file is one line on standard error, at once, and stays what it is.
func TestOddFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	tool("new", "-dtype", "<f8", "-shape", "3", "a.npy")
	check(t, unix.Mkfifo("fifo", 0o666))
	check(t, os.Mkdir("dir", 0o777))
	check(t, os.Symlink("fifo", "link"))
	for _, tt := range []struct{ args, want string }{
		{"info fifo", "npy: fifo: not a regular file\n"},
		{"print fifo", "npy: fifo: not a regular file\n"},
		{"stats fifo", "npy: fifo: not a regular file\n"},
		{"stats dir", "npy: dir: is a directory\n"},
		{"stats /dev/null", "npy: /dev/null: not a regular file\n"},
		{"check fifo dir", "npy: fifo: not a regular file\nnpy: dir: is a directory\n"},
		{"set -select 0 fifo 1", "npy: fifo: not a regular file\n"},
		{"set -select 0 dir 1", "npy: dir: is a directory\n"},
		{"convert fifo out.npy", "npy: fifo: not a regular file\n"},
		{"convert a.npy fifo", "npy: fifo: file exists\n"},
		{"convert a.npy dir", "npy: dir: file exists\n"},
		{"convert -force a.npy fifo", "npy: fifo: not a regular file\n"},
		{"convert -force a.npy link", "npy: link: not a regular file\n"},
		{"convert -force a.npy dir", "npy: dir: is a directory\n"},
		{"new -dtype <f8 -shape 3 fifo", "npy: fifo: file exists\n"},
		{"new -dtype <f8 -shape 3 -force fifo", "npy: fifo: not a regular file\n"},
		{"new -dtype <f8 -shape 3 -force link", "npy: link: not a regular file\n"},
		{"new -dtype <f8 -shape 3 -force dir", "npy: dir: is a directory\n"},
		{"new -dtype <f8 -shape 3 -fill 1 -force fifo", "npy: fifo: not a regular file\n"},
	} {
		stdout, stderr, status := tool(strings.Fields(tt.args)...)
		if stdout != "" || stderr != tt.want || status != 1 {
			t.Errorf("npy %s: %q, %q, exit status %d; want %q", tt.args, stdout, stderr, status, tt.want)
		}
	}
	var got []string
	for _, name := range folder(t) {
		fi, err := os.Lstat(name)
		check(t, err)
		got = append(got, fmt.Sprint(fi.Mode().Type(), name))
	}
	if want := "----------a.npy d---------dir p---------fifo L---------link"; strings.Join(got, " ") != want {
		t.Errorf("in the folder: %s; want %s", got, want)
	}
}

// new -force keeps a link to a file, and the permissions, as convert does.
func TestNewKeepsLink(t *testing.T) {
	t.Chdir(t.TempDir())
	check(t, os.Mkdir("dir", 0o777))
	file := filepath.Join("dir", "a.npy")
	check(t, os.WriteFile(file, []byte("old"), 0o666))
	check(t, os.Chmod(file, 0o640))
	check(t, os.Symlink(file, "link"))
	if _, stderr, _ := tool("new", "-dtype", "<f8", "-shape", "3", "-force", "link"); stderr != "" {
		t.Error(stderr)
	}
	fi, err := os.Lstat(file)
	check(t, err)
	if to, err := os.Readlink("link"); to != file || fi.Mode() != 0o640 || fi.Size() != 128+24 {
		t.Errorf("link to %s, %v; the file has mode %v, %d bytes", to, err, fi.Mode(), fi.Size())
	}
}
