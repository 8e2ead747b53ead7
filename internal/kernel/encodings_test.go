//go:build linux && !race && !purego

package kernel

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestEncodings tests that each macro of neon_arm64.h is the instruction in the comment above it, as binutils encodes
// that instruction.
func TestEncodings(t *testing.T) {
	objdump, err := exec.LookPath("aarch64-linux-gnu-objdump")
	if err != nil {
		t.Skip("no binutils for aarch64: apt-get install binutils-aarch64-linux-gnu")
	}
	text, err := os.ReadFile("neon_arm64.h")
	if err != nil {
		t.Fatal(err)
	}
	macro := regexp.MustCompile(`// (.+)\n#define (\w+)\((M, )?N, D\) WORD \$\(0x([0-9A-F]{8})\|(\(M\)<<16\|)?\(N\)<<5\|\(D\)\)\n`)
	found := macro.FindAllStringSubmatch(string(text), -1)
	if n := strings.Count(string(text), "#define"); len(found) != n || n < 40 {
		t.Fatalf("this test can read %d macros, want all %d", len(found), n)
	}
	var code []byte
	var want []string
	for _, f := range found {
		word, err := strconv.ParseUint(f[4], 16, 32)
		if err != nil || (f[3] == "") != (f[5] == "") {
			t.Fatalf("%s: %v", f[0], err)
		}
		for _, r := range [][3]int{{1, 2, 3}, {30, 29, 31}, {0, 0, 16}} {
			w := uint32(word) | uint32(r[1])<<5 | uint32(r[2])
			if f[3] != "" {
				w |= uint32(r[0]) << 16
			}
			code = binary.LittleEndian.AppendUint32(code, w)
			want = append(want, strings.NewReplacer("M", fmt.Sprint(r[0]), "N", fmt.Sprint(r[1]), "D",
				fmt.Sprint(r[2])).Replace(f[1]))
		}
	}
	path := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(path, code, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(objdump, "-D", "-b", "binary", "-m", "aarch64", path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := regexp.MustCompile(`(?m)^ +[0-9a-f]+:\t[0-9a-f]{8} \t(\w+)\t(.+)$`).FindAllStringSubmatch(string(out), -1)
	if len(lines) != len(want) {
		t.Fatalf("%d instructions, want %d:\n%s", len(lines), len(want), out)
	}
	for i, line := range lines {
		if got := line[1] + " " + line[2]; got != want[i] {
			t.Errorf("%s is %s, want %s", found[i/3][2], got, want[i])
		}
	}
}
