package main

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits on connections. Any user of this machine can open connections and send nothing.
const (
	maxConns = 1024                   // maximum number of open connections; see limited for systems with few descriptors
	minIdle  = 100 * time.Millisecond // minimum idle time before a new connection may replace an idle one
)

// A connections is a listener that limits the number of open connections. When the limit is reached and a new
// connection arrives, it closes the connection that has been idle longest. Connections that have never sent a request
// with the cookie are closed first. A connection whose request is being answered is never closed.
type connections struct {
	net.Listener
	most int // maximum number of open connections

	mu      sync.Mutex
	closed  bool
	open    int
	unknown list.List     // idle connections that have never sent the cookie, the longest idle first
	known   list.List     // idle connections that have sent the cookie, the longest idle first
	changed chan struct{} // buffered, size 1; signals that a connection was closed or became idle
}

// limitConnections returns a listener that limits the number of connections. It reserves half of the file descriptors
// for files: if no descriptor were left for a new connection, Accept would fail before it could close an old one.
func limitConnections(l net.Listener) *connections {
	most := max(1, min(maxConns, maxFiles()/2))
	return &connections{Listener: l, most: int(most), changed: make(chan struct{}, 1)}
}

// A conn is an accepted connection of a connections listener.
type conn struct {
	net.Conn
	listener  *connections
	idleSince time.Time     // start of the idle time
	element   *list.Element // element of unknown or known while idle, otherwise nil
	known     bool
	closed    bool
}

// Accept waits for the next connection and returns it as soon as the limit permits.
func (l *connections) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	for {
		accepted, again := l.admit(c)
		if accepted != nil {
			return accepted, nil
		}
		if again < 0 {
			c.Close()
			return nil, net.ErrClosed
		}
		timer := time.NewTimer(again)
		select {
		case <-l.changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// admit counts c as open and returns it as a conn. If the limit does not permit another connection yet, admit returns
// nil and how long to wait before the next try; a negative duration means that l is closed.
func (l *connections) admit(c net.Conn) (accepted *conn, again time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, -1
	}
	if l.open >= l.most {
		oldest := l.unknown.Front()
		if oldest == nil {
			oldest = l.known.Front()
		}
		if oldest == nil {
			return nil, time.Second // every connection is answering a request
		}
		old := oldest.Value.(*conn)
		if left := minIdle - time.Since(old.idleSince); left > 0 {
			return nil, left
		}
		old.markClosed()
		old.Conn.Close()
	}
	l.open++
	accepted = &conn{Conn: c, listener: l}
	accepted.markIdle()
	return accepted, 0
}

// markIdle marks c as idle. The caller holds listener.mu.
func (c *conn) markIdle() {
	waiting := &c.listener.unknown
	if c.known {
		waiting = &c.listener.known
	}
	c.idleSince, c.element = time.Now(), waiting.PushBack(c)
	c.listener.wake()
}

// markClosed marks c as closed. The caller holds listener.mu.
func (c *conn) markClosed() {
	if c.closed {
		return
	}
	c.closed = true
	c.stopWaiting()
	c.listener.open--
	c.listener.wake()
}

func (c *conn) stopWaiting() {
	if c.element == nil {
		return
	}
	if c.known {
		c.listener.known.Remove(c.element)
	} else {
		c.listener.unknown.Remove(c.element)
	}
	c.element = nil
}

// wake makes a waiting Accept try again.
func (l *connections) wake() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// Close closes the listener and makes Accept return.
func (l *connections) Close() error {
	l.mu.Lock()
	l.closed = true
	l.wake()
	l.mu.Unlock()
	return l.Listener.Close()
}

// Close closes the connection, so that Accept may admit another one.
func (c *conn) Close() error {
	c.listener.mu.Lock()
	c.markClosed()
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// connKey is the context key of a request's conn.
type connKey struct{}

func (l *connections) context(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// trackBusy returns a handler that calls h and prevents the connection from being closed as idle while h runs.
func (l *connections) trackBusy(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*conn)
		if ok {
			l.mu.Lock()
			c.stopWaiting()
			l.mu.Unlock()
			defer func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				if !c.closed {
					c.markIdle()
				}
			}()
		}
		h.ServeHTTP(w, r)
	})
}

// markKnown returns a handler that marks the connection as known and calls h. It wraps handlers that only requests with
// the cookie reach: known connections are closed after all others.
func (l *connections) markKnown(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			l.mu.Lock()
			c.known = true
			l.mu.Unlock()
		}
		h.ServeHTTP(w, r)
	})
}
