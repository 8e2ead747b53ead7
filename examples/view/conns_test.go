package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/index"
)

// halfOpen opens n connections without the cookie. They send nothing, half of a header, or half of a body.
func halfOpen(t *testing.T, host string, n int) {
	t.Helper()
	half := []string{
		"",
		"GET /api/sources HTTP/1.1\r\nHost: " + host + "\r\n",
		"POST /api/sources HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 100\r\n\r\n{",
	}
	for i := range n {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Skip("no more connections: ", err)
		}
		t.Cleanup(func() { c.Close() })
		if _, err := io.WriteString(c, half[i%len(half)]); err != nil {
			t.Fatal(err)
		}
	}
}

// newClient returns a client that has the cookie and the key of s, but no open connections.
func (s *session) newClient() *http.Client {
	return &http.Client{Jar: s.client.Jar, Timeout: time.Minute, Transport: keyTransport{&http.Transport{}, s.key}}
}

// TestHalfOpen tests that requests are answered quickly while 1500 connections without the cookie are open that send
// nothing or half a request. The server must close these connections when it needs their places. It must not close a
// connection that has sent the cookie, or one whose request is being answered.
func TestHalfOpen(t *testing.T) {
	path := save(t, filepath.Join(t.TempDir(), "a.npy"), "<f4", index.C, fillRamp, 3)
	s := enter(t, path)
	array := s.base + "/api/array/" + s.id("a.npy")
	host := strings.TrimPrefix(s.base, "http://")
	var i info
	s.getJSON(&i, strings.TrimPrefix(array, s.base))
	changed := make(chan error)
	go func() {
		r, err := s.newClient().Get(fmt.Sprintf("%s/changes?version=%d", array, i.Version))
		if err == nil {
			if r.StatusCode != http.StatusOK {
				err = fmt.Errorf("%s", r.Status)
			}
			r.Body.Close()
		}
		changed <- err
	}()
	for round := range 2 { // in the second round, the first 1500 connections are open, too
		halfOpen(t, host, 1500)
		for name, client := range map[string]*http.Client{"that was there before": s.client, "that is new": s.newClient()} {
			kept := false
			trace := httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) { kept = c.Reused }}
			r, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), &trace), "GET", array, nil)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			a, err := client.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, a.Body); err != nil {
				t.Error(err)
			}
			a.Body.Close()
			took := time.Since(start)
			t.Logf("round %d: over a connection %s: %s after %v", round, name, a.Status, took.Round(time.Millisecond))
			if a.StatusCode != http.StatusOK || took > 5*time.Second || kept != (client == s.client) {
				t.Errorf("round %d: over a connection %s: %s after %v, kept %v", round, name, a.Status, took, kept)
			}
		}
	}
	touch(t, path)
	if err := <-changed; err != nil {
		t.Errorf("a request that was being answered: %v", err)
	}
}
