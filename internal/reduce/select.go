package reduce

import (
	"math/bits"
	"slices"
)

const (
	// fewNumbers is up to how many numbers are sorted and not divided.
	fewNumbers = 24

	// mostSamples is how many numbers a pivot is chosen from at most, and samplesOf of how many numbers one is.
	mostSamples = 512
	samplesOf   = 16

	// mostRounds is how often numbers are divided until they are sorted: each round leaves a part of them, unless they lie
	// as badly as they can for the samples.
	mostRounds = 40
)

// twoOf returns the words of s with ranks k and k+1, the latter the same if there is none. It moves the words of s. The
// samples have room for 2*mostSamples words.
func twoOf[W Word](s []W, k int, samples []W) (x, next W) {
	have := k+1 < len(s) // next is set once it is known to be no longer in s
	isKnown := false
	for round := 0; len(s) > fewNumbers && round < mostRounds; round++ {
		p := pivotOf(s, k, samples)
		n := less(s, p)
		if k < n {
			s, next, isKnown = s[:n], p, true // which is the least of the others
			continue
		}
		s, k = s[n:], k-n
		if n = notGreater(s, p); k >= n {
			s, k = s[n:], k-n
			continue
		}
		switch {
		case k+1 < n:
			return p, p
		case n < len(s):
			return p, slices.Min(s[n:])
		case isKnown:
			return p, next
		}
		return p, p
	}
	sort(s)
	switch {
	case k+1 < len(s):
		return s[k], s[k+1]
	case isKnown && have:
		return s[k], next
	}
	return s[k], s[k]
}

// pivotOf returns a word of s, which is likely to have more than k words before it if few of all have, and else less,
// so that most of them are out of the question: Floyd and Rivest, https://doi.org/10.1145/360680.360694.
func pivotOf[W Word](s []W, k int, samples []W) W {
	m := min(mostSamples, max(5, len(s)/samplesOf))
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

// less moves the words of s that are less than p before the others, and returns their number.
func less[W Word](s []W, p W) int {
	n := 0
	for i, x := range s {
		s[i] = s[n]
		s[n] = x
		_, isLess := bits.Sub64(uint64(x), uint64(p), 0) // no branch, which would be taken half of the time
		n += int(isLess)
	}
	return n
}

// notGreater moves the words of s that are p before the others, of which none is less, and returns their number.
func notGreater[W Word](s []W, p W) int {
	n := 0
	for i, x := range s {
		s[i] = s[n]
		s[n] = x
		_, isGreater := bits.Sub64(uint64(p), uint64(x), 0)
		n += int(1 - isGreater)
	}
	return n
}

// sort sorts s.
func sort[W Word](s []W) {
	if len(s) > fewNumbers {
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

// keysIn makes words the keys of the numbers that they are the bits of, without those of NaN, and returns the number of
// keys.
func keysIn[W Word](words []W, k *Keys) int {
	sign, negative := W(k.Sign), W(k.Negative)
	if sign == 0 {
		return len(words)
	}
	top := k.Bits - 1
	if negative == 0 {
		for i, w := range words {
			words[i] = w ^ sign
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
