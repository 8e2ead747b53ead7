package oracle

import "testing"

func TestParseSeed(t *testing.T) {
	for _, tt := range []struct {
		in      string
		want    uint64
		wantErr string
	}{
		{in: "", want: 1},
		{in: "0", want: 0},
		{in: "18446744073709551615", want: 1<<64 - 1},
		{in: "random", want: newSeed()}, // constant within a process
		{in: "-1", wantErr: `NDMAP_SEED="-1" is neither a number nor random`},
		{in: "Random", wantErr: `NDMAP_SEED="Random" is neither a number nor random`},
	} {
		got, err := parseSeed(tt.in)
		switch {
		case tt.wantErr != "":
			if err == nil || err.Error() != tt.wantErr {
				t.Errorf("%q: error %v, want %s", tt.in, err, tt.wantErr)
			}
		case got != tt.want || err != nil:
			t.Errorf("%q: %d, %v, want %d", tt.in, got, err, tt.want)
		}
	}
}

// TestRand tests that a seed and a stream determine the numbers of Rand, and that different seeds and different streams
// give different numbers.
func TestRand(t *testing.T) {
	t.Setenv("NDMAP_SEED", "7")
	if Rand(t, 1).Uint64() != Rand(t, 1).Uint64() || Rand(t, 1).Uint64() == Rand(t, 2).Uint64() {
		t.Error("NDMAP_SEED=7: a stream is not reproducible, or two streams are equal")
	}
	first := Rand(t, 1).Uint64()
	t.Setenv("NDMAP_SEED", "8")
	if Rand(t, 1).Uint64() == first {
		t.Error("NDMAP_SEED=8 gives the same number as NDMAP_SEED=7")
	}
}

func TestCases(t *testing.T) {
	for _, tt := range []struct {
		qemu, cases string
		want        int
	}{
		{want: 50}, {qemu: "1", want: 12}, {cases: "4", want: 200}, {qemu: "1", cases: "4", want: 48},
	} {
		t.Setenv("NDMAP_QEMU", tt.qemu)
		t.Setenv("NDMAP_CASES", tt.cases)
		want := tt.want
		if testing.Short() && tt.qemu == "" {
			want = want / 50 * 12
		}
		if got := Cases(t, 50); got != want {
			t.Errorf("NDMAP_QEMU=%s NDMAP_CASES=%s: %d, want %d", tt.qemu, tt.cases, got, want)
		}
	}
}
