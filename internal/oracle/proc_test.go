package oracle

import (
	"bytes"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestRun(t *testing.T) {
	p := Start(t)

	var shape []int
	if err := p.Run("a = np.zeros(x)\nout = a.T.shape", []int{2, 3}, &shape); err != nil || !slices.Equal(shape, []int{3,
		2}) {
		t.Errorf("shape %v, %v", shape, err)
	}
	// Variables stay defined.
	var strides []int
	if err := p.Eval("a.strides", nil, &strides); err != nil || !slices.Equal(strides, []int{24, 8}) {
		t.Errorf("strides %v, %v", strides, err)
	}
	// 64-bit integers of NumPy and of Python keep all their bits.
	var ints []uint64
	if err := p.Eval("[np.uint64(2**64-1), x]", uint64(math.MaxUint64-1), &ints); err != nil ||
		!slices.Equal(ints, []uint64{math.MaxUint64, math.MaxUint64 - 1}) {
		t.Errorf("ints %v, %v", ints, err)
	}
	// All 256 byte values can be passed in both directions.
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	var back []byte
	if err := p.Eval("np.frombuffer(b64(x), 'u1')[::-1].tobytes()", all, &back); err != nil {
		t.Error(err)
	}
	slices.Reverse(back)
	if !bytes.Equal(back, all) {
		t.Errorf("bytes % x", back)
	}
	// Structs, text that is not ASCII, and a dtype, which becomes its string.
	var out struct {
		Name  string
		DType string
		Flags map[string]bool
		Null  *int
	}
	err := p.Run("a = np.empty(x['Shape'], x['DType'])\nout = dict(name='é漢😀' + x['Name'], dtype=a.dtype, null=None, flags={'C': a.flags.c_contiguous})",
		struct {
			Shape       []int
			DType, Name string
		}{[]int{2}, ">f8", "ü\n\"\\"}, &out)
	if err != nil || out.Name != "é漢😀ü\n\"\\" || out.DType != ">f8" || !out.Flags["C"] || out.Null != nil {
		t.Errorf("%+v, %v", out, err)
	}
	// The output of the code is not mistaken for a reply.
	var n int
	if err := p.Run("print('hello'); import os; os.system('echo there'); out = 1", nil, &n); err != nil || n != 1 {
		t.Errorf("after print: %d, %v", n, err)
	}
	if err := p.close(); err != nil { // standard error is a separate pipe, which is complete only after close
		t.Error(err)
	}
	if got := p.errs.String(); !strings.Contains(got, "hello") || !strings.Contains(got, "there") {
		t.Errorf("standard error is %q, want hello and there", got)
	}
}

func TestRunErrors(t *testing.T) {
	p := Start(t)
	for _, tt := range []struct {
		name, code string
		typ        string // of the *Exception; "" for another error
		want       []string
	}{
		{"exception", "def f():\n    return np.zeros(3)[5]\n\nf()", "IndexError",
			[]string{"index 5 is out of bounds for axis 0 with size 3", "return np.zeros(3)[5]"}},
		{"syntax", "out = (", "SyntaxError", []string{"'(' was never closed"}},
		{"exit", "import sys; sys.exit(3)", "SystemExit", []string{"SystemExit: 3"}},
		{"interrupt", "raise KeyboardInterrupt", "KeyboardInterrupt", nil},
		{"NaN in out", "out = np.nan", "ValueError", []string{"Out of range float values are not JSON compliant"}},
		{"no JSON", "out = object()", "TypeError", []string{"out holds a object, which has no JSON"}},
		{"no out", "out_ = 1", "", []string{"assigns nothing to out", "out_ = 1"}},
		{"out of another type", "out = 'abc'", "", []string{`out is "abc"`, "cannot unmarshal string"}},
		{"integer too large", "out = 2**63", "", []string{"9223372036854775808"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var n int64
			err := p.Run(tt.code, nil, &n)
			if err == nil {
				t.Fatal("no error")
			}
			e, ok := errors.AsType[*Exception](err)
			if ok != (tt.typ != "") || ok && e.Type != tt.typ {
				t.Errorf("error %#v, want an exception of type %q", err, tt.typ)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "exec(compile_once") {
				t.Errorf("the traceback shows the driver: %s", err)
			}
			if err := p.Eval("x + 1", 41, &n); err != nil || n != 42 {
				t.Errorf("after the error: %d, %v, want 42", n, err)
			}
		})
	}
	if err := p.Run("", math.NaN(), nil); err == nil {
		t.Error("NaN as x: no error")
	}
}

// TestRunDeath tests that, if the process dies, the current call to Run and all later calls return an error that
// contains the end of its standard error.
func TestRunDeath(t *testing.T) {
	p := Start(t)
	for range 2 {
		err := p.Run("import os; print('last words', flush=True); os._exit(7)", nil, nil)
		if err == nil {
			t.Fatal("no error")
		}
		for _, want := range []string{"exit status 7", "last words"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error %q does not say %q", err, want)
			}
		}
	}
}

