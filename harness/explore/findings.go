package explore

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"lostreply/harness/check"
	"lostreply/harness/event"
)

// Finding is something that goes wrong, and the first run that shows it.
type Finding struct {
	// Scenario, Check, Act and Event tell one finding from another.
	Scenario, Check, Act, Event string
	// Witness is the line of the check that does not hold.
	Witness string
	// At is the fault, and Also how many others of the same act and event come to the same.
	At   string
	Also int
	// File is the scenario that shows it.
	File string
}

// Key names a finding: what went wrong, and where, in one line.
func (f Finding) Key() string {
	return fmt.Sprintf("%s: %s | %s | %s", f.Scenario, f.Check, f.Act, f.Event)
}

// report sums the outcomes up, and writes what was found.
func (c *campaign) report(planned plan, outcomes []outcome) (Report, error) {
	s := c.workload.scenario
	r := Report{
		Scenario: s.Name(), Title: s.Title, System: s.Under.Name.Value, Variant: c.workload.variant,
		Total: planned.total, Pruned: planned.pruned, Notes: c.survey.notes, Inert: true,
	}
	if len(planned.unnamed) > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%d turns have no name, and can't be held (record prints "+
			"names for them): %s", len(planned.unnamed), strings.Join(planned.unnamed, ", ")))
	}
	sum := sha256.New()
	found := map[string]int{}
	for _, o := range outcomes {
		if !o.tried {
			continue
		}
		fmt.Fprintln(sum, o.line()) // a hash takes everything
		r.Explored++
		r.Inert = r.Inert && !o.recovered
		switch o.verdict {
		case check.Fail:
			r.Violations++
			if err := c.add(&r, found, o); err != nil {
				return r, err
			}
		case check.Inconclusive:
			r.Inconclusive++
			r.Doubts = append(r.Doubts, o.fault.String()+":\n"+strings.Join(o.reasons, "\n"))
		}
	}
	r.Outcome = hex.EncodeToString(sum.Sum(nil)[:8])
	return r, nil
}

// add adds what a run shows that no earlier one has, and writes the run down if there is any.
func (c *campaign) add(r *Report, found map[string]int, o outcome) error {
	name := faultName(c.workload.scenario.ID.Value, o.fault)
	isNew := false
	told := map[string]bool{}
	for _, each := range o.witnesses {
		finding := Finding{
			Scenario: r.Scenario, Check: each.check, Act: o.fault.act, Event: o.fault.address.Event,
			Witness: each.statement, At: o.fault.address.String(), File: c.fileOf(name),
		}
		place, known := found[finding.Key()]
		switch {
		case told[finding.Key()]:
		case known:
			r.Findings[place].Also++
		default:
			isNew = true
			found[finding.Key()] = len(r.Findings)
			r.Findings = append(r.Findings, finding)
		}
		told[finding.Key()] = true
	}
	if !isNew {
		return nil
	}
	title := fmt.Sprintf("%s; then %s", story(o.fault), o.witnesses[0].statement)
	source, err := c.compose(o.fault, name, title, o.rounds)
	if err != nil {
		return err
	}
	return c.write(c.fileOf(name), source)
}

// story tells a fault in a sentence.
func story(f fault) string {
	done := "what it asked for is not done"
	if f.address.Phase == event.Response {
		done = "what it asked for is done, and it has not been told"
	}
	what := map[string]string{
		actKill: "is killed", actSever: "loses its connection", actHangUp: "is hung up on",
		actLostReply: "never gets the reply",
	}[f.act]
	return fmt.Sprintf("%s %s at its %s %d (%s)", f.address.Worker, what, f.address.Event,
		f.address.Nth, done)
}

// write writes a finding, and beside it a link to the system file that it needs.
func (c *campaign) write(file string, source []byte) error {
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	system, err := filepath.Abs(c.workload.scenario.Under.File)
	if err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	from, err := filepath.Abs(folder)
	if err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	target, err := filepath.Rel(from, system)
	if err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	err = os.Symlink(target, filepath.Join(folder, "system.yaml"))
	if err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("write a finding: its system file: %w", err)
	}
	if err := os.WriteFile(file, source, 0o644); err != nil {
		return fmt.Errorf("write a finding: %w", err)
	}
	return nil
}
