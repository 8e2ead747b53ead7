//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package watch

const noWait = 0
