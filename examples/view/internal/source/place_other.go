//go:build !unix

package source

// atOnce is for pipes among files.
const atOnce = 0
