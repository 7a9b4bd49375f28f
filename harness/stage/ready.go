package stage

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"lostreply/harness/clock"
	"lostreply/harness/process"
	"lostreply/harness/scenario"
)

// awaitReady waits until a started worker is up, as its program says.
func (s *Stage) awaitReady(
	ctx context.Context, worker *Worker, ready *scenario.Ready, values map[string]string,
) error {
	if ready == nil {
		return nil
	}
	ctx, cancel := clock.WithDeadline(ctx, s.scenario.Limit())
	defer cancel()
	var err error
	switch {
	case ready.Line != "":
		_, err = worker.group.WaitLine(ctx, func(line process.Line) bool {
			return strings.Contains(line.Text, ready.Line)
		})
	case ready.Event != "":
		err = s.awaitEvent(ctx, worker, ready.Event)
	default:
		err = awaitHTTP(ctx, worker, ready.HTTP.Value, values)
	}
	if err != nil {
		return Inconclusive{
			Reason: fmt.Sprintf("worker %s did not become ready: %v", worker.Name, err),
			Seen:   worker.LastLines(),
		}
	}
	return nil
}

func (s *Stage) awaitEvent(ctx context.Context, worker *Worker, name string) error {
	for {
		changed := s.gate.Changed()
		for _, e := range s.gate.History() {
			if e.Worker == worker.Name && e.Incarnation == worker.Incarnation && e.Has(name) {
				return nil
			}
		}
		select {
		case <-changed:
		case <-worker.drained:
			return fmt.Errorf("it ended (%s) before event %s", worker.Ending(), name)
		case <-ctx.Done():
			return fmt.Errorf("no event %s: %w", name, context.Cause(ctx))
		}
	}
}

func awaitHTTP(ctx context.Context, worker *Worker, url string, values map[string]string) error {
	url, err := scenario.Expand(url, values)
	if err != nil {
		return err
	}
	last := "no answer yet"
	err = clock.Until(ctx, func(ctx context.Context) (bool, error) {
		if worker.HasEnded() {
			return false, fmt.Errorf("it ended: %s", worker.Ending())
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return false, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			if ctx.Err() == nil { // else the deadline cut this one short: the last answer tells more
				last = err.Error()
			}
			return false, nil
		}
		last = response.Status
		return response.StatusCode/100 == 2, response.Body.Close()
	})
	if err != nil {
		return fmt.Errorf("GET %s: %w (last: %s)", url, err, last)
	}
	return nil
}
