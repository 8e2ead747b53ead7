package httpat

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

// TestContentRange tests which headers are valid.
func TestContentRange(t *testing.T) {
	for _, tt := range []struct {
		text string
		want contentRange
		ok   bool
	}{
		{"bytes 0-99/1000", contentRange{0, 99, 1000}, true},
		{"bytes 999-999/1000", contentRange{999, 999, 1000}, true},
		{"Bytes 5-6/9223372036854775807", contentRange{5, 6, 1<<63 - 1}, true},
		{"bytes */1000", contentRange{0, -1, 1000}, true},
		{"bytes */0", contentRange{0, -1, 0}, true},
		{text: ""}, {text: "bytes"}, {text: "bytes "}, {text: "bytes 0-99"}, {text: "bytes 0-99/"}, {text: "bytes 0-99/*"},
		{text: "bytes */*"}, {text: "items 0-99/1000"}, {text: "0-99/1000"}, {text: "bytes=0-99/1000"},
		{text: "bytes  0-99/1000"}, {text: "bytes 99/1000"}, {text: "bytes -99/1000"}, {text: "bytes 0-/1000"},
		{text: "bytes +0-99/1000"}, {text: "bytes 0-+99/1000"}, {text: "bytes 0--99/1000"}, {text: "bytes 0-0x9/1000"},
		{text: "bytes 0-9_9/1000"}, {text: "bytes 100-99/1000"}, {text: "bytes 0-1000/1000"}, {text: "bytes 0-99/1000 "},
		{text: "bytes 0-99/9223372036854775808"}, {text: "bytes 0-0/0"}, {text: "bytes 0-99/1000, bytes 0-99/1000"},
	} {
		got, ok := parseContentRange(tt.text)
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("%q: %v, %v, want %v, %v", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}

// TestStatusPause tests the longest Retry-After that is kept.
func TestStatusPause(t *testing.T) {
	f := &File{}
	for _, tt := range []struct {
		header string
		pause  time.Duration
		ok     bool
	}{{"", 0, true}, {"1", time.Second, true}, {"30", 30 * time.Second, true}, {"31", 0, false}} {
		err := f.statusError(&http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {tt.header}}})
		temporary, ok := errors.AsType[*temporaryError](err)
		if ok != tt.ok || ok && temporary.pause != tt.pause {
			t.Errorf("Retry-After %q: %v, %v, want %v, %v", tt.header, err, ok, tt.pause, tt.ok)
		}
	}
}
