package main

import (
	"testing"
)

// TestSplitURL tests how members are named, and that messages show no secrets.
func TestSplitURL(t *testing.T) {
	for _, c := range []struct{ url, file, name, shown string }{
		{"https://h/a.npy", "", "", "https://h/a.npy"},
		{"HTTP://h:80/a.npy", "", "", "HTTP://h:80/a.npy"},
		{"https://h/a.npz:w", "https://h/a.npz", "w", "https://h/a.npz:w"},
		{"https://h/a.npz:", "https://h/a.npz", "", "https://h/a.npz:"},
		{"https://h:8443/a.npz:w", "https://h:8443/a.npz", "w", "https://h:8443/a.npz:w"},
		{"https://h.npz:8443/a.npy", "", "", "https://h.npz:8443/a.npy"},
		{"https://u.npz:pw@h/a.npy", "", "", "https://h/a.npy"},
		{"https://u:p@w@h/a.safetensors:x.npz:y", "https://u:p@w@h/a.safetensors", "x.npz:y",
			"https://h/a.safetensors:x.npz:y"},
		{"https://h/a.npz?sig=x:y", "", "", "https://h/a.npz"},
		{"https://h/f?f=a.npz:y", "", "", "https://h/f"},
		{"https://h/a.npz?sig=x:y#w", "https://h/a.npz?sig=x:y", "w", "https://h/a.npz#w"},
		{"https://h/f?f=a.npz:y#w", "https://h/f?f=a.npz:y", "w", "https://h/f#w"},
		{"https://h/f#a.npz:y", "https://h/f", "a.npz:y", "https://h/f#a.npz:y"},
		{"https://h/a.npz:what?#1", "https://h/a.npz", "what?#1", "https://h/a.npz:what?#1"},
		{"https://h", "", "", "https://h"},
		{"https://u:pw@h?sig", "", "", "https://h"},
	} {
		t.Run(c.url, func(t *testing.T) {
			file, name, ok := splitURL(c.url)
			if !ok {
				file, name = "", ""
			}
			if file != c.file || name != c.name || ok != (c.file != "") {
				t.Errorf("split into %q, %q, %t; want %q, %q", file, name, ok, c.file, c.name)
			}
			if !isURL(c.url) {
				t.Error("not a URL")
			}
			if got := redacted(c.url); got != c.shown {
				t.Errorf("shown as %q; want %q", got, c.shown)
			}
			if ok {
				if f, n, _ := splitURL(memberPath(file, name)); f != file || n != name {
					t.Errorf("%q is split into %q, %q", memberPath(file, name), f, n)
				}
			}
		})
	}
	for _, path := range []string{"a.npy", "./http://h/a.npy", "http:/h/a.npy", "ftp://h/a.npy", "s3://b/a.npy", "http",
		""} {
		if isURL(path) || redacted(path) != path {
			t.Errorf("%q is a URL, shown as %q", path, redacted(path))
		}
	}
}
