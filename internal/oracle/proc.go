package oracle

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

//go:embed driver.py
var driver string

// Proc is a running Python with NumPy. A question costs some tens of microseconds, a start about a fifth of a second:
// start one for a test and ask it everything. Its methods may be called from several goroutines; they take turns.
type Proc struct {
	dir string // a test's temporary folder

	mu sync.Mutex
	*process
	dead  error // why no more can be asked
	temps int
}

// A process is a running Python, which one test has after the other.
type process struct {
	folder  string // its working directory
	cmd     *exec.Cmd
	in      io.WriteCloser
	replies *bufio.Reader
	errs    *tail
}

// idle has the processes that no test has.
var idle struct {
	sync.Mutex
	list []*process
}

// Exception is what Python raised.
type Exception struct {
	Type      string // the class: "ValueError"
	Msg       string // str(e)
	Traceback string // as Python prints it, with the lines of the code asked
}

func (e *Exception) Error() string { return strings.TrimSpace(e.Traceback) }

// Start calls [Need] and returns a Python in the working directory of t: a new one, or one that an earlier test has
// ended with and that has been reset.
func Start(t testing.TB) *Proc {
	t.Helper()
	Need(t)
	path, _, _ := Python()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	p := &Proc{dir: t.TempDir(), process: take(folder)}
	if p.process == nil {
		if p.process, err = start(path, folder); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		err := p.release(t.Failed())
		if err != nil {
			t.Error(err)
		}
		if t.Failed() && p.errs.String() != "" {
			t.Logf("standard error of %s:\n%s", path, p.errs)
		}
	})
	return p
}

// take returns an idle process in that folder, or nil.
func take(folder string) *process {
	idle.Lock()
	defer idle.Unlock()
	i := slices.IndexFunc(idle.list, func(p *process) bool { return p.folder == folder })
	if i < 0 {
		return nil
	}
	p := idle.list[i]
	idle.list = slices.Delete(idle.list, i, i+1)
	return p
}

// release resets the process for the next test. It ends one whose test has failed, so that its standard error is whole,
// and one that cannot be reset.
func (p *Proc) release(failed bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead == nil && !failed {
		if line, err := p.roundTrip([]byte("{\"reset\": true}\n")); err == nil && string(line) == "{}\n" {
			p.dead = errStopped
			p.errs.reset()
			idle.Lock()
			defer idle.Unlock()
			idle.list = append(idle.list, p.process)
			return nil
		}
	}
	return p.stop()
}

func start(path, folder string) (*process, error) {
	cmd := command(path, "-c", driver)
	p := &process{folder: folder, cmd: cmd, errs: new(tail)}
	cmd.Stderr = p.errs
	cmd.WaitDelay = 5 * time.Second // a child of the code may hold standard error open
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.replies = in, bufio.NewReaderSize(out, 64<<10)
	return p, cmd.Start()
}

// Run executes code, in a namespace that lasts as long as the process and has np. There x is in, by way of JSON,
// and what the code assigns to the variable out is decoded into *out; a nil out takes nothing.
//
//	var shape []int
//	err := p.Run("a = np.zeros(x)\nout = a.T.shape", []int{2, 3}, &shape)   // shape is [3 2], a stays defined
//
// Bytes go both ways exactly: a []byte in x is base64, which b64(x) decodes, and a bytes in out arrives in a []byte.
// NumPy's integers arrive in full in Go's integer types. JSON has no NaN and no infinity: send floats as
// a.tobytes(), or arrays as files with [Proc.Save]. A Python exception is returned as an [*Exception], and p goes on.
func (p *Proc) Run(code string, in, out any) error {
	ask, err := json.Marshal(map[string]any{"code": code, "x": in})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead != nil {
		return p.dead
	}
	line, err := p.roundTrip(append(ask, '\n'))
	if err != nil {
		waited := p.wait()
		p.dead = fmt.Errorf("oracle: python ended (%v): %w\n%s", waited, err, p.errs)
		return p.dead
	}
	var reply struct {
		Out json.RawMessage
		Exception
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		return fmt.Errorf("oracle: reply %q: %w", line, err)
	}
	switch {
	case reply.Type != "":
		return &reply.Exception
	case out == nil:
		return nil
	case reply.Out == nil:
		return fmt.Errorf("oracle: the code assigns nothing to out:\n%s", code)
	}
	if err := json.Unmarshal(reply.Out, out); err != nil {
		return fmt.Errorf("oracle: out is %.200s: %w", reply.Out, err)
	}
	return nil
}

// Eval is [Proc.Run] for one expression: its value is decoded into *out.
func (p *Proc) Eval(expr string, in, out any) error {
	return p.Run("out = (\n"+expr+"\n)", in, out)
}

// Temp returns the path of a file, not yet there, in a folder that is removed when the test ends.
func (p *Proc) Temp() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.temps++
	return filepath.Join(p.dir, fmt.Sprintf("%d.npy", p.temps))
}

// Save has numpy.save write the array that expr gives to a new file, and returns its path: the exact way for an array
// from NumPy to Go.
func (p *Proc) Save(expr string, in any) (path string, err error) {
	path = p.Temp()
	return path, p.Run(fmt.Sprintf("np.save(%+q, (\n%s\n), allow_pickle=False)", path, expr), in, nil)
}

// Load has numpy.load read a file into the Python variable name: the exact way for an array from Go to NumPy.
func (p *Proc) Load(name, path string) error {
	return p.Run(name+" = np.load(x, allow_pickle=False)", path, nil)
}

func (p *process) roundTrip(ask []byte) ([]byte, error) {
	if _, err := p.in.Write(ask); err != nil {
		return nil, err
	}
	return p.replies.ReadBytes('\n')
}

// wait ends the input, which ends the driver, and waits; a Python that does not end is killed.
func (p *process) wait() error {
	p.in.Close()
	kill := time.AfterFunc(10*time.Second, func() { p.cmd.Process.Kill() })
	defer kill.Stop()
	return p.cmd.Wait()
}

var errStopped = fmt.Errorf("oracle: python has been stopped: %w", os.ErrClosed)

func (p *Proc) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stop()
}

func (p *Proc) stop() error {
	if p.dead != nil {
		return nil // Run has said it
	}
	p.dead = errStopped
	if err := p.wait(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("oracle: python: %w\n%s", err, p.errs)
	}
	return nil
}

// tail keeps the last 64 KiB or so that are written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (w *tail) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = append(w.buf, b...)
	if over := len(w.buf) - 64<<10; over > 0 {
		w.buf = append(w.buf[:0], w.buf[over:]...)
	}
	return len(b), nil
}

func (w *tail) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.buf)
}
