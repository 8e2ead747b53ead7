//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

func (f *File) claim() bool { return true }

// removeAbandoned does nothing: there are no locks that a file keeps until it has its path. Windows renames no file
// that is open.
func removeAbandoned(string) {}
