package atomicfile

import (
	"math/rand/v2"
	"time"
)

// The first and the maximum pause of Wait between two tries.
const (
	lockPause = 50 * time.Microsecond
	MostPause = time.Millisecond
)

// Wait calls try until try returns true or an error, and pauses between the calls. In the first call after the given
// time, last is true, and try must return true or an error.
func Wait(wait time.Duration, try func(last bool) (bool, error)) error {
	start := time.Now()
	for pause := lockPause; ; pause = min(2*pause, MostPause) {
		left := wait - time.Since(start)
		if ok, err := try(left <= 0); ok || err != nil {
			return err
		}
		time.Sleep(min(left, pause/2+rand.N(pause/2)))
	}
}
