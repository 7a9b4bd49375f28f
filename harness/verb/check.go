package verb

import (
	"context"
	"fmt"
	"os"
	"strings"

	"lostreply/fakes"
	"lostreply/harness/check"
	"lostreply/harness/clock"
	"lostreply/harness/fact"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
	"lostreply/harness/stage"
	"lostreply/harness/strict"
)

// observer reads what a check looks at.
type observer interface {
	workers
	crew
	controls
	Channel(name string) *fakes.Channel
	Remember(name string, value check.Table)
	Recall(name string) (check.Table, error)
	Reader(ctx context.Context, database strict.Text, fresh bool) (fact.Reader, error)
	Path(relative string) string
}

// checkStep compares once, or looks again until it holds or its time has passed.
func checkStep(ctx context.Context, on observer, step *scenario.Check) ([]result.Entry, error) {
	lines, err := evaluate(ctx, on, step)
	if step.Within > 0 && err == nil && check.Worst(verdicts(lines)...) != check.Pass {
		lines, err = lookAgain(ctx, on, step)
	}
	if err != nil {
		return nil, err
	}
	entries := make([]result.Entry, 0, len(lines))
	for _, line := range lines {
		entries = append(entries, judged(line, at(step.At), lastLinesOf(on, step.Subject.Worker)))
	}
	if check.Worst(verdicts(lines)...) != check.Pass {
		facts := factsNow(ctx, on, step.Within > 0)
		for i := range entries {
			if entries[i].Line.Verdict != check.Pass {
				entries[i].Facts = facts
				break
			}
		}
	}
	return entries, nil
}

func lookAgain(
	ctx context.Context, on observer, step *scenario.Check,
) (lines []check.Line, err error) {
	bounded, cancel := clock.WithDeadline(ctx, step.Within)
	defer cancel()
	var latest []check.Line
	_ = clock.Until(bounded, func(context.Context) (bool, error) {
		last := haveEnded(on, step.Subject.Worker)
		latest, err = evaluate(ctx, on, step)
		return last || err != nil || check.Worst(verdicts(latest)...) == check.Pass, nil
	})
	return latest, err
}

func verdicts(lines []check.Line) []check.Verdict {
	all := make([]check.Verdict, 0, len(lines))
	for _, line := range lines {
		all = append(all, line.Verdict)
	}
	return all
}

func lastLinesOf(on observer, names scenario.Names) []string {
	var lines []string
	for _, name := range names {
		if worker, err := on.Worker(name.Value); err == nil {
			lines = append(lines, worker.LastLines()...)
		}
	}
	return lines
}

// evaluate reads the subject once and judges it.
func evaluate(ctx context.Context, on observer, step *scenario.Check) ([]check.Line, error) {
	if len(step.Subject.Worker) > 0 {
		return evaluateWorkers(on, step)
	}
	table, err := read(ctx, on, &step.Subject, step.Within > 0)
	if err != nil {
		return nil, err
	}
	if step.As != "" {
		on.Remember(step.As, table)
	}
	expectation, err := expect(on, &step.Subject, &step.Comparison)
	if err != nil {
		return nil, err
	}
	expectation.Title, expectation.Exposes = step.Title, step.Exposes
	if step.Of.Value != "" {
		existing, err := readFact(ctx, on, step.Of.Value, step.Within > 0)
		if err != nil {
			return nil, err
		}
		expectation.Of = &check.Existing{Name: step.Of.Value, Table: existing}
	}
	return check.Compare(subjectName(&step.Subject), table, expectation), nil
}

func subjectName(subject *scenario.Subject) string {
	switch {
	case subject.Fact.Value != "":
		return subject.Fact.Value
	case subject.Journal.Value != "":
		return subject.Journal.Value
	case subject.File.Value != "":
		return subject.File.Value
	default:
		return strings.Join(subject.Worker.Values(), ", ")
	}
}

// read reads a fact, a journal or a file as a table.
func read(
	ctx context.Context, on observer, subject *scenario.Subject, fresh bool,
) (check.Table, error) {
	switch {
	case subject.Fact.Value != "":
		return readFact(ctx, on, subject.Fact.Value, fresh)
	case subject.Journal.Value != "":
		return on.Channel(subject.Journal.Value).Table(), nil
	default:
		return readFile(on.Path(subject.File.Value))
	}
}

// readFact reads a fact: in the snapshot of the expectations when there is one, else, or when it is
// looked at again and again, as it is now.
func readFact(ctx context.Context, on observer, name string, fresh bool) (check.Table, error) {
	definition, _ := on.Scenario().Under.Facts.Get(name)
	reader, err := on.Reader(ctx, definition.Database, fresh)
	if err != nil {
		return check.Table{}, err
	}
	table, err := fact.Read(ctx, reader, definition.SQL)
	if err != nil {
		return check.Table{}, stage.Inconclusive{Reason: fmt.Sprintf("fact %s: %v", name, err)}
	}
	return table, nil
}

// readFile reads a file as a table of one column, a row for each line. A file that is not there has
// no rows.
func readFile(path string) (check.Table, error) {
	table := check.Table{Columns: []string{"line"}}
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return table, nil
	}
	if err == nil && !info.Mode().IsRegular() { // reading a pipe or a device may never end
		return table, stage.Inconclusive{Reason: path + " is no regular file, and is not read"}
	}
	var content []byte
	if err == nil {
		content, err = os.ReadFile(path)
	}
	if err != nil {
		return table, fmt.Errorf("read file: %w", err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
		table.Rows = append(table.Rows, []any{line})
	}
	return table, nil
}
