// Package nearest finds the word that somebody may have meant.
package nearest

import "strings"

// Word returns the one of words that takes the fewest changes of a letter to become word,
// the first of several; upper and lower case are the same. Where that is more than a third of
// the letters of word, rounded up, or all of them, it returns the first of words that
// starts with word, or "".
func Word(word string, words []string) string {
	best, least := "", (len(word)+2)/3+1
	for _, w := range words {
		if d := distance(strings.ToLower(word), strings.ToLower(w), least); d < least && d < max(len(word), len(w)) {
			best, least = w, d
		}
	}
	for _, w := range words {
		if best == "" && word != "" && strings.HasPrefix(strings.ToLower(w), strings.ToLower(word)) {
			best = w
		}
	}
	return best
}

// Slip returns the only one of words that a slip of the keyboard makes word: a letter too much, left out, or
// another one, or two neighbours exchanged. Where it is none or several it returns "". It is for words of which one
// must not be taken for another.
func Slip(word string, words []string) (found string) {
	word = strings.ToLower(word)
	for _, w := range words {
		if distance(word, strings.ToLower(w), 2) > 1 && !exchanged(word, strings.ToLower(w)) {
			continue
		}
		if found != "" {
			return ""
		}
		found = w
	}
	return found
}

// exchanged reports whether two neighbouring letters of a, exchanged, make b of it.
func exchanged(a, b string) bool {
	for i := range len(a) - 1 {
		if len(a) == len(b) && a[:i] == b[:i] && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] {
			return true
		}
	}
	return false
}

// distance returns the number of letters to insert, delete or replace to make b of a (Wagner
// and Fischer, 1974), or limit where it is seen from the lengths that it is no less.
func distance(a, b string, limit int) int {
	if n := len(a) - len(b); n >= limit || -n >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
