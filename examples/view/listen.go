package main

import (
	"net"
	"net/http"
	"sync"
)

// maxConns is how many connections are served at a time: others wait.
const maxConns = 512

// limited returns a listener with no more than maxConns connections at a time.
func limited(l net.Listener) *limitedListener {
	return &limitedListener{Listener: l, free: make(chan struct{}, maxConns), done: make(chan struct{})}
}

type limitedListener struct {
	net.Listener
	free chan struct{}
	once sync.Once
	done chan struct{}
}

// handler returns h, whose answers end their connections while many are open: else those that nobody
// uses would keep others waiting.
func (l *limitedListener) handler(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(l.free) > maxConns/2 {
			w.Header().Set("Connection", "close")
		}
		h.ServeHTTP(w, r)
	})
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &limitedConn{Conn: c, release: sync.OnceFunc(func() { <-l.free })}, nil
}

func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	release func()
}

func (c *limitedConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}
