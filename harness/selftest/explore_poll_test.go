package selftest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExplorePollers holds a worker that polls past its lease and lets another in, wherever that
// keeps nobody waiting. Where the other side knows the key nothing comes of it, and where it does
// not, letters go out twice. A poller of which nothing says when it has done all is refused, with
// what to say.
func TestExplorePollers(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	var text strings.Builder
	for _, each := range []struct {
		scenario string
		status   int
	}{{"push", 0}, {"sms", 1}, {"unsaid", 3}} {
		o := call(t, "explore", "--no-shrink", explorable+"/polls/"+each.scenario+".yaml",
			"--out", out)
		text.WriteString(o.expectStatus(t, each.status).String())
	}
	file := filepath.Join(out, "polls", "sms-overtake-p.1-sms-1-request.yaml")
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text.WriteString("--- " + file + "\n" + string(written))
	golden(t, "explore-pollers", normal(text.String(), map[string]string{out: "OUT"}))
	expectShown(t, file, "FAIL sms sends (expected=2, actual=3)")
}
