package main

import (
	"errors"
	"os"
	"os/signal"
	"slices"
	"time"

	"github.com/ndmap/ndmap/examples/npy/term"
)

var errInterrupted = errors.New("interrupted")

// interruptible makes a signal stop the command at its next progress report instead of ending the program at once, so
// that no incomplete file is left. A second signal ends the program. The caller must call release once; after that, the
// first signal ends the program.
func (e *env) interruptible() (release func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, slices.DeleteFunc(slices.Clone(term.Endings), signal.Ignored)...)
	go func() {
		if s, ok := <-c; ok {
			e.signal.Store(s)
			e.cancel(errInterrupted)
			signal.Stop(c)
		}
	}()
	return func() {
		signal.Stop(c)
		close(c)
	}
}

// progress is a Progress function for the configurations of the library. It updates the bar, and returns an error after
// a signal. When all is done, it returns an error if an input is torn, so that the new file does not get its name.
func (e *env) progress(done, total int64) error { return e.progressOf(done, total, 1) }

// storedProgress is like progress, for work that reports each byte twice: when it is written, and when it is on
// stable storage.
func (e *env) storedProgress(done, total int64) error { return e.progressOf(done, total, 2) }

// progressFor returns stored, or progress if nosync is set, as the Progress of an array.SaveConfig.
func (e *env) progressFor(nosync bool) func(done, total int64) error {
	if nosync {
		return e.progress
	}
	return e.storedProgress
}

func (e *env) progressOf(done, total, times int64) error {
	if e.signal.Load() != nil {
		return errInterrupted
	}
	e.bar.Show(done/times, total/times)
	if done < total {
		return nil
	}
	err := e.checkTorn()
	e.read = err == nil
	return err
}

// endWithSignal ends the program with the signal s. A shell that runs the program in a loop sees the signal and ends
// the loop. If the signal does not end it, endWithSignal returns an exit status. SIGQUIT always returns a status,
// because Go's runtime would print stack traces.
func endWithSignal(s os.Signal) int {
	if s == term.Quit {
		return 128 + 3 // SIGQUIT is 3 on every system
	}
	signal.Reset(s)
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(s) == nil {
		time.Sleep(time.Second) // more than enough time for the signal to arrive
	}
	return 130
}
