//go:build !linux

package atomicfile

import (
	"errors"
	"io/fs"
)

// Only the ACLs of Linux are supported.

func readACL(string) (acl string, hidden bool) { return "", false }

func (f *File) setACL(acl string) bool { return acl == "" }

func entries(string) []fs.FileMode { return nil }

func (f *File) syncAll() error { return errors.ErrUnsupported }
