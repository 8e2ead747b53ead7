//go:build race

package strided

const raceEnabled = true
