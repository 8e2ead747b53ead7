// Package report calls the function with which a caller follows the progress of an operation.
package report

// A Counter calls Report with the amount of work that is done, Done of Total. Every operation with a function named
// Progress uses a Counter, so that all of them follow one contract:
//
//   - Begin calls Report with 0, before there is anything to clean up.
//   - Add and To call Report with larger numbers, but not with Total.
//   - End calls Report with Total, unless Total is 0, which Begin has already reported. The operation publishes its
//     result, such as a file, after that.
//
// If Report returns an error, the method returns it, and the operation ends without having changed its destination. If
// Report is nil, nothing is called.
type Counter struct {
	Report      func(done, total int64) error
	Done, Total int64

	begun bool // Report was called
}

// Begin reports that nothing is done.
func (c *Counter) Begin() error { return c.To(0) }

// Add reports that n more are done.
func (c *Counter) Add(n int64) error { return c.To(c.Done + n) }

// To reports that n are done in total. The first call of To is the call of Begin.
func (c *Counter) To(n int64) error {
	c.Done = min(n, c.Total)
	if c.Report == nil || c.begun && c.Done == c.Total { // End reports Total
		return nil
	}
	c.begun = true
	return c.Report(c.Done, c.Total)
}

// End reports that all is done.
func (c *Counter) End() error {
	c.Done = c.Total
	if c.Report == nil || c.Total == 0 {
		return nil
	}
	return c.Report(c.Total, c.Total)
}
