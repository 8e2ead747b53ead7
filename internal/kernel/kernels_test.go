package kernel

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// A kernelTest runs one random case of a function and compares the result with the result of a slow version.
type kernelTest struct {
	name string
	run  func(c *randomCase)
}

// kernels lists all kernels.
var kernels = []kernelTest{
	{"Move", randomMove},
	{"Move of blocks", randomBlock},
	{"Transpose", randomTranspose},
	{"Convert", randomConvert},
	{"ConvertStrided", randomConvertStrided},
	{"Scale", randomScale},
	{"Sum of float64", randomSum[float64]},
	{"Sum of float32", randomSum[float32]},
	{"SumRows of float64", randomSumRows[float64]},
	{"SumRows of float32", randomSumRows[float32]},
	{"Sum of int16", randomSum[int16]},
	{"Sum of int64", randomSum[int64]},
	{"SumExact of int64", randomSumExact[int64]},
	{"SumExact of uint64", randomSumExact[uint64]},
	{"SumAndSquares of int8", randomSumSquares[int8]},
	{"SumAndSquares of uint8", randomSumSquares[uint8]},
	{"SumAndSquares of int16", randomSumSquares[int16]},
	{"SumAndSquares of uint16", randomSumSquares[uint16]},
	{"MinMax of int8", randomMinMax[int8]},
	{"MinMax of int16", randomMinMax[int16]},
	{"MinMax of int32", randomMinMax[int32]},
	{"MinMax of int64", randomMinMax[int64]},
	{"MinMax of int", randomMinMax[int]},
	{"MinMax of uint8", randomMinMax[uint8]},
	{"MinMax of uint16", randomMinMax[uint16]},
	{"MinMax of uint32", randomMinMax[uint32]},
	{"MinMax of uint64", randomMinMax[uint64]},
	{"MinMax of uint", randomMinMax[uint]},
	{"MinMax of float32", randomMinMax[float32]},
	{"MinMax of float64", randomMinMax[float64]},
	{"FirstOf of int8", randomFirstOf[int8]},
	{"FirstOf of uint16", randomFirstOf[uint16]},
	{"FirstOf of int32", randomFirstOf[int32]},
	{"FirstOf of uint64", randomFirstOf[uint64]},
	{"FirstOf of float32", randomFirstOf[float32]},
	{"FirstOf of float64", randomFirstOf[float64]},
	{"Extremes of columns of int8", randomExtremes[int8]},
	{"Extremes of columns of uint8", randomExtremes[uint8]},
	{"Extremes of columns of int16", randomExtremes[int16]},
	{"Extremes of columns of uint16", randomExtremes[uint16]},
	{"Extremes of columns of int32", randomExtremes[int32]},
	{"Extremes of columns of uint32", randomExtremes[uint32]},
	{"Extremes of columns of int64", randomExtremes[int64]},
	{"Extremes of columns of uint64", randomExtremes[uint64]},
	{"Extremes of columns of float32", randomExtremes[float32]},
	{"Extremes of columns of float64", randomExtremes[float64]},
	{"AddIntegers of int8 in 32 bits", randomAddIntegers[int8, int32]},
	{"AddIntegers of int8 in 64 bits", randomAddIntegers[int8, int64]},
	{"AddIntegers of uint8 in 32 bits", randomAddIntegers[uint8, int32]},
	{"AddIntegers of uint8 in 64 bits", randomAddIntegers[uint8, int64]},
	{"AddIntegers of int16 in 32 bits", randomAddIntegers[int16, int32]},
	{"AddIntegers of int16 in 64 bits", randomAddIntegers[int16, int64]},
	{"AddIntegers of uint16 in 32 bits", randomAddIntegers[uint16, int32]},
	{"AddIntegers of uint16 in 64 bits", randomAddIntegers[uint16, int64]},
	{"AddIntegers of int32 in 64 bits", randomAddIntegers[int32, int64]},
	{"AddIntegers of uint32 in 64 bits", randomAddIntegers[uint32, int64]},
	{"AddIntegers of int64 in 64 bits", randomAddIntegers[int64, int64]},
	{"AddIntegers of uint64 in 64 bits", randomAddIntegers[uint64, int64]},
	{"AddWide of int8", randomAddWide[int8]},
	{"AddWide of uint8", randomAddWide[uint8]},
	{"AddWide of int16", randomAddWide[int16]},
	{"AddWide of uint16", randomAddWide[uint16]},
	{"AddWide of int32", randomAddWide[int32]},
	{"AddWide of uint32", randomAddWide[uint32]},
	{"AddWide of int64", randomAddWide[int64]},
	{"AddWide of uint64", randomAddWide[uint64]},
	{"AddFloats of float32", randomAddFloats[float32]},
	{"AddFloats of float64", randomAddFloats[float64]},
	{"AddDeviations and AddSquaredDeviations", randomColumnDeviations},
	{"Nonzero of int8", randomNonzero[int8]},
	{"Nonzero of int16", randomNonzero[int16]},
	{"Nonzero of int32", randomNonzero[int32]},
	{"Nonzero of int64", randomNonzero[int64]},
	{"Nonzero of uint8", randomNonzero[uint8]},
	{"Nonzero of uint16", randomNonzero[uint16]},
	{"Nonzero of uint32", randomNonzero[uint32]},
	{"Nonzero of uint64", randomNonzero[uint64]},
	{"Nonzero of float32", randomNonzero[float32]},
	{"Nonzero of float64", randomNonzero[float64]},
	{"CountNonzero of int8", randomCountNonzero[int8]},
	{"CountNonzero of uint16", randomCountNonzero[uint16]},
	{"CountNonzero of int64", randomCountNonzero[int64]},
	{"CountNonzero of float32", randomCountNonzero[float32]},
	{"CountNonzero of float64", randomCountNonzero[float64]},
	{"SumDeviations and SumSquaredDeviations", randomDeviations},
}

