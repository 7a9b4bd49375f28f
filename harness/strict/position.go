package strict

import "fmt"

// Position is a place in a file; lines and columns count from 1. A struct field of this type is
// filled with the place of the mapping that was decoded into the struct.
type Position struct {
	File   string
	Line   int
	Column int
}

// String writes a position the way compilers do: file:line:column.
func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }
