// Package nearest finds the word that a user may have meant.
package nearest

import "strings"

// Word returns the first of words with the smallest edit distance from word, ignoring case. Exchanging two adjacent
// letters counts as one edit if nothing else differs. The distance must not exceed a third of the length of word,
// rounded up, and one letter must remain. Otherwise Word returns the first of words that starts with word, or "".
func Word(word string, words []string) string {
	best, least := "", (len(word)+2)/3+1
	word = strings.ToLower(word)
	for _, w := range words {
		lower := strings.ToLower(w)
		d := distance(word, lower, least)
		if exchanged(word, lower) {
			d = 1
		}
		if d < least && d < max(len(word), len(w)) {
			best, least = w, d
		}
	}
	for _, w := range words {
		if best == "" && word != "" && strings.HasPrefix(strings.ToLower(w), word) {
			best = w
		}
	}
	return best
}

// Slip returns the one of words that a typing error turns into word: one letter inserted, omitted or replaced, or two
// adjacent letters exchanged. If there is no such word, or more than one, Slip returns "". Use Slip instead of Word
// if a wrong guess does harm.
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

// exchanged reports whether exchanging two adjacent letters of a results in b.
func exchanged(a, b string) bool {
	for i := range len(a) - 1 {
		if len(a) == len(b) && a[:i] == b[:i] && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:] {
			return true
		}
	}
	return false
}

// distance returns the minimum number of letters to insert, delete or replace to turn a into b (Wagner and Fischer,
// 1974). If the lengths alone show that the distance is at least limit, it returns limit.
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
