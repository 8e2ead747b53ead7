//go:build !plan9

package oracle

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Kill starts this test program again with NDMAP_TEST_CHILD=child in its environment, waits until it prints the line
// "ready", and kills it after that time. It returns the complete lines that the process printed after "ready". If the
// process ends by itself, or prints another first line, Kill returns an error with that line. If programs run in an
// emulator and cannot start themselves, Kill skips t.
//
// A package whose tests call Kill needs an init function that checks NDMAP_TEST_CHILD and runs the child that it names.
func Kill(t *testing.T, child string, after time.Duration) (lines []string, err error) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "NDMAP_TEST_CHILD="+child)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); errors.Is(err, syscall.ENOEXEC) {
		t.Skipf("this program is being emulated, and cannot start itself: %v", err)
	} else if err != nil {
		return nil, err
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	in := bufio.NewReader(out)
	if first, err := in.ReadString('\n'); err != nil || first != "ready\n" {
		return nil, fmt.Errorf("the process %q printed %q, want \"ready\\n\": %v", child, first, err)
	}
	killed := make(chan bool, 1)
	timer := time.AfterFunc(after, func() {
		killed <- true
		cmd.Process.Kill()
	})
	defer timer.Stop()
	printed, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(printed)) {
		if strings.HasSuffix(line, "\n") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	select {
	case <-killed:
		return lines, nil
	default:
		return nil, fmt.Errorf("the process %q ended before it was killed: %q", child, lines)
	}
}
