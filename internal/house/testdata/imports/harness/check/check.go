package check

import (
	"fmt"
	"os"

	"lostreply/harness/event"
	"lostreply/harness/gate"
	"lostreply/harness/strict"
)
