package main

import "strings"

// suggest returns the command that is most likely meant by name, or "": one that starts so, or
// is a letter away, or two that are swapped.
func suggest(name string) string {
	for _, c := range commands {
		if strings.HasPrefix(c.name, name) || oneOff(c.name, name) || oneOff(name, c.name) {
			return c.name
		}
	}
	return ""
}

// oneOff reports whether b is a with one letter more or another one, or with two neighbours swapped.
func oneOff(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	a, b = a[i:], b[i:]
	switch len(b) - len(a) {
	case 0:
		return len(a) > 0 && (a[1:] == b[1:] || len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:])
	case 1:
		return a == b[1:]
	}
	return false
}
