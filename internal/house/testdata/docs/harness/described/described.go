// Package described says everything.
package described

// Limit is in bytes.
const Limit = 1

// The two kinds.
const (
	One = iota
	Two
)

// Thing is described.
type Thing struct{}

// Do does nothing.
func (Thing) Do() {}

type hidden struct{}

func (hidden) Exported() {}

func own() {}
