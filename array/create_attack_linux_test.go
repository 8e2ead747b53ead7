package array

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/oracle"
)

// IDs of two users other than root, and of a group.
const (
	attackerID = 65011
	victimID   = 65012
	groupID    = 65020
)

// secret is the value of every byte that other users must not read.
const secret = 0x5E

// attackers maps the name of an attack to a function that runs one round of it in dir. The function calls hit for each
// success and returns the number of its tries. The init function below repeats it as another user until standard input
// ends.
var attackers = map[string]func(dir, victim string, hit func(format string, args ...any)) (tries int){
	// read opens all files that can be opened as early as possible, and looks for secrets in them for 2 ms.
	"read": func(dir, _ string, hit func(string, ...any)) int {
		open := map[string]*os.File{}
		tries := 0
		for _, name := range listNames(dir) {
			if f, err := os.Open(filepath.Join(dir, name)); err == nil {
				open[name] = f
			}
			tries++
		}
		b := make([]byte, 64)
		for end := time.Now().Add(2 * time.Millisecond); len(open) > 0 && time.Now().Before(end); {
			for name, f := range open {
				if n, _ := f.ReadAt(b, 128); bytes.IndexByte(b[:n], secret) >= 0 {
					fi, _ := f.Stat()
					hit("%s of %v can be read", name, fi.Mode())
					f.Close()
					delete(open, name)
				}
			}
		}
		for _, f := range open {
			f.Close()
		}
		return tries
	},
	// swap replaces temporary files by links to the victim's file.
	"swap": func(dir, victim string, _ func(string, ...any)) int {
		tries := 0
		for _, name := range listNames(dir) {
			if name = filepath.Join(dir, name); strings.HasSuffix(name, ".ndmap-tmp") {
				if fi, err := os.Lstat(name); err == nil && fi.Mode().IsRegular() && os.Remove(name) == nil && os.Symlink(victim,
					name) == nil {
					tries++
				}
			}
		}
		return tries
	},
	// swap2 replaces temporary files by hard links to a file of the attacker that everybody may read.
	"swap2": func(dir, _ string, _ func(string, ...any)) int {
		tries := 0
		own := filepath.Join(dir, "own")
		os.WriteFile(own, []byte("own"), 0o666)
		for _, name := range listNames(dir) {
			if name = filepath.Join(dir, name); strings.HasSuffix(name, ".ndmap-tmp") && os.Remove(name) == nil && os.Link(own,
				name) == nil {
				tries++
			}
		}
		return tries
	},
}

func listNames(dir string) []string {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	return names
}

// init runs an attack if this process is a child of the function attack.
func init() {
	how, rest, _ := strings.Cut(os.Getenv("NDMAP_TEST_ATTACK"), " ")
	attack := attackers[how]
	if attack == nil {
		return
	}
	dir, victim, _ := strings.Cut(rest, " ")
	over := make(chan bool)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(over)
	}()
	fmt.Println("ready")
	tries := 0
	for {
		select {
		case <-over:
			fmt.Println("tries", tries)
			os.Exit(0)
		default:
		}
		tries += attack(dir, victim, func(format string, args ...any) { fmt.Printf("hit: "+format+"\n", args...) })
	}
}

// skipUnlessRoot skips the test unless it runs as root, which can start processes as other users.
func skipUnlessRoot(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root, to be another user: not tested here")
	}
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("this program is being emulated, and cannot start itself")
	}
}

// newPublicFolder returns a new folder with all permissions for everybody.
func newPublicFolder(t *testing.T) string {
	t.Helper()
	dir := must(os.MkdirTemp("", "ndmap"))
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// commandAs returns a command that runs this program as another user. /proc/self/exe is readable even if the folder of
// the program is not.
func commandAs(uid, gid int, env string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), env)
	cmd.Dir = "/"
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return cmd
}

// runUnderAttack calls work repeatedly while another user attacks the folder, for NDMAP_ATTACK seconds (default 0.1).
// It returns the number of calls and the number of the attacker's tries.
func runUnderAttack(t *testing.T, how, dir, victim string, work func() error) (rounds, tries int) {
	t.Helper()
	cmd := commandAs(attackerID, attackerID, "NDMAP_TEST_ATTACK="+how+" "+dir+" "+victim)
	in, out := must(cmd.StdinPipe()), must(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		t.Skipf("no process of another user: %v", err)
	}
	defer cmd.Wait()
	defer in.Close()
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("the attacker printed %q", lines.Text())
	}
	last := time.Duration(oracle.EnvInt(t, "NDMAP_ATTACK", 0)) * time.Second
	if last == 0 {
		last = 100 * time.Millisecond
	}
	defer func() { atomicfile.Unnamed = true }()
	for start := time.Now(); time.Since(start) < last; rounds++ {
		atomicfile.Unnamed = rounds%2 == 1 // if false, the temporary file has a name from the start
		if err := work(); err != nil {
			t.Errorf("round %d: %v", rounds, err)
			break
		}
	}
	in.Close()
	hits := 0
	for lines.Scan() {
		if n, _ := fmt.Sscanf(lines.Text(), "tries %d", &tries); n == 0 {
			if hits++; hits <= 3 {
				t.Errorf("%s", lines.Text())
			}
		}
	}
	t.Logf("%s: %d rounds, %d tries, %d hits", how, rounds, tries, hits)
	if tries == 0 && hits == 0 {
		t.Skip("the other user cannot reach the folder for temporary files: not tested here")
	}
	return rounds, tries
}

