package mmap

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

func resident(mem []byte) (int, error) {
	page := os.Getpagesize()
	var one [1]byte
	in := one[:]
	if n := len(mem) / page; n > 1 {
		in = make([]byte, n)
	}
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&mem[0])), uintptr(len(mem)),
		uintptr(unsafe.Pointer(&in[0])))
	if errno != 0 {
		return 0, errno
	}
	bytes := 0
	for _, b := range in {
		bytes += int(b&1) * page
	}
	return bytes, nil
}
