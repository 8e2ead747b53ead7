package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
)

// save writes a to path as a whole. After an error or Ctrl-C, it leaves no file.
func save(path string, force bool, a array.Array) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cfg := array.SaveConfig{Replace: force, Progress: func(_, _ int64) error { return context.Cause(ctx) }}
	return cfg.Convert(path, a, a.DType(), index.K)
}
