package selftest

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// recordsOf is the file of records of one scenario in a folder.
func recordsOf(folder string) string {
	return filepath.Join(folder, "explore", "sms.records.jsonl")
}

// outcomesIn are the schedules whose outcomes a file of records holds, in its order. There may be
// no file yet, and its last line may be half written.
func outcomesIn(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var ids []string
	for line := range bytes.Lines(text) {
		var record struct{ Outcome struct{ ID string } }
		if bytes.HasSuffix(line, []byte("\n")) {
			if err := json.Unmarshal(line, &record); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		if record.Outcome.ID != "" {
			ids = append(ids, record.Outcome.ID)
		}
	}
	return ids
}

// foundIn are the scenarios that an exploration has written, by their names.
func foundIn(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "explore", "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, file := range files {
		if filepath.Base(file) == "system.yaml" {
			continue // a link to what was explored
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(file)] = string(text)
	}
	return found
}

// TestExploreResumes ends an exploration in its midst, by kill -9, and then by Ctrl-C, each time
// with the last line of its records torn, and goes on: no run is lost or made again, and the report
// and the scenarios are those of one that was not interrupted. After its end there is nothing left
// to run.
func TestExploreResumes(t *testing.T) {
	t.Parallel()
	want := exploredSMS(t)
	all := outcomesIn(t, recordsOf(want.folder))
	out := t.TempDir()
	var before []string
	for i, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGINT} {
		flag := []string{"--out", "--resume"}[i]
		cutShort(t, out, signal, (i+1)*len(all)/3, flag, out, "--parallel", "2", "--seed", "5")
		after := outcomesIn(t, recordsOf(out))
		if len(after) == len(all) {
			t.Fatalf("%v: it came to its end, and was to be ended before", signal)
		}
		if len(after) < len(before) || !slices.Equal(after[:len(before)], before) {
			t.Errorf("%v: gone on, it holds %v, and held %v", signal, after, before)
		}
		before = after
		tear(t, recordsOf(out), `{"outcome":{"id":"kill at deli`)
	}
	got := call(t, "explore", explorable+"/sms.yaml", "--resume", out).expectStatus(t, 1)
	if shown := strings.ReplaceAll(got.stdout, out, want.folder); shown != want.stdout {
		t.Errorf("gone on:\n%s\nuninterrupted:\n%s", shown, want.stdout)
	}
	if !maps.Equal(foundIn(t, out), foundIn(t, want.folder)) {
		t.Error("gone on, it writes other scenarios")
	}
	after := outcomesIn(t, recordsOf(out))
	if !slices.Equal(after[:len(before)], before) || !sameSet(after, all) {
		t.Errorf("%d runs before and %d after, want %d, each once:\n%s", len(before), len(after),
			len(all), strings.Join(after, "\n"))
	}
	again := call(t, "explore", explorable+"/sms.yaml", "--resume", out).expectStatus(t, 1)
	if again.stdout != got.stdout || len(outcomesIn(t, recordsOf(out))) != len(all) {
		t.Errorf("an exploration that had ended was not left as it was:\n%s", again)
	}
}

// cutShort explores sms.yaml, and sends a signal once so many runs are recorded in a folder.
func cutShort(t *testing.T, folder string, signal syscall.Signal, runs int, flags ...string) {
	t.Helper()
	cut := command(context.WithoutCancel(t.Context()),
		append([]string{"explore", explorable + "/sms.yaml"}, flags...)...)
	if err := cut.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cut.Process.Kill() })
	until(t, "some runs are recorded", func() bool {
		return len(outcomesIn(t, recordsOf(folder))) >= runs
	})
	if err := cut.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	_ = cut.Wait() // killed, or 130
}

