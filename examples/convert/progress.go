package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
)

// progress returns a function for SaveConfig.Progress and Reduction.Progress: it shows how far the work is, if
// standard error is a terminal, and ends the work once ctx is done, as after Ctrl-C.
func progress(ctx context.Context) func(done, total int64) error {
	info, err := os.Stderr.Stat()
	terminal := err == nil && info.Mode()&fs.ModeCharDevice != 0
	return func(done, total int64) error {
		if terminal {
			fmt.Fprintf(os.Stderr, "%3d %%\r", 100*done/max(total, 1)) // what follows is written over it
		}
		return context.Cause(ctx)
	}
}
