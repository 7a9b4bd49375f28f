package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

const (
	waitingBegins = "<!-- waiting: written by `go test ./internal/docs -update` -->\n"
	waitingEnds   = "<!-- /waiting -->\n"
	// longAdvance divides the delays that a system has (leases, retries, expiries) from the long
	// stretches by which a scenario shows that nothing comes any more.
	longAdvance = time.Minute
	// shortTimeout is the longest client timeout that a scenario sets to sit it out.
	shortTimeout = 2 * time.Second
)

// span is a number of waits and their sum.
type span struct {
	count int
	total time.Duration
}

func (s *span) add(duration time.Duration) {
	s.count++
	s.total += duration
}

// waiting adds up what the scenarios would have to wait for.
type waiting struct {
	scenarios                   int
	delays, stretches, timeouts span
}

func (w *waiting) add(s *scenario.Scenario) {
	w.scenarios++
	for _, step := range s.AllSteps() {
		switch body := step.Body.(type) {
		case *scenario.Advance:
			if body.By < longAdvance {
				w.delays.add(body.By)
			} else {
				w.stretches.add(body.By)
			}
		case *scenario.Run:
			w.client(body.Args)
		case *scenario.Start:
			w.client(body.Args)
		}
	}
}

// client counts the timeout that a worker is given, if it is one to be sat out.
func (w *waiting) client(args strict.Map[strict.Value]) {
	value, _ := args.Get("timeout")
	if limit, err := time.ParseDuration(value.Source); err == nil && limit <= shortTimeout {
		w.timeouts.add(limit)
	}
}

// table says it for people.
func (w *waiting) table() string {
	var text strings.Builder
	row := func(format string, arguments ...any) { fmt.Fprintf(&text, format+"\n", arguments...) }
	row("| in %d scenarios | how many | sum | in a run |", w.scenarios)
	row("|---|---|---|---|")
	row("| leases, retry delays, expiries: every `advance` below %s | %d | %s | no time |",
		short(longAdvance), w.delays.count, short(w.delays.total))
	row("| long stretches after which nothing may have come: every other `advance` "+
		"| %d | %s | no time |", w.stretches.count, short(w.stretches.total))
	row("| client timeouts, up to %s, at a channel that never answers | %d | %s "+
		"| sat out side by side |", short(shortTimeout), w.timeouts.count, short(w.timeouts.total))
	return text.String()
}

// short writes a duration without parts that are zero, to a tenth of a second.
func short(duration time.Duration) string {
	text := duration.Round(100 * time.Millisecond).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-len("0s")]
		}
	}
	return text
}

func TestWaitingTable(t *testing.T) {
	root := moduleRoot(t)
	suite, err := scenario.Load(filepath.Join(root, "scenarios"))
	if err != nil {
		t.Fatal(err)
	}
	var sum waiting
	for _, s := range suite.Scenarios {
		if !s.HasTag("slow") && !s.HasTag("field") { // they run only when asked for
			sum.add(s)
		}
	}
	readme := read(t, "README.md")
	before, rest, begins := strings.Cut(readme, waitingBegins)
	_, after, ends := strings.Cut(rest, waitingEnds)
	if !begins || !ends {
		t.Fatalf("README.md has no part between %q and %q", waitingBegins, waitingEnds)
	}
	generated(t, "README.md", []byte(before+waitingBegins+sum.table()+waitingEnds+after))
}

// pages are README.md and what is in docs.
func pages(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(moduleRoot(t), "docs"))
	if err != nil {
		t.Fatal(err)
	}
	found := []string{"README.md"}
	for _, entry := range entries {
		if filepath.Ext(entry.Name()) == ".md" {
			found = append(found, "docs/"+entry.Name())
		}
	}
	return found
}
