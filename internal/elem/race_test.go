//go:build race

package elem

const raceEnabled = true
