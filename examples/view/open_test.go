package main

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/index"
)

// TestOpenBrowser tests that the browser is started with a file that only the user can read. The file contains the
// token, which must not be an argument of a program.
func TestOpenBrowser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("stands in for xdg-open")
	}
	dir := t.TempDir()
	seen := filepath.Join(dir, "seen")
	script := "#!/bin/sh\nstat -c %a \"$1\" >" + seen + ".tmp && echo \"$@\" >>" + seen + ".tmp && cat \"$1\" >>" + seen + ".tmp && mv " + seen + ".tmp " + seen + "\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("TMPDIR", dir)
	remove, err := openBrowser("http://127.0.0.1:1/open?token=abc")
	if err != nil {
		t.Fatal(err)
	}
	var got []byte
	for range 1000 {
		if got, err = os.ReadFile(seen); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	want := regexp.MustCompile(`^600\n` + regexp.QuoteMeta(dir) + `/npyview-\d+\.html\n<!doctype html>.*content="0; url=http://127\.0\.0\.1:1/open\?token=abc"`)
	if !want.Match(got) {
		t.Errorf("got %s, want %v", got, want)
	}
	remove()
	if left, err := filepath.Glob(filepath.Join(dir, "npyview-*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}

	t.Setenv("PATH", "")
	if _, err := openBrowser("http://127.0.0.1:1/"); err == nil {
		t.Error("a browser was opened without xdg-open")
	}
	if left, err := filepath.Glob(filepath.Join(dir, "npyview-*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestLinks tests that each Enter prints another link, and that only the most recent links work, once each.
func TestLinks(t *testing.T) {
	s := startViewer(t, t.TempDir())
	links := []string{s.link}
	for range 4 {
		links = append(links, s.newLink())
	}
	for i, want := range []int{403, 200, 200, 200, 200} {
		for _, want := range []int{want, 403} {
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			r, err := client.Get(links[i])
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
			if r.StatusCode != want {
				t.Errorf("link %d: %s, want %d", i, r.Status, want)
			}
		}
	}
}

// TestOpenPrints tests that -open prints a link even if xdg-open succeeds, because it may have done nothing.
func TestOpenPrints(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("stands in for xdg-open")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	enter(t, "-open", dir)
}

// TestUsedLink opens a used link. The browser that was admitted is redirected to the page, without another key. Another
// browser gets a page that says what to do, and other clients get JSON.
func TestUsedLink(t *testing.T) {
	s := enter(t, save(t, filepath.Join(t.TempDir(), "a.npy"), "<f4", index.C, fillRamp, 3))
	used := strings.TrimPrefix(s.link, s.base)
	s.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.String() != s.base+"/" {
			t.Errorf("the used link leads to %s", r.URL)
		}
		return http.ErrUseLastResponse
	}
	for _, path := range []string{used, "/open", "/open?token=AAAA"} {
		if code, b := s.request("GET", path, "", nil); code != 303 || strings.Contains(string(b), s.key) {
			t.Errorf("%s, in the browser that was admitted: %d %s", path, code, b)
		}
	}
	s.client.Jar = nil
	code, b := s.request("GET", used, "", map[string]string{"Accept": "text/html,*/*"})
	if text := string(b); code != 403 || !strings.HasPrefix(text, "<!doctype html>") || !strings.Contains(text,
		"was used before, or is not from this run of npyview; open the newest link in the terminal, "+
			"press Enter there for another one, or start npyview again") {
		t.Errorf("in another browser: %d %s", code, text)
	}
	if code, b := s.request("GET", used, "", nil); code != 403 || !strings.HasPrefix(string(b), `{"error":`) {
		t.Errorf("without a browser: %d %s", code, b)
	}
}
