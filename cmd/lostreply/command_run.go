package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mattn/go-isatty"

	"lostreply/harness/check"
	"lostreply/harness/clock"
	"lostreply/harness/lab"
	"lostreply/harness/postgres"
	"lostreply/harness/report"
	"lostreply/harness/result"
	"lostreply/harness/run"
)

// surroundings are the flags of every command that runs scenarios.
type surroundings struct {
	Parallel int    `help:"How many scenarios run at once. Default, and 0: twice the cores." placeholder:"N"`
	Postgres string `help:"Use this PostgreSQL server instead of an own one." placeholder:"URL" env:"LOSTREPLY_POSTGRES_URL"`
	Variant  string `help:"Run against this build of the system: a defect, or a variant of its system.yaml." placeholder:"NAME"`
	Fresh    bool   `help:"Give each scenario databases that nobody has used, and each connection a backend of its own: slower, and nothing else may differ."`
	Keep     bool   `help:"Leave the databases up at the end, say how to connect, and wait for Ctrl-C at a terminal. Elsewhere (in CI) they stay on a server of --postgres only."`
}

// runCommand runs scenarios and prints what they came to.
type runCommand struct {
	selection    `embed:""`
	surroundings `embed:""`
	output       `embed:""`
	Repeat       int  `help:"Run each scenario N times and compare: every run must come to the same checks and the same named events." default:"1" placeholder:"N"`
	FailFast     bool `help:"Start no further scenario after the first that did not pass."`
	NoSkips      bool `help:"Exit 3 when a scenario was skipped."`
	Verbose      bool `short:"v" help:"Print every event and what each worker printed."`
}

// Run is called by the command line.
func (c *runCommand) Run(ctx context.Context) error {
	chosen, err := c.choose()
	if err != nil {
		return err
	}
	written, err := c.open(report.Options{Verbose: c.Verbose, Again: c.again(chosen)})
	if err != nil {
		return err
	}
	var summary check.Summary
	runs := &repeats{times: c.Repeat, show: func(r result.Result) {
		summary = summary.Plus(report.Count(r))
		written.take(r)
	}}
	started := clock.Now()
	enough := func(r result.Result) bool { return c.FailFast && r.Verdict != check.Pass }
	reported, err := c.each(ctx, chosen, enough, runs.take)
	runs.conclude()
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	left := (len(chosen.scenarios) - reported) / c.Repeat
	end := report.End{
		Notes: c.notes(chosen, left), NotRun: left, Took: clock.Since(started),
	}
	summary.NotRun = left
	if err != nil {
		end.Trouble = err.Error()
		fmt.Fprintln(os.Stderr, err)
	}
	if failure := written.close(end); failure != nil {
		fmt.Fprintln(os.Stderr, failure)
		err = errors.Join(err, failure)
	}
	if ctx.Err() != nil {
		return status(exitInterrupted)
	}
	return c.verdict(summary, err)
}

// notes say what did not run.
func (c *runCommand) notes(chosen selected, left int) []string {
	var notes []string
	if left > 0 {
		notes = append(notes, fmt.Sprintf("%d of %s did not run", left,
			counted(len(chosen.scenarios)/c.Repeat, "scenario")))
	}
	if len(chosen.leftOut) > 0 {
		notes = append(notes, fmt.Sprintf("%d left out (%s), tagged %s: name their path or --tag",
			len(chosen.leftOut), byScenario(chosen.leftOut), optIn()))
	}
	return notes
}

// again is how one scenario of this run is repeated.
func (c *runCommand) again(chosen selected) report.Again {
	again := c.surroundings.again()
	again.Seed, again.Repeat = chosen.seed, c.Repeat
	return again
}

// again is how a scenario is repeated in the same surroundings.
func (s *surroundings) again() report.Again {
	return report.Again{
		Command: commandName(), Variant: s.Variant, Fresh: s.Fresh, Server: serverWord(s.Postgres),
		Binaries: lab.PostgresDirectoryFromEnvironment(),
	}
}

// serverWord is how a shell's command line names the server: by its variable where it came from
// there, and never with its password.
func serverWord(given string) string {
	switch given {
	case "":
		return ""
	case lab.PostgresURLFromEnvironment():
		return `"$` + postgres.URLVariable + `"`
	default:
		return report.ShellWord(postgres.Redacted(given))
	}
}

