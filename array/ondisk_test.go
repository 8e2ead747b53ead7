package array

import (
	"os"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// disk is where temporary files are unless init has them in memory.
var disk = os.TempDir()
