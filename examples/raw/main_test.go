package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func TestBrightness(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.raw")
	b := []byte("header")
	for i := range 2 * 3 * 4 {
		b = binary.BigEndian.AppendUint16(b, uint16(1000+i*i))
	}
	if err := os.WriteFile(path, b, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := brightness(path, 6, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(out),
		"0: from 1000 to 1121, on average 1042.2\n1: from 1144 to 1529, on average 1318.2\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := brightness(path, 60, 3, 4); err == nil ||
		err.Error() != path+": data at byte 60: shape mismatch: the mapping ends at byte 54" {
		t.Error(err)
	}
}
