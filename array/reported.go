package array

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
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
	s, err := src.view.forWriting(dst.view)
	if err == nil {
		_, err = assignment(dst.view.el, s.el)
	}
	if err != nil {
		return err
	}
	total := dst.NBytes()
	p := cfg.progress()
	overlap := total > 0 && !dst.view.isSame(&s) && dst.view.mayOverlap(&s)
	if overlap {
		p.Total = int64(s.NBytes())
	}
	p.Total += int64(total)
	if err := p.Begin(); err != nil || total == 0 {
		return err
	}
	if overlap {
		c, err := s.compact(index.K)
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
	c, err := a.view.compact(order)
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
	return newProgress(cfg.Progress, 0, reportedBytes)
}

// reportedBytes is how much of what is in memory is done from one report to the next. Tests have less.
var reportedBytes = pieceBytes

// copy copies src to dst, which are of one shape, and share no memory but that of the same elements, by pieces.
func (p *progress) copy(dst, src view) error {
	if dst.isWhole() && src.isWhole() && dst.p != src.p {
		c, err := assignment(dst.el, src.el)
		if err != nil {
			return err
		}
		if cold, err := strided.CopyCold(dst.piece(), src.piece(), &c, p.add); cold {
			return err
		}
	}
	return p.pieces(Array{shaped{dst}}, Array{shaped{src}}, Copy)
}

// reals returns a as real numbers of Go, and what reports to cfg.Progress: nil if there is none.
func (cfg *Config) reals(a Array, method string) (view, *progress, error) {
	c := a.view
	if err := cfg.checkMemory(method); err != nil {
		return c, nil, err
	}
	d := c.mustBeSet().dtype
	if !d.IsNumber() || d.Kind() == dtype.KindComplex {
		return c, nil, ofKind(fmt.Errorf("%s%s of real numbers: have dtype %v", prefix(c.el.mem.Path), method, d),
			ErrDType)
	}
	c, err := c.retype(func(c view) (view, error) {
		return c.accessible(min(c.el.size, strided.Alignof[uint64]())), nil
	})
	if cfg.Progress == nil {
		return c, nil, err
	}
	return c, cfg.progress(), err
}

// begin reports that nothing is done of so many passes through c. Nil reports nothing.
func (p *progress) begin(c view, passes int) error {
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
