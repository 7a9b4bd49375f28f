package explore

import (
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// smallerWorkload is a workload with less in it. moves are the workers of which a life has gone, by
// its number; by names what is smaller.
type smallerWorkload struct {
	workload *workload
	moves    map[string]int
	by       string
}

// smaller are the workload with nothing left but the steps of these workers and the SQL, then those
// with one step less, and then those with one parameter smaller. Each starts one of the workers, or
// all of them are the recovery's.
func (w *workload) smaller(workers []string) []smallerWorkload {
	var all []smallerWorkload
	if bare := w.bare(workers); len(bare.items) < len(w.items) && bare.starts(workers) {
		all = append(all, smallerWorkload{workload: bare, by: "bare"})
	}
	for i, each := range w.items {
		if each.wait != nil {
			continue // it goes with what it waits for
		}
		if less, moves := w.without(i); less.starts(workers) {
			all = append(all, smallerWorkload{less, moves, "no " + each.label()})
		}
	}
	for i, each := range w.items {
		if each.launch == nil || each.launch.args == nil {
			continue
		}
		for at := 1; at < len(each.launch.args.Content); at += 2 {
			for _, value := range smallerValues(each.launch.args.Content[at]) {
				by := each.label() + " " + each.launch.args.Content[at-1].Value + "=" + value
				all = append(all, smallerWorkload{workload: w.with(i, at, value), by: by})
			}
		}
	}
	return all
}

// label names an item as it first was, whatever has gone and become smaller since.
func (i item) label() string { return strconv.Itoa(i.number) }

// starts tells whether one of the workers is started, or any where all of them are the recovery's.
func (w *workload) starts(workers []string) bool {
	own := slices.ContainsFunc(workers, func(name string) bool { return !recovers(name) })
	return slices.ContainsFunc(w.items, func(i item) bool {
		return i.launch != nil && (!own || overlap(i.launch.names, workers))
	})
}

// bare is the workload with nothing but the starts of these workers, their waits and the SQL.
func (w *workload) bare(workers []string) *workload {
	less := *w
	less.items = slices.DeleteFunc(slices.Clone(w.items), func(i item) bool {
		switch {
		case i.step != nil:
			return i.step.Content[0].Value != "sql"
		case i.launch != nil:
			return !overlap(i.launch.names, workers)
		default:
			return !overlap(i.wait, workers)
		}
	})
	return &less
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(name string) bool { return slices.Contains(b, name) })
}

// without is the workload without one of its items, and without the wait for what that starts.
func (w *workload) without(gone int) (*workload, map[string]int) {
	less, moves := *w, map[string]int{}
	less.items = nil
	dropped := w.items[gone].launch
	waits := dropped != nil && dropped.goesOn
	for i, each := range w.items {
		switch {
		case i == gone:
		case i > gone && each.wait != nil && waits:
			left := slices.DeleteFunc(slices.Clone(each.wait), func(name string) bool {
				return slices.Contains(dropped.names, name)
			})
			waits = len(left) == len(each.wait) // those of one start are waited for together
			if len(left) > 0 {
				each.wait = left
				less.items = append(less.items, each)
			}
		default:
			less.items = append(less.items, each)
		}
		if i <= gone && dropped != nil && each.launch != nil {
			for _, name := range dropped.names {
				if slices.Contains(each.launch.names, name) {
					moves[name]++
				}
			}
		}
	}
	return &less, moves
}

// with is the workload with another value of one argument.
func (w *workload) with(i, at int, value string) *workload {
	changed := *w
	changed.items = slices.Clone(w.items)
	of := *w.items[i].launch
	args := *of.args
	args.Content = slices.Clone(args.Content)
	smaller := *args.Content[at]
	smaller.Value = value
	args.Content[at] = &smaller
	of.args = &args
	changed.items[i] = item{launch: &of, number: w.items[i].number}
	return &changed
}

// smallerValues are smaller ones of a whole number or a duration: 1 of it, and then its half.
func smallerValues(node *yaml.Node) []string {
	if node.Kind != yaml.ScalarNode {
		return nil
	}
	if whole, err := strconv.ParseInt(node.Value, 10, 64); err == nil && node.ShortTag() == "!!int" {
		var values []string
		for _, each := range []int64{1, whole / 2} {
			if text := strconv.FormatInt(each, 10); each < whole && each > 0 &&
				!slices.Contains(values, text) {
				values = append(values, text)
			}
		}
		return values
	}
	long, err := time.ParseDuration(node.Value)
	if err != nil {
		return nil
	}
	var values []string
	for _, each := range []time.Duration{time.Second, (long / 2).Truncate(time.Second)} {
		if text := each.String(); each < long && each > 0 && !slices.Contains(values, text) {
			values = append(values, text)
		}
	}
	return values
}
