package main

import (
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/index"
)

// TestSlowBodies tests that requests are answered while more clients than may wait are still sending their jobs.
func TestSlowBodies(t *testing.T) {
	s := enter(t, save(t, filepath.Join(t.TempDir(), "a.npy"), "<f4", index.C, fillRamp, 3))
	id, host := s.id("a.npy"), strings.TrimPrefix(s.base, "http://")
	for range 300 {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := fmt.Fprintf(c, "POST /api/array/%s/job HTTP/1.1\r\nHost: %s\r\nCookie: %s\r\nX-NDMap: %s\r\n"+
			"Origin: %s\r\nContent-Length: 1000\r\n\r\n{", id, host, cookieOf(s, ""), s.key, s.base); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	for range 20 {
		if code, b := s.request(http.MethodGet, "/api/array/"+id+"/value?at=1", "", nil); code != http.StatusOK {
			t.Fatalf("meanwhile: %d %s", code, b)
		}
		time.Sleep(5 * time.Millisecond) // until the server has begun to read all jobs
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("other requests waited for %v", took)
	}
}
