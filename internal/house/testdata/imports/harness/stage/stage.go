package stage

import (
	"lostreply/dispatcher"
	"lostreply/harness/fact"
	"lostreply/harness/lab"
	"lostreply/harness/nowhere"
	"lostreply/harness/run"
)
