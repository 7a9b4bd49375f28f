package explore

// planner gives the schedules of a campaign, batch by batch. A campaign runs one planner after the
// other (campaign.planners): it asks for a batch, runs it, and gives what came of it to the next
// call, until a batch is empty.
//
// A new plan is a type of its own in a file of its own, and a line in campaign.planners. What it
// needs to run that a schedule does not say yet is a field of schedule, part of its id, and written
// by compose. What it has to know of a run for its next batch is a field of outcome: small, as it
// may be kept on disk (keeper) and is held until the next batch is planned.
//
// The same outcomes must give the same batches, in the same order: that is what makes shards,
// resuming and the hash of an exploration work. Shards are by schedule.share: a planner is given
// the outcomes of this shard alone.
type planner interface {
	// next are the schedules to be run next. done are the outcomes of the last batch, in the order of
	// that batch, without those of other shards; none before the first.
	next(done []outcome) []schedule
	// counted are how many schedules there are, and how many of them are left out as nothing can
	// differ there, so far.
	counted() (total, pruned int)
	// notes say what was left out for another reason.
	notes() []string
}

// planners are the plans of this campaign, in their order.
func (c *campaign) planners() []planner {
	if c.options.Interleave {
		return c.interleavings()
	}
	overtakes, others := newOvertakes(c.workload, c.survey.places)
	if c.options.Walk != 0 {
		return []planner{newWalk(others, c.options)}
	}
	return []planner{newFaults(others, c.options), overtakes}
}
