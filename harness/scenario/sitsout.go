package scenario

import (
	"time"

	"lostreply/harness/strict"
)

// shortTimeout is how long a timeout may be that a scenario sets so as to sit it out. A longer one
// is never to be reached.
const shortTimeout = 2 * time.Second

// SitsOut estimates how long the scenario waits for timeouts of its workers, without any use of the
// machine: where a channel leaves a call unanswered, the short durations that programs are given.
func (s *Scenario) SitsOut() time.Duration {
	if !s.leavesUnanswered() {
		return 0
	}
	var sum time.Duration
	for _, step := range s.Steps {
		switch body := step.Body.(type) {
		case *Run:
			sum += shortDurations(body.Args)
		case *Start:
			sum += shortDurations(body.Args)
		}
	}
	return sum
}

// leavesUnanswered tells whether a channel is scripted not to answer a call.
func (s *Scenario) leavesUnanswered() bool {
	for _, script := range s.Channels.Entries {
		for _, entry := range script.Value {
			if entry.Reply != nil && entry.Reply.Silence == Hang {
				return true
			}
		}
	}
	return false
}

func shortDurations(args strict.Map[strict.Value]) time.Duration {
	var sum time.Duration
	for _, argument := range args.Entries {
		limit, err := time.ParseDuration(argument.Value.Source)
		if err == nil && limit <= shortTimeout {
			sum += limit
		}
	}
	return sum
}