// secretArray returns an array of n secret bytes.
func secretArray(n int) Array {
	b := bytes.Repeat([]byte{secret}, n)
	return must(FromBytes(b, dtype.Uint8, index.C, n))
}

// replacing lists the functions that replace a file.
var replacing = []struct {
	name string
	run  func(path string, a Array) error
}{
	{"Save", Save},
	{"Convert", func(path string, a Array) error {
		return SaveConfig{Replace: true, Sparse: true}.Convert(path, a, a.DType(), index.C)
	}},
	{"Create", func(path string, a Array) error {
		f, err := SaveConfig{Replace: true}.Create(path, a.DType(), index.C, a.Shape()...)
		if err != nil {
			return err
		}
		defer f.Close()
		return Copy(f.Array, a)
	}},
}

// TestAttackRead tests that another user who watches the folder cannot open the new file if the old file denies read
// access. The temporary file must deny it from the start.
func TestAttackRead(t *testing.T) {
	oracle.OneGoroutine(t)
	skipUnlessRoot(t)
	a := secretArray(1 << 20)
	for _, tt := range replacing {
		t.Run(tt.name, func(t *testing.T) {
			dir := newPublicFolder(t)
			path := filepath.Join(dir, "t.npy")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			runUnderAttack(t, "read", dir, "", func() error { return tt.run(path, a) })
			if fi := must(os.Lstat(path)); fi.Mode() != 0o600 {
				t.Errorf("the file is %v", fi.Mode())
			}
		})
	}
}

// TestAttackDenied tests a user who may not read the old file, because of its ACL or because the user is not in its
// group. This user must not be able to read the new file either, even if everybody else may read it, or if new files in
// the folder belong to a group of this user.
func TestAttackDenied(t *testing.T) {
	oracle.OneGoroutine(t)
	skipUnlessRoot(t)
	a := secretArray(1 << 20)
	for _, tt := range []struct {
		name   string
		folder os.FileMode // the folder belongs to the attacker's group
		mode   os.FileMode
		acl    []byte
	}{
		{"ACL", 0o777, 0o664, acl(6, 0, 6, 6, 4)},
		{"group", 0o777 | os.ModeSetgid, 0o640, nil},
		{"ACL and group", 0o777 | os.ModeSetgid, 0o664, acl(6, 0, 6, 6, 4)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := newPublicFolder(t)
			path := filepath.Join(dir, "t.npy")
			for _, err := range []error{
				os.Chown(dir, -1, attackerID),
				os.Chmod(dir, tt.folder),
				os.WriteFile(path, nil, 0o600),
				os.Chown(path, victimID, groupID),
				os.Chmod(path, tt.mode),
			} {
				if err != nil {
					t.Fatal(err)
				}
			}
			if tt.acl != nil {
				if err := unix.Setxattr(path, aclName, tt.acl, 0); err != nil {
					t.Skipf("no ACLs here: %v", err)
				}
			}
			runUnderAttack(t, "read", dir, "", func() error { return Save(path, a) })
		})
	}
}

