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
