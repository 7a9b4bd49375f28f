package scenario

import (
	"regexp"
	"strings"

	"lostreply/harness/event"
	"lostreply/harness/strict"
)

// scenarioChecker finds what is wrong with one scenario beyond its form, without running it.
type scenarioChecker struct {
	scenario *Scenario
	system   *System
	problems *Problems
	timeline timeline
	refusals []refusal
	standbys standbys
	whole    bool // everything could be read: what is missing is missing
	checks   int
	facts    int // checks that look at something else than a worker's own words
}

// validate reports what is wrong with a scenario beyond its form. Of one that is not whole, it
// leaves out what may only be missing because it could not be read.
func (s *Scenario) validate(problems *Problems, whole bool) {
	checker := &scenarioChecker{
		scenario: s, system: s.Under, problems: problems, timeline: newTimeline(), whole: whole,
	}
	for _, channel := range s.Channels.Entries {
		contract, known := s.Under.Channels.Get(channel.Name)
		if !known {
			problems.Addf(channel.At, "%s",
				strict.Unknown("channel", channel.Name, s.Under.Channels.Names()))
		} else if whole {
			problems.Add(CheckScript(contract, channel.Value))
		}
	}
	s.Scheduled = scheduledLives(s.Steps)
	for i := range s.Steps {
		checker.step(&s.Steps[i])
	}
	for i := range s.Expect {
		if kind := s.Expect[i].Kind; kind != "check" && kind != "note" && kind != "" {
			problems.Addf(s.Expect[i].At, "expect holds checks and notes only; %s belongs under steps",
				kind)
			continue
		}
		checker.step(&s.Expect[i])
	}
	if whole {
		checker.timeline.finish(problems)
		checker.finishRefusals()
		checker.finishStandbys()
		checker.verdicts()
	}
	s.Armed = checker.timeline.armed
	s.Lives = checker.timeline.order()
	s.Competing = checker.timeline.competing()
}

// verdicts refuses a scenario that could not fail.
func (c *scenarioChecker) verdicts() {
	switch {
	case c.checks == 0:
		c.problems.Addf(c.scenario.At,
			"the scenario checks nothing: add at least one check of a fact or a journal")
	case c.facts == 0:
		c.problems.Addf(c.scenario.At, "the only verdict is what a worker prints: "+
			"add a check of a fact, a journal, a file or how a worker ended")
	}
	c.system.checkVariant(c.problems, c.scenario.Variant)
	if c.scenario.Variant.Value != "" && !c.scenario.NegativeControl() &&
		!c.scenario.EndsOtherwise() && !c.scenario.HasTag(FindingTag) {
		c.problems.Addf(c.scenario.Variant.At, "variant %s, but nothing shows that it was in effect: "+
			"add exposes: to the check that is the witness of its damage, or let a step or an ended "+
			"check expect the exit status that it causes", c.scenario.Variant.Value)
	}
}

func (c *scenarioChecker) step(step *Step) {
	switch body := step.Body.(type) {
	case *Run:
		c.launch(body.At, body.Program, body.As, body.Args, false)
		if len(body.Prints) > 0 {
			c.checks++
		}
	case *Start:
		c.launch(body.At, body.Program, body.As, body.Args, true)
	case *Wait:
		c.wait(body)
	case *Hold:
		c.notScheduled(body.Worker, "hold")
		c.hold(body)
	case *Refuse:
		c.refuse(body)
	case *Release:
		body.Of = c.timeline.act(c.problems, body.At, body.Worker, body.Event)
		if body.Of != nil && body.Of.Event.Value == event.ExitName {
			c.timeline.lives[body.Worker.Value].over = true
		}
		c.timeline.crowd(nil)
	case *Sever:
		body.Of = c.actOnConnection(body.At, body.Worker, body.Event, "sever")
	case *Blackhole:
		body.Of = c.actOnConnection(body.At, body.Worker, body.Event, "blackhole")
	case *Fail:
		body.Of = c.fail(body)
	case *Kill:
		c.timeline.kill(c.problems, body.Worker)
	case *Schedule:
		c.schedule(body)
	case *Stop:
		c.notScheduled(body.Worker, "stop")
		c.timeline.stop(c.problems, body.Worker)
	case *Continue:
		c.timeline.resume(c.problems, body.Worker)
		c.timeline.crowd(nil)
	case *Advance:
		c.advance(body)
	case *SQL:
		c.system.checkDatabase(c.problems, body.At, body.Database)
	case *DatabaseStep:
		c.checkStandby(body)
		c.system.checkDatabase(c.problems, body.At, body.Name)
	case *Note:
		c.fact(body.Fact)
	case *Await:
		c.comparison(body.At, &body.Subject, &body.Comparison)
	case *Check:
		c.check(body)
	}
}

func (c *scenarioChecker) launch(
	at strict.Position, program strict.Text, as Names, args strict.Map[strict.Value], goesOn bool,
) {
	if known, ok := c.system.checkProgram(c.problems, program); ok {
		known.checkArguments(c.problems, at, program.Value, args)
	}
	if len(as) == 0 {
		as = Names{program}
	}
	for _, name := range as {
		life := c.timeline.start(c.problems, name, program.Value, goesOn)
		life.scheduled = c.scenario.Scheduled[Life{life.worker, life.incarnation}]
	}
	c.timeline.crowd(as.Values())
}

func (c *scenarioChecker) wait(wait *Wait) {
	if wait.Line != "" && wait.Idle.Value != "" {
		c.problems.Addf(wait.At, "line and idle: give one of them")
	}
	c.named(wait.Idle)
	for _, name := range wait.Worker {
		c.notScheduled(name, "wait")
		c.timeline.wait(c.problems, name, wait.ForEnd())
		if life := c.timeline.lives[name.Value]; life != nil && wait.Line != "" {
			life.printed = append(life.printed, wait.Line)
		}
	}
}

