//go:build unix

package webdriver

import (
	"bufio"
	"io"
	"testing"
	"time"
)

// TestGrouped starts a program that starts another one, and closes the standard input, as the end of this process
// would. Both programs must end, which closes the pipe of their output.
func TestGrouped(t *testing.T) {
	cmd := groupCommand("sh", "-c", "sleep 100 & echo started; wait")
	hold, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("no sh: ", err)
	}
	defer cmd.Wait()
	defer kill(cmd)
	r := bufio.NewReader(out)
	if line, err := r.ReadString('\n'); line != "started\n" {
		t.Fatalf("%q, %v", line, err)
	}
	hold.Close()
	ended := make(chan error, 1)
	go func() { _, err := io.Copy(io.Discard, r); ended <- err }()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("a process of the group is still running")
	}
}
