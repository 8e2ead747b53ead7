//go:build !linux

package mmap

import "errors"

func resident([]byte) (int, error) { return 0, errors.ErrUnsupported }
