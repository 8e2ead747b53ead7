// Package access admits only the browser that has opened the link.
package access

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
)

// A Gate decides which requests may reach a server: requests with the cookie and the key that a browser receives when
// it opens a link. Cookies do not distinguish ports, so browsers also send the cookie to other servers of this machine.
// The key is in the local storage of the page, which belongs to one port.
type Gate struct {
	hosts      []string // allowed values of the Host header
	anyAddress string   // port at which every IP address is an allowed host; empty if only hosts are allowed
	cookie     string   // name of the cookie
	session    string   // value of the cookie
	key        string

	mu     sync.Mutex
	tokens []string // tokens that have not been used, oldest first
}

// maxTokens is the maximum number of unused tokens. A new token replaces the oldest one.
const maxTokens = 4

// New returns the gate of a server that listens at addr. host is the host that the user asked for.
func New(addr net.Addr, host string) *Gate {
	_, port, _ := net.SplitHostPort(addr.String())
	g := &Gate{cookie: "npyview_" + port, session: secret(), key: secret()}
	names := []string{"localhost", "127.0.0.1", "::1"}
	if ip, err := netip.ParseAddr(host); host != "" && (err != nil || !ip.IsUnspecified()) {
		names = append(names, host)
	} else {
		// The server listens at all addresses of the machine. Other host names are refused, because a foreign server may have
		// pointed its name here.
		g.anyAddress = port
		if name, err := os.Hostname(); err == nil {
			names = append(names, name)
		}
	}
	for _, name := range names {
		g.hosts = append(g.hosts, strings.ToLower(net.JoinHostPort(name, port)))
		if port == "80" {
			g.hosts = append(g.hosts, strings.ToLower(name))
		}
	}
	return g
}

// secret returns 256 random bits as text.
func secret() string {
	b := make([]byte, 32)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Token returns a new token that can be used once.
func (g *Gate) Token() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.tokens) == maxTokens {
		g.tokens = g.tokens[1:]
	}
	t := secret()
	g.tokens = append(g.tokens, t)
	return t
}

// redeem reports whether t is an unused token, and removes it.
func (g *Gate) redeem(t string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	found := -1
	for i, token := range g.tokens {
		if equalStrings(t, token) {
			found = i
		}
	}
	if found < 0 {
		return false
	}
	g.tokens = slices.Delete(g.tokens, found, found+1)
	return true
}

// equalStrings reports whether a and b are equal. It takes the same time for all strings of the same length.
func equalStrings(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// allowedHost reports whether host names this server. This prevents DNS rebinding, in which another site points its own
// name to this address: such a request has the name of that site in its Host header.
func (g *Gate) allowedHost(host string) bool {
	host = strings.ToLower(host)
	if slices.Contains(g.hosts, host) {
		return true
	}
	if g.anyAddress == "" {
		return false
	}
	ap, err := netip.ParseAddrPort(host)
	return err == nil && host == ap.String() && strings.HasSuffix(host, ":"+g.anyAddress)
}

// hasCookie reports whether r has the cookie of this gate.
func (g *Gate) hasCookie(r *http.Request) bool {
	for _, c := range r.CookiesNamed(g.cookie) {
		if equalStrings(c.Value, g.session) {
			return true
		}
	}
	return false
}