func (c *scenarioChecker) hold(hold *Hold) {
	if names := c.system.EventNames(); !contains(names, hold.Event.Value) {
		c.problems.Addf(hold.Event.At, "%s", strict.Unknown("event", hold.Event.Value, names))
	}
	exit := hold.Event.Value == event.ExitName
	if exit && hold.Phase == string(event.Request) {
		c.problems.Addf(hold.At, "an exit has no request phase: leave phase out")
	}
	if !exit && hold.Phase == "" {
		c.problems.Addf(hold.At,
			"missing key \"phase\": request (not yet acted on) or response (done, the worker not told)")
	}
	c.timeline.hold(c.problems, hold)
	c.reachable(hold)
}

// actOnConnection is an act on the connection of a held event; an exit has none.
func (c *scenarioChecker) actOnConnection(
	at strict.Position, worker, named strict.Text, act string,
) *Hold {
	hold := c.timeline.act(c.problems, at, worker, named)
	if hold != nil && hold.Event.Value == event.ExitName {
		c.problems.Addf(at, "%s acts on a connection, and an exit has none: release it", act)
	}
	c.timeline.crowd(nil)
	return hold
}

// fail answers in PostgreSQL's place, which only a turn that is not forwarded yet allows.
func (c *scenarioChecker) fail(fail *Fail) *Hold {
	hold := c.actOnConnection(fail.At, fail.Worker, fail.Event, "fail")
	if hold == nil {
		return nil
	}
	if hold.Phase == string(event.Response) {
		c.problems.Addf(fail.At, "fail answers instead of forwarding: hold the turn at its request")
	}
	for _, channel := range c.system.Channels.Names() {
		if hold.Event.Value == channel || hold.Event.Value == QueryEvent(channel) {
			c.problems.Addf(fail.At, "fail is for turns with a database; script the channel's reply instead")
		}
	}
	return hold
}

func (c *scenarioChecker) advance(advance *Advance) {
	c.system.checkDatabase(c.problems, advance.At, advance.Database)
	if advance.By <= 0 && c.whole {
		c.problems.Addf(advance.At, "by must be more than 0: the clock only goes forward")
	}
	if c.scenario.ClockMode() == ClockReal {
		c.problems.Addf(advance.At,
			"the clock is real and can't be advanced: set clock: frozen or clock: moving")
	}
}

func (c *scenarioChecker) check(check *Check) {
	c.checks++
	if check.Comparison.Line == nil {
		c.facts++
	}
	c.comparison(check.At, &check.Subject, &check.Comparison)
	c.early(check)
	if check.Of.Value != "" {
		c.fact(check.Of)
	}
	if check.As != "" {
		c.timeline.remember(c.problems, check)
	}
	if check.Comparison.UnchangedSince.Value != "" && check.Within > 0 {
		c.problems.Addf(check.At, "unchanged_since holds at once or never: leave within out")
	}
}

// comparison reports what is wrong with a subject and its comparison.
func (c *scenarioChecker) comparison(at strict.Position, subject *Subject, comparison *Comparison) {
	c.subject(at, subject)
	kinds := comparison.kinds()
	ofWorker := len(subject.Worker) > 0
	switch {
	case len(kinds) == 0:
		c.problems.Addf(at, "nothing is compared: give one of %s", comparisonsFor(ofWorker))
		return
	case len(kinds) > 1 && !(ofWorker && strings.Join(kinds, " ") == "count line"):
		c.problems.Addf(at, "more than one comparison (%s): make a check of each",
			strings.Join(kinds, ", "))
		return
	}
	workerKind := kinds[len(kinds)-1] == "ended" || kinds[len(kinds)-1] == "line"
	if ofWorker != workerKind {
		c.problems.Addf(at, "%s can't be compared by %s: give one of %s",
			subject.Kind(), kinds[0], comparisonsFor(ofWorker))
	}
	if comparison.Matches != nil {
		if _, err := regexp.Compile(*comparison.Matches); err != nil {
			c.problems.Addf(at, "matches is no regular expression: %v", err)
		}
	}
	if comparison.Ended != nil {
		c.ended(comparison.Ended)
	}
	if comparison.Count != nil {
		c.counted(subject, comparison.Count)
	}
	for _, earlier := range []strict.Text{comparison.UnchangedSince, comparison.ChangedSince} {
		if earlier.Value != "" {
			c.timeline.recall(c.problems, earlier)
		}
	}
}

// fact reports a name that is no fact of the system.
func (c *scenarioChecker) fact(name strict.Text) {
	if names := c.system.Facts.Names(); !contains(names, name.Value) {
		c.problems.Addf(name.At, "%s", strict.Unknown("fact", name.Value, names))
	}
}

func (c *scenarioChecker) subject(at strict.Position, subject *Subject) {
	given := 0
	if subject.Fact.Value != "" {
		given++
		c.fact(subject.Fact)
	}
	if subject.Journal.Value != "" {
		given++
		if names := c.system.Channels.Names(); !contains(names, subject.Journal.Value) {
			c.problems.Addf(subject.Journal.At, "%s",
				strict.Unknown("channel", subject.Journal.Value, names))
		}
	}
	if len(subject.Worker) > 0 {
		given++
		for _, name := range subject.Worker {
			c.timeline.known(c.problems, name)
		}
	}
	if subject.File.Value != "" {
		given++
	}
	if given != 1 {
		c.problems.Addf(at, "exactly one of fact, journal, worker and file is looked at; got %d", given)
	}
}
