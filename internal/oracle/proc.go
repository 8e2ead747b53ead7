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

// Proc is a Python process with NumPy. Starting it takes about 200 ms, and evaluating code some tens of microseconds,
// so use one Proc for a whole test. Several goroutines may call its methods at the same time; the calls are serialized.
type Proc struct {
	dir string // the temporary folder of the test

	mu sync.Mutex
	*process
	dead  error // if not nil, the process cannot be used anymore
	temps int   // number of paths that Temp has returned
}

// A process is a Python process. Tests can use it in succession.
type process struct {
	folder  string // its working directory
	cmd     *exec.Cmd
	in      io.WriteCloser
	replies *bufio.Reader
	errs    *tail // its standard error
}

// idle holds the processes that no test uses.
var idle struct {
	sync.Mutex
	list []*process
}

// Exception is an error that describes a Python exception.
type Exception struct {
	Type      string // the class: "ValueError"
	Msg       string // str(e)
	Traceback string // as Python prints it, with lines of the code
}

func (e *Exception) Error() string { return strings.TrimSpace(e.Traceback) }

// Start calls [Need] and returns a Python process in the working directory of t. The process is new, or was used by an
// earlier test and then reset.
func Start(t testing.TB) *Proc {
	t.Helper()
	Need(t)
	path, _, _ := Python()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	p := &Proc{dir: t.TempDir(), process: takeIdle(folder)}
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

// takeIdle returns an idle process with the given working directory, or nil.
func takeIdle(folder string) *process {
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

// release resets the process for the next test. It ends the process if the test has failed, so that its standard error
// is complete, or if the process cannot be reset.
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
	cmd.WaitDelay = 5 * time.Second // a child process of the Python code may keep standard error open
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

// Run executes code in a namespace that contains np and exists until the test ends. In the code, x has the value of in,
// passed as JSON. Unless out is nil, Run decodes the final value of the variable out into *out.
//
//	var shape []int
//	err := p.Run("a = np.zeros(x)\nout = a.T.shape", []int{2, 3}, &shape)   // shape is [3 2], a stays defined
//
// A []byte in x is base64, which b64(x) decodes. A bytes in out is decoded into a []byte. Integers of NumPy keep all 64
// bits. JSON has no NaN and no infinity: pass floats as a.tobytes(), or arrays as files with [Proc.Save]. If the code
// raises an exception, Run returns an [*Exception], and p remains usable.
func (p *Proc) Run(code string, in, out any) error {
	request, err := json.Marshal(map[string]any{"code": code, "x": in})
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dead != nil {
		return p.dead
	}
	line, err := p.roundTrip(append(request, '\n'))
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

// Eval evaluates an expression like [Proc.Run], and decodes its value into *out.
func (p *Proc) Eval(expr string, in, out any) error {
	return p.Run("out = (\n"+expr+"\n)", in, out)
}

// Temp returns the path of a file that does not exist yet. Its folder is removed when the test ends.
func (p *Proc) Temp() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.temps++
	return filepath.Join(p.dir, fmt.Sprintf("%d.npy", p.temps))
}

// Save evaluates expr, writes the array to a new file with numpy.save, and returns the path of the file. It passes an
// array from NumPy to Go exactly.
func (p *Proc) Save(expr string, in any) (path string, err error) {
	path = p.Temp()
	return path, p.Run(fmt.Sprintf("np.save(%+q, (\n%s\n), allow_pickle=False)", path, expr), in, nil)
}

// Load reads a file with numpy.load into the Python variable called name. It passes an array from Go to NumPy exactly.
func (p *Proc) Load(name, path string) error {
	return p.Run(name+" = np.load(x, allow_pickle=False)", path, nil)
}

// roundTrip sends a line to the process and returns its reply.
func (p *process) roundTrip(request []byte) ([]byte, error) {
	if _, err := p.in.Write(request); err != nil {
		return nil, err
	}
	return p.replies.ReadBytes('\n')
}

// wait closes the input, which ends the driver, and waits until the process has ended. It kills the process after 10 s.
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
		return nil // Run already returned the error
	}
	p.dead = errStopped
	if err := p.wait(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return fmt.Errorf("oracle: python: %w\n%s", err, p.errs)
	}
	return nil
}

// A tail is a writer that keeps about the last 64 KiB.
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
