package wire

import (
	"lostreply/fakes"
	"lostreply/harness/postgres/postgrestest"
	"lostreply/harness/wire/frame"
)