// commandVariable is how run.sh says under which name it was called.
const commandVariable = "LOSTREPLY_COMMAND"

func commandName() string {
	if name := os.Getenv(commandVariable); name != "" {
		return name
	}
	return "./run.sh"
}

// choose loads what is to be run, as often as it is to be run.
func (c *runCommand) choose() (selected, error) {
	if c.Repeat < 1 {
		return selected{}, usageError{fmt.Errorf("--repeat %d: expected 1 or more", c.Repeat)}
	}
	chosen, err := c.load()
	if err == nil {
		err = c.against(&chosen)
	}
	chosen.scenarios = spread(chosen.scenarios, c.Repeat)
	return chosen, err
}

func (c *runCommand) verdict(summary check.Summary, trouble error) error {
	switch {
	case summary.Failed > 0:
		return status(exitFailed)
	case trouble != nil, summary.Verdict() == check.Inconclusive, c.NoSkips && summary.Skipped > 0:
		return status(exitInconclusive)
	default:
		return nil
	}
}

// each sets up a lab, runs the scenarios in it, until a result is enough, and takes it down. It
// returns how many results were given to done.
func (s *surroundings) each(
	ctx context.Context, chosen selected, enough func(result.Result) bool, done func(result.Result),
) (reported int, err error) {
	parallel := s.Parallel
	if parallel == 0 {
		parallel = 2 * runtime.NumCPU()
	}
	in, err := lab.Open(lab.Options{
		PostgresURL: s.Postgres, PostgresDirectory: lab.PostgresDirectoryFromEnvironment(),
		Variant: s.Variant, Parallel: parallel, Fresh: s.Fresh, Keep: s.Keep,
		Log: func(line string) { fmt.Fprintln(os.Stderr, line) },
	})
	if err != nil {
		return 0, err
	}
	defer func() {
		closing := in.Close(context.WithoutCancel(ctx))
		err = errors.Join(err, closing)
	}()
	if err := in.Prepare(ctx, chosen.scenarios); err != nil {
		if ctx.Err() != nil {
			return 0, context.Canceled
		}
		return 0, err
	}
	reported = run.All(ctx, in, chosen.scenarios, parallel, enough, done)
	if s.Keep {
		s.waitForInterrupt(ctx, in)
	}
	return reported, nil
}

// waitForInterrupt says how to connect to what was kept, and waits for Ctrl-C: the server ends with
// the harness. Where nobody can press it, it does not wait: there the databases stay on somebody's
// server, and end with an own one.
func (s *surroundings) waitForInterrupt(ctx context.Context, in *lab.Lab) {
	kept := in.Kept()
	attended := os.Getenv("CI") == "" && isatty.IsTerminal(os.Stdin.Fd())
	switch {
	case len(kept) == 0:
		fmt.Fprintln(os.Stderr, "--keep: there is no database to keep")
		return
	case attended:
		fmt.Fprintln(os.Stderr, "kept, until Ctrl-C:")
	case s.Postgres == "":
		fmt.Fprintln(os.Stderr, "--keep keeps nothing here: the server ends with this run, and nobody "+
			"can press Ctrl-C to end it later (no terminal, or CI is set); run it at a terminal, or "+
			"with --postgres URL, where databases stay")
		return
	default:
		fmt.Fprintln(os.Stderr, "kept on the server of --postgres; drop them when you are done:")
	}
	for _, line := range kept {
		fmt.Fprintln(os.Stderr, "  "+line)
	}
	if attended {
		<-ctx.Done()
	}
}

// save writes a result, and its history as a line for each event.
func save(folder string, r result.Result) error {
	name := filepath.Join(folder, r.System, report.FileName(r.Scenario))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("save the result of %s: %w", r.Scenario, err)
	}
	whole, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("save the result of %s: %w", r.Scenario, err)
	}
	var history strings.Builder
	lines := json.NewEncoder(&history)
	for _, e := range r.History {
		if err := lines.Encode(e); err != nil {
			return fmt.Errorf("save the history of %s: %w", r.Scenario, err)
		}
	}
	err = os.WriteFile(name+".json", append(whole, '\n'), 0o644)
	return errors.Join(err, os.WriteFile(name+".history.jsonl", []byte(history.String()), 0o644))
}
