//go:build race

package mmap_test

const raceEnabled = true
