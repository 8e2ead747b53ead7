package job

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestUnasked tests that a job is cancelled and removed if no client asks for it: an unfinished one after maxUnasked,
// a finished one after maxUnaskedDone.
func TestUnasked(t *testing.T) {
	l := New(t.Context())
	for _, tt := range []struct {
		name string
		work Work
		kept time.Duration
	}{
		{"unfinished", func(ctx context.Context, _ func(float64) error) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, maxUnasked},
		{"finished", func(context.Context, func(float64) error) (any, error) { return 1, nil }, maxUnaskedDone},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ended := make(chan struct{})
			id, err := l.Start(tt.work, func() { close(ended) })
			if err != nil {
				t.Fatal(err)
			}
			if tt.name == "finished" {
				<-ended
			}
			asked := time.Now()
			if _, err := l.Status(t.Context(), id, tt.name == "finished"); err != nil {
				t.Fatal(err)
			}
			l.removeUnasked(asked.Add(tt.kept))
			if _, err := l.Status(t.Context(), id, false); err != nil {
				t.Fatalf("after %v: %v", tt.kept, err)
			}
			l.removeUnasked(time.Now().Add(tt.kept + time.Second))
			if _, err := l.Status(t.Context(), id, false); !errors.Is(err, ErrUnknown) {
				t.Fatalf("after more than %v: error %v, want %v", tt.kept, err, ErrUnknown)
			}
			<-ended // an unfinished job has been cancelled
		})
	}
}
