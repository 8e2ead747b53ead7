package readme

import (
	"regexp"
	"testing"
)

// TestRequests tests that at least 42 of the 48 lines of REQUESTS.md name a test, and that each of these tests exists.
func TestRequests(t *testing.T) {
	const document = "array/REQUESTS.md"
	checkNamedTests(t, document)
	text := read(t, document)
	lines := regexp.MustCompile(`(?m)^\| [0-9]+ \|.*$`).FindAllString(text, -1)
	tested := regexp.MustCompile("(?m)^\\| [0-9]+ \\|.*\\| `[a-z/]+` Test\\w+ \\|$").FindAllString(text, -1)
	if len(lines) != 48 || len(tested) < 42 {
		t.Errorf("%d requests, %d with a test; want 48 and at least 42", len(lines), len(tested))
	}
}
