package stable

import (
	"io"
	"time"
)

// Settled calls open until what it has opened was last changed so long ago that a later change can be told from it,
// which changed says, or for 2.5 s.
func Settled[F io.Closer](open func() (F, error), changed func(f F) bool) (F, error) {
	for try := 0; ; try++ {
		f, err := open()
		if err != nil || try == 100 || !changed(f) {
			return f, err
		}
		f.Close()
		time.Sleep(25 * time.Millisecond)
	}
}