// TestAttackSwap tests a user who replaces temporary files by links to a file of another user or of the attacker. The
// linked file must never change. If Save notices the replacement, it must report that its temporary file is gone. Save
// cannot notice a replacement just before the rename, which has the same effect as replacing the path just after it.
func TestAttackSwap(t *testing.T) {
	oracle.OneGoroutine(t)
	skipUnlessRoot(t)
	a := secretArray(1 << 20)
	for _, how := range []string{"swap", "swap2"} {
		for _, tt := range replacing {
			t.Run(how+" "+tt.name, func(t *testing.T) {
				dir, other := newPublicFolder(t), newPublicFolder(t)
				victim := filepath.Join(other, "victim")
				if err := os.WriteFile(victim, []byte("victim"), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chown(victim, victimID, victimID); err != nil {
					t.Fatal(err)
				}
				os.Chmod(other, 0o755)
				before := must(os.Lstat(victim))
				path := filepath.Join(dir, "t.npy")
				refused, late := 0, 0
				runUnderAttack(t, how, dir, victim, func() error {
					if fi, err := os.Lstat(path); err != nil || !fi.Mode().IsRegular() || fi.Size() < 10 {
						os.Remove(path)
						if err := os.WriteFile(path, []byte("an old file"), 0o666); err != nil {
							return err
						}
						os.Chmod(path, 0o666)
						os.Chown(path, -1, groupID)
					}
					switch err := tt.run(path, a); {
					case err == nil:
						if fi := must(os.Lstat(path)); !fi.Mode().IsRegular() || fi.Size() < 1<<20 {
							late++
						}
					case strings.Contains(err.Error(), "temporary file"):
						refused++
					default:
						return err
					}
					now := must(os.Lstat(victim))
					st, old := now.Sys().(*syscall.Stat_t), before.Sys().(*syscall.Stat_t)
					if now.Mode() != before.Mode() || st.Uid != old.Uid || st.Gid != old.Gid || now.ModTime() != before.ModTime() ||
						st.Nlink != 1 {
						return fmt.Errorf("the victim's file is %v, %d:%d now", now.Mode(), st.Uid, st.Gid)
					}
					return nil
				})
				t.Logf("%d times refused, %d times too late to be seen", refused, late)
			})
		}
	}
}

// acl returns a POSIX ACL in the format of Linux, with permissions for the owner, the attacker, the group, the mask and
// others.
func acl(owner, user, group, mask, other byte) []byte {
	b := []byte{2, 0, 0, 0}
	for _, e := range []struct {
		tag, perm byte
		id        uint32
	}{{0x01, owner, ^uint32(0)}, {0x02, user, attackerID}, {0x04, group, ^uint32(0)}, {0x10, mask, ^uint32(0)}, {0x20,
		other, ^uint32(0)}} {
		b = append(b, e.tag, 0, e.perm, 0, byte(e.id), byte(e.id>>8), byte(e.id>>16), byte(e.id>>24))
	}
	return b
}

const aclName, defaultACL = "system.posix_acl_access", "system.posix_acl_default"

func getACL(t *testing.T, path string) []byte {
	t.Helper()
	b := make([]byte, 1000)
	n, err := unix.Lgetxattr(path, aclName, b)
	if err == unix.ENODATA {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return b[:n]
}

// TestSaveKeepsAccess tests that a new file gets the group, permissions and ACL of the file it replaces, even if the
// folder has a default ACL for new files.
func TestSaveKeepsAccess(t *testing.T) {
	skipUnlessRoot(t)
	a := secretArray(1000)
	for _, folder := range [][]byte{nil, acl(7, 7, 7, 7, 7)} {
		for _, tt := range []struct {
			mode os.FileMode
			acl  []byte
		}{
			{0o640, nil},
			{0o604, nil},
			{0, nil},
			{0o660, acl(6, 4, 6, 6, 0)},
			{0o664, acl(6, 0, 6, 6, 4)}, // denies access to one user, but not to others
			{0o640, acl(6, 7, 0, 4, 0)}, // has a mask
		} {
			for _, r := range replacing {
				dir := newPublicFolder(t)
				if folder != nil {
					if err := unix.Setxattr(dir, defaultACL, folder, 0); err != nil {
						t.Skipf("no ACLs here: %v", err)
					}
				}
				path := filepath.Join(dir, "t.npy")
				for _, err := range []error{
					os.WriteFile(path, nil, 0o600),
					os.Chown(path, victimID, groupID),
					os.Chmod(path, tt.mode),
				} {
					if err != nil {
						t.Fatal(err)
					}
				}
				if unix.Removexattr(path, aclName); tt.acl != nil {
					if err := unix.Setxattr(path, aclName, tt.acl, 0); err != nil {
						t.Skipf("no ACLs here: %v", err)
					}
				}
				os.Chmod(path, tt.mode)
				want := getACL(t, path)
				if err := r.run(path, a); err != nil {
					t.Fatalf("%s: %v", r.name, err)
				}
				fi := must(os.Lstat(path))
				st := fi.Sys().(*syscall.Stat_t)
				if got := getACL(t, path); fi.Mode() != tt.mode || st.Gid != groupID || st.Uid != 0 || !bytes.Equal(got, want) {
					t.Errorf("%s: %v of %d:%d with ACL %x, want %v of group %d with %x", r.name, fi.Mode(), st.Uid, st.Gid, got,
						tt.mode, groupID, want)
				}
			}
		}
	}
}

// TestSaveNarrows tests that nobody gains access if the group or the ACL of the old file cannot be kept. The group and
// others may get only the permissions that the old file gave to its group, to others and to every named user.
func TestSaveNarrows(t *testing.T) {
	oracle.OneGoroutine(t)
	if path, ok := strings.CutPrefix(os.Getenv("NDMAP_TEST_SAVE"), "to "); ok {
		if err := Save(path, secretArray(1000)); err != nil {
			t.Fatal(err)
		}
		return
	}
	skipUnlessRoot(t)
	for _, tt := range []struct {
		mode os.FileMode
		acl  []byte
		want os.FileMode
	}{
		{0o640, nil, 0o600},
		{0o664, nil, 0o644},
		{0o604, nil, 0o600},
		{0o646, nil, 0o644},
		{0o666, nil, 0o666},
		{0o664, acl(6, 4, 6, 6, 4), 0o644},
		{0o664, acl(6, 0, 6, 6, 4), 0o600}, // denies one user access
		{0o644, acl(6, 6, 6, 4, 6), 0o644}, // has a mask
	} {
		dir := newPublicFolder(t)
		path := filepath.Join(dir, "t.npy")
		for _, err := range []error{
			os.WriteFile(path, nil, 0o600),
			os.Chown(path, victimID, groupID),
			os.Chmod(path, tt.mode),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if tt.acl != nil {
			if err := unix.Setxattr(path, aclName, tt.acl, 0); err != nil {
				t.Skipf("no ACLs here: %v", err)
			}
		}
		cmd := commandAs(victimID, victimID, "NDMAP_TEST_SAVE=to "+path) // victimID is not in the group
		cmd.Args = append(cmd.Args, "-test.run=^TestSaveNarrows$")
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		fi := must(os.Lstat(path))
		if got := getACL(t, path); fi.Mode() != tt.want || got != nil || fi.Size() < 1000 {
			t.Errorf("%v with ACL %x became %v with %x, %d bytes; want %v", tt.mode, tt.acl, fi.Mode(), got, fi.Size(), tt.want)
		}
	}
}

// TestSaveLatePermissions tests that a new file gets the permissions of the old file even if they change while the new
// file is being written.
func TestSaveLatePermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cfg := SaveConfig{Replace: true, Progress: func(done, total int64) error { return os.Chmod(path, 0o600) }}
	if err := cfg.Save(path, secretArray(1000)); err != nil {
		t.Fatal(err)
	}
	if fi := must(os.Lstat(path)); fi.Mode() != 0o600 || fi.Size() < 1000 {
		t.Errorf("the file is %v, want 0600", fi.Mode())
	}
}

// TestSaveWriteOnlyFolder saves to a folder that allows creating files but not listing them.
func TestSaveWriteOnlyFolder(t *testing.T) {
	if path, ok := strings.CutPrefix(os.Getenv("NDMAP_TEST_SAVE"), "into "); ok {
		for range 2 { // a new file, then an existing one
			if err := Save(path, secretArray(1000)); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	skipUnlessRoot(t)
	dir := newPublicFolder(t)
	if err := os.Chmod(dir, 0o333); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "t.npy")
	cmd := commandAs(victimID, victimID, "NDMAP_TEST_SAVE=into "+path)
	cmd.Args = append(cmd.Args, "-test.run=^TestSaveWriteOnlyFolder$")
	if out, err := cmd.Output(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	if fi, err := os.Lstat(path); err != nil || fi.Size() < 1000 {
		t.Error(err)
	}
	if got := fileNames(t, dir); !slices.Equal(got, []string{"t.npy"}) {
		t.Errorf("the folder has %v", got)
	}
}

// TestCreateReplacePairs calls Create with Replace twice at the same time for one path. Each call must return a File
// with the dtype and shape it asked for, no matter which file keeps the path.
func TestCreateReplacePairs(t *testing.T) {
	path := tempPath(t)
	one := func(d dtype.DType, n int) error {
		f, err := SaveConfig{Replace: true}.Create(path, d, index.C, n)
		if err != nil {
			return err
		}
		defer f.Close()
		if f.DType() != d || f.Len(0) != n {
			return fmt.Errorf("the File is of %v %v, want %v (%d)", f.DType(), f.Shape(), d, n)
		}
		return nil
	}
	rounds := oracle.Cases(t, 200)
	wrong := 0
	for k := range rounds {
		errs := make(chan error, 2)
		go func() { errs <- one(dtype.Int64, 10+k) }()
		go func() { errs <- one(dtype.Float32, 1000+k) }()
		for range 2 {
			if err := <-errs; err != nil {
				if wrong++; wrong < 4 {
					t.Errorf("pair %d: %v", k, err)
				}
			}
		}
	}
	t.Logf("%d of %d pairs went wrong", wrong, rounds)
}
