package array

import (
	"fmt"
	"io/fs"

	"github.com/ndmap/ndmap/mmap"
)

// The methods of Config, as its check names them.
const (
	forOpen    = "Open"
	forCreate  = "Create"
	forConvert = "Convert"
	forRead    = "Read"

	forOpenBytes = "OpenBytes"
	forOpenFS    = "OpenFS"
	forWriteJSON = "WriteJSON"
)

// check refuses a Config that asks for what a method does not do, where a program that
// is not told so would believe that it was done.
func (cfg *Config) check(method string) error {
	field := ""
	open := method == forOpen || method == forOpenFS
	streamed := method == forRead || method == forOpenBytes || method == forWriteJSON // no file
	switch {
	case cfg.Mode == mmap.CopyOnWrite && method != forOpen, cfg.Mode == mmap.ReadWrite && (method == forRead || method == forOpenFS || method == forWriteJSON):
		field = "Mode " + cfg.Mode.String()
	case cfg.Sparse && streamed:
		field = "Sparse"
	case cfg.Lock && !open && method != forCreate:
		field = "Lock"
	case cfg.Replace && method != forCreate && method != forConvert:
		field = "Replace"
	case cfg.NoSync && (open || streamed || method == forCreate && !cfg.Replace):
		field = "NoSync"
	case cfg.Progress != nil && streamed && method != forWriteJSON:
		field = "Progress"
	case cfg.File != nil && method != forOpen:
		field = "File"
	default:
		return nil
	}
	return fmt.Errorf("%w: %s has no use for Config.%s", fs.ErrInvalid, method, field)
}