func TestRunAfterClose(t *testing.T) {
	Need(t)
	path, _, _ := Python()
	python, err := start(path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &Proc{process: python}
	if err := p.close(); err != nil {
		t.Fatal(err)
	}
	if err := p.Run("", nil, nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Run after close: %v", err)
	}
}

// TestStartAgain tests that Start reuses the process of the previous test, and that changes which that test made to its
// state are gone.
func TestStartAgain(t *testing.T) {
	var pid int
	t.Run("first", func(t *testing.T) {
		p := Start(t)
		err := p.Run("import os, warnings; a = 1; warnings.simplefilter('error'); np.set_printoptions(threshold=3); np.seterr(all='ignore'); os.chdir('/'); out = os.getpid()", nil, &pid)
		if err != nil {
			t.Fatal(err)
		}
	})
	t.Run("second", func(t *testing.T) {
		p := Start(t)
		var got struct {
			PID    int
			A      bool
			Folder string
			Text   string
			Divide string
			Warned bool
		}
		err := p.Run("import os, warnings; out = dict(pid=os.getpid(), a='a' in globals(), folder=os.getcwd(), text=str(np.arange(5)), "+
			"divide=np.geterr()['divide'], warned=any(f[0] == 'error' for f in warnings.filters))", nil, &got)
		if err != nil {
			t.Fatal(err)
		}
		folder, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		if got.PID != pid || got.A || got.Folder != folder || got.Text != "[0 1 2 3 4]" || got.Divide != "warn" ||
			got.Warned {
			t.Errorf("%+v, want process %d in %s, in its first state", got, pid, folder)
		}
	})
}

func TestRunLarge(t *testing.T) {
	p := Start(t)
	big := bytes.Repeat([]byte{1, 2, 3}, 1<<20)
	var back []byte
	if err := p.Eval("b64(x)", big, &back); err != nil || !bytes.Equal(back, big) {
		t.Errorf("%d bytes back, %v", len(back), err)
	}
}

func TestRunConcurrent(t *testing.T) {
	p := Start(t)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 100 {
				var n int
				if err := p.Eval("x", g*1000+i, &n); err != nil || n != g*1000+i {
					t.Errorf("%d, %v, want %d", n, err, g*1000+i)
				}
			}
		})
	}
	wg.Wait()
}

func TestSaveLoad(t *testing.T) {
	p := Start(t)
	path, err := p.Save("np.array([np.nan, -0.0, x], '>f8')", 0.1)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "\x7f\xf8\x00\x00\x00\x00\x00\x00" + "\x80\x00\x00\x00\x00\x00\x00\x00" + "\x3f\xb9\x99\x99\x99\x99\x99\x9a"
	if got := string(data[128:]); got != want {
		t.Errorf("saved % x, want % x", got, want)
	}
	var got []byte
	if err := p.Load("b", path); err != nil {
		t.Fatal(err)
	}
	if err := p.Eval("b.tobytes()", nil, &got); err != nil || string(got) != want {
		t.Errorf("loaded % x, %v, want % x", got, err, want)
	}
	// Save does not pickle.
	if _, err := p.Save("np.array([None])", nil); err == nil {
		t.Error("an object array was saved")
	}
	if a, b := p.Temp(), p.Temp(); a == b {
		t.Errorf("Temp returns %s twice", a)
	}
}

func BenchmarkEval(b *testing.B) {
	p := Start(b)
	for b.Loop() {
		var n int
		if err := p.Eval("x + 1", 41, &n); err != nil {
			b.Fatal(err)
		}
	}
}
