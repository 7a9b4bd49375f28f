package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"lostreply/harness/clock"
	"lostreply/harness/lab"
	starting "lostreply/harness/launch"
	"lostreply/harness/process"
	"lostreply/harness/scenario"
	"lostreply/harness/strict"
)

func TestMain(m *testing.M) {
	process.KeeperMain()
	m.Run()
}

// BenchmarkExplore compares the schedules of an exploration with the bare cost of their processes:
// the same programs as often and in the same order, directly at the same PostgreSQL, with nobody in
// between and nothing gone wrong. Both go on in turns, so that other work on the machine meets
// both, with as many at once. What counts is "times-bare"; "cores" is how many were busy with it,
// the server's backends not counted.
func BenchmarkExplore(b *testing.B) {
	if testing.Short() {
		b.Skip("it starts a server and thousands of processes")
	}
	for _, file := range []string{
		"scenarios/outbox/OK.yaml", "examples/workers/lost-reply.yaml",
	} {
		suite, err := scenario.Load(filepath.Join("..", "..", file))
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range suite.Scenarios {
			b.Run(s.Name(), func(b *testing.B) { compare(b, s) })
		}
	}
}

// slice is how many schedules one way runs before the other's turn.
const slice = 16

func compare(b *testing.B, s *scenario.Scenario) {
	options := Options{Advance: 2 * time.Minute, Parallel: 4}
	c := benched(b, s, options)
	batch := c.planners()[0].next(nil)
	if len(batch) == 0 {
		b.Fatal("nothing to explore")
	}
	// Once over, so that what is made once is there.
	explored(b, c, batch[:min(len(batch), options.Parallel)])
	straight := newDirect(b, c)
	var ours, theirs, busy time.Duration
	b.ResetTimer()
	for done := 0; done < b.N; done += slice {
		var turn []schedule
		for n := done; n < min(done+slice, b.N); n++ {
			turn = append(turn, batch[n%len(batch)])
		}
		started, before := clock.Now(), spent(b)
		explored(b, c, turn)
		ours += clock.Since(started)
		busy += spent(b) - before
		started = clock.Now()
		straight.run(b, c, turn)
		theirs += clock.Since(started)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ours.Seconds()*1000/float64(b.N), "ms/schedule")
	b.ReportMetric(theirs.Seconds()*1000/float64(b.N), "bare-ms")
	b.ReportMetric(float64(ours)/float64(theirs), "times-bare")
	b.ReportMetric(float64(busy)/float64(ours), "cores")
}

// spent is the processor time of this process and of its children that have ended.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var sum int64
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			b.Fatal(err)
		}
		sum += usage.Utime.Nano() + usage.Stime.Nano()
	}
	return time.Duration(sum)
}

