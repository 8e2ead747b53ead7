// Reload serves what a .npy file holds by HTTP, and a new file when somebody replaces it, as
// numpy.save to another name and os.replace do, or array.Save. GET / is the mean of the elements.
//
// A file that is replaced stays as it was for those who have it open. So each request has one
// file or the other, and never a part of both; none waits for a reload, and none fails. The old
// file is closed when the last request that uses it is done.
//
// A file that is written to in place, as numpy.save does if it is given the name itself, is neither
// the old one nor the new one for a while. Requests then have status 503, until it is whole and has
// been opened again: file.go has what is compared, and when. (For a file that others append to see examples/follow.)
package main

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: reload ADDRESS FILE")
	}
	s := &server{path: os.Args[2]}
	if err := s.reload(); err != nil {
		log.Fatal(err)
	}
	go func() {
		for range time.Tick(time.Second) {
			if err := s.reload(); err != nil {
				log.Print(err) // and the old file is served
			}
		}
	}()
	log.Fatal(http.ListenAndServe(os.Args[1], s))
}

type server struct {
	path string
	mu   sync.Mutex // held to get or to change now, and not while anybody reads the file
	now  *file
}

func (s *server) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	f := s.now
	f.use.Add(1)
	s.mu.Unlock()
	defer f.use.Done()
	var mean float64
	err := mmap.Guard(func() error { mean = array.Mean(f.v); return nil })
	if err == nil {
		err = f.check()
	}
	if err != nil && !errors.Is(err, mmap.ErrReplaced) {
		log.Print(err)
		http.Error(w, "the data is not available", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, mean)
}

// reload opens the file if it is another one now. One goroutine calls it.
func (s *server) reload() error {
	old := s.now
	if old != nil && old.check() == nil {
		return nil
	}
	f, err := open(s.path)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.now = f
	s.mu.Unlock()
	if old != nil {
		go func() { old.use.Wait(); old.Close() }() // no request gets it any more
	}
	return nil
}
