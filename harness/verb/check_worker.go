package verb

import (
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/scenario"
	"lostreply/harness/stage"
)

// evaluateWorkers judges how workers ended, or what they claim.
func evaluateWorkers(on observer, step *scenario.Check) ([]check.Line, error) {
	found := make([]*stage.Worker, 0, len(step.Subject.Worker))
	for _, name := range step.Subject.Worker {
		worker, err := on.Worker(name.Value)
		if err != nil {
			return nil, err
		}
		found = append(found, worker)
	}
	var lines []check.Line
	switch {
	case step.Comparison.Ended != nil:
		for _, worker := range found {
			lines = append(lines, compareEnding(worker, step.Comparison.Ended))
		}
	case step.Comparison.Count != nil:
		comparison, err := count(*step.Comparison.Count)
		if err != nil {
			return nil, err
		}
		wanted, ok := comparison.(check.Count)
		if !ok {
			return nil, stage.Inconclusive{Reason: "count of lines: expected a number"}
		}
		lines = append(lines, check.CompareClaimCount(
			subjectName(&step.Subject), *step.Comparison.Line, linesOf(found), int64(wanted)))
	default:
		for _, worker := range found {
			lines = append(lines, check.CompareClaim(
				worker.Name, *step.Comparison.Line, texts(worker.Lines())))
		}
	}
	if step.Title != "" && len(lines) == 1 {
		lines[0].Name = step.Title
	}
	for i := range lines {
		lines[i].Exposes = strings.TrimSpace(step.Exposes)
	}
	return lines, nil
}

func compareEnding(worker *stage.Worker, ended *scenario.Ended) check.Line {
	if ended.Any {
		return check.CompareEnded(worker.Name, ending(worker))
	}
	return check.CompareEnding(worker.Name, wantedEnding(ended), ending(worker))
}

func wantedEnding(ended *scenario.Ended) check.Ending {
	if ended.Exit != nil {
		return check.Ending{Exit: *ended.Exit}
	}
	return check.Ending{Signal: ended.Signal}
}

func linesOf(workers []*stage.Worker) []string {
	var lines []string
	for _, worker := range workers {
		lines = append(lines, texts(worker.Lines())...)
	}
	return lines
}
