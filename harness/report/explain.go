package report

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/event"
	"lostreply/harness/result"
)

// eventsBefore is how many events before a failed check are shown.
const eventsBefore = 12

// eventsAfter is how many events after it are shown, of each life of a worker.
const eventsAfter = 3

// linesOfAWorker is how many of a worker's last lines are shown beside a check that is not about
// it.
const linesOfAWorker = 5

// Explanation is what a reader needs to see why an entry did not pass: the step as it is written,
// the difference, the events around it, the facts at that moment, what workers printed last, and
// how to run it again.
func Explanation(r result.Result, entry result.Entry, again Again) []string {
	lines := []string{entry.At}
	if told := toldBefore(r, entry); told == nil || told.At != entry.At {
		for _, line := range entry.Step {
			lines = append(lines, "  "+line)
		}
	}
	lines = append(lines, details(r, entry)...)
	return append(lines, "again: "+again.Of(r))
}

// details are an explanation without its place and the command.
func details(r result.Result, entry result.Entry) []string {
	if entry.Kind != result.Check {
		return entry.Context
	}
	lines := append([]string{}, check.Explain(entry.Line)...)
	told := toldBefore(r, entry)
	if told == nil || told.After != entry.After {
		lines = append(lines, eventsByWorker(r.History, entry.After)...)
		lines = append(lines, eventsSince(r, entry.After)...)
	}
	if len(entry.Facts) > 0 {
		lines = append(lines, "facts at that moment:")
		for _, line := range entry.Facts {
			lines = append(lines, "  "+line)
		}
	}
	lines = append(lines, entry.Context...)
	if len(entry.Context) == 0 && told == nil {
		lines = append(lines, lastLines(r, entry.After)...)
	}
	return lines
}

// toldBefore is the check before an entry that did not pass either, nil for the first: what is the
// same for both is told once.
func toldBefore(r result.Result, entry result.Entry) *result.Entry {
	var before *result.Entry
	for _, p := range unpassed(r) {
		if p.entry.At == entry.At && p.entry.Line.Name == entry.Line.Name &&
			p.entry.After == entry.After && p.entry.Text == entry.Text {
			return before
		}
		if p.entry.Kind == result.Check {
			before = &p.entry
		}
	}
	return nil
}

// eventsSince are the events that came after an entry, by worker. What a poller found idle, and the
// end of a worker that the harness ended itself, are nobody's doing.
func eventsSince(r result.Result, after int) []string {
	quiet := map[string]bool{}
	for _, worker := range r.Workers {
		if worker.Quiet || worker.Competes {
			quiet[lifeOf(worker.Name, worker.Incarnation)] = true
		}
	}
	var order []string
	byWorker := map[string][]string{}
	for _, e := range r.History[min(after, len(r.History)):] {
		life := lifeOf(e.Worker, e.Incarnation)
		if quiet[life] || e.Idle || len(byWorker[life]) == eventsAfter {
			continue
		}
		if byWorker[life] == nil {
			order = append(order, life)
		}
		byWorker[life] = append(byWorker[life], brief(e))
	}
	return listed("events after it, by worker:", order, byWorker)
}

func lifeOf(worker string, incarnation int) string {
	return fmt.Sprintf("%s.%d", worker, incarnation)
}

func listed(heading string, order []string, byWorker map[string][]string) []string {
	if len(order) == 0 {
		return nil
	}
	sort.Strings(order)
	lines := []string{heading}
	for _, life := range order {
		lines = append(lines, fmt.Sprintf("  %s: %s", life, strings.Join(byWorker[life], ", ")))
	}
	return lines
}

// lastLines are what each worker that had come by then printed last.
func lastLines(r result.Result, after int) []string {
	var lines []string
	for _, worker := range r.Workers {
		came := slices.ContainsFunc(r.History[:min(after, len(r.History))], func(e event.Event) bool {
			return e.Worker == worker.Name && e.Incarnation == worker.Incarnation
		})
		if !came || len(worker.Lines) == 0 {
			continue
		}
		lines = append(lines, worker.Lines[0])
		lines = append(lines, worker.Lines[max(1, len(worker.Lines)-linesOfAWorker):]...)
	}
	return lines
}

// placeOf parts a position: file:line.
func placeOf(at string) (file string, line int) {
	colon := strings.LastIndexByte(at, ':')
	if colon < 0 {
		return at, 0
	}
	line, err := strconv.Atoi(at[colon+1:])
	if err != nil {
		return at, 0
	}
	return at[:colon], line
}

// eventsByWorker shows the last events before an entry, a line for each life of a worker: which of
// two workers came first is often nobody's choice, and the same run prints the same bytes.
func eventsByWorker(history []event.Event, after int) []string {
	from := max(0, min(after, len(history))-eventsBefore)
	var order []string
	byWorker := map[string][]string{}
	for _, e := range history[from:min(after, len(history))] {
		life := lifeOf(e.Worker, e.Incarnation)
		if byWorker[life] == nil {
			order = append(order, life)
		}
		byWorker[life] = append(byWorker[life], brief(e))
	}
	return listed("events before it, by worker:", order, byWorker)
}
