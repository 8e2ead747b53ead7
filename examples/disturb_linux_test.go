package examples

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// disturbances are changes by other processes to a file that a program has mapped.
var disturbances = []struct {
	name string
	do   func(h *programTest, path, other string) error
}{
	{"cut within the last page", func(h *programTest, path, other string) error { return cut(path, 40) }},
	{"cut in the middle", func(h *programTest, path, other string) error { return cut(path, -1) }},
	{"replaced", func(h *programTest, path, other string) error {
		h.copy(path+".new", other)
		return os.Rename(path+".new", path)
	}},
	{"cut and put back", func(h *programTest, path, other string) error {
		whole, err := os.ReadFile(path)
		must(h, err)
		n := 40
		if h.r.IntN(2) == 0 {
			n = len(whole) / 2
		}
		must(h, cut(path, n))
		time.Sleep(time.Duration(h.r.Int64N(int64(h.duration + time.Millisecond))))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		must(h, err)
		_, err = f.Write(whole[max(0, len(whole)-n):])
		must(h, err)
		return f.Close()
	}},
}

// cut removes n bytes from the end of a file, or half of the file if n is negative.
func cut(path string, n int) error {
	fi, err := os.Stat(path)
	if err != nil {
		return err
	}
	if n < 0 {
		n = int(fi.Size() / 2)
	}
	return os.Truncate(path, max(0, fi.Size()-int64(n)))
}

// runDisturbed runs the program while the test truncates or replaces its file.
func (h *programTest) runDisturbed() {
	h.Helper()
	if h.p.kind == "" {
		return
	}
	other := h.makeInput(h.p.shape, h.p.dtype, "time")
	dirs := h.folders(max(2, 8*h.long), h.input) // at least two: truncated by a little, and by half
	noticed := 0
	for i, dir := range dirs {
		d := disturbances[i%len(disturbances)]
		path := filepath.Join(dir, h.p.in)
		var delay time.Duration
		if i >= 2 { // otherwise as soon as possible
			delay = time.Duration(h.r.Int64N(int64(h.duration)))
		}
		what := fmt.Sprintf("%s %v after it was mapped", d.name, delay)
		r := h.start(dir)
		r.waitUntilMapped()
		if delay > 0 {
			time.Sleep(delay)
		}
		r.cmd.Process.Signal(syscall.SIGSTOP)
		must(h, d.do(h, path, other))
		r.cmd.Process.Signal(syscall.SIGCONT)
		switch {
		case r.wait(what) != 0:
			noticed++
			r.checkNoOutput(what)
		case !h.p.edits:
			inputs := []string{h.input, other}
			if h.p.kind == "raw" { // without a header, a program that opens the file later cannot tell that it was longer
				inputs = append(inputs, path)
			}
			r.record(what, inputs...)
			h.pending = r.pending
		}
	}
	h.Logf("disturbed %d times while it ran, and noticed %d times", len(dirs), noticed)
}

// runWithSignals ends the program by a signal at a random moment. Output files must be complete or absent.
func (h *programTest) runWithSignals() {
	h.Helper()
	for i, dir := range h.linkedFolders(max(1, 2*h.long)) {
		s := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[(i+len(h.p.name))%2]
		delay := time.Duration(h.r.Int64N(int64(h.duration + h.duration/4)))
		what := fmt.Sprintf("%v %v after it has mapped its file", s, delay)
		r := h.start(dir)
		if h.p.kind != "" {
			r.waitUntilMapped()
		}
		time.Sleep(delay)
		r.kill(s)
		status := r.wait(what)
		if names := r.outputNames(); len(names) > 0 && (status == 0 || len(names) == len(strings.Fields(h.p.outs))) {
			if status != 0 { // the program failed to print
				what += ", and leaves " + fmt.Sprint(names)
			}
			if status == 0 || !h.p.prints {
				r.record(what, h.input)
				h.pending = r.pending
			}
		}
		if h.p.edits {
			var msg string
			path := filepath.Join(dir, h.p.in)
			err := h.python.Eval("between(*x)", []string{h.p.judge, h.p.kind, h.input, path, dir}, &msg)
			if err != nil || msg != "" {
				h.Errorf("%s: %s %v", what, msg, err)
			}
		}
	}
}

