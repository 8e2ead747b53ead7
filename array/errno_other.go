//go:build !windows

package array

// isSharingViolation returns false: on these systems, a file can be opened while another process renames it.
func isSharingViolation(error) bool { return false }
