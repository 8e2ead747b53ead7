//go:build !unix

package npy

import (
	"testing"
	"time"
)

var began = time.Now()

// processorTime returns the time since the start of this process.
func processorTime(*testing.T) time.Duration { return time.Since(began) }