// runTwice runs two instances at the same time, and then a third. Unless the program replaces files, only one may
// succeed.
func (h *programTest) runTwice() {
	h.Helper()
	if h.p.outs == "" {
		return
	}
	for _, dir := range h.linkedFolders(h.cases(1)) {
		first, second := h.start(dir), h.start(dir)
		first.other, second.other = true, true
		succeeded := 0
		for i, r := range []*run{first, second} {
			what := fmt.Sprintf("two at a time, number %d", i+1)
			if r.wait(what) == 0 {
				succeeded++
				r.record(what, h.input)
				h.pending = r.pending
			}
		}
		second.checkLeftovers("two at a time", false)
		out := filepath.Join(dir, strings.Fields(h.p.outs)[0])
		before, _ := os.Stat(out)
		third := h.start(dir)
		status := third.wait("OUT exists")
		after, err := os.Stat(out)
		switch {
		case succeeded == 0:
			h.Errorf("two at a time: both fail: %s", &first.err)
		case status != 0 && succeeded == 2:
			h.Errorf("two at a time: both succeed, although the program rejects existing files: %s", &third.err)
		case status != 0 && (err != nil || !os.SameFile(before, after) || before.ModTime() != after.ModTime()):
			h.Errorf("OUT exists: the program failed, but changed it")
		case status == 0:
			third.record("OUT exists", h.input)
			h.pending = third.pending
		}
	}
}

// filler is the name of a file that fills the disk.
const filler = ".filler"

// runOnFullDisk runs the program with its standard output on a full device, and on a full disk.
func (h *programTest) runOnFullDisk() {
	h.Helper()
	if h.p.prints && !h.p.document() { // for programs of documents, failing to print is fatal
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		must(h, err)
		defer full.Close()
		dir := h.linkedFolders(1)[0]
		r := &run{programTest: h, dir: dir, cmd: exec.CommandContext(h.Context(), h.path(), h.args()...), cancel: func() {}}
		r.cmd.Dir, r.cmd.Stdout, r.cmd.Stderr = dir, full, &r.err
		must(h, r.cmd.Start())
		if status := r.wait("standard output is full"); status != 1 {
			h.Errorf("standard output is full: exit status %d", status)
		}
	}
	if h.p.outs == "" {
		return
	}
	dir := h.folders(1, "")[0]
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4k"); err != nil {
		h.Logf("cannot mount a full disk: %v", err)
		return
	}
	defer syscall.Unmount(dir, syscall.MNT_FORCE|2) // MNT_DETACH
	if h.input != "" {
		must(h, os.Symlink(h.input, filepath.Join(dir, h.p.in)))
	}
	must(h, os.WriteFile(filepath.Join(dir, filler), make([]byte, 4096), 0o666))
	r := h.start(dir)
	if status := r.wait("the disk is full"); status == 0 {
		h.Errorf("the disk is full: exit status 0")
	}
	r.checkNoOutput("the disk is full")
}

