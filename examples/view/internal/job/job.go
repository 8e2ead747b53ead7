// Package job runs work in the background: a few at a time, each of which can be asked how far it
// is, and cancelled.
package job

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"
)

const (
	maxRunning = 2                // at a time; the others wait
	maxJobs    = 32               // that wait, run, or have a result
	forgetting = 2 * time.Minute  // after which a job that nobody asks for is cancelled, or its result forgotten
	sweepEvery = 10 * time.Second // how often that is looked after
)

// ErrTooMany is the error of Start where there are too many jobs.
var ErrTooMany = errors.New("too many jobs; cancel one, or wait")

// ErrUnknown is the error for an id that no job has.
var ErrUnknown = errors.New("no job has this id; it may have been forgotten")

// A Work is what a job does: it calls progress, from time to time, with how much of it is done, from
// 0 to 1, and returns early when that returns an error.
type Work func(ctx context.Context, progress func(float64) error) (result any, err error)

// A Status is how far a job is.
type Status struct {
	Done     bool    `json:"done"`
	Progress float64 `json:"progress"`
	Error    string  `json:"error,omitempty"`
	Result   any     `json:"result,omitempty"`
}

type job struct {
	cancel context.CancelFunc
	done   chan struct{}
	status Status
	asked  time.Time
}

// A List is the jobs of a server. Its methods may be called from several goroutines.
type List struct {
	ctx  context.Context
	slot chan struct{}

	mu   sync.Mutex
	jobs map[string]*job
	next int
}

// New returns a list whose jobs end with ctx.
func New(ctx context.Context) *List {
	l := &List{ctx: ctx, slot: make(chan struct{}, maxRunning), jobs: map[string]*job{}}
	go l.sweep()
	return l
}

// Start begins a job and returns its id. end is called when its work is over, also if that was never
// begun.
func (l *List) Start(work Work, end func()) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.jobs) >= maxJobs && !l.forgetOne() {
		end()
		return "", ErrTooMany
	}
	l.next++
	id := "j" + strconv.Itoa(l.next)
	ctx, cancel := context.WithCancel(l.ctx)
	j := &job{cancel: cancel, done: make(chan struct{}), asked: time.Now()}
	l.jobs[id] = j
	go func() {
		defer cancel()
		defer close(j.done)
		defer end()
		result, err := l.run(ctx, j, work)
		l.mu.Lock()
		defer l.mu.Unlock()
		j.status.Done = true
		if err != nil {
			j.status.Error = err.Error()
		} else {
			j.status.Progress, j.status.Result = 1, result
		}
	}()
	return id, nil
}

func (l *List) run(ctx context.Context, j *job, work Work) (any, error) {
	select {
	case l.slot <- struct{}{}:
		defer func() { <-l.slot }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return work(ctx, func(x float64) error {
		l.mu.Lock()
		j.status.Progress = x
		l.mu.Unlock()
		return ctx.Err()
	})
}

// forgetOne removes the finished job that was asked for longest ago.
func (l *List) forgetOne() bool {
	oldest := ""
	for id, j := range l.jobs {
		if j.status.Done && (oldest == "" || j.asked.Before(l.jobs[oldest].asked)) {
			oldest = id
		}
	}
	delete(l.jobs, oldest)
	return oldest != ""
}

// Status returns how far a job is. With wait it returns once the job is done, or ctx.
func (l *List) Status(ctx context.Context, id string, wait bool) (Status, error) {
	l.mu.Lock()
	j, ok := l.jobs[id]
	if ok {
		j.asked = time.Now()
	}
	l.mu.Unlock()
	if !ok {
		return Status{}, ErrUnknown
	}
	if wait {
		select {
		case <-j.done:
		case <-ctx.Done():
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	j.asked = time.Now()
	return j.status, nil
}

// Cancel ends a job and forgets it.
func (l *List) Cancel(id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	j, ok := l.jobs[id]
	if !ok {
		return ErrUnknown
	}
	j.cancel()
	delete(l.jobs, id)
	return nil
}

// sweep forgets jobs that nobody asks for any more.
func (l *List) sweep() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case now := <-tick.C:
			l.mu.Lock()
			for id, j := range l.jobs {
				if now.Sub(j.asked) > forgetting {
					j.cancel()
					delete(l.jobs, id)
				}
			}
			l.mu.Unlock()
		}
	}
}
