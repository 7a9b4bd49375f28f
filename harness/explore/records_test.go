package explore

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"lostreply/harness/check"
	"lostreply/harness/event"
	"lostreply/harness/scenario"
)

// TestSurveyIsStored reads a survey as it was written. A field that is added to surveys is stored.
func TestSurveyIsStored(t *testing.T) {
	t.Parallel()
	if fields := reflect.TypeFor[survey]().NumField(); fields != 6 {
		t.Fatalf("a survey has %d fields, and 6 are stored: add what is new to storedSurvey", fields)
	}
	s := survey{
		places: []place{{
			Address: event.Address{
				Worker: "a", Incarnation: 1, Event: "push", Nth: 2, Phase: event.Request,
			},
			Kind: event.Call, Matters: true, Number: 3, Label: "POST /send",
		}},
		faultless: map[scenario.Life]bool{
			{Worker: "a", Incarnation: 1}: true, {Worker: "a", Incarnation: 2}: false,
		},
		notes: []string{"a note"}, doings: map[string]string{"a": "push"},
		damage: outcome{
			Verdict: check.Fail, Witnesses: []witness{{Check: "c", Statement: "c (expected=1)"}},
		},
	}
	s.checks = append(s.checks, step("check", pair{"fact", text("f")}, pair{"rows", flowList()}))
	stored, err := s.stored()
	if err != nil {
		t.Fatal(err)
	}
	read, err := stored.survey()
	if err != nil {
		t.Fatal(err)
	}
	again, err := read.stored()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(stored, again) || !reflect.DeepEqual(s.places, read.places) ||
		!reflect.DeepEqual(s.faultless, read.faultless) {
		t.Errorf("stored as %+v, and read as %+v", stored, again)
	}
}

// TestRecords reads what was written, without a last line that is torn, and goes on after it. What
// another exploration wrote is refused, and so is a file that somebody writes now.
func TestRecords(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "system", "s.records.jsonl")
	of := header{Version: recordsVersion, Scenario: "s", Options: Options{Advance: time.Minute}}
	first, err := openRecords(file, of, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openRecords(file, of, true); err == nil {
		t.Error("two write one file of records at once")
	}
	done := outcome{ID: "kill at a.1 commit#1 response", Verdict: check.Fail, Rounds: 2}
	if err := errors.Join(first.keep(done), first.close()); err != nil {
		t.Fatal(err)
	}
	tear(t, file, `{"outcome":{"id":"sever at`)
	second, err := openRecords(file, of, true)
	if err != nil {
		t.Fatal(err)
	}
	if read, known := second.known(done.ID); !known || !reflect.DeepEqual(read, done) {
		t.Errorf("recorded %+v, and read %+v", done, read)
	}
	more := outcome{ID: "sever at a.1 commit#1 response", Verdict: check.Pass, Rounds: 2}
	if err := errors.Join(second.keep(more), second.close()); err != nil {
		t.Fatal(err)
	}
	if read, err := readRecords(file); err != nil || len(read.outcomes) != 2 {
		t.Errorf("after a torn line: %d outcomes, want 2 (%v)", len(read.outcomes), err)
	}
	other := of
	other.Options.Advance = time.Hour
	if _, err := openRecords(file, other, true); !errors.Is(err, ErrRefused) {
		t.Errorf("gone on with another exploration: %v", err)
	}
}

// TestRecordsRefuse says where a file is none of records, or of another version.
func TestRecordsRefuse(t *testing.T) {
	t.Parallel()
	const begin = `{"campaign":{"version":1,"scenario":"s"}}` + "\n"
	for text, says := range map[string]string{
		"{\n" + begin:                       ":1: no record",
		`{"outcome":{"id":"x"}}` + "\n":     ":1: the campaign stands in the first line",
		begin + begin:                       ":2: the campaign stands in the first line",
		begin + "{}\n":                      ":2: no record",
		`{"campaign":{"version":2}}` + "\n": ":1: records of version 2: this lostreply reads version 1",
	} {
		file := filepath.Join(t.TempDir(), "s.records.jsonl")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readRecords(file); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

func tear(t *testing.T, file, text string) {
	t.Helper()
	opened, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := opened.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
}
