// Package access lets in the browser that was given the link, and nobody else.
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

// A Gate is who may use a server: those who have the cookie and the key, which each link gives once. Browsers
// send cookies to other servers of this machine, too, for they know no ports; the key is in the storage of
// the page, which belongs to its port.
type Gate struct {
	hosts      []string // that requests may name
	anyAddress string   // the port, where any IP address may be named
	cookie     string   // its name
	session    string   // its value
	key        string

	mu     sync.Mutex
	tokens []string // that are good for one use each
}

// maxTokens is how many links can be open at a time: older ones are no longer good.
const maxTokens = 4

// New returns the gate of a server that listens at addr, which was asked for as host.
func New(addr net.Addr, host string) *Gate {
	_, port, _ := net.SplitHostPort(addr.String())
	g := &Gate{cookie: "npyview_" + port, session: secret(), key: secret()}
	names := []string{"localhost", "127.0.0.1", "::1"}
	if ip, err := netip.ParseAddr(host); host != "" && (err != nil || !ip.IsUnspecified()) {
		names = append(names, host)
	} else {
		// All addresses of the machine: a name could be one that a foreign server gave it.
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

// Token returns a new token, which is good for one use.
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

// redeem reports whether t is a token, which it then is no more.
func (g *Gate) redeem(t string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	found := -1
	for i, token := range g.tokens {
		if same(t, token) {
			found = i
		}
	}
	if found < 0 {
		return false
	}
	g.tokens = slices.Delete(g.tokens, found, found+1)
	return true
}

// same compares in a time that does not depend on where a and b differ.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// allowedHost reports whether the request names this server. A page of another site that has its own
// name lead here (DNS rebinding) sends that name.
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

// hasCookie reports whether r has the cookie of this run.
func (g *Gate) hasCookie(r *http.Request) bool {
	for _, c := range r.CookiesNamed(g.cookie) {
		if same(c.Value, g.session) {
			return true
		}
	}
	return false
}
