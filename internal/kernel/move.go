// Package kernel has the loops over memory: moving items with strides, reversing
// their bytes, converting numbers.
//
// What a loop does is said where it is declared, and told in plain Go beside it.
// On amd64 with AVX2 the first part of many runs is done in assembly, to the same
// bits; the build tag purego leaves that out.
//
// The functions trust their caller: internal/strided checks that every address lies inside
// the memory it has before one of them runs. Strides are in bytes and may be zero
// or negative; items need not be aligned.
package kernel

// Move copies n items of size bytes from src to dst, with strides ds and ss. If
// swap is more than 1, every group of swap bytes in an item is reversed; size is a
// multiple of it, and it is 2, 4, 8 or 16. Source and destination must not overlap, but
// for runs of the same stride, with swap no more than 1 or the size: those are right
// when dst is not above src for positive strides, not below it for negative ones.
func Move(dst Pointer, ds int, src Pointer, ss int, n, size, swap int) {
	switch {
	case n <= 0 || size == 0:
	case swap > 1 && size > swap:
		// A group is an item of its own: take, where they follow one another, all
		// groups at once; of complex numbers the first groups and the second ones,
		// as far as the first cache has both; else the items one by one.
		switch {
		case ds == size && ss == size:
			Move(dst, swap, src, swap, n*(size/swap), swap, swap)
		case size == 2*swap:
			const step = 512
			for done := 0; done < n; done += step {
				d, s, k := Add(dst, done*ds), Add(src, done*ss), min(step, n-done)
				Move(d, ds, s, ss, k, swap, swap)
				Move(Add(d, swap), ds, Add(s, swap), ss, k, swap, swap)
			}
		default:
			for i := range n {
				Move(Add(dst, i*ds), swap, Add(src, i*ss), swap, size/swap, swap, swap)
			}
		}
	case swap <= 1 && ds == size && ss == size:
		copy(Bytes(dst, n*size), Bytes(src, n*size))
	case swap <= 1 && ds == size && ss == 0:
		fill(Bytes(dst, n*size), Bytes(src, size))
	default:
		if swap <= 1 {
			swap = 0
		}
		if done := moveVector(dst, ds, src, ss, n, size, swap); done < n {
			movePlain(Add(dst, done*ds), ds, Add(src, done*ss), ss, n-done, size, swap)
		}
	}
}

// IsFast reports whether Move takes items of size bytes, ss bytes apart, to where they
// follow one another with vectors, but not by way of single items.
func IsFast(ss, size int) bool {
	return vectors && (ss == -size && size <= 16 || ss == 2*size && size <= 8 || ss == 4*size && size <= 4 || ss == 8*size && size <= 2)
}

// fill makes b, whose length is a multiple of that of item, repeat it: with copies of
// its own start, which stays in the first cache.
func fill(b, item []byte) {
	const near = 8 << 10
	start := max(1, near/len(item)) * len(item)
	for done := copy(b, item); done < len(b); {
		done += copy(b[done:], b[:min(done, start)])
	}
}

// movePlain is Move for items that are moved as they are, or are one group.
func movePlain(dst Pointer, ds int, src Pointer, ss int, n, size, swap int) {
	if swap > 1 {
		moveSwapped(dst, ds, src, ss, n, swap)
	} else {
		moveStrided(dst, ds, src, ss, n, size)
	}
}
