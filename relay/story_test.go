package relay_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// story keeps the steps of a sequence, so that one that failed can be kept as a scenario.
type story struct {
	steps   []string
	script  []string
	workers int
	opened  bool // an intake has made the queue, with a COMMIT of its own
}

// runs adds a step that runs a program to its end, or to its death at a COMMIT. The settings are
// further keys of the step.
func (s *story) runs(program, settings string, dieAt int, done bool) {
	s.workers++
	name := fmt.Sprintf("%s-%d", program, s.workers)
	if dieAt == 0 {
		s.steps = append(s.steps, fmt.Sprintf("run: {program: %s, as: %s%s}", program, name, settings))
		return
	}
	phase := "request"
	if done {
		phase = "response"
	}
	s.steps = append(s.steps,
		fmt.Sprintf("start: {program: %s, as: %s%s}", program, name, settings),
		fmt.Sprintf("hold: {worker: %s, event: commit, nth: %d, phase: %s}", name, dieAt, phase),
		fmt.Sprintf("kill: {worker: %s}", name))
}

func (s *story) push(text string, isRefused bool, dieAt int, done bool) {
	if dieAt > 0 && !s.opened {
		dieAt++
	}
	s.opened = true
	settings := ", args: {event: " + quoted(text) + "}"
	if isRefused && dieAt == 0 {
		settings += ", exit: 2"
	}
	s.runs("push-one", settings, dieAt, done)
}

// deliver adds a delivery and, when the sink was called, what it did.
func (s *story) deliver(says reply, dieAt int, done, called bool) {
	if called {
		answer, err := json.Marshal(map[string][]string{"acks": append([]string{}, says.acks...)})
		if err != nil {
			panic(err) // a list of strings always encodes
		}
		what := "reply: {body: " + quoted(string(answer)) + "}"
		if says.lost {
			what = "reply: {body: " + quoted(string(answer)) + ", truncate: 5}"
		}
		if says.status != 0 {
			what = fmt.Sprintf("accept: false, reply: {status: %d}", says.status)
		}
		s.script = append(s.script, fmt.Sprintf("{request: %d, %s}", len(s.script)+1, what))
	}
	s.runs("deliver", fmt.Sprintf(", args: {redelivery: 1h, park-after: %d}", parkAfter), dieAt, done)
}

func (s *story) advance() { s.steps = append(s.steps, "advance: {by: 1h1s}") }

func (s *story) resolve(id string) {
	s.runs("resolve", ", args: {item: "+id+", note: try again}", 0, false)
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// scenario is the sequence as a file of scenarios/relay, with what the model expects in the end.
func (s *story) scenario(m *model) string {
	var text strings.Builder
	text.WriteString("scenario: KEPT\ntitle: a sequence that a property test found\n" +
		"system: relay\nclock: moving\n")
	if len(s.script) > 0 {
		text.WriteString("channels:\n  sink:\n    - " + strings.Join(s.script, "\n    - ") + "\n")
	}
	text.WriteString("steps:\n  - " + strings.Join(s.steps, "\n  - ") + "\n")
	text.WriteString("expect:\n")
	var rows []string
	for _, item := range m.items {
		rows = append(rows, fmt.Sprintf("[%s, %d, %t, %d, %t]",
			item.id, len(item.body), item.acked, item.deliveries, item.parked))
	}
	fmt.Fprintf(&text, "  - check: {fact: items, rows: [%s]}\n", strings.Join(rows, ", "))
	return text.String()
}

// What a failure prints must be a scenario that runs: this one is kept among the others, and it has
// one step of each kind.
func TestAStoryIsAScenario(t *testing.T) {
	m, s := newModel(), &story{}
	for seq := 1; seq <= 3; seq++ {
		text := body("t1", seq, "price")
		s.push(text, false, 0, false)
		m.push("t1", seq, text)
	}
	died := body("t2", 1, "price")
	s.push(died, false, 1, true)
	m.push("t2", 1, died)
	s.push(body("t2", 2, "price"), false, 1, false)
	wrong := body("t1", 1, "names")
	s.push(wrong, m.push("t1", 1, wrong), 0, false)
	deliver := func(says reply, at int, done bool) {
		m.now++
		item := m.claim()
		m.take(item)
		s.deliver(says, at, done, at != 1)
		switch {
		case at == 1, at > 0 && !done, says.lost:
		case says.status == 422:
			m.refuse(item)
		default:
			m.hear(says.acks)
		}
	}
	deliver(reply{status: 422}, 0, false)
	deliver(reply{acks: []string{"t1-2"}, lost: true}, 0, false)
	deliver(reply{acks: []string{"t1-3", "t1-3", "t1-2"}}, 2, true)
	deliver(reply{acks: []string{"t2-1"}}, 2, false)
	m.now += longRest + 1
	s.advance()
	deliver(reply{status: 422}, 0, false)
	if !m.resolve("t1-1") {
		t.Fatal("t1-1 is not parked")
	}
	s.resolve("t1-1")
	deliver(reply{acks: []string{"t2-1"}}, 1, true)
	deliver(reply{status: 422}, 0, false)
	kept, err := os.ReadFile("../scenarios/relay/KEPT.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if printed := s.scenario(m); printed != string(kept) {
		t.Errorf("printed\n%s\nand kept is\n%s", printed, kept)
	}
}
