// Package peer compares array/safetensors with another implementation of the format in Go, in a module of its own.
// There is nothing in it but the tests.
package peer
