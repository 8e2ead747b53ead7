package stable

import "errors"

// BadAddress is no error of Plan 9, where files are not mapped.
var BadAddress = errors.New("bad address")
