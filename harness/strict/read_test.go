package strict_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"lostreply/harness/strict"
)

func TestReadFileRefusesWhatMayNeverEnd(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "x.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, "/dev/zero"} {
		_, err := strict.ReadFile(path)
		if err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: got %v, want it refused", path, err)
		}
	}
}
