package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"lostreply/harness/lab"
	"lostreply/harness/scenario"
)

// Options say how far an exploration goes.
type Options struct {
	// Full tries every turn that can be held, also where nothing can differ.
	Full bool
	// Faults is how many there are in one run at most; 0 for one. With two, the second is anywhere
	// after the first.
	Faults int
	// Most bounds the schedules of several faults in each batch; 0 for all.
	Most int
	// At chooses faults by how they are written ("kill at a.1 push#2 response"); nil for all.
	At *regexp.Regexp
	// Expectations judges by the scenario's own expectations, not by what is left without a fault.
	Expectations bool
	// Variant is the build of the system, in place of the scenario's own.
	Variant string
	// Advance is how far each round of the recovery moves the clocks.
	Advance time.Duration
	// Parallel is how many runs go on at once.
	Parallel int
	// Seed is of the order in which runs are made; 0 for that of the plan. What comes of them does
	// not depend on it.
	Seed uint64
	// Shard and Shards choose every so manieth schedule of the plan, from 1; 0 for all.
	Shard, Shards int
	// Out is the folder under which findings are written.
	Out string
	// Progress is told how many of the runs planned so far are done; nil for nobody. It is called by
	// several runs at once.
	Progress func(done, planned int)
}

// Report is what the exploration of one scenario came to.
type Report struct {
	Scenario, Title, System, Variant string
	// Explored schedules were run, of a Total; Pruned ones were not, as nothing can differ there.
	Explored, Total, Pruned int
	// Violations and Inconclusive are runs.
	Violations, Inconclusive int
	Findings                 []Finding
	// Doubts are the runs that proved nothing, with why.
	Doubts []string
	// Notes say what was left out, and why.
	Notes []string
	// Inert tells that recovery changed nothing after any fault: then it proves nothing that all
	// came out well.
	Inert bool
	// Outcome is a hash of what every run came to.
	Outcome string
}

// campaign is the exploration of one scenario.
type campaign struct {
	lab      *lab.Lab
	options  Options
	workload *workload
	survey   survey
	keeper   keeper
}

// Check tells, without running anything, whether a scenario can be explored: nil, or an ErrRefused
// that says what to do.
func Check(s *scenario.Scenario, options Options) error {
	_, err := load(s, options)
	return err
}

func load(s *scenario.Scenario, options Options) (*workload, error) {
	systemText, err := os.ReadFile(s.Under.File)
	if err != nil {
		return nil, fmt.Errorf("read the system of %s: %w", s.Name(), err)
	}
	return newWorkload(s, systemText, options)
}

// One explores a scenario. Its error is ErrRefused, trouble of the harness, or that of ctx.
func One(
	ctx context.Context, in *lab.Lab, s *scenario.Scenario, options Options,
) (Report, error) {
	workload, err := load(s, options)
	if err != nil {
		return Report{}, err
	}
	c := &campaign{lab: in, options: options, workload: workload, keeper: nowhere{}}
	if c.survey, err = c.recorded(ctx); err != nil {
		return Report{}, err
	}
	return c.run(ctx)
}

// fileOf is where a run would be written.
func (c *campaign) fileOf(name string) string {
	return filepath.Join(c.options.Out, c.workload.scenario.Under.Name.Value, name+".yaml")
}
