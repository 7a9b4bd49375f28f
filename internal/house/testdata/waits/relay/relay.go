package relay

import "time"

var poll = time.NewTicker
