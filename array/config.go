package array

import (
	"fmt"
	"io/fs"

	"github.com/ndmap/ndmap/mmap"
)

// The methods of Config, as its check names them.
const (
	forOpen         = "Open"
	forCreate       = "Create"
	forOpenOrCreate = "OpenOrCreate"
	forConvert      = "Convert"
	forSave         = "Save"
	forRead         = "Read"
	forFromMap      = "FromMap"

	forOpenBytes = "OpenBytes"
	forOpenFS    = "OpenFS"
	forWriteJSON = "WriteJSON"

	forCopy      = "Copy"
	forClone     = "Clone"
	forQuantile  = "Quantile"
	forHistogram = "Histogram"
)

// check refuses a Config that asks for what a method does not do, where a program that
// is not told so would believe that it was done.
func (cfg *Config) check(method string) error {
	field, open := "", method == forOpen || method == forOpenFS
	inMemory := method == forCopy || method == forClone || method == forQuantile || method == forHistogram
	isFile := method != forRead && method != forFromMap && method != forOpenBytes && method != forWriteJSON && !inMemory
	switch {
	case cfg.Name != "" && method != forFromMap:
		field = "Name"
	case cfg.Mode == mmap.CopyOnWrite && method != forOpen && method != forFromMap,
		cfg.Mode == mmap.ReadWrite && (method == forRead || method == forOpenFS || method == forWriteJSON || inMemory):
		field = "Mode " + cfg.Mode.String()
	case cfg.Sparse && !isFile:
		field = "Sparse"
	case cfg.Lock && !open && method != forCreate && method != forOpenOrCreate:
		field = "Lock"
	case cfg.Replace && method != forCreate && method != forConvert && method != forSave:
		field = "Replace"
	case cfg.Pending && method != forCreate:
		field = "Pending"
	case cfg.NoSync && (open || !isFile || method == forCreate && !cfg.Replace && !cfg.Pending):
		field = "NoSync"
	case cfg.Progress != nil && !isFile && !inMemory && method != forWriteJSON:
		field = "Progress"
	case cfg.File != nil && method != forOpen:
		field = "File"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s has no use for Config.%s", fs.ErrInvalid, method, field)
}
