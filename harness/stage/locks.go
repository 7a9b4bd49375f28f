package stage

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/strict"
)

// blockingSQL asks, for each backend of $1 that waits for a lock, which processes hold it back.
const blockingSQL = `select pid, pg_blocking_pids(pid) from unnest($1::int[]) pid
	where cardinality(pg_blocking_pids(pid)) > 0`

// lockHolders asks PostgreSQL which of the workers that run wait for a lock, and who holds it:
// other workers by name, "" for anybody else.
func (s *Stage) lockHolders(
	ctx context.Context, running map[string]bool,
) (map[string][]string, error) {
	holders := map[string][]string{}
	if !anyOf(running) {
		return holders, nil
	}
	for _, database := range sortedKeys(s.databases) {
		owners := s.backends(database)
		var ask []int32
		for pid, worker := range owners {
			if running[worker] {
				ask = append(ask, int32(pid))
			}
		}
		if len(ask) == 0 {
			continue
		}
		connection, err := s.Control(ctx, strict.Text{Value: database})
		if err != nil {
			return nil, err
		}
		rows, err := connection.Query(ctx, blockingSQL, ask)
		if err != nil {
			return nil, fmt.Errorf("ask which backends wait for locks: %w", err)
		}
		var pid int32
		var blocking []int32
		_, err = pgx.ForEachRow(rows, []any{&pid, &blocking}, func() error {
			waiting := owners[uint32(pid)]
			for _, holder := range blocking {
				holders[waiting] = append(holders[waiting], owners[uint32(holder)])
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("ask which backends wait for locks: %w", err)
		}
	}
	return holders, nil
}

// backends are the process ids that serve workers in a database now, with the workers' names.
func (s *Stage) backends(database string) map[uint32]string {
	owners := map[uint32]string{}
	for _, worker := range s.Workers() {
		if worker.HasEnded() || worker.listeners[database] == nil {
			continue
		}
		for _, pid := range worker.listeners[database].Backends() {
			owners[pid] = worker.Name
		}
	}
	return owners
}

func (s *Stage) whereEachStands(locks map[string][]string) []string {
	lines := []string{"where each stands:"}
	for _, each := range s.scheduler.Standings() {
		lines = append(lines, fmt.Sprintf("  %s.%d %s", each.Worker, each.Incarnation,
			standing(each, locks[each.Worker])))
	}
	return lines
}

func standing(each gate.Standing, holders []string) string {
	switch {
	case each.State == gate.Ended:
		return fmt.Sprintf("has ended (%s)", each.Event.Label)
	case each.State == gate.Waiting:
		return "waits to be chosen: " + brief(each.Event)
	case each.State == gate.Told:
		return "is about to hear: " + brief(each.Event)
	case len(holders) > 0:
		return fmt.Sprintf("waits for a lock of %s: %s", holderNames(holders), brief(each.Event))
	case each.Event.Sequence == 0 && each.Event.Worker == "":
		return "runs, and has sent nothing yet"
	default:
		return "runs since: " + brief(each.Event)
	}
}

func holderNames(holders []string) string {
	names := slices.Compact(slices.Sorted(slices.Values(holders)))
	if i := slices.Index(names, ""); i >= 0 {
		names[i] = "somebody who is not scheduled"
	}
	return strings.Join(names, ", ")
}

// brief names an event by its names and phase, or by what it says.
func brief(e event.Event) string {
	var names []string
	for _, address := range e.Addresses() {
		names = append(names, fmt.Sprintf("%s#%d", address.Event, address.Nth))
	}
	if len(names) == 0 {
		names = append(names, e.Label)
	}
	return fmt.Sprintf("%s %s", strings.Join(names, " "), e.Phase)
}
