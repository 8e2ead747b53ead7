package stable

import "errors"

// BadAddress does not occur on Plan 9, where files are not mapped.
var BadAddress = errors.New("bad address")
