package access

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// Error sends an error response: a status and a JSON object with the text.
func Error(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(struct {
		Error string `json:"error"`
	}{text})
}

// policy lets the page load only resources of this server. It forbids other pages to embed the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
	"connect-src 'self'; font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Handler returns a handler that answers requests for /open and passes authorized requests on to next.
func (g *Gate) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !g.allowedHost(r.Host):
			Error(w, http.StatusForbidden, "the request is for another host; use the link that npyview printed")
		case r.URL.Path == "/open":
			g.open(w, r)
		case r.URL.Path == "/enter.js":
			h.Set("Content-Type", "text/javascript; charset=utf-8")
			io.WriteString(w, enter)
		case !g.hasCookie(r):
			refuse(w, r)
		case !sameOrigin(r):
			Error(w, http.StatusForbidden, "the request comes from another site")
		case !isPageRequest(r) && !equalStrings(r.Header.Get("X-NDMap"), g.key):
			Error(w, http.StatusForbidden, noAccess)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// Texts of refused requests
const (
	noAccess = "no access; open the newest link that npyview printed in its terminal, or press Enter there for another one"
	badLink  = "the link does not work: it was used before, or is not from this run of npyview; open the newest link in " +
		"the terminal, press Enter there for another one, or start npyview again"
)

// enter is the script of the response to /open. It stores the key where the page reads it.
const enter = `try {
  localStorage.setItem("npyview key", document.body.dataset.key);
  location.replace("/");
} catch {
  document.body.textContent = "npyview needs the cookies and the storage of this browser.";
}
`

// isPageRequest reports whether r requests the page or one of its assets, which contain no data from files.
func isPageRequest(r *http.Request) bool {
	return r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/assets/")
}

// open redeems a token: it responds with the cookie and the key, and redirects to the page. A browser that has the
// cookie is redirected to the page without a valid token, because a person may open a used link again. It gets no key
// then: other servers of this machine also know the cookie. The page has the key in its storage.
func (g *Gate) open(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", "GET")
		Error(w, http.StatusMethodNotAllowed, "only GET is allowed here")
		return
	}
	tokens := r.URL.Query()["token"]
	if len(tokens) != 1 || !g.redeem(tokens[0]) {
		if g.hasCookie(r) {
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		deny(w, r, badLink)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.cookie, Value: g.session, Path: "/", HttpOnly: true,
		SameSite: http.SameSiteStrictMode})
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w,
		`<!doctype html><title>npyview</title><body data-key="`+g.key+`"><script src="/enter.js"></script>`+"\n")
}

// refuse denies a request without the cookie.
func refuse(w http.ResponseWriter, r *http.Request) { deny(w, r, noAccess) }

// deny sends a 403 response: an HTML page to a browser window, JSON to scripts.
func deny(w http.ResponseWriter, r *http.Request, text string) {
	person := r.URL.Path == "/" || strings.Contains(r.Header.Get("Accept"), "text/html")
	if !person || r.Method != http.MethodGet {
		Error(w, http.StatusForbidden, text)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusForbidden)
	io.WriteString(w,
		`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">`+
			`<title>npyview</title><main><h1>npyview</h1><p>`+strings.ToUpper(text[:1])+text[1:]+
			`.<p>If this browser has shown the page before, <a href="/">open it again</a>.</main>`+"\n")
}

// sameOrigin reports whether a page of this server or the user made the request. It accepts GET and HEAD requests
// without a header that states the origin. Requests with other methods must have such a header.
func sameOrigin(r *http.Request) bool {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	if origin != "" && origin != "http://"+r.Host {
		return false
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		navigation := r.URL.Path == "/"
		return site == "" || site == "same-origin" || site == "none" || navigation
	}
	return site == "same-origin" || site == "" && origin != ""
}
