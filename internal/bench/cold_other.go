//go:build !linux

package main

import (
	"errors"
	"log"
	"regexp"
)

func runCold(string, int, int) { log.Fatal("bench: -cold needs Linux") }

func runTight(string, float64, int, *regexp.Regexp) error { return errTight }

func runColdRandom(string, int, int, uint64, []string) error { return errTight }

var errTight = errors.New("bench: this measurement requires Linux")

func settle() {}
