package explore

// keeper is where outcomes go as each is done, and where those of an earlier campaign are found: a
// campaign that is told an outcome does not run it again.
type keeper interface {
	// known is the outcome of a schedule that has been run before, without the schedule itself.
	known(id string) (outcome, bool)
	// keep takes an outcome as its run is done. Several runs call it at once. Its error ends the
	// campaign.
	keep(o outcome) error
	// surveyed is what the workload does without a fault, as an earlier campaign saw it.
	surveyed() (survey, bool, error)
	// survey takes what the workload does without a fault.
	survey(s survey) error
	// written is the scenario that shows what a schedule found, as an earlier campaign wrote it.
	written(id string) (source []byte, known bool)
	// write takes the scenario that shows what a schedule found.
	write(id string, source []byte) error
	// ended takes the campaign's outcome, once everything else has been taken.
	ended(outcome string) error
}

// nowhere keeps nothing.
type nowhere struct{}

func (nowhere) known(string) (outcome, bool)    { return outcome{}, false }
func (nowhere) keep(outcome) error              { return nil }
func (nowhere) surveyed() (survey, bool, error) { return survey{}, false, nil }
func (nowhere) survey(survey) error             { return nil }
func (nowhere) written(string) ([]byte, bool)   { return nil, false }
func (nowhere) write(string, []byte) error      { return nil }
func (nowhere) ended(string) error              { return nil }
