package scenario

import "lostreply/harness/strict"

const adviceSQL = "Run SQL directly, in a session of the harness."

// SQL runs statements in a session of the harness. A named session stays open to the end of the
// scenario, so that it can hold a lock; an unnamed one is closed at once.
type SQL struct {
	At       strict.Position `key:"-"`
	Database strict.Text     `key:"database" doc:"The database. Default: the only one."`
	Session  string          `key:"session" doc:"Name of a session that stays open."`
	Run      string          `key:"run,required" doc:"The statements."`
	Changes  *int            `key:"changes" doc:"Rows that the last INSERT, UPDATE or DELETE must change. Default: at least 1."`
}
