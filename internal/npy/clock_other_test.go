//go:build !unix

package npy

import (
	"testing"
	"time"
)

var began = time.Now()

// worked returns the time since the start of this process.
func worked(*testing.T) time.Duration { return time.Since(began) }
