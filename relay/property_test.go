package relay_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"lostreply/relay"
)

// machine drives a relay and its model side by side.
type machine struct {
	*world
	model *model
	story story
}

// propertyChecks is how many sequences are tried: each step is some turns with a real database.
const propertyChecks = "40"

// Whatever is pushed, delivered, refused, lost, repeated, late, crashed and restarted: after each
// step the tables are what the model says.
func TestTheRelayIsItsModel(t *testing.T) {
	if given := flag.Lookup("rapid.checks"); given.Value.String() == given.DefValue {
		if err := flag.Set("rapid.checks", propertyChecks); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = flag.Set("rapid.checks", given.DefValue) }()
	}
	w := newWorld(t, contractOf(modelLimit, modelCapacity))
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{world: w, model: newModel()}
		m.begin(t)
		defer func() {
			if t.Failed() {
				t.Logf("the steps as a scenario, for scenarios/relay:\n%s", m.story.scenario(m.model))
			}
		}()
		t.Repeat(map[string]func(*rapid.T){
			"push":    m.push,
			"deliver": m.deliver,
			"advance": m.advanceClock,
			"again":   m.deliver, // as likely again as each of the others
			"resolve": m.resolve,
			"":        m.compare,
		})
	})
}

// begin empties what an earlier sequence left.
func (m *machine) begin(t *rapid.T) {
	_, err := m.sql.Exec(context.Background(),
		`TRUNCATE item, tally, stray_ack RESTART IDENTITY; UPDATE tenant SET last_acked_seq = NULL`)
	if err != nil {
		t.Fatal(err)
	}
	m.restart()
}

// dying draws a COMMIT to die at, of the next so many; 0 is none.
func (m *machine) dying(t *rapid.T, commits int) (at int, heard bool) {
	if rapid.IntRange(0, 3).Draw(t, "die") > 0 {
		return 0, false
	}
	at = rapid.IntRange(1, commits).Draw(t, "commit")
	heard = rapid.Bool().Draw(t, "done")
	m.session.at, m.session.heard = at, heard
	return at, heard
}

// survive starts the relay anew if it died, and tells whether it did. Any other error is a finding.
func (m *machine) survive(t *rapid.T, err error) (died bool) {
	died = m.session.done
	if (err != nil) != died || (err != nil && !errors.Is(err, errCrash)) {
		t.Fatalf("died %t, error %v", died, err)
	}
	m.session.at = 0
	if died {
		m.restart()
	}
	return died
}

func (m *machine) push(t *rapid.T) {
	m.model.now++
	tenant := rapid.SampledFrom([]string{"t1", "t2", "t3"}).Draw(t, "tenant")
	seq := rapid.IntRange(1, 5).Draw(t, "seq")
	text := body(tenant, seq, rapid.SampledFrom([]string{"price", "names"}).Draw(t, "change"))
	at, done := m.dying(t, 1)
	_, err := m.intake.Push(context.Background(), []byte(text))
	died := m.survive(t, err)
	isRefused := false
	if !died || done {
		isRefused = m.model.push(tenant, seq, text)
	}
	m.story.push(text, isRefused, at, done)
}

func (m *machine) deliver(t *rapid.T) {
	m.model.now++
	item := m.model.claim()
	says := m.drawReply(t, item)
	answered, calls := 0, 0
	m.sink.alone(func() { m.sink.next = func(string) reply { answered++; return says } })
	at, done := m.dying(t, 2)
	delivery, err := m.courier.RunOnce(context.Background())
	m.sink.alone(func() { calls = answered })
	died := m.survive(t, err)
	if item == nil {
		if died || calls > 0 || delivery.Item != "" {
			t.Fatalf("nothing was due: %+v, %d calls", delivery, calls)
		}
		return
	}
	if !died {
		at = 0 // it would have died at a COMMIT that never came
	}
	m.story.deliver(says, at, done, calls > 0)
	if died && at == 1 && !done {
		return
	}
	m.model.take(item)
	if died && at == 1 {
		if calls > 0 {
			t.Fatalf("called after a claim that was not heard of")
		}
		return
	}
	if calls != 1 {
		t.Fatalf("%d calls of the sink for one delivery", calls)
	}
	if !died || done {
		m.hear(item, says)
	}
}

