package kernel

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestMoveIsInterrupted tests that the garbage collector can stop the world during one call that moves many bytes.
func TestMoveIsInterrupted(t *testing.T) {
	switch {
	case oracle.Race:
		t.Skip("this test reads bytes while they are written, which is a data race")
	case runtime.GOARCH == "wasm":
		t.Skip("WebAssembly has one thread, and does not interrupt goroutines")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const size = 16 << 20
	src, dst := make([]byte, size), make([]byte, size)
	for i := range src {
		src[i] = 1
	}
	zeros := make([]byte, size)
	s, d := unsafe.Pointer(&src[0]), unsafe.Pointer(&dst[0])
	first, last := (*uint32)(d), (*uint32)(Add(d, size-4))
	half := size / 2
	for _, tt := range []struct {
		name string
		move func()
	}{
		{"consecutive items", func() { Move(1, size, Side{d, 0, 1}, Side{s, 0, 1}, 1, 0) }},
		{"long rows", func() { Move(2, half, Side{d, half, 1}, Side{s, half, 1}, 1, 0) }},
		{"one item", func() { Move(1, 1, Side{d, 0, size}, Side{s, 0, size}, size, 0) }},
		{"items apart", func() { Move(1, 2, Side{d, 0, half}, Side{s, 0, -half}.At(0, -1), half-4, 0); *last = 1 }},
		{"one large item, twice", func() { Move(1, 2, Side{d, 0, half}, Side{s, 0, 0}, half, 0) }},
		{"bytes reversed", func() { Move(1, size/8, Side{d, 0, 8}, Side{s, 0, 8}, 8, 8) }},
		{"one number, repeated", func() { Move(1, size/8, Side{d, 0, 8}, Side{s, 0, 0}, 8, 0) }},
		{"one item, repeated", func() { Move(1, size/24, Side{d, 0, 24}, Side{s, 0, 0}, 24, 0); *last = 1 }},
		{"converted", func() { Convert(d, F64, s, I32, size/8, false) }},
		{"transposed", func() { Transpose(d, 4096, s, size/4096, size/4096, 4096, 1, 0) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stopped := false
			for start := time.Now(); !stopped &&
				time.Since(start) < 20*time.Second; { // try again if the move ended too soon, as another process was running
				copy(dst, zeros)
				done := make(chan bool)
				go func() { tt.move(); close(done) }()
				for atomic.LoadUint32(first) == 0 {
					runtime.Gosched()
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m) // stops the world
				stopped = atomic.LoadUint32(last) == 0
				<-done
				if *last == 0 {
					t.Fatalf("%s: the last bytes were not moved", tt.name)
				}
			}
			if !stopped {
				t.Fatalf("%s: the world stopped only after all %d MiB were moved", tt.name, size>>20)
			}
		})
	}
}
