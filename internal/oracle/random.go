package oracle

import _ "embed"

// Random is a Python program that defines functions for random dtypes and arrays. Run it once with [Proc.Run]. After
// that, array(random.Random(seed)) returns an array with a random dtype, shape and order.
//
//go:embed arrays.py
var Random string
