//go:build unix

package webdriver

import (
	"os/exec"
	"syscall"
)

// grouped returns a program in a group of processes of its own, which is killed when the standard input of the command
// ends: also where this process is killed.
func grouped(program string, args ...string) *exec.Cmd {
	cmd := exec.Command("sh", append([]string{"-c", `"$@" & read -r _; kill -9 0`, "sh", program}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// kill kills the group of a command.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
