// Package demo writes the example arrays that `make view` shows if no file is given.
package demo

import (
	"errors"
	"path/filepath"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
)

// Write writes the arrays into dir. It divides the lengths of their axes by shrink.
func Write(dir string, shrink int) error {
	frames, side := max(2, 64/shrink), 256/shrink
	patterns, err := array.FromSlice(reaction(frames, side, side), frames, side, side)
	if err != nil {
		return err
	}
	n := 2048 / shrink
	escape, err := array.FromSlice(mandelbrot(n, n), n, n)
	if err != nil {
		return err
	}
	n = 512 / shrink
	domain, err := array.FromSlice(colouring(n, n), n, n, 3)
	if err != nil {
		return err
	}
	quakes := earthquakes(200_000 / shrink)
	records, err := array.FromSlice(quakes, len(quakes))
	if err != nil {
		return err
	}
	n = 1_000_000 / shrink
	sensors, err := array.FromSlice(signals(6, n), 6, n)
	if err != nil {
		return err
	}
	n = 512 / shrink
	optics, err := lens(n)
	if err != nil {
		return err
	}
	return errors.Join(
		save(dir, "patterns.npy", patterns.Array()),
		save(dir, "mandelbrot.npy", escape.Array()),
		save(dir, "domain.npy", domain.Array()),
		save(dir, "quakes.npy", records.Array()),
		save(dir, "sensors.npy", sensors.Array()),
		npz.Save(filepath.Join(dir, "lens.npz"), optics),
	)
}

func save(dir, name string, a array.Array) error {
	return array.SaveConfig{Replace: true, NoSync: true}.Save(filepath.Join(dir, name), a)
}
