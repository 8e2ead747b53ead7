package demo

import (
	"math"
	"math/rand/v2"
)

// An earthquake is one record of quakes.npy.
type earthquake struct {
	Time      int64   `npy:"time,M8[ms]"`
	Station   [6]byte `npy:"station,S6"`
	Lat       float32 `npy:"lat"`
	Lon       float32 `npy:"lon"`
	Depth     float32 `npy:"depth"`
	Magnitude float64 `npy:"magnitude"`
	Felt      bool    `npy:"felt"`
}

// earthquakes returns n random earthquakes. Strong ones are rare.
func earthquakes(n int) []earthquake {
	rng := rand.New(rand.NewPCG(1, 2))
	stations := []string{"KIEV", "BFO", "ANMO", "COLA", "PAB", "SNZO", "TATO"}
	out := make([]earthquake, n)
	t := int64(1_700_000_000_000)
	for i := range out {
		t += int64(rng.ExpFloat64() * 180_000)
		m := math.Round((2+rng.ExpFloat64()/2.3)*100) / 100
		e := earthquake{
			Time: t, Lat: float32(math.Round(rng.NormFloat64()*28*1000) / 1000),
			Lon:   float32(math.Round((rng.Float64()*360-180)*1000) / 1000),
			Depth: float32(math.Round(rng.ExpFloat64()*400) / 10), Magnitude: m, Felt: m > 3.5 && rng.Float64() < 0.6,
		}
		copy(e.Station[:], stations[rng.IntN(len(stations))])
		out[i] = e
	}
	return out
}

// signals returns m rows of n samples: sine waves with noise and occasional bursts.
func signals(m, n int) []float32 {
	rng := rand.New(rand.NewPCG(5, 6))
	out := make([]float32, 0, m*n)
	for k := range m {
		burst, drift := 0.0, 0.0
		for i := range n {
			if rng.IntN(1+n/20) == 0 {
				burst = 2 + 4*rng.Float64()
			}
			burst *= 1 - 30/float64(n)
			drift += rng.NormFloat64() * 0.02 * math.Sqrt(1000/float64(n))
			t := float64(i) / float64(n)
			x := math.Sin(2*math.Pi*t*float64(3+2*k)) + drift + rng.NormFloat64()*(0.05+0.3*burst)
			out = append(out, float32(x+4*float64(k)))
		}
	}
	return out
}
