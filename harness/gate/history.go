package gate

import (
	"slices"

	"lostreply/harness/event"
)

// pageSize is how many events a page of the history has room for.
const pageSize = 256

// history is every event so far, in pages: one list would be copied again and again as it grows,
// while every worker waits.
type history struct {
	pages [][]event.Event
	count int
}

func (h *history) add(e event.Event) {
	last := len(h.pages) - 1
	if last < 0 || len(h.pages[last]) == pageSize {
		h.pages = append(h.pages, make([]event.Event, 0, pageSize))
		last++
	}
	h.pages[last] = append(h.pages[last], e)
	h.count++
}

// all is a copy.
func (h *history) all() []event.Event { return slices.Concat(h.pages...) }
