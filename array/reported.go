package array

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Copy is the function [Copy] with cfg.Progress, in bytes of dst: after an error of it dst may be partly written. Where
// the two share memory and are not the same elements, src is copied to Go's memory first, and counts, too.
func (cfg Config) Copy(dst, src Array) error {
	if err := cfg.checkMemory(forCopy); err != nil || cfg.Progress == nil {
		if err != nil {
			return err
		}
		return Copy(dst, src)
	}
	s, err := src.view.ForWriting(dst.view)
	if err == nil {
		_, err = nd.Assignment(dst.view.Store, s.Store)
	}
	if err != nil {
		return err
	}
	total := dst.NBytes()
	p := cfg.progress()
	overlap := total > 0 && !dst.view.IsSame(&s) && dst.view.MayOverlap(&s)
	if overlap {
		p.Total = int64(s.NBytes())
	}
	p.Total += int64(total)
	if err := p.Begin(); err != nil || total == 0 {
		return err
	}
	if overlap {
		c, err := s.Compact(index.K)
		if err == nil {
			err = p.copy(c, s)
		}
		if err != nil {
			return err
		}
		s = c
	}
	if err := p.copy(dst.view, s); err != nil {
		return err
	}
	return p.End()
}

// Clone is [Array.Clone] with cfg.Progress, in bytes of the copy.
func (cfg Config) Clone(a Array, order index.Order) (Array, error) {
	if err := cfg.checkMemory(forClone); err != nil || cfg.Progress == nil {
		if err != nil {
			return Array{}, err
		}
		return a.Clone(order)
	}
	p := cfg.progress()
	p.Total = int64(a.NBytes())
	if err := p.Begin(); err != nil { // before the memory, which takes time, too
		return Array{}, err
	}
	c, err := a.view.Compact(order)
	if err == nil && p.Total > 0 {
		err = p.copy(c, a.view)
	}
	if err == nil {
		err = p.End()
	}
	if err != nil {
		return Array{}, err
	}
	return Array{shaped{c}}, nil
}

// checkMemory is check of a method that works in memory.
func (cfg *Config) checkMemory(method string) error {
	if err := cfg.check(method); err != nil {
		return fmt.Errorf("array: %w", err)
	}
	return nil
}

func (cfg *Config) progress() *progress {
	return newProgress(cfg.Progress, 0, nd.ReportedBytes)
}

// copy copies src to dst, which are of one shape, and share no memory but that of the same elements, by pieces.
func (p *progress) copy(dst, src nd.Array) error {
	if dst.IsWhole() && src.IsWhole() && dst.P != src.P {
		c, err := nd.Assignment(dst.Store, src.Store)
		if err != nil {
			return err
		}
		if cold, err := strided.CopyCold(dst.Piece(), src.Piece(), &c, p.add); cold {
			return err
		}
	}
	return p.pieces(Array{shaped{dst}}, Array{shaped{src}}, Copy)
}

// reals returns a as real numbers of Go, and what reports to cfg.Progress: nil if there is none.
func (cfg *Config) reals(a Array, method string) (nd.Array, *progress, error) {
	c := a.view
	if err := cfg.checkMemory(method); err != nil {
		return c, nil, err
	}
	d := c.MustBeSet().DType
	if !d.IsNumber() || d.Kind() == dtype.KindComplex {
		return c, nil, nd.OfKind(fmt.Errorf("%s%s of real numbers: have dtype %v", nd.Prefix(c.Store.Mem.Path), method, d),
			ErrDType)
	}
	c, err := c.Retype(func(c nd.Array) (nd.Array, error) {
		return c.Accessible(min(c.Store.Size, strided.Alignof[uint64]())), nil
	})
	if cfg.Progress == nil {
		return c, nil, err
	}
	return c, cfg.progress(), err
}

// begin reports that nothing is done of so many passes through c. Nil reports nothing.
func (p *progress) begin(c nd.Array, passes int) error {
	if p == nil {
		return nil
	}
	p.Total = int64(passes * c.NBytes())
	return p.Begin()
}

// end reports that all is done. Nil reports nothing.
func (p *progress) end() error {
	if p == nil {
		return nil
	}
	return p.End()
}

// adder returns add, nil for nil.
func (p *progress) adder() func(n int) error {
	if p == nil {
		return nil
	}
	return p.add
}
