//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package oracle

func runFolder(base string) (string, error) { return "", nil }

func removeRuns() {}
