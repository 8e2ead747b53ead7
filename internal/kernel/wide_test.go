package kernel

import (
	"math/rand/v2"
	"testing"
)

// Loops that take several numbers at a time, against those that take one.
func TestWideSums(t *testing.T) {
	testWide[int8](t)
	testWide[int16](t)
	testWide[int32](t)
	testWide[int64](t)
	testWide[uint8](t)
	testWide[uint16](t)
	testWide[uint32](t)
	testWide[uint64](t)
}

func testWide[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range 200 {
		s := make([]T, r.IntN(70))
		if r.IntN(10) == 0 {
			s = make([]T, 300_000+r.IntN(20))
		}
		least := r.IntN(2) == 0 // all the same, as large as can be
		want, nonzero := int64(0), 0
		for i := range s {
			if s[i] = T(r.Uint64()); least {
				s[i] = ^T(0) >> 1
			}
			want += int64(s[i])
			if s[i] != 0 {
				nonzero++
			}
		}
		if got := SumWide(s); got != want {
			t.Fatalf("%T: the sum of %d numbers is %d, want %d", s, len(s), got, want)
		}
		if got := Nonzero(s); got != nonzero {
			t.Fatalf("%T: %d of %d numbers are not 0, want %d", s, got, len(s), nonzero)
		}
	}
}
