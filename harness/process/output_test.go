package process_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"lostreply/harness/clock"
	"lostreply/harness/process"
)

func TestOutputIsDrainedAfterAKill(t *testing.T) {
	// The worker fills its pipe while nobody reads fast enough: the echo is slow on purpose.
	gate := make(chan struct{})
	spec := specOf("sh", "-c", `i=0; while [ $i -lt 500 ]; do i=$((i+1)); echo "line $i"; done
		echo last >&2; sleep 1000`)
	var once sync.Once
	spec.Echo = func(line process.Line) {
		if line.Stream == process.Stdout {
			once.Do(func() { <-gate })
		}
	}
	g := start(t, spec)
	err := clock.Until(limit(t), func(context.Context) (bool, error) {
		return stateOf(g.ID()) == "S", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	killed := make(chan error, 1)
	go func() {
		_, err := g.Kill(limit(t))
		killed <- err
	}()
	<-g.LeaderEnded()
	select {
	case <-g.Ended():
		t.Error("ended before its output was read")
	default:
	}
	close(gate)
	if err := <-killed; err != nil {
		t.Fatal(err)
	}
	if count := len(g.Lines()); count < 2 {
		t.Errorf("%d lines survived the kill", count)
	}
}

func TestOutputWithoutALastLineEnd(t *testing.T) {
	g := shell(t, `printf 'one\ntwo\r\n\nthree'`)
	waitEnded(t, g)
	var texts []string
	for _, line := range g.Lines() {
		texts = append(texts, line.Text)
	}
	if got := strings.Join(texts, "|"); got != "one|two||three" {
		t.Errorf("lines %q", got)
	}
}

func TestStreamsAreToldApartAndEchoed(t *testing.T) {
	var echoed []process.Line
	spec := specOf("sh", "-c", `echo out; sleep 0.05; echo err >&2`)
	spec.Echo = func(line process.Line) { echoed = append(echoed, line) }
	g := start(t, spec)
	waitEnded(t, g)
	if got := fmt.Sprint(echoed); got != "[stdout: out stderr: err]" {
		t.Errorf("echoed %s", got)
	}
	if got := fmt.Sprint(g.LastLines(1)); got != "[stderr: err]" {
		t.Errorf("last line %s", got)
	}
}

func TestLongLinesAndBinaryOutputAreBounded(t *testing.T) {
	g := shell(t, `head -c 3000000 /dev/zero | tr '\0' x; echo
		head -c 200000 /dev/urandom; printf '\n\377\376\nend\n'`)
	waitEnded(t, g)
	lines := g.Lines()
	if text := lines[0].Text; len(text) > 1<<20+100 || !strings.HasPrefix(text, "xxx") ||
		!strings.HasSuffix(text, "[1951424 more bytes of this line dropped]") {
		t.Errorf("long line has %d bytes, ends %q", len(text), text[len(text)-50:])
	}
	for _, line := range lines {
		if !utf8.ValidString(line.Text) {
			t.Fatal("a line is not UTF-8")
		}
	}
	if last := lines[len(lines)-1].Text; last != "end" {
		t.Errorf("last line %q", last)
	}
}

func TestFloodKeepsHeadAndTail(t *testing.T) {
	g := shell(t, `seq 1 200000; echo end`)
	waitEnded(t, g)
	lines := g.Lines()
	if len(lines) != 10_001 {
		t.Fatalf("%d lines kept", len(lines))
	}
	if lines[0].Text != "1" || lines[4999].Text != "5000" || lines[10_000].Text != "end" ||
		lines[5000] != (process.Line{Stream: process.Note, Text: "[190001 lines dropped here]"}) {
		t.Errorf("kept %v, %v, %v", lines[0], lines[4999:5002], lines[10_000])
	}
}

func TestFloodOfWideLinesIsBoundedInBytes(t *testing.T) {
	g := shell(t, `yes "$(head -c 100000 /dev/zero | tr '\0' y)" | head -n 300; echo end`)
	waitEnded(t, g)
	lines, total := g.Lines(), 0
	for _, line := range lines {
		total += len(line.Text)
	}
	if total > 4<<20+100 || lines[len(lines)-1].Text != "end" {
		t.Errorf("%d bytes kept in %d lines", total, len(lines))
	}
}

func TestKillOfAFlood(t *testing.T) {
	g := shell(t, `yes flood`)
	waitLine(t, g, "flood")
	kill(t, g)
}

func TestWaitLine(t *testing.T) {
	g := shell(t, `echo first; sleep 0.05; echo "ready 1" >&2; sleep 1000`)
	for range 2 { // to come, and there already
		line, err := g.WaitLine(limit(t), begins("ready"))
		if err != nil || line != (process.Line{Stream: process.Stderr, Text: "ready 1"}) {
			t.Fatalf("line %v, error %v", line, err)
		}
	}
	_, err := g.WaitLine(short(t), begins("never"))
	if !errors.Is(err, clock.ErrDeadline) || errors.Is(err, process.ErrEnded) {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{"wait for a line of worker a", "still running", "stderr: ready 1"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

func TestWaitLineEndsWithTheWorker(t *testing.T) {
	g := shell(t, `echo broken; sleep 0.05; exit 9`)
	_, err := g.WaitLine(limit(t), begins("ready"))
	if !errors.Is(err, process.ErrEnded) {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(err.Error(), "exit 9") || !strings.Contains(err.Error(), "stdout: broken") {
		t.Errorf("error %q", err)
	}
	// A last line without an end still counts.
	g = shell(t, `sleep 0.02; printf 'ready at last'`)
	if _, err := g.WaitLine(limit(t), begins("ready")); err != nil {
		t.Error(err)
	}
}

func TestWaitLineSaysWhenOnlyTheLeaderHasEnded(t *testing.T) {
	g := shell(t, `sleep 1003 & exit 5`)
	<-g.LeaderEnded()
	_, err := g.WaitLine(short(t), begins("ready"))
	if !errors.Is(err, clock.ErrDeadline) ||
		!strings.Contains(err.Error(), "it has ended (exit 5)") ||
		!strings.Contains(err.Error(), "sleep 1003") {
		t.Errorf("error %v", err)
	}
}
