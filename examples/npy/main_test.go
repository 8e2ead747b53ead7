package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/oracle"
)

// asTool is an environment variable that turns the test program into the tool. With the value "named", new files have
// temporary names. With the value "recorded", the program only records its arguments, unless it is called for a
// completion.
const asTool = "NDMAP_TEST_AS_TOOL"

func TestMain(m *testing.M) {
	if as := os.Getenv(asTool); as != "" {
		if as == "recorded" && len(os.Args) > 1 && os.Args[1] != "completion" {
			recordArgs()
			return
		}
		atomicfile.Unnamed = as != "named"
		main()
	}
	oracle.Main(m)
}

// recorded is the text that recordArgs prints.
const recorded = "<recorded>"

// recordArgs writes the arguments of this program to a file, each followed by a zero byte.
func recordArgs() {
	args := strings.Join(os.Args[1:], "\x00") + "\x00"
	if err := os.WriteFile(os.Getenv("NDMAP_TEST_RECORD"), []byte(args), 0o666); err != nil {
		panic(err)
	}
	fmt.Println(recorded)
}
