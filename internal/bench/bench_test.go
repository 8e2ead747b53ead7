package main

import (
	"math/rand/v2"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// TestDraw tests that parse accepts all random works and all fixed works.
func TestDraw(t *testing.T) {
	r := rand.New(rand.NewPCG(oracle.Seed(t), 0))
	works := fixed
	for range 1000 {
		works = append(works, drawWork(r), drawReduction(r), drawSave(r))
	}
	for _, text := range works {
		if _, _, _, err := parse(text); err != nil {
			t.Error(err)
		}
	}
	for text, want := range map[string]string{
		"sort i1 C 3":        `bench: unknown workload "sort i1 C 3"`,
		"copy i1 C 3":        `bench: unknown workload "copy i1 C 3"`,
		"sum i1 C 3 to i1 C": `bench: unknown workload "sum i1 C 3 to i1 C"`,
		"sum i1 K 3":         `bench: "i1 K 3" is not an array; want one like '>u2 F 8,3'`,
		"mode@0 i1 C 3":      `bench: unknown workload "mode@0 i1 C 3"`,
	} {
		if _, _, _, err := parse(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestTimeWork tests that timeWork times a work, and returns an error unless ndmap and NumPy have the same result.
func TestTimeWork(t *testing.T) {
	oracle.Need(t)
	dir := t.TempDir()
	py, _, err := startNumPy(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"copy >f8 F 6,100,3 [::2,:,::-1] T2,0,1 to u4 C", "copy b1 C 40,30 to c16 F", "fill i2 C 1000,8 [:,::2]",
		"sum >u2 F 400,4", "minmax f4 F 128,128",
		"nanstd@0,2 f4 C 30,40,50", "mean@ c8 F 300", "argmin@0 >i2 C 40,30 [::-1,:] B3,40,30",
		"count@1,2 b1 C 40,30 B2,40,30", "save >i2 F 30,40 [::2,:] to f4 C", "save c8 C 30 to u1 F",
	} {
		r, err := timeWork(dir, py, text, 1)
		if err != nil {
			t.Error(err)
		} else if r.first <= 0 {
			t.Errorf("%s: %v", text, r)
		}
	}
}
