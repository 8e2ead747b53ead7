package demo

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"runtime"
	"sync"

	"github.com/ndmap/ndmap/array"
)

// rows calls f for each row of a picture, in GOMAXPROCS goroutines.
func rows(n int, f func(y int)) {
	var wg sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		wg.Go(func() {
			for y := w; y < n; y += workers {
				f(y)
			}
		})
	}
	wg.Wait()
}

// reaction simulates the Gray-Scott model of two reacting and diffusing substances on a torus, and returns frames of
// the simulation.
func reaction(frames, ny, nx int) []float32 {
	const spreadU, spreadV, feed, kill, steps = 0.16, 0.08, 0.0367, 0.0649, 100
	u, v := make([]float32, ny*nx), make([]float32, ny*nx)
	u2, v2 := make([]float32, ny*nx), make([]float32, ny*nx)
	for i := range u {
		u[i] = 1
	}
	rng := rand.New(rand.NewPCG(3, 14))
	for range 24 {
		y0, x0, r := rng.IntN(ny), rng.IntN(nx), 3+rng.IntN(5)
		for y := -r; y <= r; y++ {
			for x := -r; x <= r; x++ {
				i := (y0+y+ny)%ny*nx + (x0+x+nx)%nx
				u[i], v[i] = 0.5, 0.25+0.1*rng.Float32()
			}
		}
	}
	out := make([]float32, 0, frames*ny*nx)
	for range frames {
		for range steps {
			rows(ny, func(y int) {
				up, here, down := (y+ny-1)%ny*nx, y*nx, (y+1)%ny*nx
				left := nx - 1
				for x := range nx {
					right := x + 1
					if right == nx {
						right = 0
					}
					i := here + x
					lu := u[up+x] + u[down+x] + u[here+left] + u[here+right] - 4*u[i]
					lv := v[up+x] + v[down+x] + v[here+left] + v[here+right] - 4*v[i]
					uvv := u[i] * v[i] * v[i]
					u2[i] = u[i] + spreadU*lu - uvv + feed*(1-u[i])
					v2[i] = v[i] + spreadV*lv + uvv - (feed+kill)*v[i]
					left = x
				}
			})
			u, u2, v, v2 = u2, u, v2, v
		}
		out = append(out, v...)
	}
	return out
}

// mandelbrot returns, for points around the Mandelbrot set, the number of iterations until they escape.
func mandelbrot(ny, nx int) []uint16 {
	const most = 600
	out := make([]uint16, ny*nx)
	rows(ny, func(y int) {
		ci := (float64(y)/float64(ny) - 0.5) * 2.6
		for x := range nx {
			cr := (float64(x)/float64(nx)-0.5)*2.6 - 0.7
			if q := (cr-0.25)*(cr-0.25) + ci*ci; q*(q+cr-0.25) < ci*ci/4 || (cr+1)*(cr+1)+ci*ci < 1.0/16 {
				continue // in the cardioid, or in the disc next to it
			}
			zr, zi := 0.0, 0.0
			for k := range most {
				if zr*zr+zi*zi > 1000 {
					smooth := float64(k) + 1 - math.Log2(math.Log(zr*zr+zi*zi)/2)
					out[y*nx+x] = uint16(1000 * math.Sqrt(math.Max(0, smooth)))
					break
				}
				zr, zi = zr*zr-zi*zi+cr, 2*zr*zi+ci
			}
		}
	})
	return out
}

// colouring returns a picture of a complex function: the hue of a pixel shows the angle of the value, and the lightness
// its absolute value.
func colouring(ny, nx int) []uint8 {
	out := make([]uint8, 0, 3*ny*nx)
	for y := range ny {
		for x := range nx {
			z := complex((float64(x)/float64(nx)-0.5)*5, (0.5-float64(y)/float64(ny))*5)
			w := (z*z - 1) * (z - 2 - 1i) * (z - 2 - 1i) / (z*z + 2 + 2i)
			ring := math.Log2(cmplx.Abs(w) + 1e-9)
			light := 0.55 + 0.35*(ring-math.Floor(ring))
			for _, turn := range []float64{0, 2, 4} {
				c := 0.5 + 0.5*math.Cos(cmplx.Phase(w)-turn*math.Pi/3)
				out = append(out, uint8(255*math.Min(1, light*(0.25+0.75*c))))
			}
		}
	}
	return out
}

// lens returns the members of an archive: the complex wave behind a circular aperture, and the logarithm of its
// intensity.
func lens(n int) (map[string]array.Array, error) {
	wave, seen := make([]complex128, n*n), make([]float32, n*n)
	for y := range n {
		for x := range n {
			dx, dy := 12*(float64(x)/float64(n)-0.5), 12*(float64(y)/float64(n)-0.5)
			r := math.Hypot(dx, dy)
			size := 1.0
			if k := 4 * r; k > 1e-9 {
				size = 2 * math.J1(k) / k
			}
			w := cmplx.Rect(size, 1.5*r*r+0.8*dx)
			wave[y*n+x] = w
			seen[y*n+x] = float32(math.Log10(real(w)*real(w) + imag(w)*imag(w) + 1e-7))
		}
	}
	w, err := array.FromSlice(wave, n, n)
	if err != nil {
		return nil, err
	}
	s, err := array.FromSlice(seen, n, n)
	return map[string]array.Array{"wave": w.Array(), "intensity": s.Array()}, err
}
