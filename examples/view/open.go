package main

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// openBrowser opens link in the user's default browser. The caller calls remove at the end. Other users can see the
// arguments of a process, so the browser opens a temporary file that only this user can read and that redirects to the
// link.
func openBrowser(link string) (remove func(), err error) {
	f, err := os.CreateTemp("", "npyview-*.html") // mode 0600
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(redirectPage(link))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = start(f.Name())
	}
	remove = sync.OnceFunc(func() { os.Remove(f.Name()) })
	if err != nil {
		remove()
		return nil, err
	}
	time.AfterFunc(time.Minute, remove) // the link works only once
	return remove, nil
}

// redirectPage returns an HTML page that redirects to link.
func redirectPage(link string) string {
	return fmt.Sprintf("<!doctype html><meta charset=utf-8><meta name=referrer content=no-referrer>"+
		"<meta http-equiv=refresh content=\"0; url=%[1]s\"><title>npyview</title><a href=\"%[1]s\">npyview</a>\n",
		html.EscapeString(link))
}

// start opens a file with the default program for its type.
func start(file string) error {
	name, args := "xdg-open", []string{file}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", file}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait()
	return nil
}
