package array

import "time"

// A growth is what a Config says of how a file gets longer.
type growth struct {
	wait     time.Duration // for the lock
	progress func(done, total int64) error
	doubt    bool // a new header was written, and may not be stored
}

func (cfg Config) growth() growth {
	wait := cfg.LockTimeout
	switch {
	case wait == 0:
		wait = lockTimeout
	case wait < 0:
		wait = 0
	}
	return growth{wait: wait, progress: cfg.Progress}
}

// lockTimeout is what a LockTimeout of 0 stands for.
const lockTimeout = 10 * time.Second
