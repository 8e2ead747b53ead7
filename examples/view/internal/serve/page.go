package serve

import (
	"io/fs"
	"mime"
	"net/http"
	"path"
)

// types maps file extensions to content types. It takes precedence over the types that the system knows.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".woff2": "font/woff2", ".png": "image/png", ".json": "application/json",
}

// asset responds with the page or one of its files.
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
	return sentAnswer{}, nil
}

// pageName returns the name of the page if `make view` has built it, or else the name of a placeholder.
func pageName(static fs.FS) string {
	if _, err := fs.Stat(static, "dist/index.html"); err == nil {
		return "dist/index.html"
	}
	return "placeholder.html"
}
