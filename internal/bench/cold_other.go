//go:build !linux

package main

import (
	"errors"
	"log"
	"regexp"
)

func cold(string, int, int) { log.Fatal("bench: -cold needs Linux") }

func tight(string, float64, int, *regexp.Regexp) error { return errTight }

func coldRandom(string, int, int, uint64, []string) error { return errTight }

var errTight = errors.New("bench: -tight needs Linux")

func settle() {}
