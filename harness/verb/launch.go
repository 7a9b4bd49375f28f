package verb

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"lostreply/harness/check"
	"lostreply/harness/process"
	"lostreply/harness/result"
	"lostreply/harness/scenario"
	"lostreply/harness/stage"
	"lostreply/harness/strict"
)

// launcher starts workers.
type launcher interface {
	workers
	Launch(ctx context.Context, program, as string, args strict.Map[strict.Value]) (
		*stage.Worker, error)
}

// start starts workers and goes on while they run.
func start(ctx context.Context, on launcher, step *scenario.Start) error {
	_, err := launch(ctx, on, step.Program.Value, step.As, step.Args)
	return err
}

// launch starts one worker for each name, side by side when there are several.
func launch(
	ctx context.Context, on launcher, program string, as scenario.Names,
	args strict.Map[strict.Value],
) ([]*stage.Worker, error) {
	names := as.Values()
	if len(names) == 0 {
		names = []string{program}
	}
	started := make([]*stage.Worker, len(names))
	group, ctx := errgroup.WithContext(ctx)
	for i, name := range names {
		group.Go(func() (err error) {
			started[i], err = on.Launch(ctx, program, name, args)
			return err
		})
	}
	return started, group.Wait()
}

// texts are a worker's lines, those of standard output first: which of two streams was read first
// is nobody's choice, and a claim must come out the same in every run.
func texts(lines []process.Line) []string {
	ordered := slices.Clone(lines)
	slices.SortStableFunc(ordered, func(a, b process.Line) int {
		return strings.Compare(streamOrder(a.Stream), streamOrder(b.Stream))
	})
	texts := make([]string, 0, len(ordered))
	for _, line := range ordered {
		texts = append(texts, line.Text)
	}
	return texts
}

func streamOrder(stream process.Stream) string {
	if stream == process.Stdout {
		return ""
	}
	return string(stream)
}

// at is a step's place as results show it: file and line.
func at(position strict.Position) string {
	return fmt.Sprintf("%s:%d", position.File, position.Line)
}

// judged is the entry of a line; what explains it is shown only when it did not pass.
func judged(line check.Line, position string, context []string) result.Entry {
	entry := result.Entry{Kind: result.Check, Line: line, At: position}
	if line.Verdict != check.Pass {
		entry.Context = context
	}
	return entry
}
