package explore

// keeper is where outcomes go as each is done, and where those of an earlier campaign are found: a
// campaign that is told an outcome does not run it again.
type keeper interface {
	// known is the outcome of a schedule that has been run before, without the schedule itself.
	known(id string) (outcome, bool)
	// keep takes an outcome as its run is done. Several runs call it at once. Its error ends the
	// campaign.
	keep(o outcome) error
}

// nowhere keeps nothing.
type nowhere struct{}

func (nowhere) known(string) (outcome, bool) { return outcome{}, false }
func (nowhere) keep(outcome) error           { return nil }
