//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

func (f *File) claim() bool { return true }

// removeAbandoned does nothing. The system has no locks that a file keeps until it has its path; Windows does not
// rename open files.
func removeAbandoned(string) {}
