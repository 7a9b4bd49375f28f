package dispatcher

import (
	"lostreply/harness/clock"
	"lostreply/outbox"
)
