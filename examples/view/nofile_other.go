//go:build !unix

package main

// maxFiles returns twice maxConns, so that descriptors do not limit the number of connections.
func maxFiles() uint64 { return 2 * maxConns }
