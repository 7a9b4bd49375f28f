package explore

import (
	"slices"
	"strings"

	"lostreply/harness/scenario"
)

// group are workers of a workload that run beside each other, and whose turns can be ordered.
type group struct {
	number int // in its workload, from 1
	lives  []scenario.Life
	// channels are those of the system.
	channels []string
}

func (g *group) names() []string {
	names := make([]string, len(g.lives))
	for i, life := range g.lives {
		names[i] = life.Worker
	}
	return names
}

// gather makes groups of the workers that run beside each other, and of those that are named to be
// started together. Each group is started and then takes turns, from the place where its last
// worker starts: the waits for its workers go.
func (w *workload) gather(together []string) error {
	if len(together) > 0 {
		if err := w.bring(together); err != nil {
			return err
		}
	}
	var items []item
	lives, running := map[string]int{}, map[string]bool{}
	var begun []int // the places of the launches since the last time that nobody ran
	var members []scenario.Life
	close := func() {
		if len(members) > 1 {
			for _, at := range begun {
				items[at].launch.goesOn = true
			}
			items = slices.DeleteFunc(items, func(i item) bool {
				return len(i.wait) > 0 && slices.ContainsFunc(i.wait, func(name string) bool {
					return slices.Contains(members, scenario.Life{Worker: name, Incarnation: lives[name]})
				})
			})
			w.groups = append(w.groups, &group{
				number: len(w.groups) + 1, lives: members, channels: w.scenario.Under.Channels.Names(),
			})
			items = append(items, item{group: w.groups[len(w.groups)-1]})
		}
		begun, members = nil, nil
	}
	for _, each := range w.items {
		items = append(items, each)
		switch {
		case each.launch != nil:
			own := *each.launch
			items[len(items)-1].launch = &own
			begun = append(begun, len(items)-1)
			for _, name := range own.names {
				lives[name]++
				members = append(members, scenario.Life{Worker: name, Incarnation: lives[name]})
				if own.goesOn {
					running[name] = true
				}
			}
		case len(each.wait) > 0:
			for _, name := range each.wait {
				delete(running, name)
			}
		}
		if len(running) == 0 {
			close()
		}
	}
	w.items = items
	if len(w.groups) == 0 {
		return w.nobodyBeside()
	}
	for _, each := range w.groups {
		names := each.names()
		slices.Sort(names)
		if len(slices.Compact(names)) < len(each.lives) {
			return refused(w.scenario, "a worker starts twice while others run beside it, and its turns "+
				"can't be told apart: give each start a name of its own, as `as`")
		}
	}
	return nil
}

// nobodyBeside is the refusal of a workload whose workers run one after the other.
func (w *workload) nobodyBeside() error {
	var names []string
	for _, each := range w.items {
		if each.launch != nil {
			names = append(names, each.launch.names...)
		}
	}
	if len(names) < 2 {
		return refused(w.scenario, "it starts one worker alone, and there is no order to try: start "+
			"another beside it, such as start: {program: PROGRAM, as: [w1, w2]}")
	}
	return refused(w.scenario, "no two of its workers run beside each other: say which are to be "+
		"started together, such as --together %s", strings.Join(names[len(names)-2:], ","))
}

// bring makes one launch after the other of the named workers, at the place of the first of them,
// and lets all of them run beside each other.
func (w *workload) bring(together []string) error {
	var launches []item
	first := -1
	missing := slices.Clone(together)
	var items []item
	for _, each := range w.items {
		if each.launch == nil {
			items = append(items, each)
			continue
		}
		var named, others []string
		for _, name := range each.launch.names {
			if slices.Contains(missing, name) {
				named = append(named, name)
				missing = slices.DeleteFunc(missing, func(other string) bool { return other == name })
			} else {
				others = append(others, name)
			}
		}
		if len(named) > 0 {
			if first < 0 {
				first = len(items)
			}
			own := *each.launch
			own.names, own.goesOn = named, true
			launches = append(launches, item{launch: &own})
		}
		if len(others) > 0 {
			own := *each.launch
			own.names = others
			items = append(items, item{launch: &own})
		}
	}
	if len(missing) > 0 {
		return refused(w.scenario, "--together names %s, and the workload starts %s",
			strings.Join(missing, ", "), strings.Join(w.started(), ", "))
	}
	if len(together) < 2 {
		return refused(w.scenario, "--together names %s alone: name two or more", together[0])
	}
	for i, each := range items {
		items[i].wait = slices.DeleteFunc(slices.Clone(each.wait), func(name string) bool {
			return slices.Contains(together, name)
		})
	}
	launches = append(launches, item{wait: together})
	w.items = slices.Insert(items, first, launches...)
	w.items = slices.DeleteFunc(w.items, func(i item) bool {
		return i.step == nil && i.launch == nil && len(i.wait) == 0
	})
	return nil
}

// started are the names of all workers, each once.
func (w *workload) started() []string {
	var names []string
	for _, each := range w.items {
		if each.launch != nil {
			names = append(names, each.launch.names...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// String names a group.
func (g *group) String() string { return strings.Join(g.names(), ", ") }
