//go:build !linux

package atomicfile

import (
	"errors"
	"io/fs"
)

// ACLs of other systems are not looked at.

func readACL(string) (acl string, hidden bool) { return "", false }

func (f *File) setACL(acl string) bool { return acl == "" }

func entries(string) []fs.FileMode { return nil }

func (f *File) syncAll() error { return errors.ErrUnsupported }
