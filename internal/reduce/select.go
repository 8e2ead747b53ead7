package reduce

import (
	"math/bits"
	"slices"
)

const (
	// fewWords is the maximum number of words that are sorted instead of being partitioned.
	fewWords = 24

	// maxSamples is the maximum number of words from which a pivot is chosen. One in samplesOf words is a sample.
	maxSamples = 512
	samplesOf  = 16

	// maxRounds is the maximum number of rounds before the remaining words are sorted. A round excludes most of the
	// words, unless the samples are misleading.
	maxRounds = 40
)

// twoOf returns the words of s with ranks k and k+1, or the word with rank k twice if k is the last rank. It reorders s
// so that words before s[k] are at most s[k], and words after it are at least s[k]. samples is a buffer of 2*maxSamples
// words.
func twoOf[W Word](s []W, k int, samples []W) (x, next W) {
	hasNext := false // next is the least word that is greater than all words of s
	for round := 0; len(s) > fewWords && round < maxRounds; round++ {
		p := pivotOf(s, k, samples)
		n := partition(s, p)
		if k < n {
			s, next, hasNext = s[:n], p, true
			continue
		}
		s, k = s[n:], k-n
		if n = len(s); p+1 != 0 {
			n = partition(s, p+1)
		}
		if k < n { // the n words are p
			if k+1 < n || n == len(s) && !hasNext {
				next = p
			} else if n < len(s) {
				next = slices.Min(s[n:])
			}
			return p, next
		}
		s, k = s[n:], k-n
	}
	sort(s)
	if k+1 < len(s) {
		next = s[k+1]
	} else if !hasNext {
		next = s[k]
	}
	return s[k], next
}

// pairsOf sets pairs[i] to the results of twoOf for rank lows[i]-first of s. lows must be in ascending order. pairsOf
// reorders s.
func pairsOf[W Word](s []W, first int, lows []int, pairs [][2]W, samples []W) {
	for len(lows) > 0 {
		i := len(lows) / 2
		k := lows[i] - first
		pairs[i][0], pairs[i][1] = twoOf(s, k, samples)
		pairsOf(s[:k+1], first, lows[:i], pairs[:i], samples) // s[k] is included because it may be the next word
		s, first, lows, pairs = s[k+1:], first+k+1, lows[i+1:], pairs[i+1:]
	}
}

// pivotOf returns a word of s to use as the pivot, by the method of Floyd and Rivest,
// https://doi.org/10.1145/360680.360694. Most words are likely to be on the side of the pivot without rank k, and are
// excluded. If k is less than half the number of words, more than k words are likely to be less than the pivot,
// otherwise fewer.
func pivotOf[W Word](s []W, k int, samples []W) W {
	m := min(maxSamples, max(5, len(s)/samplesOf))
	at, step := 0, len(s)/m
	for i := range m {
		samples[i] = s[at]
		at += step
	}
	rank := int(uint64(k) * uint64(m) / uint64(len(s)))
	spread := 1 // about the standard deviation of the rank
	for spread*spread < m/4 {
		spread++
	}
	if k < len(s)/2 {
		rank = min(rank+spread, m-1)
	} else {
		rank = max(rank-spread, 0)
	}
	x, _ := twoOf(samples[:m], rank, samples[m:])
	return x
}

// partition moves the words of s that are less than p to the front, and returns their number.
func partition[W Word](s []W, p W) int {
	n := 0
	for i, x := range s {
		s[i] = s[n]
		s[n] = x
		_, isLess := bits.Sub64(uint64(x), uint64(p), 0) // a branch would be mispredicted half of the time
		n += int(isLess)
	}
	return n
}

// sort sorts s.
func sort[W Word](s []W) {
	if len(s) > fewWords {
		slices.Sort(s)
		return
	}
	for i := 1; i < len(s); i++ {
		x, j := s[i], i
		for ; j > 0 && s[j-1] > x; j-- {
			s[j] = s[j-1]
		}
		s[j] = x
	}
}

// keysIn replaces the bits of numbers in words by the keys of the numbers. It removes NaN, and returns the number of
// keys.
func keysIn[W Word](words []W, k *Keys) int {
	sign, negative, top := W(k.Sign), W(k.Negative), k.Bits-1
	if sign == 0 {
		return len(words)
	}
	if negative == 0 { // integers: the loop below would double the time of a median
		for i := range words {
			words[i] ^= sign
		}
		return len(words)
	}
	least, width := W(k.Least), uint64(k.Greatest-k.Least)
	n := 0
	for _, w := range words {
		key := w ^ sign ^ negative&-(w>>top)
		words[n] = key
		_, isNaN := bits.Sub64(width, uint64(key-least), 0)
		n += int(1 - isNaN)
	}
	return n
}
