package source

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

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

// splitURL splits the URL of an array in an archive, such as https://host/DATA.npz:NAME or
// https://host/DATA.npz?q#NAME. name is empty for other URLs.
func splitURL(address string) (file, name string) {
	host := strings.Index(address, "://") + len("://")
	for i := host; i < len(address) && address[i] != '?' && address[i] != '#'; i++ {
		if address[i] == ':' && strings.Contains(address[host:i], "/") && isArchive(address[:i]) {
			return address[:i], address[i+1:]
		}
	}
	if file, name, _ := strings.Cut(address, "#"); isArchive(redacted(file)) {
		return file, name
	}
	return address, ""
}

// openRoot opens an array or an archive on a web server and adds it to s. Only New calls it, so that no request can
// name a URL.
func (s *Set) openRoot(address string) error {
	file, member := splitURL(address)
	name := redacted(file)
	switch {
	case isIndex(name):
		return fmt.Errorf("%s: the index of a model in shards must be a local file; its shards may be URLs", name)
	case isArchive(name) && member == "":
		return s.openArchive(&farArchive{url: file}, name)
	case s.arrays[idOfURL(file, member)] != nil:
		return nil
	}
	var archive *farArchive
	if member != "" {
		archive = &farArchive{url: file}
	}
	a := s.remote(file, archive, member)
	if member != "" {
		a.Name = name + ":" + member
	}
	l, err := a.Use()
	if err != nil {
		return fmt.Errorf("%s: %s", name, Of(name, err))
	}
	l.Close()
	s.roots = append(s.roots, root{arrays: []*Array{a}})
	return nil
}

// remote returns the array at a URL, or the member of the archive there, and adds it to s.arrays.
func (s *Set) remote(file string, archive *farArchive, member string) *Array {
	name := redacted(file)
	a := &Array{ID: idOfURL(file, member), Name: name, Path: name, Member: member, url: file, web: archive, set: s}
	if member != "" {
		a.Name = member
	}
	s.arrays[a.ID] = a
	return a
}

// maxHeaders is the maximum number of members of an .npz archive on a web server whose headers are read for the
// listing. Each can take two requests.
const maxHeaders = 16

// openArchive lists an archive. name is its URL without secrets.
func (s *Set) openArchive(archive *farArchive, name string) error {
	file := archive.url
	f, err := archive.directory(s.cfg.Context)
	if err != nil {
		return fmt.Errorf("%s: %s", name, Of(name, err))
	}
	r := root{name: name, web: idOfURL(file, "")}
	if slices.ContainsFunc(s.roots, func(o root) bool { return o.web == r.web }) {
		return nil
	}
	names := f.Names()
	if len(names) > maxEntries {
		names, r.message = names[:maxEntries], tooMany
	}
	var heads listing
	for i, m := range names {
		a := s.arrays[idOfURL(file, m)]
		if a == nil {
			a = s.remote(file, archive, m)
		}
		if i < maxHeaders || f.IsTensors() {
			d, shape, err := f.Header(m)
			heads.add(m, d, shape, err)
			a.listed = Node{Summary: heads.summaries[i], Size: heads.sizes[i]}
			if err != nil {
				a.listed.Error = Of(name, err)
			}
		}
		r.arrays = append(r.arrays, a)
	}
	s.roots = append(s.roots, r)
	return nil
}

// remoteNode returns the entry of r, an array or an archive on a web server, for the listing.
func (r root) remoteNode() *Node {
	if r.web == "" {
		return r.arrays[0].node()
	}
	n := &Node{ID: r.web, Name: r.name, Kind: "archive", Error: r.message}
	for _, a := range r.arrays {
		n.Children = append(n.Children, a.node())
	}
	return n
}

// node returns the entry of a, which is on a web server, for the listing.
func (a *Array) node() *Node {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.listed
	n.ID, n.Name, n.Kind = a.ID, a.Name, "array"
	a.check()
	if a.gen != nil {
		n.Summary = summarize(a.gen.array.DType(), a.gen.array.Shape())
		n.Size = int64(a.gen.array.NBytes())
		if a.Member == "" {
			n.Size += a.gen.dataOffset
		}
	}
	if a.status == Failed {
		n.Error = a.message
	}
	return &n
}

// openURL opens a, which is on a web server.
func (g *generation) openURL(a *Array) error {
	var f *far.File
	var err error
	if a.web == nil {
		f, err = far.Open(g.set.cfg.Context, a.url)
	} else {
		f, err = a.web.open(g.set.cfg.Context, a.Member)
	}
	if err != nil {
		return err
	}
	g.far, g.array, g.dataOffset, g.order = f, f.Array, f.DataOffset, f.Order
	g.listed = a.web != nil
	return nil
}

// A farArchive is an archive at a URL, which is opened again after it has been replaced.
type farArchive struct {
	url string

	mu  sync.Mutex
	now *far.Archive // nil before the first use
}

// directory returns the archive in its current version.
func (r *farArchive) directory(ctx context.Context) (a *far.Archive, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == nil || r.now.Changed() {
		if a, err = far.OpenArchive(ctx, r.url, IsTensors(redacted(r.url))); err != nil {
			return nil, err
		}
		r.now = a
	}
	return r.now, nil
}

// open opens an array of the archive.
func (r *farArchive) open(ctx context.Context, name string) (f *far.File, err error) {
	for range 2 { // the second time if the archive has been replaced
		var a *far.Archive
		if a, err = r.directory(ctx); err != nil {
			return nil, err
		}
		if f, err = a.Open(name); err == nil || !a.Changed() {
			break
		}
	}
	return f, err
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
