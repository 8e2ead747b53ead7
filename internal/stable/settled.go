package stable

import (
	"io"
	"time"
)

// Settled calls open until changed returns false for the file, which means that its last change is old enough for later
// changes to be detected. It closes the files that it opened earlier. After 2.5 s it returns the file without calling
// changed.
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
