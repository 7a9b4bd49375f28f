package interleaving

// Effect is what an exchange can do, at most, to what others see of a place.
type Effect int

// The effects, and what each commutes with at one place, whichever of the two comes first. What is
// not said commutes with nothing. It holds of PostgreSQL's READ COMMITTED and REPEATABLE READ,
// where what a transaction writes is seen by others once it is committed and not before, reading
// waits for no lock of a row, and nothing is read before a transaction's first query; not of
// SERIALIZABLE, where a read is seen too.
const (
	// Anything commutes with Begin alone.
	Anything Effect = iota
	// Begin begins a transaction. It commutes with everything: no snapshot is taken by it.
	Begin
	// Read reads rows, and locks none. It commutes with Read, Write and Close.
	Read
	// Write changes or locks rows in a transaction that goes on. It commutes with Read: nobody sees it
	// yet. With another Write it does not: both may want one row.
	Write
	// Publish ends a transaction that wrote, or writes in a transaction of its own.
	Publish
	// Close ends a transaction that only read. It commutes with everything but Anything, such as an
	// ALTER TABLE, which waits for readers.
	Close
)

// Access is what an exchange can do to one place: a database, or a channel.
type Access struct {
	Place  string `json:"place"`
	Effect Effect `json:"effect"`
}

// Step is one exchange of a worker with PostgreSQL or a channel, as one run had it.
type Step struct {
	Worker   string   `json:"worker"`
	Accesses []Access `json:"accesses"`
	// Answered is the place, in the run, of the step with which its answer came: its own, or, where
	// it waited for a lock, that of the step that let the lock go. Beyond the run's end when no
	// answer came, and Unknown in an order that has not been run.
	Answered int `json:"answered"`
	// Label says what it is, and Events are the names it answers to.
	Label  string   `json:"label"`
	Events []string `json:"events,omitempty"`
}

// Unknown is where the answer of a step comes that has not been taken yet.
const Unknown = -1

// Independent tells whether two steps commute: whichever comes first, both do the same and leave
// the same. Steps at different places do, as no database or channel knows of another.
func Independent(a, b Step) bool {
	for _, one := range a.Accesses {
		for _, other := range b.Accesses {
			if one.Place == other.Place && !commute(one.Effect, other.Effect) {
				return false
			}
		}
	}
	return true
}

func commute(a, b Effect) bool {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == Begin || b == Begin:
		return true
	case a == Anything:
		return false
	case b == Close:
		return true
	default:
		return a == Read && b <= Write
	}
}

// Never is the relation by which no two steps commute: by it, every order is tried.
func Never(Step, Step) bool { return false }
