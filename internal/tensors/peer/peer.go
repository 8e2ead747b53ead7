// Package peer compares array/safetensors with another Go implementation of the format, the peer. It contains only
// tests, in a separate module.
package peer
