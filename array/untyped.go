package array

import (
	"github.com/ndmap/ndmap/internal/strided"
)

type pointer = strided.Pointer
