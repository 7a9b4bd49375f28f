package variant_test

import (
	"os"
	"path/filepath"
	"testing"

	"lostreply/harness/variant"
)

// Two ways to build one program share a cache, and neither gets the other's binary.
func TestEnvironmentDecidesWhatIsBuilt(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module teller\n\ngo 1.26\n",
		"main.go": "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(word) }\n",
		"with.go": "//go:build cgo\n\npackage main\n\nconst word = \"with C\"\n",
		"sans.go": "//go:build !cgo\n\npackage main\n\nconst word = \"without C\"\n",
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time from the cache
		for setting, want := range map[string]string{"0": "without C", "1": "with C"} {
			builder := &variant.Builder{CacheDir: cache, Environment: []string{"CGO_ENABLED=" + setting}}
			if got := run(t, build(t, builder, root, ".", nil)); got != want {
				t.Errorf("with CGO_ENABLED=%s it says %q, want %q", setting, got, want)
			}
		}
	}
}
