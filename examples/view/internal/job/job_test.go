package job

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestOwner tests that a job stops the previous job of its owner and runs after it, also if the previous one was
// waiting or had been cancelled, and that it does not stop the jobs of other owners.
func TestOwner(t *testing.T) {
	l := New(t.Context())
	running := make(chan string) // names of jobs that begin and end
	start := func(owner, name string) string {
		t.Helper()
		id, err := l.Start(owner, func(ctx context.Context, _ func(float64) error) (any, error) {
			running <- name + " begins"
			<-ctx.Done()
			running <- name + " ends"
			return nil, ctx.Err()
		}, func() {})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	expect := func(want string) {
		t.Helper()
		if got := <-running; got != want {
			t.Fatalf("%s, want: %s", got, want)
		}
	}
	replaced := func(id string) {
		t.Helper()
		st, err := l.Status(t.Context(), id, true)
		if err != nil || !st.Done || st.Error != errReplaced.Error() {
			t.Errorf("job %s: %+v (%v), want the error %q", id, st, err, errReplaced)
		}
	}
	cancel := func(id string) {
		t.Helper()
		if err := l.Cancel(id); err != nil {
			t.Fatal(err)
		}
	}

	other := start("b", "other")
	expect("other begins")
	first := start("a", "first")
	expect("first begins")
	second := start("a", "second") // waits for the first one
	third := start("a", "third")   // replaces the second one, which has not begun
	expect("first ends")
	replaced(first)
	replaced(second)
	expect("third begins")
	if st, err := l.Status(t.Context(), other, false); err != nil || st.Done {
		t.Errorf("the job of another owner: %+v (%v)", st, err)
	}
	cancel(third)
	fourth := start("a", "fourth") // the third one has not ended yet
	expect("third ends")
	expect("fourth begins")
	cancel(fourth)
	expect("fourth ends")
	cancel(other)
	expect("other ends")
	for len(owners(l)) > 0 {
		time.Sleep(time.Millisecond)
	}
}

// owners returns the owners whose last job has not ended.
func owners(l *List) (names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name := range l.owned {
		names = append(names, name)
	}
	return names
}

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
			id, err := l.Start("", tt.work, func() { close(ended) })
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
