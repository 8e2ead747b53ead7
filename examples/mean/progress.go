package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
)

// progress returns a function for SaveConfig.Progress and Reduction.Progress. It prints the progress if standard error
// is a terminal, and ends the work once ctx is done, for example after Ctrl-C.
func progress(ctx context.Context) func(done, total int64) error {
	info, err := os.Stderr.Stat()
	terminal := err == nil && info.Mode()&fs.ModeCharDevice != 0
	return func(done, total int64) error {
		if terminal {
			fmt.Fprintf(os.Stderr, "%3d %%\r", 100*done/max(total, 1)) // the next output overwrites it
		}
		return context.Cause(ctx)
	}
}
