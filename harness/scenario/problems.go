package scenario

import (
	"fmt"

	"lostreply/harness/strict"
)

// Problems gathers what is wrong with the files that are being loaded, so that all of it is said at
// once.
type Problems struct {
	list strict.Problems
}

// Addf adds a problem at a position. One without a position follows from a key that is missing,
// which has been reported where it should stand: it is left out.
func (p *Problems) Addf(at strict.Position, format string, arguments ...any) {
	if at == (strict.Position{}) && len(p.list) > 0 {
		return
	}
	p.list = append(p.list, strict.Problem{At: at, Message: fmt.Sprintf(format, arguments...)})
}

// Add adds problems that were found elsewhere.
func (p *Problems) Add(others strict.Problems) { p.list = append(p.list, others...) }

// Err is nil when nothing is wrong, else all problems as one error.
func (p *Problems) Err() error { return p.list.Err() }
