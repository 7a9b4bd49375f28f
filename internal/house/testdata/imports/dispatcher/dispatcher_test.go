package dispatcher

import (
	"lostreply/harness/postgres/postgrestest"
	"lostreply/outbox"
)
