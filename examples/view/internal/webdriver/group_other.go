//go:build !unix

package webdriver

import "os/exec"

func groupCommand(program string, args ...string) *exec.Cmd { return exec.Command(program, args...) }

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
