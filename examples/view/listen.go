package main

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// Limits of the connections. Anybody on this machine can open some and send nothing.
const (
	maxConns = 1024                   // that are open at a time; see limited for systems with few descriptors
	patience = 100 * time.Millisecond // how long a connection may wait for its request when others need its place
)

// connections has the connections of a server, at most most. When one more comes, it closes the connection that
// has waited longest for a request, first among connections that have never sent one with the cookie. A connection
// whose request is being answered is never closed.
type connections struct {
	net.Listener
	most int // connections at a time

	mu        sync.Mutex
	closed    bool
	open      int
	strangers list.List     // connections that wait for a request, the one that has waited longest first
	known     list.List     // the same, of those that had the cookie
	changed   chan struct{} // has room for one: a connection was closed, or waits again
}

// limited returns a listener that bounds its connections. It leaves half of the descriptors to files: without a
// descriptor for one more connection, Accept fails before it can close an old one.
func limited(l net.Listener) *connections {
	most := max(1, min(maxConns, maxFiles()/2))
	return &connections{Listener: l, most: int(most), changed: make(chan struct{}, 1)}
}

// A conn is a connection of a server.
type conn struct {
	net.Conn
	of    *connections
	since time.Time     // when it began to wait
	place *list.Element // in strangers or known while it waits
	known bool
	gone  bool
}

// Accept returns the next connection, once there is a place for it.
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

// admit counts c, if there is a place for it, or else says when to ask again; never if that is negative.
func (l *connections) admit(c net.Conn) (accepted *conn, again time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, -1
	}
	if l.open >= l.most {
		oldest := l.strangers.Front()
		if oldest == nil {
			oldest = l.known.Front()
		}
		if oldest == nil {
			return nil, time.Second // all are being answered
		}
		old := oldest.Value.(*conn)
		if left := patience - time.Since(old.since); left > 0 {
			return nil, left
		}
		old.leave()
		old.Conn.Close()
	}
	l.open++
	accepted = &conn{Conn: c, of: l}
	accepted.wait()
	return accepted, 0
}

// wait notes that c waits for a request. of.mu is locked, as for leave.
func (c *conn) wait() {
	waiting := &c.of.strangers
	if c.known {
		waiting = &c.of.known
	}
	c.since, c.place = time.Now(), waiting.PushBack(c)
	c.of.wake()
}

// leave notes that c is closed.
func (c *conn) leave() {
	if c.gone {
		return
	}
	c.gone = true
	c.stopWaiting()
	c.of.open--
	c.of.wake()
}

func (c *conn) stopWaiting() {
	if c.place == nil {
		return
	}
	if c.known {
		c.of.known.Remove(c.place)
	} else {
		c.of.strangers.Remove(c.place)
	}
	c.place = nil
}

// wake makes Accept look again.
func (l *connections) wake() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// Close ends Accept.
func (l *connections) Close() error {
	l.mu.Lock()
	l.closed = true
	l.wake()
	l.mu.Unlock()
	return l.Listener.Close()
}

// Close closes the connection, which makes place for another one.
func (c *conn) Close() error {
	c.of.mu.Lock()
	c.leave()
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// connKey is the key of the conn in the context of a request.
type connKey struct{}

func (l *connections) context(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// answering returns h, whose connections are not closed for others while it runs.
func (l *connections) answering(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(connKey{}).(*conn)
		if ok {
			l.mu.Lock()
			c.stopWaiting()
			l.mu.Unlock()
			defer func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				if !c.gone {
					c.wait()
				}
			}()
		}
		h.ServeHTTP(w, r)
	})
}

// knowing returns h, which is for requests that have the cookie: their connections are closed after those of
// others.
func (l *connections) knowing(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			l.mu.Lock()
			c.known = true
			l.mu.Unlock()
		}
		h.ServeHTTP(w, r)
	})
}
