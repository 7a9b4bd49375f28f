package report

import (
	"fmt"
	"strings"

	"lostreply/harness/event"
	"lostreply/harness/result"
)

// versionWord begins the line of evidence that names the version of its scenario.
const versionWord = "version"

// Evidence is the normalised transcript of a result: the case, the holds with the event that each
// hit, the checks, and the named events of each worker whose order somebody decided. Equal runs
// give equal bytes, on any machine, in any order, at any parallelism.
func Evidence(r result.Result) []byte {
	normaliser := event.NewNormaliser()
	var text strings.Builder
	line := func(format string, arguments ...any) {
		text.WriteString(normaliser.Text(fmt.Sprintf(format, arguments...)))
		text.WriteByte('\n')
	}
	line("CASE %s :: %s", r.Scenario, r.Title)
	line("system %s", r.System)
	if r.Version != "" {
		line(versionWord+" %s", r.Version)
	}
	if r.Variant != "" {
		line("variant %s", r.Variant)
	}
	for _, entry := range r.Entries {
		switch entry.Kind {
		case result.Check:
			line("  %s", entry.Line)
		case result.Held:
			line("  held %s", entry.Text)
		case result.Trouble:
			line("  INCONCLUSIVE %s", entry.Text)
		}
	}
	for _, limit := range r.Limits {
		line("  not proved: %s", limit)
	}
	for _, worker := range r.Workers {
		if events := namedEvents(r, worker); events != "" {
			line("events %s.%d: %s", worker.Name, worker.Incarnation, events)
		}
	}
	line("VERDICT %s", r.Verdict)
	return []byte(text.String())
}

// namedEvents are the events of one life of a worker that have a name; none of a worker that ran
// beside another without a hold. How often a poller looked in vain is left out, and so is what a
// worker was about to do when it was ended after the last check.
func namedEvents(r result.Result, worker result.Worker) string {
	if worker.Competes {
		return ""
	}
	var kept []event.Event
	for _, e := range r.History {
		switch {
		case e.Worker != worker.Name, e.Incarnation != worker.Incarnation, len(e.Names) == 0:
		case e.Kind == event.Exit && worker.Quiet:
		case e.Idle:
			kept = withoutRequestOf(kept, e)
		default:
			kept = append(kept, e)
		}
	}
	if last := len(kept) - 1; worker.Quiet && last >= 0 && kept[last].Phase == event.Request {
		kept = kept[:last]
	}
	names := make([]string, 0, len(kept))
	for _, e := range kept {
		names = append(names, brief(e))
	}
	return strings.Join(names, ", ")
}

// withoutRequestOf takes off the request of an idle response: the last of the same turn.
func withoutRequestOf(kept []event.Event, idle event.Event) []event.Event {
	for i := len(kept) - 1; i >= 0; i-- {
		if kept[i].Phase == event.Request && kept[i].Label == idle.Label && kept[i].Kind == idle.Kind {
			return append(kept[:i], kept[i+1:]...)
		}
	}
	return kept
}
