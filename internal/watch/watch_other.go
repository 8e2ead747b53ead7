//go:build !linux

package watch

import (
	"context"
	"time"
)

type notifier struct{}

func (notifier) watch(string) {}

func (notifier) unwatch() {}

func (notifier) wait(context.Context, time.Duration) bool { return false }
