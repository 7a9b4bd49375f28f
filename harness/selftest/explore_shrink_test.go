package selftest

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestExploreShrinks makes findings of a workload with much in it that has nothing to do with them:
// that is not in the scenarios that are written, and each of them fails alone, in the same way.
func TestExploreShrinks(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	call(t, "explore", explorable+"/long.yaml", "--out", out).expectStatus(t, 1)
	found := foundIn(t, out)
	if len(found) == 0 {
		t.Fatal("nothing was found")
	}
	for name, text := range found {
		small := strings.Contains(text, "pause: 1}") && strings.Count(text, "program: settle") == 1
		for _, gone := range []string{"look", "10m", "640"} {
			small = small && !strings.Contains(text, gone)
		}
		if !small {
			t.Errorf("%s could be smaller:\n%s", name, text)
		}
		expectShown(t, filepath.Join(out, "explore", name), "FAIL sms sends (expected=1, actual=2)")
	}
}
