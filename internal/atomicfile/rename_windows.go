package atomicfile

import "golang.org/x/sys/windows"

// renameNew is like renameNew on Linux. Without a flag, MoveFileEx does not replace files.
func renameNew(from, to string) error {
	old, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	return windows.MoveFileEx(old, name, 0)
}
