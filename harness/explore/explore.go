package explore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"lostreply/harness/lab"
	"lostreply/harness/scenario"
)

// Options say how far an exploration goes. Those that records hold decide which schedules there are
// and what they come to: outcomes of a campaign with others are not its own.
type Options struct {
	// Full tries every turn that can be held, also where nothing can differ.
	Full bool `json:"full"`
	// Faults is how many there are in one run at most; 0 for one. With two, the second is anywhere
	// after the first.
	Faults int `json:"faults,omitempty"`
	// Walk is the seed of a random walk through schedules of up to three faults, or with Interleave
	// through orders, in place of all there are; 0 for none. It goes on until nothing is left, or
	// Budget is used up; Budget 0 has no end.
	Walk   uint64        `json:"walk,omitempty"`
	Budget time.Duration `json:"-"`
	// Most bounds the schedules of several faults in each batch; 0 for all.
	Most int `json:"most,omitempty"`
	// At is a regular expression that chooses faults by how they are written ("kill at a.1 push#2
	// response"); empty for all.
	At string `json:"at,omitempty"`
	// Interleave tries orders of the workers that run beside each other, in place of faults; Together
	// names workers that are to be started so, in a workload that starts them one after the other.
	// Orders bounds how many are tried for each group of workers; 0 for DefaultOrders. With Full,
	// orders are tried too of which it is known that they come to the same.
	Interleave bool     `json:"interleave,omitempty"`
	Together   []string `json:"together,omitempty"`
	Orders     int      `json:"orders,omitempty"`
	// GroupsBefore is, of shards of orders, how many groups of workers there are in the scenarios that
	// are explored before this one. All orders of a group are of one shard; the groups are shared out.
	GroupsBefore int `json:"groups_before,omitempty"`
	// Expectations judges by the scenario's own expectations, not by what is left without a fault.
	Expectations bool `json:"expectations"`
	// Variant is the build of the system, in place of the scenario's own.
	Variant string `json:"-"`
	// Advance is how far each round of the recovery moves the clocks.
	Advance time.Duration `json:"advance"`
	// Shrink makes what is found as small as it goes before it is written.
	Shrink bool `json:"shrink"`
	// Parallel is how many runs go on at once.
	Parallel int `json:"-"`
	// Seed is of the order in which runs are made; 0 for that of the plan. What comes of them does
	// not depend on it.
	Seed uint64 `json:"-"`
	// Shard and Shards choose every so manieth schedule of the plan, from 1; 0 for all.
	Shard  int `json:"-"`
	Shards int `json:"-"`
	// Out is the folder under which findings and records are written; empty for no records.
	Out string `json:"-"`
	// Resume goes on with what the records below Out hold of this campaign.
	Resume bool `json:"-"`
	// Progress is told how many of the runs planned so far are done; nil for nobody. It is called by
	// several runs at once.
	Progress func(done, planned int) `json:"-"`
}

// DefaultOrders is how many orders are tried at most of one group of workers.
const DefaultOrders = 500

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
	// Elsewhere tells that all there is to try is another shard's.
	Elsewhere bool
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
	shards   int // of a merge: how many there are
	// baselines are there while findings are made smaller.
	baselines *baselines
}

// Check tells, without running anything, whether a scenario can be explored: its error is an
// ErrRefused that says what to do. groups are those of workers whose orders are tried.
func Check(s *scenario.Scenario, options Options) (groups int, err error) {
	w, err := load(s, options)
	if err != nil {
		return 0, err
	}
	return len(w.groups), nil
}

func load(s *scenario.Scenario, options Options) (*workload, error) {
	if _, err := regexp.Compile(options.At); err != nil {
		return nil, fmt.Errorf("choose faults: %w", err)
	}
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
	if options.Out == "" {
		return c.explored(ctx)
	}
	now, err := headerOf(ctx, in, workload, options)
	if err != nil {
		return Report{}, fmt.Errorf("explore %s: %w", s.Name(), err)
	}
	records, err := openRecords(c.fileOf(workload.recordsName()), now, options.Resume)
	if err != nil {
		return Report{}, err
	}
	c.keeper = records
	report, err := c.explored(ctx)
	return report, errors.Join(err, records.close())
}

// explored is what the campaign comes to, what its keeper knows included.
func (c *campaign) explored(ctx context.Context) (Report, error) {
	survey, known, err := c.keeper.surveyed()
	if err == nil && !known {
		if survey, err = c.recorded(ctx); err == nil {
			err = c.keeper.survey(survey)
		}
	}
	if err != nil {
		return Report{}, err
	}
	c.survey = survey
	report, err := c.run(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("explore %s: %w", c.workload.scenario.Name(), err)
	}
	return report, c.keeper.ended(report.Outcome)
}

// fileOf is where a file of the campaign is written.
func (c *campaign) fileOf(name string) string {
	return filepath.Join(c.options.Out, c.workload.scenario.Under.Name.Value, name)
}
