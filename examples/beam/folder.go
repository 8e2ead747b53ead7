package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// folder makes a folder in dir, or in that for temporary files, for all that a job writes, Beam's own temporary files
// among it, which leaves them. The workers of a job may be those of other users: where they may write to dir, they may
// write to it. It is removed by remove, and before a signal ends the program.
func folder(dir string) (path string, remove func(), err error) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM)
	path, err = os.MkdirTemp(dir, ".npybeam-")
	if err != nil {
		signal.Stop(c)
		return "", nil, err
	}
	if info, err := os.Stat(dir); dir != "" && err == nil {
		os.Chmod(path, info.Mode().Perm())
	}
	old := os.Getenv("TMPDIR")
	os.Setenv("TMPDIR", path)
	go func() {
		s, ok := <-c
		if !ok {
			return
		}
		for range 1000 { // while there are goroutines that make files in it
			if os.RemoveAll(path) == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		signal.Reset(s)
		if p, err := os.FindProcess(os.Getpid()); err != nil || p.Signal(s) != nil {
			os.Exit(130) // where nobody can send himself a signal
		}
	}()
	return path, func() {
		signal.Stop(c)
		close(c)
		os.Setenv("TMPDIR", old)
		os.RemoveAll(path)
	}, nil
}
