//go:build !unix

package main

// maxFiles returns a number that does not limit the connections.
func maxFiles() uint64 { return 2 * maxConns }
