package scenario

import "lostreply/harness/strict"

const adviceDatabase = "Crash or restart the server of a database."

// DatabaseStep does something to a database's server; the scenario gets a server of its own.
type DatabaseStep struct {
	At   strict.Position `key:"-"`
	Name strict.Text     `key:"name" doc:"The database. Default: the only one."`
	Do   string          `key:"do,required" enum:"crash,restart" doc:"crash: SIGKILL to every process of it; restart: start it again (after an orderly stop, if it runs)."`
}
