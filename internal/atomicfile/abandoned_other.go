//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

func (f *File) claim() bool { return true }

// removeAbandoned does nothing. Without a lock that a file keeps until Commit renames it, abandoned files cannot be
// recognized, and Windows does not rename open files.
func removeAbandoned(string) {}
