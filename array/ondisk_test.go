package array

import (
	"os"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// disk is the directory for temporary files that init has not moved to memory.
var disk = os.TempDir()
