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

// interruptible lets a signal end the command in place of the program, at the next
// progress, so that it leaves no half file. A second one ends the program. So does
// the first one after release, which is to be called once.
func (e *env) interruptible() (release func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, slices.DeleteFunc(slices.Clone(term.Endings), signal.Ignored)...)
	go func() {
		if s, ok := <-c; ok {
			e.signal.Store(s)
			signal.Stop(c)
		}
	}()
	return func() {
		signal.Stop(c)
		close(c)
	}
}

// progress is for Progress of a config: it shows how far the work is, and calls it off after
// a signal, and before a file that was made of a torn one gets its name.
func (e *env) progress(done, total int64) error { return e.progressOf(done, total, 1) }

// stored is progress where each byte is counted twice: when it is written, and when it is on stable storage.
func (e *env) stored(done, total int64) error { return e.progressOf(done, total, 2) }

// progressFor returns the one of the two that suits a file of array.SaveConfig, which is stored unless nosync is set.
func (e *env) progressFor(nosync bool) func(done, total int64) error {
	if nosync {
		return e.progress
	}
	return e.stored
}

func (e *env) progressOf(done, total, times int64) error {
	if e.signal.Load() != nil {
		return errInterrupted
	}
	e.bar.Show(done/times, total/times)
	if done < total {
		return nil
	}
	err := e.torn()
	e.read = err == nil
	return err
}

// endBy ends the program as the signal does by itself: a shell then ends the loop that
// the program was in. Where that cannot be, it returns an exit status. SIGQUIT has Go's
// runtime print its stacks, which are of no interest.
func endBy(s os.Signal) int {
	if s == term.Quit {
		return 128 + 3 // its number everywhere
	}
	signal.Reset(s)
	if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(s) == nil {
		time.Sleep(time.Second) // more than it takes
	}
	return 130
}
