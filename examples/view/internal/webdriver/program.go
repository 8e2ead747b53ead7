package webdriver

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"time"
)

// A program is a running browser with its driver.
type program struct {
	cmd     *exec.Cmd
	hold    io.Closer // standard input of cmd; closing it, or the end of this process, kills all processes of cmd
	profile string
	session string // URL of the session
}

var programs struct {
	sync.Mutex
	idle []*program
}

// takeIdle takes a browser that no test uses from the pool, or returns nil.
func takeIdle() *program {
	programs.Lock()
	defer programs.Unlock()
	n := len(programs.idle)
	if n == 0 {
		return nil
	}
	p := programs.idle[n-1]
	programs.idle = programs.idle[:n-1]
	return p
}

// Stop ends the browsers that no test uses. Call it after all tests have ended. It prints an error for each profile
// that cannot be removed.
func Stop() {
	for p := takeIdle(); p != nil; p = takeIdle() {
		if err := p.end(); err != nil {
			fmt.Fprintln(os.Stderr, "cannot remove the profile of a browser:", err)
		}
	}
}

var started = regexp.MustCompile(`started successfully on port (\d+)`)

func (p *program) start() error {
	chromium, driver, err := paths()
	if err != nil {
		return err
	}
	// The browser creates a socket in this folder, and its path may have at most 107 bytes. The path of t.TempDir is too
	// long.
	if p.profile, err = os.MkdirTemp("", ""); err != nil {
		return err
	}
	cmd := groupCommand(driver, "--port=0")
	cmd.Env = append(os.Environ(), "HOME="+p.profile, "TMPDIR="+p.profile)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if p.hold, err = cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p.cmd = cmd
	port := make(chan string, 1)
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			if m := started.FindStringSubmatch(s.Text()); m != nil {
				port <- m[1]
			}
		}
	}()
	var address string
	select {
	case n := <-port:
		address = "http://127.0.0.1:" + n
	case <-time.After(Deadline):
		return fmt.Errorf("%s did not start within %v", driver, Deadline)
	}
	var s struct {
		SessionID string `json:"sessionId"`
	}
	err = call("POST", address+"/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"goog:loggingPrefs": map[string]string{"browser": "ALL"},
		"goog:chromeOptions": map[string]any{"binary": chromium, "args": []string{
			"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--force-device-scale-factor=1",
			"--hide-scrollbars=false", "--user-data-dir=" + p.profile + "/profile", "--window-size=1360,860",
			"--app=data:,", // a window without tabs and tool bars, which are pages themselves and take seconds to start
		}},
	}}}, &s)
	if err == nil {
		p.session = address + "/session/" + s.SessionID
	}
	return err
}

// reset resets the browser after a test: held keys, the page, cookies, cache, log, and the size and theme of the
// window.
func (p *program) reset() error {
	devtools := func(cmd string, params any) error {
		return call("POST", p.session+"/goog/cdp/execute", map[string]any{"cmd": cmd, "params": params}, nil)
	}
	var log any
	for _, do := range []func() error{
		func() error { return call("DELETE", p.session+"/actions", nil, nil) },
		func() error { return call("POST", p.session+"/url", map[string]string{"url": "about:blank"}, nil) },
		func() error { return devtools("Network.clearBrowserCookies", struct{}{}) },
		func() error { return devtools("Network.clearBrowserCache", struct{}{}) },
		func() error { return devtools("Emulation.clearDeviceMetricsOverride", struct{}{}) },
		func() error {
			return devtools("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": false})
		},
		func() error { return devtools("Emulation.setEmulatedMedia", map[string]any{"features": []any{}}) },
		func() error { return call("POST", p.session+"/se/log", map[string]string{"type": "browser"}, &log) },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// end stops the browser and its driver, if they were started, and removes the profile.
func (p *program) end() error {
	if p.cmd != nil {
		_ = p.hold.Close()
		kill(p.cmd)
		_ = p.cmd.Wait()
	}
	if p.profile == "" {
		return nil
	}
	err := os.RemoveAll(p.profile)
	for range 100 { // processes that are being killed may still write files
		if err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
		err = os.RemoveAll(p.profile)
	}
	return err
}
