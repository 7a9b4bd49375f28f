package scenario

import (
	"time"

	"lostreply/harness/strict"
)

const adviceAdvance = "Move a database's clock forward, so that leases and delays are over at once."

// Advance moves the clock of one database forward.
type Advance struct {
	At       strict.Position `key:"-"`
	Database strict.Text     `key:"database" doc:"The database. Default: the only one."`
	By       time.Duration   `key:"by,required" doc:"How far, such as 3001ms."`
}
