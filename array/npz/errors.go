package npz

import (
	"cmp"
	"io/fs"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/zipfile"
)

// ErrNotArray is wrapped by the error for a member that is no .npy file: a text, say, or a
// folder.
var ErrNotArray error = notArray{}

type notArray struct{}

func (notArray) Error() string { return "not a .npy file" }
func (notArray) Unwrap() error { return array.ErrFormat }

// notFound is the error for a name that stands for no member.
type notFound struct{ path, name, hint string }

func (e *notFound) Error() string {
	return title(e.path) + ": there is no member " + zipfile.Quote(e.name) + " or " + zipfile.Quote(e.name+".npy") + e.hint
}

func (e *notFound) Unwrap() error { return fs.ErrNotExist }

// inFolder returns the end of an error message about a name: about followed by a member in the folder of that name, or
// "" if there is no such folder.
func (a *Archive) inFolder(name, about string) string {
	prefix := strings.TrimSuffix(name, "/") + "/"
	for _, in := range a.Names() {
		if strings.HasPrefix(in, prefix) && !strings.HasSuffix(in, "/") {
			return about + zipfile.Quote(in)
		}
	}
	return ""
}

// title is how messages call an archive.
func title(path string) string { return cmp.Or(path, "npz") }
