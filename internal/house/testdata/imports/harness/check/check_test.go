package check

import (
	"os"

	"lostreply/harness/postgres/postgrestest"
)
