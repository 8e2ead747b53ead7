package httpat

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// The shortest and the longest pause before a request is repeated, and the longest pause that the server may request.
// Tests make the first two shorter.
var (
	minPause = 100 * time.Millisecond
	maxPause = 5 * time.Second
)

const maxRetryAfter = 30 * time.Second

// A temporaryError is an error of a request that may succeed when it is repeated.
type temporaryError struct {
	error
	pause time.Duration // the pause that the server requests
}

func (e *temporaryError) Unwrap() error { return e.error }

// fetch reads the bytes of the file from off on to p, up to the end of the file, and returns their number. It repeats
// requests that failed. After an error, n is the number of bytes that have been read.
func (f *File) fetch(ctx context.Context, p []byte, off int64) (n int, err error) {
	for requests, failures := 1, 0; ; requests++ {
		m, err := f.request(ctx, p[n:], off+int64(n))
		n += m
		if err == nil {
			return n, nil
		}
		if ctx.Err() != nil {
			return n, contextError(ctx)
		}
		temporary, ok := errors.AsType[*temporaryError](err)
		if !ok {
			return n, err
		}
		failures++
		if m >= headSize {
			failures = 0
		}
		if failures > f.retries {
			return n, fmt.Errorf("%w; gave up after %d requests", err, requests)
		}
		if err := pause(ctx, failures, temporary.pause); err != nil {
			return n, err
		}
	}
}

// pause waits before a request is repeated: at least the given time, and longer after more failures. Half of the time
// is random, so that many clients do not repeat their requests at the same moment. It returns an error if ctx is done.
func pause(ctx context.Context, failures int, least time.Duration) error {
	d := time.Duration(0)
	if failures > 0 {
		d = min(maxPause, minPause<<min(failures-1, 10))
		d = d/2 + rand.N(d/2+1)
	}
	timer := time.NewTimer(max(least, d))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return contextError(ctx)
	case <-timer.C:
		return nil
	}
}

// retryAfter returns the pause that the server requests in the header Retry-After: a number of seconds, or a date. It
// returns 0 if there is no valid header.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}

// contextError returns the error of ctx, which is done. It wraps ctx.Err() and the cause.
func contextError(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	switch {
	case cause == nil: // a context of the caller's own type may have none
		return err
	case errors.Is(cause, err):
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}
