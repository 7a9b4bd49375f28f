package relay_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"lostreply/relay"
)

// setsSeed fixes what is random in the test, so that a failure comes again.
const setsSeed = 20261005

// Ten thousand events, of which many ACKs are withheld, lost, late, out of order and repeated: at
// the end, and without asking the relay, what was admitted is what is acked and what is unacked, as
// sets, and nothing is acked that the sink did not acknowledge.
func TestAdmittedIsAckedAndUnackedAsSets(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 events take a while")
	}
	const events = 10_000
	random := rand.New(rand.NewPCG(setsSeed, 0))
	w := newWorld(t, contractOf(40, 1<<30))
	var late []string
	next := func(item string) reply {
		switch chance := random.IntN(10); {
		case chance < 6:
			said := []string{item}
			if len(late) > 0 && random.IntN(3) == 0 {
				said = append(said, late[random.IntN(len(late))], item)
			}
			return reply{acks: said}
		case chance < 8:
			late = append(late, item)
			return reply{}
		case chance < 9:
			return reply{acks: []string{item}, lost: true}
		}
		return reply{status: 503}
	}
	w.sink.alone(func() { w.sink.next = next })
	admitted, refused := map[string]bool{}, 0
	for n := range events {
		var tenant string
		w.sink.alone(func() { tenant = fmt.Sprintf("t%d", 1+random.IntN(4)) })
		switch admission := w.push(body(tenant, n, "price")); {
		case admission.Refused == relay.TenantOverlimit:
			refused++
		case admission.Refused == "" && !admission.Repeated:
			admitted[admission.Item] = true
		default:
			t.Fatalf("event %d: %+v", n, admission)
		}
		if _, err := w.courier.RunOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n%200 == 0 {
			w.advance(redelivery)
		}
	}
	w.sink.alone(func() { w.compareSets(t, admitted, refused, events) })
}

func (w *world) compareSets(t *testing.T, admitted map[string]bool, refused, events int) {
	t.Helper()
	acked := w.column("SELECT id FROM item WHERE acked_as IS NOT NULL ORDER BY id")
	unacked := w.column("SELECT id FROM item WHERE acked_as IS NULL ORDER BY id")
	all := slices.Sorted(slices.Values(append(slices.Clone(acked), unacked...)))
	if !slices.Equal(all, slices.Sorted(maps.Keys(admitted))) {
		t.Errorf("admitted %d, acked %d, unacked %d: not the same set",
			len(admitted), len(acked), len(unacked))
	}
	if len(acked) == 0 || len(unacked) == 0 || refused == 0 || len(w.sink.lost) == 0 {
		t.Errorf("acked %d, unacked %d, refused %d, lost %d: each should have come about",
			len(acked), len(unacked), refused, len(w.sink.lost))
	}
	for _, id := range acked {
		if !w.sink.said[id] {
			t.Errorf("%s is acked, and the sink has not said so", id)
		}
	}
	for _, id := range unacked {
		if w.sink.said[id] {
			t.Errorf("%s is unacked, and the relay was told of its ACK", id)
		}
	}
	report, err := relay.ReadReport(t.Context(), w.session)
	if err != nil {
		t.Fatal(err)
	}
	if report.Pushed != int64(events) || report.Acked != int64(len(acked)) ||
		report.Unacked != int64(len(unacked)) || report.OverlimitRejected != int64(refused) ||
		report.SinkReceived != int64(len(w.sink.said)) || report.OverlimitPushes != 0 {
		t.Errorf("the report claims %+v", report.Figures)
	}
	t.Logf("admitted %d, acked %d, unacked %d, refused %d, deliveries %d, ACKs lost %d",
		len(admitted), len(acked), len(unacked), refused, len(w.sink.delivered), len(w.sink.lost))
}
