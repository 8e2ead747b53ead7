package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// folder creates a directory in dir, or in the directory for temporary files, for all files that a job writes. Beam
// leaves temporary files behind. Workers may run as other users, so anyone who may write to dir may also write to the
// new directory. remove deletes the directory. If a signal ends the program, the directory is deleted first.
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
		for range 1000 { // retry while goroutines still create files in the directory
			if os.RemoveAll(path) == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		signal.Reset(s)
		if p, err := os.FindProcess(os.Getpid()); err != nil || p.Signal(s) != nil {
			os.Exit(130) // reached only on systems on which a process cannot signal itself
		}
	}()
	return path, func() {
		signal.Stop(c)
		close(c)
		os.Setenv("TMPDIR", old)
		os.RemoveAll(path)
	}, nil
}
