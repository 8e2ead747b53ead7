package main

import (
	"os"
	"testing"

	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/oracle"
)

// asTool makes the test program the tool; as "named", one whose new files have temporary names.
const asTool = "NDMAP_TEST_AS_TOOL"

func TestMain(m *testing.M) {
	if as := os.Getenv(asTool); as != "" {
		atomicfile.Unnamed = as != "named"
		main()
	}
	oracle.Main(m)
}
