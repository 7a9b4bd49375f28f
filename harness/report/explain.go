package report

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/event"
	"lostreply/harness/result"
)

// eventsBefore is how many events before a failed check are shown.
const eventsBefore = 12

// Explanation is what a reader needs to see why an entry did not pass: the step, the difference,
// the events around it, the last lines, and how to run it again.
func Explanation(r result.Result, entry result.Entry, again Again) []string {
	lines := []string{entry.At}
	lines = append(lines, details(r, entry)...)
	return append(lines, "again: "+again.Of(r))
}

// details are an explanation without its place and the command.
func details(r result.Result, entry result.Entry) []string {
	var lines []string
	if entry.Kind == result.Check {
		lines = append(lines, check.Explain(entry.Line)...)
		lines = append(lines, eventsByWorker(r.History, entry.After)...)
	}
	return append(lines, entry.Context...)
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
		life := fmt.Sprintf("%s.%d", e.Worker, e.Incarnation)
		if byWorker[life] == nil {
			order = append(order, life)
		}
		byWorker[life] = append(byWorker[life], brief(e))
	}
	if len(order) == 0 {
		return nil
	}
	sort.Strings(order)
	lines := []string{"events before it, by worker:"}
	for _, life := range order {
		lines = append(lines, fmt.Sprintf("  %s: %s", life, strings.Join(byWorker[life], ", ")))
	}
	return lines
}
