//go:build amd64 && !purego && !race

package kernel

//go:noescape
func tallyF64(out *[4]uint64, s Pointer, n int, bounds *float64)

//go:noescape
func tally16(out *[4]uint64, s Pointer, n int, bounds *int16, bias *[32]byte)

//go:noescape
func sumPairsVector(s *[PairsLen]float64) float64

//go:noescape
func squarePairsVector(s *[PairsLen]float64, unit, mean float64) float64

//go:noescape
func sumSquares16(out *[2][4]uint64, s Pointer, n int, bias *[32]byte)

// unsigned16 turns unsigned integers into signed ones of the same order, signed16 leaves
// signed ones as they are.
var unsigned16, signed16 = func() (flip, keep [32]byte) {
	for i := 1; i < len(flip); i += 2 {
		flip[i] = 0x80
	}
	return flip, keep
}()

const (
	// tallyBytes is how much of a slice is counted against 7 bounds before it is against
	// the next: it stays in the first cache.
	tallyBytes = 16 << 10

	// boundsOnce is how many bounds a function of assembly has.
	boundsOnce = 7

	// squaresRows is for how many rows of 32 bytes sums of pairs of int16 fit into 32 bits.
	squaresRows = 1 << 14
)

// tallyVector counts the first of s.
func tallyVector[T int16 | uint16 | float64](t *Tally[T], s []T) (done int) {
	if !vectors {
		return 0
	}
	lanes, bias := 16, &signed16
	var short [MostBounds]int16
	switch bounds := any(&t.bounds).(type) {
	case *[MostBounds]float64:
		lanes = 4
	case *[MostBounds]int16:
		short = *bounds
	case *[MostBounds]uint16:
		bias = &unsigned16
		for k, x := range bounds {
			short[k] = int16(x ^ 1<<15)
		}
	}
	for len(s)-done >= lanes {
		rows := min((len(s)-done)/lanes, tallyBytes/vectorBytes)
		for k := 0; k < MostBounds; k += boundsOnce {
			if bounds, ok := any(&t.bounds).(*[MostBounds]float64); ok {
				tallyF64(&t.counts[k], Pointer(&s[done]), rows, &bounds[k])
			} else {
				tally16(&t.counts[k], Pointer(&s[done]), rows, &short[k], bias)
			}
		}
		done += rows * lanes
	}
	return done
}

// sumSquaresVector adds up the first of s, and their squares.
func sumSquaresVector[T int16 | uint16](s []T) (sum int64, squares uint64, done int) {
	if !vectors {
		return 0, 0, 0
	}
	bias, zero := &signed16, int64(0)
	if x := T(0); x-1 > 0 {
		bias, zero = &unsigned16, 1<<15
	}
	for len(s)-done >= 16 {
		rows := min((len(s)-done)/16, squaresRows, callBytes/vectorBytes)
		var out [2][4]uint64
		sumSquares16(&out, Pointer(&s[done]), rows, bias)
		n := int64(rows) * 16
		// (x + zero)² is x² + 2 zero x + zero².
		a, b := int64(out[0][0]+out[0][1]+out[0][2]+out[0][3]), out[1][0]+out[1][1]+out[1][2]+out[1][3]
		sum += a + n*zero
		squares += b + uint64(2*zero*a+n*zero*zero)
		done += int(n)
	}
	return sum, squares, done
}
