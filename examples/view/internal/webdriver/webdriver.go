// Package webdriver drives a headless Chromium for tests, through chromedriver and its protocol of JSON over HTTP (W3C
// WebDriver).
//
// All waiting has a deadline. No function sleeps for a fixed time and hopes that an event has occurred: see
// [Browser.Wait].
package webdriver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Deadline is the time limit of each operation. It is long, because machines that run tests can be slow.
const Deadline = 60 * time.Second

// paths returns the paths of Chromium and its driver.
func paths() (chromium, driver string, err error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if chromium, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if err != nil {
		return "", "", errors.New("no chromium in PATH")
	}
	if driver, err = exec.LookPath("chromedriver"); err != nil {
		return "", "", errors.New("no chromedriver in PATH")
	}
	return chromium, driver, nil
}

// Need skips t if there is no browser. With NDMAP_BROWSER=require in the environment, it fails t instead.
func Need(t testing.TB) {
	t.Helper()
	_, _, err := paths()
	switch {
	case err == nil:
	case os.Getenv("NDMAP_BROWSER") == "require":
		t.Fatalf("%v, and NDMAP_BROWSER=require: apt-get install chromium chromium-driver", err)
	default:
		t.Skipf("%v: the page is not tested; apt-get install chromium chromium-driver", err)
	}
}

// A Browser is a browser window without history, cookies and extensions. Its methods fail the test on errors.
type Browser struct {
	t       testing.TB
	session string // URL of the session
}

// Start returns a browser for t alone. When t ends, the browser is reset and returned to a pool for the next test,
// because starting a browser takes seconds. [Stop] ends the browsers of the pool.
func Start(t testing.TB) *Browser {
	t.Helper()
	Need(t)
	p := takeIdle()
	if p == nil {
		p = &program{}
		if err := p.start(); err != nil {
			t.Fatalf("browser: %v", errors.Join(err, p.end()))
		}
	}
	t.Cleanup(func() {
		if err := p.reset(); err != nil {
			t.Logf("browser: %v", errors.Join(err, p.end()))
			return
		}
		programs.Lock()
		defer programs.Unlock()
		programs.idle = append(programs.idle, p)
	})
	return &Browser{t, p.session}
}

// For returns b for a subtest t, which fails on errors.
func (b *Browser) For(t testing.TB) *Browser { return &Browser{t, b.session} }

var client = http.Client{Timeout: Deadline + 10*time.Second}

// call sends a command of the protocol and decodes the result into the variable into, unless that is nil.
func (b *Browser) call(method, url string, body, into any) {
	b.t.Helper()
	if err := call(method, url, body, into); err != nil {
		b.t.Fatalf("browser: %v", err)
	}
}

func call(method, url string, body, into any) error {
	var r io.Reader
	if method == "POST" {
		if body == nil {
			body = struct{}{}
		}
		j, err := json.Marshal(body)
		if err != nil {
			return err
		}
		r = bytes.NewReader(j)
	}
	req, err := http.NewRequest(method, url, r)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer struct{ Value json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		var e struct{ Error, Message string }
		_ = json.Unmarshal(answer.Value, &e)
		return fmt.Errorf("%s: %s", e.Error, e.Message)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, into)
}

// Open loads a page.
func (b *Browser) Open(url string) {
	b.t.Helper()
	b.call("POST", b.session+"/url", map[string]string{"url": url}, nil)
}

// Run runs script, the body of a JavaScript function, with arguments. It decodes the return value into result, unless
// that is nil.
func (b *Browser) Run(result any, script string, arguments ...any) {
	b.t.Helper()
	if arguments == nil {
		arguments = []any{}
	}
	b.call("POST", b.session+"/execute/sync", map[string]any{"script": script, "args": arguments}, result)
}

// Await runs script like Run, and waits until the script calls its last argument.
func (b *Browser) Await(script string, arguments ...any) {
	b.t.Helper()
	b.call("POST", b.session+"/execute/async", map[string]any{"script": script, "args": arguments}, nil)
}

// waitScript is a script that evaluates an expression until it is true, throws, or a time limit in milliseconds has
// passed. It reports which.
const waitScript = `const [until, done] = [performance.now() + arguments[0], arguments[1]];
	(function look() {
		let ok, wrong = null;
		try {
			ok = !!(%s);
		} catch (err) {
			wrong = String(err);
		}
		if (ok || wrong !== null || performance.now() > until) done({ok, wrong, page: document.body?.innerText.replace(/\s+/g, " ").slice(0, 600)});
		else setTimeout(look, 10);
	})()`

// Wait waits until a JavaScript expression is true. It evaluates the expression repeatedly. If another page is loaded
// in the meantime, it continues in that page. After the deadline it fails the test with the text of the page.
func (b *Browser) Wait(what, expression string) {
	b.t.Helper()
	var seen struct {
		OK    bool
		Wrong *string
		Page  string
	}
	body := map[string]any{"script": fmt.Sprintf(waitScript, expression)}
	for start := time.Now(); ; {
		body["args"] = []any{max(0, (Deadline - time.Since(start)).Milliseconds())}
		err := call("POST", b.session+"/execute/async", body, &seen)
		switch {
		case err != nil && strings.Contains(err.Error(), "unloaded") && time.Since(start) < Deadline:
			continue
		case err != nil:
			b.t.Fatalf("%s: browser: %v", what, err)
		case seen.Wrong != nil:
			b.t.Fatalf("%s: %s throws %s", what, expression, *seen.Wrong)
		case !seen.OK:
			b.t.Fatalf("%s: not true within %v: %s\nthe page says:\n%s", what, Deadline, expression, seen.Page)
		}
		return
	}
}

// Size sets the size of the page. A phone has a touch screen and two device pixels per CSS pixel.
func (b *Browser) Size(width, height int, phone bool) {
	b.t.Helper()
	scale := 1
	if phone {
		scale = 2
	}
	b.devtools("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height,
		"deviceScaleFactor": scale, "mobile": phone})
	b.devtools("Emulation.setTouchEmulationEnabled", map[string]any{"enabled": phone})
}

// Dark sets whether the system prefers a dark theme.
func (b *Browser) Dark(on bool) {
	b.t.Helper()
	value := "light"
	if on {
		value = "dark"
	}
	b.devtools("Emulation.setEmulatedMedia",
		map[string]any{"features": []any{map[string]string{"name": "prefers-color-scheme", "value": value}}})
}

func (b *Browser) devtools(cmd string, params any) {
	b.t.Helper()
	b.call("POST", b.session+"/goog/cdp/execute", map[string]any{"cmd": cmd, "params": params}, nil)
}

// Screenshot returns the window as a PNG that is encoded for speed, not for size.
func (b *Browser) Screenshot() []byte {
	b.t.Helper()
	var shot struct{ Data []byte }
	b.call("POST", b.session+"/goog/cdp/execute", map[string]any{"cmd": "Page.captureScreenshot",
		"params": map[string]any{"format": "png", "optimizeForSpeed": true}}, &shot)
	return shot.Data
}

// Log returns the console messages since the last call, including script errors and violations of the content security
// policy.
func (b *Browser) Log() []string {
	b.t.Helper()
	var entries []struct{ Level, Message string }
	b.call("POST", b.session+"/se/log", map[string]string{"type": "browser"}, &entries)
	var lines []string
	for _, e := range entries {
		lines = append(lines, e.Level+": "+e.Message)
	}
	return lines
}
