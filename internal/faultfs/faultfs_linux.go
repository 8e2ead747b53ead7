// Package faultfs implements a file system for tests whose reads and writes fail on demand. It is a file system in user
// space (FUSE, the protocol in Linux's include/uapi/linux/fuse.h) with one file, t.npy.
//
// A separate process serves it. A goroutine in a page fault can block the whole program until the page arrives, because
// the garbage collector, for example, waits for the goroutine. A program that served its own page faults would
// therefore wait forever. The server ends with the test, or by itself after half a minute. Then the file system
// disappears, and pending operations return an error.
package faultfs

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Faults describes the operations that fail with EIO.
type Faults struct {
	ReadFrom int  // reads of bytes at or after this offset; negative means no reads
	Write    bool // writes
	Fsync    bool // fsync
}

func init() {
	var (
		dir, content string
		what         Faults
	)
	n, _ := fmt.Sscanf(os.Getenv("NDMAP_TEST_CHILD"), "fuse %q %q %d %t %t", &dir, &content, &what.ReadFrom, &what.Write,
		&what.Fsync)
	if n != 5 {
		return
	}
	end := func() {
		unix.Unmount(dir, unix.MNT_DETACH)
		os.Exit(1)
	}
	time.AfterFunc(30*time.Second, end)
	go func() {
		io.Copy(io.Discard, os.Stdin) // wait until the test has ended
		end()
	}()
	b, err := os.ReadFile(content)
	if err == nil {
		err = serve(dir, b, what)
	}
	fmt.Println(err)
	end()
}

// Mount mounts the file system. It returns the path of t.npy, and a function that ends the server. It skips t if the
// system lacks /dev/fuse or does not permit mounting.
func Mount(t *testing.T, content []byte, what Faults) (path string, end func()) {
	t.Helper()
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "content")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("NDMAP_TEST_CHILD=fuse %q %q %d %t %t",
		dir, file, what.ReadFrom, what.Write, what.Fsync))
	cmd.Stderr = os.Stderr
	_, err := cmd.StdinPipe() // stays open until Wait
	var out io.Reader
	if err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if errors.Is(err, unix.ENOEXEC) {
		t.Skipf("this program runs in an emulator and cannot start itself: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	ended := false
	end = func() {
		if !ended {
			ended = true
			cmd.Process.Kill()
			cmd.Wait()
		}
	}
	t.Cleanup(func() {
		end()
		unix.Unmount(dir, unix.MNT_DETACH)
	})
	hello := make([]byte, 200)
	n, _ := out.Read(hello)
	if said := strings.TrimSpace(string(hello[:n])); said != "mounted" {
		t.Skipf("no file system in user space: %s: needs /dev/fuse and permission to mount", said)
	}
	return filepath.Join(dir, "t.npy"), end
}

// Operations (enum fuse_opcode). The kernel can do without the remaining operations.
const (
	fuseLookup  = 1
	fuseForget  = 2
	fuseGetattr = 3
	fuseOpen    = 14
	fuseRead    = 15
	fuseWrite   = 16
	fuseRelease = 18
	fuseFsync   = 20
	fuseFlush   = 25
	fuseInit    = 26
	fuseForgets = 42
)

const (
	rootNode = 1
	fileNode = 2
	maxWrite = 128 << 10
)

// serve mounts the file system on dir, reports this on standard output, and serves requests of the kernel until the
// file system is unmounted.
func serve(dir string, content []byte, what Faults) error {
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	options := fmt.Sprintf("fd=%d,rootmode=40755,user_id=%d,group_id=%d", fd, os.Getuid(), os.Getgid())
	if err := unix.Mount("ndmap-test", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return err
	}
	fmt.Println("mounted")
	ne := binary.NativeEndian
	request := make([]byte, maxWrite+4096)
	for {
		n, err := unix.Read(fd, request)
		switch err {
		case nil:
		case unix.EINTR, unix.ENOENT: // ENOENT: the request was interrupted
			continue
		default:
			return err // ENODEV: unmounted
		}
		// struct fuse_in_header: len, opcode, unique, nodeid, and more
		opcode, unique, node := ne.Uint32(request[4:]), ne.Uint64(request[8:]), ne.Uint64(request[16:])
		body, errno := []byte(nil), unix.Errno(0)
		switch in := request[40:n]; opcode {
		case fuseForget, fuseForgets:
			continue // no reply is sent for these requests
		case fuseInit:
			// struct fuse_init_out: version 7.31, max_readahead 0, so that each page is read separately, no flags, …,
			// max_write, time_gran, max_pages
			body = pack(uint32(7), uint32(31), uint32(0), uint32(0), uint32(0), uint32(maxWrite), uint32(1), uint32(0),
				[8]uint32{})
		case fuseLookup:
			// struct fuse_entry_out: nodeid, generation, validity
			if errno = unix.ENOENT; string(bytes.TrimRight(in, "\x00")) == "t.npy" {
				errno = 0
				body = pack(uint64(fileNode), uint64(0), uint64(60), uint64(60), uint64(0), attributes(fileNode, len(content)))
			}
		case fuseGetattr:
			body = pack(uint64(60), uint64(0), attributes(node, len(content))) // struct fuse_attr_out
		case fuseOpen:
			body = make([]byte, 16) // struct fuse_open_out
		case fuseRead: // struct fuse_read_in: fh, offset, size
			off := min(int(ne.Uint64(in[8:])), len(content))
			end := min(off+int(ne.Uint32(in[16:])), len(content))
			if body = content[off:end]; what.ReadFrom >= 0 && end > what.ReadFrom {
				body, errno = nil, unix.EIO
			}
		case fuseWrite: // struct fuse_write_in, of 40 bytes, and the data
			if errno = unix.EIO; !what.Write {
				errno = 0
				written := copy(content[ne.Uint64(in[8:]):], in[40:])
				body = pack(uint32(written), uint32(0))
			}
		case fuseFsync:
			if what.Fsync {
				errno = unix.EIO
			}
		case fuseFlush, fuseRelease:
		default:
			errno = unix.ENOSYS
		}
		// struct fuse_out_header
		answer := append(pack(uint32(16+len(body)), -int32(errno), unique), body...)
		if _, err := unix.Write(fd, answer); err != nil && err != unix.ENOENT {
			return err
		}
	}
}

// attributes returns a struct fuse_attr.
func attributes(node uint64, size int) []byte {
	mode := uint32(unix.S_IFREG | 0o666)
	if node == rootNode {
		mode, size = unix.S_IFDIR|0o755, 0
	}
	// ino, size, blocks, times in s and in ns, mode, nlink, uid, gid, rdev, blksize, flags
	return pack(node, uint64(size), uint64(size+511)/512, [3]uint64{}, [3]uint32{}, mode, uint32(1),
		uint32(os.Getuid()), uint32(os.Getgid()), uint32(0), uint32(os.Getpagesize()), uint32(0))
}

// pack returns the bytes of a struct with the given fields and no padding.
func pack(fields ...any) []byte {
	var b bytes.Buffer
	for _, f := range fields {
		if err := binary.Write(&b, binary.NativeEndian, f); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}
