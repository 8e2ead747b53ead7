package main

import (
	"strings"
)

// isURL reports whether path is the URL of a file on a web server. A local file of that name is ./http:….
func isURL(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// splitURL splits the URL of a member, https://host/DATA.npz:NAME or URL#NAME, into the URL of the file and the name of
// the member. In the first form, the URL of the file has no query, because a query may contain colons.
func splitURL(url string) (file, name string, ok bool) {
	server := cutServer(url)
	if file, name, ok := splitName(url[len(server):]); ok && !strings.ContainsAny(file, "?#") {
		return server + file, name, true
	}
	return strings.Cut(url, "#")
}

// cutServer returns the scheme, the user, the host and the port of a URL: all before the first slash of the path.
func cutServer(url string) string {
	start := strings.Index(url, "://") + len("://")
	if n := strings.IndexByte(url[start:], '/'); n >= 0 {
		return url[:start+n]
	}
	return url
}

// memberPath returns the path by which the command line names a member of file.
func memberPath(file, name string) string {
	if isURL(file) {
		if f, _, ok := splitURL(file + ":"); !ok || f != file {
			return file + "#" + name
		}
	}
	return file + ":" + name
}

// urlFile returns the URL of a file, without its query, or "" if url names a member.
func urlFile(url string) string {
	if _, _, isMember := splitURL(url); isMember {
		return ""
	}
	file, _, _ := strings.Cut(url, "?")
	return file
}

// redacted returns path for messages and output: a URL without user, password and query, which may be secret.
func redacted(path string) string {
	if !isURL(path) {
		return path
	}
	file, _, _ := splitURL(path)
	member := path[len(file):] // begins with : or #
	server := cutServer(file)
	file = file[len(server):]
	if at := strings.LastIndexByte(server, '@'); at >= 0 {
		server = server[:strings.Index(server, "://")+len("://")] + server[at+1:]
	}
	file, _, _ = strings.Cut(server+file, "?")
	return file + member
}
