// Reload serves what a .npy file holds by HTTP, and a new file as soon as somebody replaces it, as
// numpy.save to another name and os.replace do, or array.Save. GET / is the mean of the elements.
//
//	go run ./examples/reload localhost:8080 t.npy &
//	curl http://localhost:8080/    # 2.5, say, and of the new file after npy set -select : t.npy 3
//
// Each answer is that of one whole file, which was there during the request: not of a part of one
// file and a part of another, and not of one that somebody truncated while it was read, whether he put back
// what was missing, or another file in its place, or not. A request reads, and then asks whether the file was
// unchanged meanwhile (File.Unchanged). If not, it opens the file anew and reads again. The old file
// is closed when the last request that uses it is done.
//
// While there is no whole file, as while numpy.save writes to the name itself, requests have status
// 503. So they have while the file changes more often than every 20 ms: file.go has why. A process
// that stores to elements of the file in place, through a mapping of its own, is not noticed: such
// a file is for Map.Lock, as in examples/share. (For a file that others append to see examples/follow.)
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

// http returns the server at an address. Who connects has half a minute to say what it wants; an answer fits in what
// the system keeps, so nobody has to wait for who does not read it.
func (s *server) http(address string) *http.Server {
	return &http.Server{Addr: address, Handler: s, ReadTimeout: 30 * time.Second, IdleTimeout: 30 * time.Second}
}

type server struct {
	path string
	mu   sync.Mutex // held to get or to change now, and not while anybody reads the file
	now  *file      // nil before it is opened, and when it has changed
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
		s.drop(f) // also after a page fault: the file was truncated
	}
	return 0, err
}

// get returns the file for a request, which mean ends. Others wait while it is opened.
func (s *server) get() (*file, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		f, err := open(s.path)
		if err != nil {
			return nil, err
		}
		s.now = f
	}
	s.now.use.Add(1)
	return s.now, nil
}