func tear(t *testing.T, file, text string) {
	t.Helper()
	opened, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = opened.WriteString(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// TestExploreResumeRefuses goes on with nothing that another exploration has recorded, and says
// what the difference is.
func TestExploreResumeRefuses(t *testing.T) {
	t.Parallel()
	folder, out := t.TempDir(), t.TempDir()
	for _, name := range []string{"push.yaml", "system.yaml", "schema.sql"} {
		text, err := os.ReadFile(filepath.Join(explorable, name))
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.ReplaceAll(string(text), "{go: ./harness/selftest/testdata/programs/probe}",
			"{go: ./programs/probe}")
		write(t, filepath.Join(folder, name), changed)
	}
	probe := ownProbe(t, folder)
	scenario := filepath.Join(folder, "push.yaml")
	call(t, "explore", scenario, "--out", out, "--at", "push#1").expectStatus(t, 0)
	for _, each := range []struct {
		says      string
		change    func()
		arguments []string
	}{
		{"option advance: 120000000000 then, 180000000000 now", nil, []string{"--advance", "3m"}},
		{"option full: false then, true now", nil, []string{"--full"}},
		{"shard: all then, 1/2 now", nil, []string{"--shard", "1/2"}},
		{"what the scenario does: ", func() { edit(t, scenario, "'l1'", "'l2'") }, nil},
		{"schema of database main: ", func() {
			edit(t, filepath.Join(folder, "schema.sql"), "text primary key", "text  primary key")
		}, nil},
		{"program deliver: ", func() {
			edit(t, probe, "func main() {", "func main() { println()")
		}, nil},
		{"system file: ", func() {
			edit(t, filepath.Join(folder, "system.yaml"), "frozen", "moving")
		}, nil},
	} {
		if each.change != nil {
			each.change()
		}
		o := call(t, append([]string{"explore", scenario, "--resume", out, "--at", "push#1"},
			each.arguments...)...)
		if o.expectStatus(t, 3); !strings.Contains(o.stdout, each.says) {
			t.Errorf("nothing says %q:\n%s", each.says, o)
		}
	}
	call(t, "explore", scenario, "--resume", filepath.Join(out, "absent")).expectStatus(t, 2)
	call(t, "explore", scenario, "--resume", out, "--out", out).expectStatus(t, 2)
}

// ownProbe makes a folder a module with a program of its own, and returns its source.
func ownProbe(t *testing.T, folder string) (source string) {
	t.Helper()
	sources, err := filepath.Glob("testdata/programs/probe/*.go")
	if err != nil || len(sources) == 0 {
		t.Fatalf("no sources of the probe (%v)", err)
	}
	if err := os.MkdirAll(filepath.Join(folder, "programs", "probe"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, each := range append(sources, "../../go.mod", "../../go.sum") {
		text, err := os.ReadFile(each)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(folder, "programs", "probe", filepath.Base(each))
		if filepath.Ext(each) != ".go" {
			to = filepath.Join(folder, filepath.Base(each))
		}
		write(t, to, string(text))
		if strings.Contains(string(text), "func main() {") {
			source = to
		}
	}
	return source
}

func edit(t *testing.T, file, old, new string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("no %q in %s (%v)", old, file, err)
	}
	write(t, file, strings.ReplaceAll(string(text), old, new))
}

// TestExploreMerges joins shards: the report and the scenarios are those of an exploration that was
// not shared out. A shard that is missing, there twice or not at its end is told.
func TestExploreMerges(t *testing.T) {
	t.Parallel()
	merged, want := t.TempDir(), exploredSMS(t)
	whole := want.folder
	var parts, ran []string
	for _, shard := range []string{"1/3", "2/3", "3/3"} {
		out := t.TempDir()
		call(t, "explore", explorable+"/sms.yaml", "--out", out, "--shard", shard)
		parts = append(parts, out)
		own := outcomesIn(t, recordsOf(out))
		if len(own) < 6 || len(own) > 7 {
			t.Errorf("shard %s has made %d runs of 20, want 6 or 7", shard, len(own))
		}
		ran = append(ran, own...)
	}
	if !sameSet(ran, outcomesIn(t, recordsOf(whole))) {
		t.Errorf("the shards have made these runs, want each of the whole once:\n%s",
			strings.Join(ran, "\n"))
	}
	got := call(t, append([]string{"merge", "--out", merged}, parts...)...).expectStatus(t, 1)
	if shown := strings.ReplaceAll(got.stdout, merged, whole); shown != want.stdout {
		t.Errorf("merged:\n%s\nwhole:\n%s", shown, want.stdout)
	}
	if !maps.Equal(foundIn(t, merged), foundIn(t, whole)) {
		t.Error("merged, it writes other scenarios")
	}
	alone := call(t, "merge", "--out", merged, whole).expectStatus(t, 1)
	if shown := strings.ReplaceAll(alone.stdout, merged, whole); shown != want.stdout {
		t.Errorf("of one whole exploration, merge says:\n%s", shown)
	}
	file := recordsOf(parts[1])
	for _, each := range []struct {
		says    string
		folders []string
	}{
		{"shard 2/3 is missing", []string{parts[0], parts[2]}},
		{"shard 1/3 of sms is there twice", []string{parts[0], parts[1], parts[0]}},
		{"are of two explorations:\n  shards: ", []string{parts[0], whole}},
		{"no records of an exploration", []string{merged}},
		{"shard 2/3 did not come to its end", parts},
	} {
		if each.says == "shard 2/3 did not come to its end" {
			drop(t, file, `{"outcome"`)
		}
		o := call(t, append([]string{"merge", "--out", merged}, each.folders...)...)
		if o.expectStatus(t, 2); !strings.Contains(o.stderr, each.says) {
			t.Errorf("nothing says %q:\n%s", each.says, o)
		}
	}
}

// drop takes the first line that begins so out of a file.
func drop(t *testing.T, file, begin string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	at := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, begin) })
	if at < 0 {
		t.Fatalf("no line of %s begins with %s", file, begin)
	}
	write(t, file, strings.Join(slices.Delete(lines, at, at+1), ""))
}
