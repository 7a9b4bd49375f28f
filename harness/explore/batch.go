package explore

import (
	"context"
	"math/rand/v2"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"lostreply/harness/check"
	"lostreply/harness/clock"
)

// run goes through the plans of a campaign, batch by batch.
func (c *campaign) run(ctx context.Context) (Report, error) {
	sum := c.newTally()
	if c.survey.damage.Verdict == check.Fail {
		sum.damage(c.survey.damage)
	}
	progress := &progress{tell: c.options.Progress}
	started := clock.Now()
	for _, plan := range c.planners() {
		var done []outcome
		for c.options.Budget == 0 || clock.Since(started) < c.options.Budget {
			batch := c.own(plan.next(done))
			if len(batch) == 0 {
				break
			}
			var err error
			if done, err = c.batch(ctx, batch, progress); err != nil {
				return Report{}, err
			}
			for _, each := range done {
				sum.add(each)
			}
		}
		sum.finished(plan)
	}
	return sum.whole(), c.writeDown(ctx, sum.shows)
}

// own are the schedules of this shard.
func (c *campaign) own(batch []schedule) []schedule {
	if c.options.Shards == 0 {
		return batch
	}
	var own []schedule
	for _, each := range batch {
		if each.share%c.options.Shards == c.options.Shard-1 {
			own = append(own, each)
		}
	}
	return own
}

// batch runs schedules, several at once and in the order of the seed, and gives what they came to
// in the order of the batch. What the keeper knows is not run.
func (c *campaign) batch(
	ctx context.Context, batch []schedule, progress *progress,
) ([]outcome, error) {
	done := make([]outcome, len(batch))
	progress.more(len(batch))
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(max(c.options.Parallel, 1))
	for _, place := range c.shuffled(len(batch)) {
		group.Go(func() error {
			if running.Err() != nil {
				return context.Cause(running)
			}
			var err error
			done[place], err = c.outcomeOf(running, batch[place])
			progress.one()
			return err
		})
	}
	return done, group.Wait()
}

// shuffled are the numbers below n in the order of the seed.
func (c *campaign) shuffled(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if c.options.Seed != 0 {
		random := rand.New(rand.NewPCG(c.options.Seed, c.options.Seed))
		random.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	return order
}

// outcomeOf is what a schedule comes to: what the keeper knows of it, or that of its run.
func (c *campaign) outcomeOf(ctx context.Context, s schedule) (outcome, error) {
	if o, known := c.keeper.known(s.id()); known {
		o.schedule = s
		return o, nil
	}
	if c.lab == nil {
		return outcome{}, c.missing(s)
	}
	o, err := c.try(ctx, s)
	if err != nil {
		return o, err
	}
	return o, c.keeper.keep(o)
}

// progress counts the runs that are done, of those that are planned so far.
type progress struct {
	tell          func(done, planned int)
	done, planned atomic.Int64
}

func (p *progress) more(n int) { p.planned.Add(int64(n)) }

func (p *progress) one() {
	done := p.done.Add(1)
	if p.tell != nil {
		p.tell(int(done), int(p.planned.Load()))
	}
}
