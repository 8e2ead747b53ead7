// Reload serves the contents of a .npy file over HTTP. If somebody replaces the file, as array.Save does, or numpy.save
// to another name followed by os.replace, it serves the new file. GET / returns the mean of the elements.
//
//	go run ./examples/reload localhost:8080 t.npy &
//	curl http://localhost:8080/    # 2.5, say, and of the new file after npy set -select : t.npy 3
//
// Each answer is computed from one complete file that existed during the request. It never mixes two files, and is
// never based on a file that was truncated while it was read, even if the missing bytes were restored or the file was
// replaced afterwards. To ensure that, a request reads the file and then asks whether it was unchanged meanwhile
// (File.Unchanged). If not, it opens the file again and repeats. The old file is closed after the last request that
// uses it.
//
// While there is no complete file, for example while numpy.save writes to the path itself, requests get status 503. The
// same happens while the file changes more often than every 20 ms; file.go explains why. Unchanged does not detect a
// process that modifies elements in place through its own mapping; use Map.Lock for such files, as in examples/share.
// (For a growing file see examples/follow.)
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"sync"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: reload ADDRESS FILE")
		os.Exit(2)
	}
	log.SetFlags(0)
	log.SetPrefix("reload: ")
	s := &server{path: os.Args[2]}
	if _, err := s.mean(); err != nil {
		log.Fatal(err)
	}
	log.Fatal(s.http(os.Args[1]).ListenAndServe())
}

// http returns the server for an address. Clients have 30 seconds to send a request. Answers fit in the system's
// buffers, so a client that does not read its answer blocks no other request.
func (s *server) http(address string) *http.Server {
	return &http.Server{Addr: address, Handler: s, ReadTimeout: 30 * time.Second, IdleTimeout: 30 * time.Second}
}

type server struct {
	path    string
	mu      sync.Mutex // guards current; not held while elements are read
	current *file      // nil before the file is opened, and after it has changed
}

func (s *server) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	mean, err := s.mean()
	if err != nil {
		log.Print(err)
		http.Error(w, "the data is not available", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, mean)
}

func (s *server) mean() (mean float64, err error) {
	for range tries {
		var f *file
		if f, err = s.get(); err != nil {
			return 0, err
		}
		mean, err = f.mean()
		if err == nil {
			return mean, nil
		}
		s.drop(f) // also after a page fault, which means that the file was truncated
	}
	return 0, err
}

// get returns the current file for a request, which must call its method mean to release it. While one request opens
// the file, other requests wait.
func (s *server) get() (*file, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		f, err := open(s.path)
		if err != nil {
			return nil, err
		}
		s.current = f
	}
	s.current.use.Add(1)
	return s.current, nil
}
