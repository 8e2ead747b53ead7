//go:build !linux

package main

import "log"

func cold(string, int, int) { log.Fatal("bench: -cold is for Linux") }

func settle() {}
