// Package report tells a function of the caller how much of some work is done.
package report

// A Counter calls Report with how much of Total is done. Everything that takes a function named Progress counts with
// one, so that all of them keep one contract:
//
//   - Begin calls Report with 0, before there is anything to clean up.
//   - Add and To call it with more, but not with Total.
//   - End calls it with Total, which Begin has done already if that is 0. What the work makes gets its place after that.
//
// An error of Report is returned, and ends the work: nothing that is in its place has changed. If Report is nil,
// nothing is called.
type Counter struct {
	Report      func(done, total int64) error
	Done, Total int64

	told bool // that nothing is done
}

// Begin says that nothing is done.
func (c *Counter) Begin() error { return c.To(0) }

// Add says that n more are done.
func (c *Counter) Add(n int64) error { return c.To(c.Done + n) }

// To says that n are done in all. The first call of To is that of Begin.
func (c *Counter) To(n int64) error {
	c.Done = min(n, c.Total)
	if c.Report == nil || c.told && c.Done == c.Total { // which End says
		return nil
	}
	c.told = true
	return c.Report(c.Done, c.Total)
}

// End says that all is done.
func (c *Counter) End() error {
	c.Done = c.Total
	if c.Report == nil || c.Total == 0 {
		return nil
	}
	return c.Report(c.Total, c.Total)
}
