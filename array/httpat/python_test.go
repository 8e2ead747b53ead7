package httpat

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestPython tests that the error for Python's http.server, which has no ranges, says so.
func TestPython(t *testing.T) {
	p := oracle.Start(t)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "t.npy"), content(1000), 0o666); err != nil {
		t.Fatal(err)
	}
	var port int
	if err := p.Run(`import functools, http.server, threading
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=x))
threading.Thread(target=server.serve_forever, daemon=True).start()
out = server.server_port`, dir, &port); err != nil {
		t.Fatal(err)
	}
	defer p.Run("server.shutdown(); server.server_close()", nil, nil)
	_, err := Open(t.Context(), nil, fmt.Sprintf("http://127.0.0.1:%d/t.npy", port))
	checkError(t, err, "the server does not support byte ranges", errors.ErrUnsupported)
}
