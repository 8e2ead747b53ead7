package npz

import (
	"cmp"
	"io/fs"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/zipfile"
)

// ErrNotArray is wrapped by the error for a member that is not a .npy file, such as a text or a folder.
var ErrNotArray error = notArray{}

type notArray struct{}

func (notArray) Error() string { return "not a .npy file" }
func (notArray) Unwrap() error { return array.ErrFormat }

// A notFound is the error for a name without a member.
type notFound struct{ path, name, hint string }

func (e *notFound) Error() string {
	return errorPrefix(e.path) + ": no such member: " + zipfile.Quote(e.name) + " or " + zipfile.Quote(e.name+".npy") + e.hint
}

func (e *notFound) Unwrap() error { return fs.ErrNotExist }

// inFolder returns hint followed by the name of a member in the folder called name, or "" if no such folder exists.
// The result is the end of an error message.
func (a *Archive) inFolder(name, hint string) string {
	prefix := strings.TrimSuffix(name, "/") + "/"
	for _, in := range a.Names() {
		if strings.HasPrefix(in, prefix) && !strings.HasSuffix(in, "/") {
			return hint + zipfile.Quote(in)
		}
	}
	return ""
}

// errorPrefix returns the name of an archive in messages.
func errorPrefix(path string) string { return cmp.Or(path, "npz") }
