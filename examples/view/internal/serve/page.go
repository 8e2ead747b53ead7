package serve

import (
	"io/fs"
	"mime"
	"net/http"
	"path"
)

// The types of what the page consists of, whatever the system calls them.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".woff2": "font/woff2", ".png": "image/png", ".json": "application/json",
}

// asset answers a request for the page, or a file of it.
func (s *Server) asset(w http.ResponseWriter, r *http.Request, _ *request) (answer, error) {
	name := "dist" + r.URL.Path
	if r.URL.Path == "/" {
		name = s.page
	}
	if !fs.ValidPath(name) {
		return nil, errNotFound
	}
	b, err := fs.ReadFile(s.static, name)
	if err != nil {
		return nil, errNotFound
	}
	ext := path.Ext(name)
	kind, ok := types[ext]
	if !ok {
		kind = mime.TypeByExtension(ext)
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	_, _ = w.Write(b)
	return sent{}, nil
}

// pageName returns the name of the page that `make view` has built, or else of the one that says to do
// that.
func pageName(static fs.FS) string {
	if _, err := fs.Stat(static, "dist/index.html"); err == nil {
		return "dist/index.html"
	}
	return "placeholder.html"
}
