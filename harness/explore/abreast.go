package explore

// abreast is a plan of several groups of workers at once: each batch has some orders of each. A
// walk that is cut somewhere has been through all of them so.
type abreast []*interleavings

func (a abreast) next(done []outcome) []schedule {
	of := map[*group][]outcome{}
	for _, each := range done {
		own := each.schedule.order.group
		of[own] = append(of[own], each)
	}
	var batch []schedule
	for _, each := range a {
		batch = append(batch, each.next(of[each.group])...)
	}
	return batch
}

func (a abreast) counted() (total, pruned int) {
	for _, each := range a {
		more, less := each.counted()
		total, pruned = total+more, pruned+less
	}
	return total, pruned
}

func (a abreast) notes() []string {
	var notes []string
	for _, each := range a {
		notes = append(notes, each.notes()...)
	}
	return notes
}
