package explore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func known(t *testing.T, text string) (Known, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "known.txt")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadKnown(file)
}

// TestKnown tells findings that are expected from new ones and from those that are gone.
func TestKnown(t *testing.T) {
	t.Parallel()
	expected, err := known(t, "# limits\nS: sends | kill | sms # of the spec\n\n"+
		"S: sends | kill | push\nT: sends | kill | push\n")
	if err != nil {
		t.Fatal(err)
	}
	found := Finding{Scenario: "S", Check: "sends", Act: "kill", Event: "sms"}
	fresh := Finding{Scenario: "S", Check: "sends", Act: "sever", Event: "sms"}
	if !expected.Has(found) || expected.Has(fresh) {
		t.Errorf("known %t, new %t; want true and false", expected.Has(found), expected.Has(fresh))
	}
	gone := expected.Gone([]Report{{Scenario: "S", Findings: []Finding{found, fresh}}})
	if want := []string{"S: sends | kill | push"}; !slices.Equal(gone, want) {
		t.Errorf("gone %v, want %v: T was not explored", gone, want)
	}
}

// TestKnownRefusesOtherText names the line that is no finding.
func TestKnownRefusesOtherText(t *testing.T) {
	t.Parallel()
	_, err := known(t, "S: sends | kill | sms\nS sends kill\n")
	if err == nil || !strings.Contains(err.Error(), "known.txt:2") {
		t.Errorf("error %v, want one that names line 2", err)
	}
}