// hear is what the model makes of an answer.
func (m *machine) hear(item *modelItem, says reply) {
	switch {
	case says.lost:
	case says.status == 422:
		m.model.refuse(item)
	case says.status == 0:
		m.model.hear(says.acks)
	}
}

// drawReply chooses what the sink does: ACK, withhold, nack, go down, lose its answer, and say
// again or at last what it might have said earlier.
func (m *machine) drawReply(t *rapid.T, item *modelItem) reply {
	if item == nil {
		return reply{}
	}
	switch rapid.SampledFrom([]string{
		"ack", "ack", "withhold", "lost", "refuse", "refuse", "down", "others", "stray",
	}).Draw(t, "reply") {
	case "ack":
		return reply{acks: []string{item.id}}
	case "lost":
		return reply{acks: []string{item.id}, lost: true}
	case "refuse":
		return reply{status: 422}
	case "down":
		return reply{status: 503}
	case "stray":
		return reply{acks: []string{"t4-99"}}
	case "others":
		var known []string
		for _, each := range m.model.items {
			known = append(known, each.id)
		}
		return reply{acks: rapid.SliceOfN(rapid.SampledFrom(known), 0, 4).Draw(t, "acks")}
	}
	return reply{}
}

func (m *machine) advanceClock(*rapid.T) {
	m.model.now += longRest + 1
	m.advance(redelivery)
	m.story.advance()
}

func (m *machine) resolve(t *rapid.T) {
	var candidates []*modelItem
	for _, item := range m.model.items {
		if item.parked || item.acked {
			candidates = append(candidates, item)
		}
	}
	if len(candidates) == 0 {
		t.Skip("nothing is parked or acked")
	}
	m.model.now++
	item := rapid.SampledFrom(candidates).Draw(t, "item")
	err := relay.Resolve(context.Background(), m.session, item.id, "try again")
	if wasParked := m.model.resolve(item.id); wasParked != (err == nil) ||
		(err != nil && !errors.Is(err, relay.ErrNotParked)) {
		t.Fatalf("resolve %s: %v; parked %t", item.id, err, wasParked)
	}
	if err == nil {
		m.story.resolve(item.id)
	}
}

// compare compares the whole state.
func (m *machine) compare(t *rapid.T) {
	got := m.column(`
		SELECT format('%s acked=%s parked=%s deliveries=%s refusals=%s due=%s', id,
		       (acked_as IS NOT NULL)::text, parked::text, deliveries, refusals,
		       coalesce(due_at <= now(), false)::text)
		  FROM item ORDER BY admitted_as`)
	if want := m.model.rows(); !slices.Equal(got, want) {
		t.Fatalf("items\n got %v\nwant %v", got, want)
	}
	report, err := relay.ReadReport(context.Background(), m.session)
	if err != nil {
		t.Fatal(err)
	}
	unacked, used := m.model.unacked("")
	claims := map[string]int64{
		"pushed": report.Pushed, "events_repeated": report.EventsRepeated,
		"queue_dropped_entries": report.QueueDroppedEntries, "acked": report.Acked,
		"pushes_delivered": report.PushesDelivered, "sink_received": report.SinkReceived,
		"acks_repeated": report.ACKsRepeated,
	}
	for _, name := range slices.Sorted(maps.Keys(claims)) {
		if claims[name] != int64(m.model.counts[name]) {
			t.Fatalf("%s is %d, want %d", name, claims[name], m.model.counts[name])
		}
	}
	if report.Unacked != int64(unacked) || report.QueueUsedBytes != int64(used) ||
		report.OverlimitPushes != 0 || report.UnackedPeak > modelLimit {
		t.Fatalf("unacked %d, used %d; the report claims %+v", unacked, used, report)
	}
	for _, tenant := range m.contract.Tenants {
		if number, _ := m.model.unacked(tenant); report.Tenants[tenant].Unacked != int64(number) {
			t.Fatalf("tenant %s: unacked %d, want %d", tenant, report.Tenants[tenant].Unacked, number)
		}
	}
	if got, want := fmt.Sprint(refusals(report)), fmt.Sprint(m.model.refused); got != want {
		t.Fatalf("refused %s, want %s", got, want)
	}
}

func refusals(report *relay.Report) map[relay.Reason]int {
	counts := map[relay.Reason]int{}
	for reason, amount := range report.Refused {
		counts[reason] = int(amount)
	}
	return counts
}
