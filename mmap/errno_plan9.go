package mmap

import "errors"

// errBadAddress is no error of Plan 9, where files are not mapped.
var errBadAddress = errors.New("bad address")
