package source

import (
	"bufio"
	"errors"
	"io"
	"math"
	"math/big"
	"os"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/objects"
	"github.com/ndmap/ndmap/internal/npy"
)

// ErrObjects is the error for requests that need an array of numbers, text or times.
var ErrObjects = errors.New("the elements are Python objects that have no other dtype; the tree shows them")

// The memory of Python objects counts as memory for inflated members. Three quarters of it are for values, and one
// quarter is for text and numbers of arrays.
const (
	valueBytes = 200      // maximum memory of a value
	byteMemory = 800      // memory reserved for each byte of a pickle, which can make three values
	minMemory  = 1 << 20  // memory reserved for a short pickle
	maxPlain   = 16 << 20 // maximum size of an array of plain objects, in bytes
)

// objectHeader returns the header of a .npy file if its elements are Python objects.
func objectHeader(f *os.File) (h npy.Header, ok bool) {
	h, err := npy.ReadHeader(io.NewSectionReader(f, 0, math.MaxInt64), npy.ParseObjects)
	return h, err == nil && h.DType.HasObject()
}

// readFile reads the Python objects in a .npy file.
func (g *generation) readFile(f *os.File) error {
	return g.readObjects(g.info.Size(), func(cfg objects.OpenConfig) (objects.Array, error) {
		return cfg.Read(bufio.NewReaderSize(io.NewSectionReader(f, 0, math.MaxInt64), 64<<10))
	})
}

// readObjects calls read to decode a pickle of the given size. It runs no code. A pickle can only be read as a whole,
// so memory for it is reserved first.
func (g *generation) readObjects(size int64, read func(objects.OpenConfig) (objects.Array, error)) error {
	n := g.set.cfg.Inflate
	if size < n/byteMemory {
		n = min(n, max(minMemory, size*byteMemory))
	}
	if err := g.reserve(n); err != nil {
		return err
	}
	v, err := read(objects.OpenConfig{MaxValues: int(n / 4 * 3 / valueBytes), MaxBytes: n / 4})
	if err != nil {
		g.unreserve()
		if e, ok := errors.AsType[*objects.NameError](err); ok {
			named := *e
			named.Path = g.path
			return &named
		}
		if e, ok := errors.AsType[*array.FormatError](err); ok { // name the flag instead of the fields
			named := *e
			named.Path = g.path
			named.Msg = strings.NewReplacer("OpenConfig.MaxValues", "npyview -inflate", "OpenConfig.MaxBytes",
				"npyview -inflate").Replace(e.Msg)
			return &named
		}
		return err
	}
	g.objects = &v
	if isPlain(v) {
		if a, err := v.Regular(); err == nil {
			g.array, g.plain = a, true
		}
	}
	return nil
}

// isPlain reports whether v has dimensions, and its elements are bools and numbers, or texts, so that an array can hold
// them.
func isPlain(v objects.Array) bool {
	longest, texts := 16, 0
	for _, x := range v.Values {
		switch x := x.(type) {
		case bool, int64, *big.Int, float64, complex128:
		case string:
			texts++
			longest = max(longest, min(len(x), math.MaxInt/8)*4)
		default:
			return false
		}
	}
	n := len(v.Values)
	return len(v.Shape) > 0 && n > 0 && (texts == 0 || texts == n) && n <= maxPlain/longest
}

// readObjectMember reads the Python objects in a member of the archive.
func (g *generation) readObjectMember(m npz.Member) error {
	return g.readObjects(m.Size, func(cfg objects.OpenConfig) (objects.Array, error) {
		return cfg.ReadMember(g.archive, m.Name)
	})
}

// HasObjects reports whether the elements of a, which has been used, are Python objects.
func (a *Array) HasObjects() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.gen != nil && a.gen.objects != nil
}
