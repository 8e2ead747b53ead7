// Reload serves what a .npy file holds by HTTP, and a new file when somebody replaces it, as
// numpy.save to another name and os.replace do, or array.Save. GET / is the mean of the elements.
//
// A file that is replaced stays as it was for those who have it open. So each request has one
// file or the other, and never a part of both.
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
		fmt.Fprintln(os.Stderr, "usage: reload ADDRESS FILE")
		os.Exit(2)
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
	mu   sync.RWMutex // read by those who use f, written by who closes it
	f    *array.File
	v    array.View[float64]
}

func (s *server) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	err := mmap.Guard(func() error {
		_, err := fmt.Fprintln(w, array.Mean(s.v))
		return err
	})
	if err != nil {
		log.Print(err)
		http.Error(w, "the data is not available", http.StatusInternalServerError)
	}
}

// reload opens the file if it is another one now, and closes the old one when nobody uses it. One
// goroutine calls it.
func (s *server) reload() error {
	if s.f != nil && !errors.Is(s.f.Map().CheckPath(), mmap.ErrReplaced) {
		return nil
	}
	f, err := array.Open(s.path, mmap.ReadOnly)
	if err != nil {
		return err
	}
	v, err := array.Cast[float64](f.Array)
	if err != nil {
		f.Close()
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.f != nil {
		s.f.Close()
	}
	s.f, s.v = f, v
	return nil
}
