//go:build !amd64 || purego || race

package kernel

func tallyVector[T int16 | uint16 | float64](t *Tally[T], s []T) (done int) { return 0 }

func sumPairsVector(s *[PairsLen]float64) float64 { panic("kernel: no vectors") }

func squarePairsVector(s *[PairsLen]float64, unit, mean float64) float64 {
	panic("kernel: no vectors")
}

func sumSquaresVector[T int16 | uint16](s []T) (sum int64, squares uint64, done int) {
	return 0, 0, 0
}