// TestKernels runs every kernel on random cases: in plain Go and with loops, with stores to the cache and stores that
// bypass it. All buffers are between inaccessible pages, and random bytes around the results must not change.
func TestKernels(t *testing.T) {
	seed, rounds := oracle.Seed(t), oracle.Cases(t, 150)
	src, dst, large := guardedPages(t, 3), guardedPages(t, 3), guardedPages(t, 8)
	for _, k := range kernels {
		for _, way := range []struct {
			name              string
			loops             bool
			call, past_, copy int
		}{
			{"plain", false, callBytes, nonTemporalBytes, copyCallBytes},
			{"plain in short calls", false, callBytes, nonTemporalBytes, 640},
			{"loops", true, callBytes, nonTemporalBytes, copyCallBytes},
			{"loops in short calls", true, 640, nonTemporalBytes, 640},
			{"loops past the cache", true, callBytes, 256, copyCallBytes},
		} {
			t.Run(k.name+"/"+way.name, func(t *testing.T) {
				if way.loops && !hasLoops {
					t.Skip("no loops in this build, or on this processor")
				}
				defer func(c, p, m int) {
					callBytes, nonTemporalBytes, copyCallBytes = c, p, m
				}(callBytes, nonTemporalBytes, copyCallBytes)
				callBytes, nonTemporalBytes, copyCallBytes = way.call, way.past_, way.copy
				defer useLoops(way.loops)()
				c := &randomCase{T: t, Rand: rand.New(rand.NewPCG(seed, 0)), seed: seed, src: src, dst: dst, large: large}
				for range rounds {
					k.run(c)
				}
			})
		}
	}
}

// useLoops activates the loops of the processor if use is true, and none otherwise, until restore is called.
func useLoops(use bool) (restore func()) {
	was := active
	if active.loops, active.converts = native, true; !use {
		active.loops, active.converts = loops{}, false
	}
	return func() { active = was }
}

// A randomCase makes random cases.
type randomCase struct {
	*testing.T
	*rand.Rand
	seed            uint64
	src, dst, large []byte // between inaccessible pages
}

// offset returns a random offset for n bytes in mem, often at its very start or end.
func (c *randomCase) offset(mem []byte, n int) int {
	switch room := len(mem) - n; c.IntN(4) {
	case 0:
		return 0
	case 1:
		return room
	default:
		return c.IntN(min(room, 200) + 1)
	}
}

// length returns a random length up to max. Small lengths are more likely.
func (c *randomCase) length(max int) int { return c.IntN(1 + c.IntN(max+1)) }

// fill fills mem with random bytes.
func (c *randomCase) fill(mem []byte) {
	for len(mem) >= 8 {
		binary.LittleEndian.PutUint64(mem, c.Uint64())
		mem = mem[8:]
	}
}

// check tests that c.dst equals want.
func (c *randomCase) check(want []byte, format string, args ...any) {
	if !bytes.Equal(c.dst, want) {
		c.Helper()
		at := 0
		for c.dst[at] == want[at] {
			at++
		}
		c.Fatalf("NDMAP_SEED=%d: "+format+": byte %d is %#x, want %#x", append(append([]any{c.seed}, args...), at, c.dst[at],
			want[at])...)
	}
}
