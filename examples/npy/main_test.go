package main

import (
	"os"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// asTool makes the test program the tool.
const asTool = "NDMAP_TEST_AS_TOOL"

func TestMain(m *testing.M) {
	if os.Getenv(asTool) != "" {
		main()
	}
	oracle.Main(m)
}
