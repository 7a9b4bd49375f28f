package relay_test

import (
	"fmt"
	"slices"

	"lostreply/relay"
)

// The model: what a relay must be, without a database, a network or a clock. Its time counts
// actions; longRest is a redelivery in it.
const (
	modelLimit    = 3
	modelCapacity = 8 * 85 // eight events of one digit
	longRest      = 1_000_000
)

type modelItem struct {
	id, tenant, body     string
	acked, parked        bool
	deliveries, refusals int
	due                  int
}

type model struct {
	now     int
	items   []*modelItem // in the order of admission
	counts  map[string]int
	strays  map[string]bool
	refused map[relay.Reason]int
}

func newModel() *model {
	return &model{counts: map[string]int{}, strays: map[string]bool{},
		refused: map[relay.Reason]int{}}
}

func (m *model) find(id string) *modelItem {
	for _, item := range m.items {
		if item.id == id {
			return item
		}
	}
	return nil
}

func (m *model) unacked(tenant string) (number, bytes int) {
	for _, item := range m.items {
		if !item.acked && (tenant == "" || item.tenant == tenant) {
			number++
			bytes += len(item.body)
		}
	}
	return number, bytes
}

// push is the whole of an intake, and tells whether it refused the event.
func (m *model) push(tenant string, seq int, text string) (isRefused bool) {
	m.counts["pushed"]++
	id := fmt.Sprintf("%s-%d", tenant, seq)
	earlier := m.find(id)
	unacked, _ := m.unacked(tenant)
	_, used := m.unacked("")
	switch {
	case unacked >= modelLimit:
		m.refused[relay.TenantOverlimit]++
	case earlier != nil && earlier.body == text:
		m.counts["events_repeated"]++
	case earlier != nil:
		m.refused[relay.SequenceConflict]++
	case used+len(text) > modelCapacity:
		m.refused[relay.QueueFull]++
		m.counts["queue_dropped_entries"]++
	default:
		m.items = append(m.items, &modelItem{id: id, tenant: tenant, body: text, due: m.now})
		return false
	}
	return earlier == nil || earlier.body != text || unacked >= modelLimit
}

// claim is the item that is due longest.
func (m *model) claim() *modelItem {
	var first *modelItem
	for _, item := range m.items {
		if !item.acked && !item.parked && item.due <= m.now && (first == nil || item.due < first.due) {
			first = item
		}
	}
	return first
}

func (m *model) take(item *modelItem) {
	item.deliveries++
	item.due = m.now + longRest
}

// hear takes in ACKs.
func (m *model) hear(ids []string) {
	for i, id := range ids {
		item := m.find(id)
		switch {
		case item == nil && !m.strays[id]:
			m.strays[id] = true
			m.counts["sink_received"]++
		case item == nil && slices.Contains(ids[:i], id):
			m.counts["acks_repeated"]++
		case item == nil:
		case item.acked:
			m.counts["acks_repeated"]++
		default:
			item.acked, item.parked = true, false
			m.counts["acked"]++
			m.counts["sink_received"]++
			if item.deliveries > 0 {
				m.counts["pushes_delivered"]++
			}
		}
	}
}

func (m *model) refuse(item *modelItem) {
	item.refusals++
	item.parked = item.refusals >= parkAfter
}

// resolve tells whether the item was parked.
func (m *model) resolve(id string) bool {
	item := m.find(id)
	if item == nil || !item.parked {
		return false
	}
	item.parked, item.refusals, item.due = false, 0, m.now
	return true
}

// rows are the items as the table has them, in the order of admission.
func (m *model) rows() []string {
	rows := []string{}
	for _, item := range m.items {
		rows = append(rows, fmt.Sprintf("%s acked=%t parked=%t deliveries=%d refusals=%d due=%t",
			item.id, item.acked, item.parked, item.deliveries, item.refusals,
			!item.acked && !item.parked && item.due <= m.now))
	}
	return rows
}
