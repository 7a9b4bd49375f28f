package main

import (
	"lostreply/harness/run"
	"lostreply/outbox"
)
