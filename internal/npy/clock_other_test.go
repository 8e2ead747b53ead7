//go:build !unix

package npy

import (
	"testing"
	"time"
)

var began = time.Now()

// worked returns how long this process has run.
func worked(*testing.T) time.Duration { return time.Since(began) }
