package postgres

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCopyTreeCopiesFilesAndFolders(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	want := map[string]string{
		"PG_VERSION": "16\n", "base/1/large": strings.Repeat("page", copyBuffer), "base/1/empty": "",
	}
	for name, text := range want {
		path := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(from, "pg_twophase"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := copyTree(from, to); err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != text {
			t.Errorf("%s has %d bytes (%v), want %d", name, len(got), err, len(text))
		}
	}
	if info, err := os.Stat(filepath.Join(to, "pg_twophase")); err != nil || !info.IsDir() {
		t.Errorf("an empty folder is not there: %v", err)
	}
}

func TestCopyTreeRefusesWhatItCanNotCopy(t *testing.T) {
	from := t.TempDir()
	if err := os.Symlink("elsewhere", filepath.Join(from, "pg_wal")); err != nil {
		t.Fatal(err)
	}
	err := copyTree(from, filepath.Join(t.TempDir(), "copy"))
	if err == nil || !strings.Contains(err.Error(), "pg_wal") {
		t.Errorf("got %v, want an error that names pg_wal", err)
	}
	if err := copyTree(filepath.Join(from, "absent"), t.TempDir()); err == nil {
		t.Error("a folder that is not there was copied")
	}
}
