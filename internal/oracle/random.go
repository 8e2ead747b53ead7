package oracle

import _ "embed"

// Random is Python for random dtypes and arrays: run it once with [Proc.Run], and
// array(random.Random(seed)) is an array of a random dtype, shape and order.
//
//go:embed arrays.py
var Random string
