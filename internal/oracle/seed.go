package oracle

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
)

// Seed returns the seed of the random cases of t, from the environment variable NDMAP_SEED:
//
//	unset    seed 1: every run draws the same cases
//	n        seed n: other cases, the same in every run
//	random   a new seed for each process
//
// Seed logs the seed. The go command prints the log if t fails, or with -v.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed, err := parseSeed(os.Getenv("NDMAP_SEED"))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("NDMAP_SEED=%d", seed)
	return seed
}

// Rand returns a source of random numbers with the seed of [Seed]. Tests that draw the same kind of cases pass
// different
// streams.
func Rand(t testing.TB, stream uint64) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), stream))
}

// Cases returns the number of random cases that t draws: n, or a quarter of n with -short or under QEMU (NDMAP_QEMU=1).
// The environment variable NDMAP_CASES multiplies the result.
func Cases(t testing.TB, n int) int {
	t.Helper()
	if testing.Short() || os.Getenv("NDMAP_QEMU") != "" {
		n = max(n/4, 1)
	}
	return n * EnvInt(t, "NDMAP_CASES", 1)
}

// EnvInt returns the number in an environment variable, or n if it is not set.
func EnvInt(t testing.TB, name string, n int) int {
	t.Helper()
	s := os.Getenv(name)
	if s == "" {
		return n
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		t.Fatalf("%s=%q is not a number", name, s)
	}
	return n
}

// newSeed returns a random seed for this process. The seed is less than 2^31, so that every generator accepts it and
// users can copy it.
var newSeed = sync.OnceValue(func() uint64 { return uint64(rand.Uint32() >> 1) })

func parseSeed(s string) (uint64, error) {
	switch s {
	case "":
		return 1, nil
	case "random":
		return newSeed(), nil
	}
	seed, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("NDMAP_SEED=%q is neither a number nor random", s)
	}
	return seed, nil
}
