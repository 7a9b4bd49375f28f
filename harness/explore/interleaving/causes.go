package interleaving

// past is, for each step of a run, which earlier ones must come before it.
type past struct {
	steps  []Step
	before [][]bool
	races  []race
}

// race is a pair of steps of two workers that do not commute and that nothing else keeps in their
// order: first and second are their places.
type race struct{ first, second int }

// causes finds what must come before what in a run: the earlier steps of the same worker and what
// gave them their answers, and the earlier steps that a step does not commute with.
func causes(steps []Step, independent func(a, b Step) bool) past {
	p := past{steps: steps, before: make([][]bool, len(steps))}
	latest := map[string]int{}
	for j, step := range steps {
		p.before[j] = make([]bool, j)
		if own, is := latest[step.Worker]; is {
			p.after(j, own)
			if answered := steps[own].Answered; answered > own && answered < j {
				p.after(j, answered)
			}
		}
		latest[step.Worker] = j
		for i := j - 1; i >= 0; i-- {
			if !p.before[j][i] && !independent(steps[i], step) {
				p.races = append(p.races, race{i, j})
				p.after(j, i)
			}
		}
	}
	return p
}

// after notes that step j comes after step i, and after all that i comes after.
func (p *past) after(j, i int) {
	p.before[j][i] = true
	for k, is := range p.before[i] {
		p.before[j][k] = p.before[j][k] || is
	}
}

// initials are the workers of whom one must go first, before the first step of a race, for the
// race to be the other way round: those that can begin what follows the first step and does not
// come after it, up to the second.
func (p *past) initials(r race) []string {
	var rest []int
	for k := r.first + 1; k <= r.second; k++ {
		if k == r.second || !p.before[k][r.first] {
			rest = append(rest, k)
		}
	}
	var workers []string
	seen := map[string]bool{}
	for at, k := range rest {
		worker := p.steps[k].Worker
		if seen[worker] {
			continue
		}
		seen[worker] = true
		first := true
		for _, m := range rest[:at] {
			first = first && !p.before[k][m]
		}
		if first {
			workers = append(workers, worker)
		}
	}
	return workers
}
