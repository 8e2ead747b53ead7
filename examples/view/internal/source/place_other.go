//go:build !unix

package source

// atOnce has no flags on this system.
const atOnce = 0
