package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"lostreply/harness/scenario"
)

// usage is what a campaign holds of the machine.
type usage struct {
	heap, resident                          int64 // bytes: live after a collection; of the process
	goroutines, files, databases, processes int
}

// TestFlat runs schedules in three parts: what is held after the last is what was held after the
// first, in memory, goroutines, open files and ports, databases and processes.
func TestFlat(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs some hundred schedules")
	}
	c, batch := cheap(t)
	const part = 60
	over(t, c, batch, part)
	first := used(t, c)
	over(t, c, batch, part)
	over(t, c, batch, part)
	last := used(t, c)
	t.Logf("after %d runs: %+v, after %d: %+v", part, first, 3*part, last)
	if grown := last.heap - first.heap; grown > 1<<20 {
		t.Errorf("%d bytes more are held after %d more runs", grown, 2*part)
	}
	for what, both := range map[string][2]int{
		"goroutines": {first.goroutines, last.goroutines},
		// A warm connection more or less is two files.
		"files and ports": {first.files, last.files}, "databases": {first.databases, last.databases},
		"processes": {first.processes, last.processes},
	} {
		if both[1] > both[0]+8 {
			t.Errorf("%s: %d after %d runs, and %d after %d more", what, both[0], part, both[1], 2*part)
		}
	}
}

// BenchmarkFlat is TestFlat for a long series: -benchtime 10000x. What counts is that the memory of
// the process at its end is that after the first hundred.
func BenchmarkFlat(b *testing.B) {
	c, batch := cheap(b)
	over(b, c, batch, 100)
	first := used(b, c)
	b.ResetTimer()
	over(b, c, batch, b.N)
	b.StopTimer()
	last := used(b, c)
	b.ReportMetric(float64(first.resident)/(1<<20), "MB-after-100")
	b.ReportMetric(float64(last.resident)/(1<<20), "MB-at-end")
	b.ReportMetric(float64(last.heap-first.heap)/(1<<20), "MB-heap-grown")
	b.ReportMetric(float64(last.files-first.files), "files-grown")
}

// cheap is a campaign of a small worker, and its schedules.
func cheap(t testing.TB) (*campaign, []schedule) {
	t.Helper()
	suite, err := scenario.Load(filepath.Join("..", "selftest", "testdata", "explore", "sms.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	c := benched(t, suite.Scenarios[0], Options{Advance: 2 * time.Minute, Parallel: 4})
	batch := c.planners()[0].next(nil)
	if len(batch) == 0 {
		t.Fatal("nothing to explore")
	}
	return c, batch
}

// over runs a batch over and over, count schedules in all, and drops what they come to.
func over(t testing.TB, c *campaign, batch []schedule, count int) {
	t.Helper()
	for left := count; left > 0; left -= len(batch) {
		explored(t, c, batch[:min(left, len(batch))])
	}
}

func used(t testing.TB, c *campaign) usage {
	t.Helper()
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	u := usage{
		heap: int64(memory.HeapAlloc), goroutines: runtime.NumGoroutine(), databases: databasesOf(t, c),
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	u.files = len(files)
	children, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, each := range children {
		text, err := os.ReadFile(each)
		if err == nil { // of a thread that has just ended
			u.processes += len(strings.Fields(string(text)))
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "\nVmRSS:")
	if _, err := fmt.Sscan(after, &u.resident); err != nil {
		t.Fatalf("memory of the process: %v", err)
	}
	u.resident <<= 10
	return u
}

// databasesOf counts the databases of the campaign's server.
func databasesOf(t testing.TB, c *campaign) (count int) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	databases, err := c.lab.Databases(ctx, c.workload.scenario)
	if err != nil {
		t.Fatal(err)
	}
	connection, err := databases[0].Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := connection.QueryRow(ctx, "select count(*) from pg_database").Scan(&count); err != nil {
		t.Error(err)
	}
	if err := databases[0].Release(ctx, connection); err != nil {
		t.Error(err)
	}
	for _, each := range databases {
		if err := each.Drop(ctx); err != nil {
			t.Error(err)
		}
	}
	return count
}
