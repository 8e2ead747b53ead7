//go:build unix

package webdriver

import (
	"os/exec"
	"syscall"
)

// groupCommand returns a command that runs program in a process group of its own. The group is killed when the standard
// input of the command is closed, which also happens if this process is killed.
func groupCommand(program string, args ...string) *exec.Cmd {
	cmd := exec.Command("sh", append([]string{"-c", `"$@" & read -r _; kill -9 0`, "sh", program}, args...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// kill kills the process group of cmd.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
