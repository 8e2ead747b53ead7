package main

import (
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/index"
)

// TestHalfOpen guards that others are answered soon while 1500 connections are open that send nothing, half a request, or half
// of a body, without the cookie: they are closed when others need their place.
func TestHalfOpen(t *testing.T) {
	s := enter(t, save(t, filepath.Join(t.TempDir(), "a.npy"), "<f4", index.C, ramp, 3))
	id := s.id("a.npy")
	host := strings.TrimPrefix(s.base, "http://")
	half := []string{
		"",
		"GET /api/sources HTTP/1.1\r\nHost: " + host + "\r\n",
		"POST /api/array/" + id + "/job HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 100\r\n\r\n{",
	}
	for range 2 { // the second time where the first 1500 are, too
		for i := range 1500 {
			c, err := net.Dial("tcp", host)
			if err != nil {
				t.Skip("no more connections: ", err)
			}
			defer c.Close()
			if _, err := io.WriteString(c, half[i%len(half)]); err != nil {
				t.Fatal(err)
			}
		}
		// The connection that was there before, and a new one.
		for _, client := range []*http.Client{s.client, {Jar: s.client.Jar, Timeout: time.Minute, Transport: keyed{&http.Transport{}, s.key}}} {
			start := time.Now()
			r, err := client.Get(s.base + "/api/array/" + id)
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
			took := time.Since(start)
			t.Logf("an answer beside 1500 half-open connections: %s after %v", r.Status, took.Round(time.Millisecond))
			if r.StatusCode != http.StatusOK || took > 5*time.Second {
				t.Errorf("%s after %v", r.Status, took)
			}
			client.CloseIdleConnections()
		}
	}
}
