package strided

import "time"

// A wave is called off between two of its parts, or told of, several times a second: it takes from leastWave to
// mostWave.
const (
	leastWave = 25 * time.Millisecond
	mostWave  = 75 * time.Millisecond
)

// Waves calls do with the first of n parts and the one behind the last, then with those that follow, and so on, at
// first with least parts, then with more or fewer, from least to most, so that each call takes a time after which
// somebody may be told, or call it off. It returns the first error of do.
func Waves(n, least, most int, do func(first, last int) error) error {
	least = max(1, least)
	for first, step := 0, least; first < n; {
		start, last := time.Now(), min(first+step, n)
		if err := do(first, last); err != nil {
			return err
		}
		first, step = last, Paced(step, least, most, time.Since(start))
	}
	return nil
}

// Paced returns how much to do next, from least to most, where so much took that time.
func Paced(step, least, most int, took time.Duration) int {
	switch {
	case took < leastWave:
		step = min(2*step, most)
	case took > mostWave:
		step /= 2
	}
	return max(step, least)
}
