// Package job runs a few jobs at a time in the background. Clients can ask for the progress of a job, or cancel it.
package job

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"
)

const (
	maxRunning = 2  // number of jobs that run at the same time
	maxJobs    = 32 // number of jobs that wait, run, or have a result

	// Jobs whose status no client has requested for this time are removed. Unfinished jobs are cancelled: their page has
	// been closed.
	maxUnaskedDone = 2 * time.Minute
	maxUnasked     = 10 * time.Second

	sweepEvery = 2 * time.Second // interval between searches for such jobs
)

// ErrTooMany is returned by Start if there are maxJobs unfinished jobs.
var ErrTooMany = errors.New("too many jobs; cancel one, or wait")

// ErrUnknown is returned if no job has the given id.
var ErrUnknown = errors.New("no job has this id; it may have been removed")

// errReplaced is the error of a job that was cancelled by another job of its owner.
var errReplaced = errors.New("stopped because the page has started another one")

// A Work is the function that a job runs. It calls progress from time to time with the fraction of the work done, from
// 0 to 1, and returns early if progress returns an error.
type Work func(ctx context.Context, progress func(float64) error) (result any, err error)

// A Status holds the progress of a job and, once Done is set, its result or error.
type Status struct {
	Done     bool    `json:"done"`
	Progress float64 `json:"progress"`
	Error    string  `json:"error,omitempty"`
	Result   any     `json:"result,omitempty"`
}

type job struct {
	cancel    context.CancelCauseFunc
	done      chan struct{}
	status    Status
	lastAsked time.Time
}

// A List holds the jobs of a server. Its methods are safe for concurrent use.
type List struct {
	ctx  context.Context
	slot chan struct{}

	mu    sync.Mutex
	jobs  map[string]*job
	owned map[string]*job // the last job of each owner, until the job has ended
	next  int
}

// New returns an empty list. Its jobs are cancelled when ctx is done.
func New(ctx context.Context) *List {
	l := &List{ctx: ctx, slot: make(chan struct{}, maxRunning), jobs: map[string]*job{}, owned: map[string]*job{}}
	go l.sweep()
	return l
}

// Start queues a job that runs work, and returns its id. It calls end when the job has ended, even if work was never
// called. An owner has one job at a time: Start cancels the previous job of owner, and work runs once that job has
// ended. If owner is empty, the job has no owner.
func (l *List) Start(owner string, work Work, end func()) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.jobs) >= maxJobs && !l.removeOldest() {
		end()
		return "", ErrTooMany
	}
	l.next++
	id := "j" + strconv.Itoa(l.next)
	ctx, cancel := context.WithCancelCause(l.ctx)
	j := &job{cancel: cancel, done: make(chan struct{}), lastAsked: time.Now()}
	l.jobs[id] = j
	before := l.owned[owner]
	if before != nil {
		before.cancel(errReplaced)
	}
	if owner != "" {
		l.owned[owner] = j
	}
	go func() {
		defer cancel(nil)
		defer close(j.done)
		defer end()
		if before != nil {
			<-before.done
		}
		result, err := l.run(ctx, j, work)
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.owned[owner] == j {
			delete(l.owned, owner)
		}
		j.status.Done = true
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
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
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return work(ctx, func(x float64) error {
		l.mu.Lock()
		j.status.Progress = x
		l.mu.Unlock()
		return ctx.Err()
	})
}

// removeOldest removes the finished job whose status was requested least recently. It returns false if no job is
// finished.
func (l *List) removeOldest() bool {
	oldest := ""
	for id, j := range l.jobs {
		if j.status.Done && (oldest == "" || j.lastAsked.Before(l.jobs[oldest].lastAsked)) {
			oldest = id
		}
	}
	delete(l.jobs, oldest)
	return oldest != ""
}

// Status returns the status of a job. If wait is set, it waits until the job or ctx is done.
func (l *List) Status(ctx context.Context, id string, wait bool) (Status, error) {
	l.mu.Lock()
	j, ok := l.jobs[id]
	if ok {
		j.lastAsked = time.Now()
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
	j.lastAsked = time.Now()
	return j.status, nil
}

// Cancel cancels a job and removes it from the list.
func (l *List) Cancel(id string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	j, ok := l.jobs[id]
	if !ok {
		return ErrUnknown
	}
	j.cancel(nil)
	delete(l.jobs, id)
	return nil
}

// sweep cancels and removes jobs that no client asks for any more.
func (l *List) sweep() {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-l.ctx.Done():
			return
		case now := <-tick.C:
			l.removeUnasked(now)
		}
	}
}

// removeUnasked cancels and removes the jobs that no client has asked for in the time before now.
func (l *List) removeUnasked(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, j := range l.jobs {
		most := maxUnasked
		if j.status.Done {
			most = maxUnaskedDone
		}
		if now.Sub(j.lastAsked) > most {
			j.cancel(nil)
			delete(l.jobs, id)
		}
	}
}
