package source

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/ndmap/ndmap/examples/view/internal/far"
)

// IsURL reports whether an argument of the command line is a URL and not a path.
func IsURL(arg string) bool {
	scheme, _, ok := strings.Cut(arg, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// redacted returns a URL without user, password, query and fragment, which may be secret.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil { // httpat.Open reports it
		return "URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

// openRoot opens an array on a web server and adds it to s. Only New calls it, so that no request can name a URL.
func (s *Set) openRoot(address string) error {
	name := redacted(address)
	if isArchive(name) || isIndex(name) {
		return fmt.Errorf("%s: members of archives on web servers are not shown: download the file", name)
	}
	if s.arrays[idOfURL(address)] != nil {
		return nil
	}
	a := &Array{ID: idOfURL(address), Name: name, Path: name, url: address, set: s}
	l, err := a.Use()
	if err != nil {
		return fmt.Errorf("%s: %s", name, Of(name, err))
	}
	l.Close()
	s.arrays[a.ID] = a
	s.roots = append(s.roots, root{array: a})
	return nil
}

// node returns the entry of a, which is on a web server, for the listing.
func (a *Array) node() *Node {
	n := &Node{ID: a.ID, Name: a.Name, Kind: "array"}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.check()
	if a.gen != nil {
		n.Summary = summarize(a.gen.array.DType(), a.gen.array.Shape())
		n.Size = a.gen.dataOffset + int64(a.gen.array.NBytes())
	}
	if a.status == Failed {
		n.Error = a.message
	}
	return n
}

// openURL opens an array on a web server.
func (g *generation) openURL(address string) error {
	f, err := far.Open(g.set.cfg.Context, address)
	if err != nil {
		return err
	}
	g.far, g.array, g.dataOffset, g.order = f, f.Array, f.DataOffset, f.Order
	return nil
}

// checkURL makes Use open the file on the server again if a request has found that it was replaced.
func (a *Array) checkURL() {
	if a.gen == nil || !a.gen.far.Changed() {
		return
	}
	a.gen.drop()
	a.gen = nil
	a.files++
	a.status, a.message = Replaced, "another file has replaced the one shown before"
	a.version++
}