// answering are the URLs of channels that accept everything.
func answering(b *testing.B, names []string) starting.Values {
	b.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"id": "m1"}`)
	}))
	b.Cleanup(server.Close)
	values := starting.Values{}
	for _, name := range names {
		values[name+".url"] = server.URL
	}
	return values
}

// benched is a campaign whose workload has been recorded.
func benched(b testing.TB, s *scenario.Scenario, options Options) *campaign {
	b.Helper()
	in, err := lab.Open(lab.Options{
		PostgresURL: lab.PostgresURLFromEnvironment(), Parallel: options.Parallel,
		PostgresDirectory: lab.PostgresDirectoryFromEnvironment(),
		Log:               func(line string) { b.Log(line) },
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := in.Close(context.WithoutCancel(b.Context())); err != nil {
			b.Error(err)
		}
	})
	if reason, err := in.Unmet(b.Context(), s); reason != "" || err != nil {
		b.Skipf("it can't be run here: %s %v", reason, err)
	}
	if err := in.Prepare(b.Context(), []*scenario.Scenario{s}); err != nil {
		b.Fatal(err)
	}
	w, err := load(s, options)
	if err != nil {
		b.Fatal(err)
	}
	c := &campaign{lab: in, options: options, workload: w, keeper: nowhere{}}
	if c.survey, err = c.recorded(b.Context()); err != nil {
		b.Fatal(err)
	}
	return c
}

func explored(b testing.TB, c *campaign, batch []schedule) {
	b.Helper()
	done, err := c.batch(b.Context(), batch, &progress{})
	if err != nil {
		b.Fatal(err)
	}
	for _, each := range done {
		if len(each.Reasons) > 0 {
			b.Errorf("%s proves nothing: %v", each.ID, each.Reasons)
		}
	}
}

// direct runs processes with nobody in between.
type direct struct {
	databases chan []*lab.Database
	channels  starting.Values
	row       atomic.Int64
}

// newDirect takes databases for as many at once as the campaign runs.
func newDirect(b *testing.B, c *campaign) *direct {
	b.Helper()
	own := &direct{databases: make(chan []*lab.Database, c.options.Parallel)}
	own.channels = answering(b, c.workload.scenario.Under.Channels.Names())
	for range c.options.Parallel {
		databases, err := c.lab.Databases(b.Context(), c.workload.scenario)
		if err != nil {
			b.Fatal(err)
		}
		own.databases <- databases
		b.Cleanup(func() {
			for _, each := range databases {
				if err := each.Drop(context.WithoutCancel(b.Context())); err != nil {
					b.Error(err)
				}
			}
		})
	}
	return own
}

func (o *direct) run(b *testing.B, c *campaign, batch []schedule) {
	b.Helper()
	var group errgroup.Group
	group.SetLimit(c.options.Parallel)
	for _, each := range batch {
		source, err := c.compose(each, "bare", "bare", rounds()[0], scenario.Life{})
		if err != nil {
			b.Fatal(err)
		}
		loaded, err := scenario.LoadText("bare.yaml", source, c.workload.scenario.Under)
		if err != nil {
			b.Fatal(err)
		}
		group.Go(func() error {
			databases := <-o.databases
			defer func() { o.databases <- databases }()
			return o.one(b.Context(), c, loaded, databases)
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
}

// one runs the processes of one schedule, one after the other.
func (o *direct) one(
	ctx context.Context, c *campaign, s *scenario.Scenario, databases []*lab.Database,
) error {
	row := fmt.Sprint(o.row.Add(1))
	for _, step := range s.Steps {
		var program strict.Text
		var names scenario.Names
		var arguments strict.Map[strict.Value]
		switch typed := step.Body.(type) {
		case *scenario.Run:
			program, names, arguments = typed.Program, typed.As, typed.Args
		case *scenario.Start:
			program, names, arguments = typed.Program, typed.As, typed.Args
		case *scenario.SQL:
			if err := prepared(ctx, s.Under, typed, databases); err != nil {
				return err
			}
			continue
		default:
			continue
		}
		for range max(len(names), 1) {
			if err := o.process(ctx, c, program.Value, arguments, databases, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// prepared is what a workload does itself before a program has something to do.
func prepared(
	ctx context.Context, system *scenario.System, step *scenario.SQL, databases []*lab.Database,
) error {
	for _, each := range databases {
		if each.Name != system.DatabaseOf(step.Database) {
			continue
		}
		connection, err := each.Connect(ctx)
		if err != nil {
			return err
		}
		_, err = connection.Exec(ctx, step.Run)
		return errors.Join(err, each.Release(ctx, connection))
	}
	return nil
}

// process runs one program to its end, whatever its status is: what it finds is not what it finds
// in the schedule. A contract and a message are new ones each time, so that each is accepted.
func (o *direct) process(
	ctx context.Context, c *campaign, program string, arguments strict.Map[strict.Value],
	databases []*lab.Database, row string,
) error {
	s := c.workload.scenario
	definition, _ := s.Under.Programs.Get(program)
	names, given := definition.Arguments(arguments)
	for _, unique := range []string{"contract", "msg"} {
		if given[unique] != "" {
			given[unique] += row
		}
	}
	values := starting.NewValues(program)
	values.AddArguments(given)
	for name, url := range o.channels {
		values[name] = url
	}
	for _, each := range databases {
		values[each.Name+".url"] = each.Direct()
	}
	if err := c.lab.Offer(ctx, s, &definition, values); err != nil {
		return err
	}
	spec, err := starting.Spec(s.Under, &definition, names, values, s.Under.OnlyDatabase())
	if err != nil {
		return err
	}
	if spec.Path, err = c.lab.Executable(ctx, s, &definition, spec.Path); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, spec.Path, spec.Args...)
	command.Dir, command.Env = spec.Dir, spec.Env
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("run %s: %w", program, err)
	}
	return nil
}