// runFollowing runs a program that follows a file. The test truncates or replaces the file, and then ends the program.
func (h *programTest) runFollowing() {
	h.Helper()
	for _, k := range h.p.seen {
		input := h.makeInput(k.shape, k.dtype, k.values)
		r := h.start(h.folders(1, input)[0])
		time.Sleep(20 * time.Millisecond)
		r.kill(syscall.SIGINT)
		r.wait(fmt.Sprintf("%v of %s", k.shape, k.dtype))
	}
	h.input = h.makeInput(h.p.shape, h.p.dtype, "positive")
	h.duration = 20 * time.Millisecond
	other := h.makeInput(h.p.shape, h.p.dtype, "positive")
	dirs := h.folders((1+len(disturbances))*h.cases(1), h.input)
	for i, dir := range dirs {
		r := h.start(dir)
		r.waitUntilMapped()
		what := "undisturbed"
		if i%(1+len(disturbances)) > 0 {
			d := disturbances[i%(1+len(disturbances))-1]
			delay := time.Duration(h.r.Int64N(int64(h.duration)))
			what = fmt.Sprintf("%s %v after it was mapped", d.name, delay)
			time.Sleep(delay)
			must(h, d.do(h, filepath.Join(dir, h.p.in), other))
		}
		time.Sleep(50 * time.Millisecond)
		r.kill(syscall.SIGTERM)
		if status := r.wait(what); what == "undisturbed" && status != -1 {
			h.Errorf("undisturbed: exit status %d before the signal: %s", status, &r.err)
		}
		text := r.out.String()
		text = text[:1+strings.LastIndexByte(text, '\n')]
		if strings.Contains(what, "replaced") {
			continue // the rows of the new file follow
		}
		r.out.Reset()
		r.out.WriteString(text)
		r.record(what, h.input)
		h.pending = r.pending
	}
}

// runServer sends requests to a server while its file changes. Complete answers must be correct or report an error.
func (h *programTest) runServer() {
	h.Helper()
	h.input = h.makeInput(h.p.shape, h.p.dtype, "positive")
	h.duration = 40 * time.Millisecond
	other := h.makeInput(h.p.shape, h.p.dtype, "time")
	path := filepath.Join(h.folders(1, h.input)[0], h.p.in)
	r, url := h.serve(filepath.Dir(path))
	want := h.get(url)
	if want == "" {
		r.kill(syscall.SIGTERM)
		r.wait("undisturbed")
		h.Fatalf("undisturbed: no answer; %s", &r.err)
	}
	h.copy(path+".new", other)
	r2, url2 := h.serve(h.folders(1, other)[0])
	wantOther := h.get(url2)
	must(h, os.Remove(path+".new"))
	r2.kill(syscall.SIGINT)
	r2.wait("interrupted")

	answers, refused := 0, 0
	for range h.cases(1) {
		for _, d := range disturbances {
			stop := make(chan bool)
			go func() {
				defer close(stop)
				time.Sleep(time.Duration(h.r.Int64N(int64(h.duration))))
				d.do(h, path, other)
			}()
			for k, done := 0, false; k < 3 || !done; k++ {
				switch got := h.get(url); {
				case got == "":
					refused++
				case got != want && got != wantOther:
					h.Errorf("%s: answer %.40q … of %d bytes, want %.40q … of %d bytes",
						d.name, got, len(got), want, len(want))
				default:
					answers++
				}
				select {
				case <-stop:
					done = true
				default:
				}
			}
			h.copy(path+".new", h.input) // start the next disturbance with an intact file
			must(h, os.Rename(path+".new", path))
			h.settle()
		}
	}
	h.Logf("%d answers, %d refused", answers, refused)
	deadline := time.Now().Add(5 * time.Second)
	for h.get(url) != want {
		if time.Now().After(deadline) {
			h.Errorf("the file is intact again: no answer")
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	r.kill(syscall.SIGTERM)
	r.err.Reset()
	r.wait("ended")
}

// serve starts the server, waits until it accepts connections, and returns its URL.
func (h *programTest) serve(dir string) (*run, string) {
	h.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(h, err)
	address := l.Addr().String()
	must(h, l.Close())
	r := h.start(dir, "ADDRESS", address)
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			break
		}
	}
	return r, "http://" + address + h.p.serves
}

// get returns the body of a complete answer with status 200, or "".
func (h *programTest) get(url string) string {
	client := http.Client{Timeout: 10 * time.Second}
	resp, err := client.Get(url)
	if err != nil {
		return ""
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		return ""
	}
	return string(b)
}
